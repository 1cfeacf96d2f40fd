//! What a reader gains who runs the planner on every table that fits a published one, and keeps
//! those for which it withholds the very same cells.

use magnitude_release::{
    Axis, Cube, MagnitudeTable, MinFrequency, Record, SensitivityRule, Share, SuppressionCost, SuppressionProblem,
    SuppressionStatus, plan,
};

/// Tables that are run through, for one published one.
const MOST_TABLES: usize = 300;
const SIDE: usize = 3;

/// A linear congruential generator: the same tables everywhere.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A table of 3 x 3 cells: each amount is spread over as many respondents as the cell has, whom
/// everybody may count.
fn table(respondents: &[u64], amounts: &[i64]) -> MagnitudeTable {
    let axis = |name: &str| Axis::flat(name, "all", (0..SIDE).map(|label| label.to_string())).unwrap();
    let (mut records, mut next) = (Vec::new(), 0);
    for (cell, (&many, &amount)) in respondents.iter().zip(amounts).enumerate() {
        for one in 0..many as i64 {
            let share = amount / many as i64 + i64::from(one < amount % many as i64);
            records.push(Record { leaves: vec![cell / SIDE, cell % SIDE], respondent: next, amount: share });
            next += 1;
        }
    }
    MagnitudeTable::from_records(Cube::new(vec![axis("row"), axis("column")]).unwrap(), &records).unwrap()
}

/// Cells of fewer than 3 respondents are withheld: which ones are, everybody knows.
fn rule() -> SensitivityRule {
    let range = Share::of_percent("range", 30.0).unwrap();
    SensitivityRule::new(None, vec![], Some(MinFrequency { at_least: 3, range }), 0).unwrap()
}

fn pattern(table: &MagnitudeTable) -> Option<Vec<SuppressionStatus>> {
    let rule = rule();
    let problem = SuppressionProblem { cost: SuppressionCost::Value, ..SuppressionProblem::new(table, &rule) };
    plan(&problem).ok().map(|plan| plan.statuses().to_vec())
}

fn is_withheld(statuses: &[SuppressionStatus]) -> Vec<bool> {
    statuses.iter().map(|&status| status != SuppressionStatus::Published).collect()
}

/// Every table that fits the published cells; `None` if there are too many.
fn fitting(table: &MagnitudeTable, withheld: &[bool]) -> Option<Vec<Vec<i64>>> {
    let (cube, amounts) = (table.cube(), table.additive().amounts());
    let rule = rule();
    let intervals = SuppressionProblem::new(table, &rule).intervals(withheld).unwrap();
    let inner: Vec<usize> = (0..SIDE * SIDE).map(|cell| cube.cell_of(&[cell / SIDE + 1, cell % SIDE + 1])).collect();
    let mut found = vec![Vec::new()];
    for &cell in &inner {
        let interval = intervals.iter().find(|interval| interval.cell == cell);
        let ends = match interval {
            None => (amounts[cell], amounts[cell]),
            Some(own) => (own.lower?.value().ceil() as i64, own.upper?.value().floor() as i64),
        };
        let longer = found.iter().flat_map(|table: &Vec<i64>| {
            (ends.0..=ends.1).map(move |amount| table.iter().copied().chain([amount]).collect::<Vec<i64>>())
        });
        found = longer.filter(|table| fits(table, cube, amounts, withheld)).collect();
        if found.len() > 20 * MOST_TABLES {
            return None;
        }
    }
    (found.len() <= MOST_TABLES).then_some(found)
}

/// Whether the published totals of the lines that are full hold.
fn fits(table: &[i64], cube: &Cube, amounts: &[i64], withheld: &[bool]) -> bool {
    let holds = |nodes: [usize; 2], sum: i64| {
        let total = cube.cell_of(&nodes);
        withheld[total] || amounts[total] == sum
    };
    let rows = table.chunks_exact(SIDE).enumerate().all(|(row, line)| holds([row + 1, 0], line.iter().sum()));
    let columns = (0..SIDE).filter(|column| table.len() > 2 * SIDE + column);
    let mut columns =
        columns.map(|column| holds([0, column + 1], table.iter().skip(column).step_by(SIDE).sum::<i64>()));
    rows && columns.all(|holds| holds) && (table.len() < SIDE * SIDE || holds([0, 0], table.iter().sum()))
}

#[test]
fn running_the_planner_on_all_tables_brings_readers_closer_than_the_rule_allows() {
    let mut draws = Draws(2);
    let [mut tables, mut sensitive, mut closer, mut exact] = [0; 4];
    while tables < 60 {
        let respondents: Vec<u64> = (0..SIDE * SIDE).map(|_| if draws.below(5) == 0 { 2 } else { 5 }).collect();
        let amounts: Vec<i64> = respondents.iter().map(|many| (2 * many + draws.below(8)) as i64).collect();
        let published = table(&respondents, &amounts);
        let Some(statuses) = pattern(&published) else { continue };
        let Some(fitting) = fitting(&published, &is_withheld(&statuses)) else { continue };
        let alike: Vec<&Vec<i64>> = fitting
            .iter()
            .filter(|own| {
                pattern(&table(&respondents, own)).is_some_and(|other| is_withheld(&other) == is_withheld(&statuses))
            })
            .collect();
        assert!(alike.contains(&&amounts), "the truth gives the published pattern");
        let is_any = statuses.contains(&SuppressionStatus::Primary);
        tables += usize::from(is_any);
        for (cell, &many) in respondents.iter().enumerate().filter(|own| *own.1 < 3) {
            let level = (3 * amounts[cell] + 9) / 10;
            let seen = || alike.iter().map(|own| own[cell]);
            let (low, high) = (seen().min().unwrap(), seen().max().unwrap());
            sensitive += usize::from(many < 3);
            exact += usize::from(low == high);
            closer += usize::from(low > amounts[cell] - level || high < amounts[cell] + level);
        }
    }
    println!("{closer} of {sensitive} sensitive cells of {tables} tables closer than allowed, {exact} exactly");
    // Every release says so in what it does not cover, and so do the pages.
    assert_eq!((closer, sensitive, exact), (46, 124, 3));
}
