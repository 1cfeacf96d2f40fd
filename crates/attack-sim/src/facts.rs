//! The attacker's own engine: every table of whole numbers that agrees with what is known, or
//! integer programs over them. It shares no code with the engine that it judges.
//!
//! `x_j` the count of cell `j`, `0 <= x_j <= most_j`, and sums
//! `least <= sum of s_j x_j <= largest` with `s_j = 1` or `-1`.
//!
//! Tables are enumerated cell by cell. A value of cell `j` must leave each of its sums within
//! reach of the cells to come:
//!
//! ```text
//! least <= sum so far + s_j x_j + [least, largest sum of the rest] <= largest
//! ```
//!
//! Where there are too many, two integer programs a question (branch and bound over linear
//! programs, `microlp`): their tables are checked against every sum in integers before they are
//! believed.

use microlp::{ComparisonOp, LinearExpr, OptimizationDirection, Problem, SolveOptions, Variable};

/// Values tried before integer programs take over.
const MOST_TRIED: u64 = 60_000;
/// Nodes of an integer program.
const MOST_NODES: u64 = 500;

/// A sum that is known to lie between two numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sum {
    /// Cells, and whether each is taken away.
    pub(crate) terms: Vec<(usize, bool)>,
    pub(crate) least: i64,
    pub(crate) largest: i64,
}

impl Sum {
    fn expression(&self, variables: &[Variable]) -> LinearExpr {
        let mut expression = LinearExpr::empty();
        self.terms.iter().for_each(|&(cell, taken)| expression.add(variables[cell], sign(taken) as f64));
        expression
    }
}

/// All that an attacker holds.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The largest count of each cell.
    pub(crate) most: Vec<i64>,
    pub(crate) sums: Vec<Sum>,
}

/// Too many values were tried.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TooMany;

impl Facts {
    /// Nothing but the largest counts.
    pub(crate) fn new(most: Vec<i64>) -> Self {
        Self { most, sums: Vec::new() }
    }

    /// One count over these cells.
    pub(crate) fn add_count(&mut self, cells: &[usize], count: i64) {
        let terms = cells.iter().map(|&cell| (cell, false)).collect();
        self.sums.push(Sum { terms, least: count, largest: count });
        // Counts are not negative: no cell is larger than a sum of them.
        cells.iter().for_each(|&cell| self.most[cell] = self.most[cell].min(count));
    }

    /// The least and the largest count of each set of cells over all tables; `None` where no
    /// engine could tell.
    pub(crate) fn ranges(&self, questions: &[Vec<usize>]) -> Vec<Option<[i64; 2]>> {
        let mut ranges: Vec<Option<[i64; 2]>> = vec![None; questions.len()];
        let visited = self.visit(&mut |table| {
            for (range, cells) in ranges.iter_mut().zip(questions) {
                let count: i64 = cells.iter().map(|&cell| table[cell]).sum();
                let [low, high] = range.get_or_insert([count, count]);
                (*low, *high) = ((*low).min(count), (*high).max(count));
            }
        });
        if visited.is_ok() {
            return ranges;
        }
        questions.iter().map(|cells| self.range_by_programs(cells)).collect()
    }

    /// Calls `seen` with every table.
    pub(crate) fn visit(&self, seen: &mut dyn FnMut(&[i64])) -> Result<(), TooMany> {
        let mut search = Search::new(self);
        search.descend(0, seen)
    }

    fn range_by_programs(&self, cells: &[usize]) -> Option<[i64; 2]> {
        let low = self.extreme(cells, OptimizationDirection::Minimize)?;
        Some([low, self.extreme(cells, OptimizationDirection::Maximize)?])
    }

    /// One end, attained by a table that fits.
    fn extreme(&self, cells: &[usize], direction: OptimizationDirection) -> Option<i64> {
        let (program, variables) = self.program(cells, direction, true)?;
        let mut options = SolveOptions::default();
        options.node_limit = Some(MOST_NODES);
        let outcome = program.solve_with(options).ok()?;
        // A search that was cut off says nothing of the end, and one that was not names the best
        // table.
        let solution = outcome.solution().filter(|solution| solution.gap().is_none_or(|gap| gap <= 1e-9))?;
        let table: Vec<i64> = variables.iter().map(|&variable| solution.var_value(variable).round() as i64).collect();
        self.fits(&table).then(|| cells.iter().map(|&cell| table[cell]).sum())
    }

    /// The range over real numbers: what a linear check takes for the range of whole ones.
    pub(crate) fn real_range(&self, cells: &[usize]) -> Option<[f64; 2]> {
        let low = self.real_extreme(cells, OptimizationDirection::Minimize)?;
        Some([low, self.real_extreme(cells, OptimizationDirection::Maximize)?])
    }

    fn real_extreme(&self, cells: &[usize], direction: OptimizationDirection) -> Option<f64> {
        let (program, _) = self.program(cells, direction, false)?;
        let outcome = program.solve().ok()?;
        outcome.solution().map(microlp::Solution::objective)
    }

    fn program(
        &self,
        cells: &[usize],
        direction: OptimizationDirection,
        is_whole: bool,
    ) -> Option<(Problem, Vec<Variable>)> {
        let mut program = Problem::new(direction);
        let mut variables = Vec::with_capacity(self.most.len());
        for (cell, &most) in self.most.iter().enumerate() {
            let cost = f64::from(u8::from(cells.contains(&cell)));
            variables.push(match is_whole {
                true => program.add_integer_var(cost, (0, i32::try_from(most).ok()?)),
                false => program.add_var(cost, (0.0, most as f64)),
            });
        }
        for sum in &self.sums {
            let expression = sum.expression(&variables);
            if sum.least == sum.largest {
                program.add_constraint(expression, ComparisonOp::Eq, sum.least as f64);
            } else {
                program.add_constraint(expression.clone(), ComparisonOp::Ge, sum.least as f64);
                program.add_constraint(expression, ComparisonOp::Le, sum.largest as f64);
            }
        }
        Some((program, variables))
    }

    fn fits(&self, table: &[i64]) -> bool {
        let sums = self.sums.iter().all(|sum| {
            let count: i64 = sum.terms.iter().map(|&(cell, taken)| sign(taken) * table[cell]).sum();
            (sum.least..=sum.largest).contains(&count)
        });
        sums && table.iter().zip(&self.most).all(|(count, most)| (0..=*most).contains(count))
    }
}

const fn sign(is_taken: bool) -> i64 {
    if is_taken { -1 } else { 1 }
}

/// A sum during the search: what it is so far, and between which numbers the cells to come may
/// bring it.
#[derive(Clone, Copy)]
struct Reach {
    least: i64,
    largest: i64,
    rest: [i64; 2],
}

struct Search<'a> {
    most: &'a [i64],
    /// Of each cell, its sums, and whether it is taken away.
    sums_of: Vec<Vec<(usize, bool)>>,
    reach: Vec<Reach>,
    table: Vec<i64>,
    left: u64,
}

impl<'a> Search<'a> {
    fn new(facts: &'a Facts) -> Self {
        let mut sums_of = vec![Vec::new(); facts.most.len()];
        let mut reach = Vec::with_capacity(facts.sums.len());
        for (number, sum) in facts.sums.iter().enumerate() {
            let mut rest = [0, 0];
            for &(cell, taken) in &sum.terms {
                sums_of[cell].push((number, taken));
                rest[usize::from(!taken)] += sign(taken) * facts.most[cell];
            }
            reach.push(Reach { least: sum.least, largest: sum.largest, rest });
        }
        Self { most: &facts.most, sums_of, reach, table: vec![0; facts.most.len()], left: MOST_TRIED }
    }

    fn descend(&mut self, cell: usize, seen: &mut dyn FnMut(&[i64])) -> Result<(), TooMany> {
        if cell == self.table.len() {
            if self.reach.iter().all(|sum| sum.least <= 0 && 0 <= sum.largest) {
                seen(&self.table);
            }
            return Ok(());
        }
        let most = self.most[cell];
        self.step(cell, |sum, taken| sum.rest[usize::from(!taken)] -= sign(taken) * most);
        let [least, largest] = self.values(cell);
        for value in least..=largest {
            self.left = self.left.checked_sub(1).ok_or(TooMany)?;
            self.table[cell] = value;
            self.step(cell, |sum, taken| sum.take(sign(taken) * value));
            self.descend(cell + 1, seen)?;
            self.step(cell, |sum, taken| sum.take(-sign(taken) * value));
        }
        self.step(cell, |sum, taken| sum.rest[usize::from(!taken)] += sign(taken) * most);
        Ok(())
    }

    /// The values of a cell after which all of its sums are still within reach.
    fn values(&self, cell: usize) -> [i64; 2] {
        let mut values = [0, self.most[cell]];
        for &(number, taken) in &self.sums_of[cell] {
            let sum = self.reach[number];
            let (low, high) = (sum.least - sum.rest[1], sum.largest - sum.rest[0]);
            let (low, high) = if taken { (-high, -low) } else { (low, high) };
            values = [values[0].max(low), values[1].min(high)];
        }
        values
    }

    fn step(&mut self, cell: usize, change: impl Fn(&mut Reach, bool)) {
        for &(number, taken) in &self.sums_of[cell] {
            change(&mut self.reach[number], taken);
        }
    }
}

impl Reach {
    fn take(&mut self, count: i64) {
        self.least -= count;
        self.largest -= count;
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn two_by_two() -> Facts {
        // Rows 5 and 4, columns 3 and 6; nobody more than 4 in a cell.
        let mut facts = Facts::new(vec![4; 4]);
        for (cells, count) in [([0, 1], 5), ([2, 3], 4), ([0, 2], 3), ([1, 3], 6)] {
            facts.add_count(&cells, count);
        }
        facts
    }

    #[test]
    fn all_tables_of_a_small_fiber_are_seen() {
        let mut tables = Vec::new();
        two_by_two().visit(&mut |table| tables.push(table.to_vec())).unwrap();
        // x_00 is 1, 2 or 3: the second cell has at most 4.
        assert_eq!(tables, [[1, 4, 2, 2], [2, 3, 1, 3], [3, 2, 0, 4]]);
    }

    #[test]
    fn programs_and_enumeration_find_the_same_ends() {
        let facts = two_by_two();
        for cells in [vec![0], vec![1], vec![3], vec![0, 3], vec![1, 2]] {
            assert_eq!(facts.range_by_programs(&cells), facts.ranges(std::slice::from_ref(&cells))[0], "{cells:?}");
        }
        assert_eq!(facts.real_range(&[0]), Some([1.0, 3.0]));
    }

    #[test]
    fn what_is_taken_away_counts_against() {
        let mut facts = Facts::new(vec![5, 5, 2]);
        facts.sums.push(Sum { terms: vec![(0, false), (1, true), (2, true)], least: 3, largest: 3 });
        assert_eq!(facts.ranges(&[vec![0], vec![1], vec![2]]), [Some([3, 5]), Some([0, 2]), Some([0, 2])]);
        assert_eq!(facts.range_by_programs(&[0]), Some([3, 5]));
    }

    fn numbers(value: &serde_json::Value) -> Vec<i64> {
        serde_json::from_value(value.clone()).unwrap()
    }

    /// What an attacker knows of a published case: capacities where there are some, and the sums
    /// of every margin.
    fn of_case(case: &serde_json::Value) -> Facts {
        let (shape, counts) = (numbers(&case["shape"]), numbers(&case["counts"]));
        let margins: Vec<Vec<usize>> = serde_json::from_value(case["margins"].clone()).unwrap();
        let capacity = &case["capacity"];
        let most = if capacity.is_null() { vec![i64::MAX; counts.len()] } else { numbers(capacity) };
        let mut facts = Facts::new(most);
        for axes in margins {
            let level =
                |cell: usize, axis: usize| cell as i64 / shape[axis + 1..].iter().product::<i64>() % shape[axis];
            let mut groups: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
            for cell in 0..counts.len() {
                groups.entry(axes.iter().map(|&axis| level(cell, axis)).collect()).or_default().push(cell);
            }
            for cells in groups.values() {
                facts.add_count(cells, cells.iter().map(|&cell| counts[cell]).sum());
            }
        }
        facts
    }

    #[test]
    fn both_engines_find_the_published_ranges_of_small_tables() {
        let fixture = testkit::fixtures::json("frechet/fuzz_small.json");
        let mut compared = 0;
        for case in fixture.as_array().unwrap() {
            let (facts, cells) = (of_case(case), numbers(&case["counts"]).len());
            let expected: Vec<Option<[i64; 2]>> = numbers(&case["ilp_lower"])
                .into_iter()
                .zip(numbers(&case["ilp_upper"]))
                .map(|(low, high)| Some([low, high]))
                .collect();
            let questions: Vec<Vec<usize>> = (0..cells).map(|cell| vec![cell]).collect();
            assert_eq!(facts.ranges(&questions), expected, "{case}");
            if compared < 20 {
                let by_programs: Vec<_> = questions.iter().map(|cells| facts.range_by_programs(cells)).collect();
                assert_eq!(by_programs, expected, "{case}");
            }
            compared += 1;
        }
        assert!(compared > 100);
    }
}
