use privacy_core::rng::{SimRng, below};

use super::factors::{Column, Factors};
use super::*;
use crate::engine::linear_program::Limits;

/// Rows of each cell, boxes of the cells and boxes of the rows.
#[derive(Clone)]
struct Program {
    columns: Vec<Vec<u32>>,
    cells: Vec<(f64, f64)>,
    rows: Vec<(f64, f64)>,
    cost: Vec<f64>,
}

impl Program {
    /// A random one of four rows and six cells of at most 3, whose rows hold around a point.
    fn random(rng: &mut SimRng) -> Self {
        let columns = (0..6).map(|_| (0..4).filter(|_| below(2, rng) == 0).collect()).collect::<Vec<Vec<u32>>>();
        let point: Vec<usize> = (0..6).map(|_| below(4, rng)).collect();
        let rows = (0..4_u32).map(|row| {
            let sum: usize = columns.iter().zip(&point).filter(|(own, _)| own.contains(&row)).map(|(_, &x)| x).sum();
            (sum.saturating_sub(below(3, rng)) as f64, (sum + below(2, rng)) as f64)
        });
        let rows = rows.collect();
        let cost = (0..6).map(|_| below(4, rng) as f64 - 1.0).collect();
        Self { columns, cells: vec![(0.0, 3.0); 6], rows, cost }
    }

    fn simplex(&self, has_factors: bool) -> Simplex {
        let boxes = self.cells.iter().chain(&self.rows).copied();
        let end = Limits::default().search_end();
        let mut simplex = Simplex::new(&self.columns, boxes, self.rows.len(), end);
        if has_factors {
            simplex.inverse = Inverse::Factored(Factors::of(self.rows.len(), Column::Sum).unwrap());
        }
        simplex
    }

    fn value(&self, point: &[f64]) -> f64 {
        self.cost.iter().zip(point).map(|(cost, x)| cost * x).sum()
    }

    fn holds(&self, point: &[f64]) -> bool {
        let is_in = |x: f64, (lower, upper): (f64, f64)| x > lower - 1e-6 && x < upper + 1e-6;
        let sum = |row: u32| (0..6).filter(|&cell| self.columns[cell].contains(&row)).map(|cell| point[cell]).sum();
        point.iter().zip(&self.cells).all(|(&x, &own)| is_in(x, own))
            && (0..).zip(&self.rows).all(|(row, &own)| is_in(sum(row), own))
    }

    /// Whether these multipliers of the rows leave no point within the boxes: the largest value of
    /// `y r - y A x` over the boxes is negative, and it is 0 at every point.
    fn is_refuted_by(&self, prices: &[f64]) -> bool {
        let largest = |cost: f64, (lower, upper): (f64, f64)| cost * if cost > 0.0 { upper } else { lower };
        let rows: f64 = prices.iter().zip(&self.rows).map(|(&price, &own)| largest(price, own)).sum();
        let price = |cell: usize| self.columns[cell].iter().map(|&row| prices[row as usize]).sum::<f64>();
        rows + (0..6).map(|cell| largest(-price(cell), self.cells[cell])).sum::<f64>() < -1e-6
    }

    /// The largest value over whole points, by trying all of them.
    fn best_whole(&self) -> Option<f64> {
        let points = (0..4_usize.pow(6)).map(|number| [0, 1, 2, 3, 4, 5].map(|cell| (number >> (2 * cell) & 3) as f64));
        points.filter(|point| self.holds(point)).map(|point| self.value(&point)).max_by(f64::total_cmp)
    }
}

/// The prices of a basis are those that the costs of its variables say, computed afresh.
fn has_own_prices(simplex: &mut Simplex, phase: &Phase<'_>) -> bool {
    let prices = simplex.prices.clone();
    simplex.refresh_prices(phase);
    prices.iter().zip(&simplex.prices).all(|(a, b)| (a - b).abs() < 1e-9)
}

#[test]
fn dual_steps_return_to_the_optimum_after_a_box_was_narrowed() {
    let (mut narrowed, mut empty, mut moved) = (0, 0, 0);
    for number in 0..300 {
        let mut rng = SimRng::for_trial(0, "narrowed boxes", number);
        let mut program = Program::random(&mut rng);
        if number % 3 == 0 {
            // Costs without ties: the first price that reaches 0 is one alone.
            program.cost = (0..6).map(|_| below(1_000, &mut rng) as f64 / 100.0 - 3.0).collect();
        }
        let mut simplex = program.simplex(number % 2 == 1);
        assert_eq!(simplex.maximise(&program.cost, 1_000), Outcome::Optimal);
        // One after the other, as cases within cases: some leave no point.
        for _ in 0..3 {
            let cell = below(6, &mut rng);
            let (lower, upper) = program.cells[cell];
            let cut = lower + below((upper - lower) as usize + 1, &mut rng) as f64;
            program.cells[cell] = if below(2, &mut rng) == 0 { (lower, cut) } else { (cut, upper) };
            simplex.set_box(cell, program.cells[cell].0, program.cells[cell].1);
            simplex.steps_left = 1_000;
            simplex.refresh_values();
            let phase = Phase::Objective(&program.cost);
            let found = simplex.return_by_dual(&phase).expect("prices stay optimal when a box is narrowed");
            moved += 1_000 - simplex.steps_left;
            // The oracles: primal steps from the first basis, and whole points.
            let mut afresh = program.simplex(false);
            assert_eq!(afresh.maximise(&program.cost, 1_000), found, "{number}");
            if found == Outcome::Infeasible {
                assert_eq!(program.best_whole(), None);
                assert!(program.is_refuted_by(simplex.prices()), "{number}");
                empty += 1;
                break;
            }
            let point = simplex.point();
            assert!(program.holds(&point));
            assert!((0..10).all(|own| simplex.improving(own, &phase).is_none()));
            assert!(has_own_prices(&mut simplex, &phase), "{number}");
            let value = program.value(&point);
            assert!((value - program.value(&afresh.point())).abs() < 1e-6, "{number}");
            assert!(program.best_whole().is_none_or(|whole| whole <= value + 1e-6));
            narrowed += 1;
        }
    }
    assert!(narrowed > 400 && empty > 20 && moved > 200, "{narrowed} {empty} {moved}");
}

#[test]
fn both_forms_of_the_inverse_find_the_same_optimum() {
    for number in 0..200 {
        let program = Program::random(&mut SimRng::for_trial(0, "two forms", number));
        let values = [false, true].map(|has_factors| {
            let mut simplex = program.simplex(has_factors);
            assert_eq!(simplex.maximise(&program.cost, 1_000), Outcome::Optimal);
            assert!(program.holds(&simplex.point()));
            assert!(has_own_prices(&mut simplex, &Phase::Objective(&program.cost)), "{number}");
            program.value(&simplex.point())
        });
        assert!((values[0] - values[1]).abs() < 1e-6, "{number}: {values:?}");
        assert!(program.best_whole().is_none_or(|whole| whole <= values[0] + 1e-6));
    }
}

#[test]
fn a_fresh_inverse_turns_basic_columns_into_units() {
    let mut regular = [0, 0];
    for number in 0..200 {
        let mut rng = SimRng::for_trial(0, "fresh inverses", number);
        let columns: Vec<Vec<u32>> = (0..7).map(|_| (0..7).filter(|_| below(2, &mut rng) == 0).collect()).collect();
        // Cells alone, or with the sums of some rows among them.
        let basis: Vec<usize> = (0..7).map(|cell| cell + 7 * usize::from(number % 2 == 1 && cell % 3 > 0)).collect();
        for has_factors in [false, true] {
            let boxes = [(0.0, 1.0); 14].into_iter();
            let mut simplex = Simplex::new(&columns, boxes, 7, Limits::default().search_end());
            if has_factors {
                simplex.inverse = Inverse::Factored(Factors::of(7, Column::Sum).unwrap());
            }
            simplex.place.fill(Place::Lower);
            basis.iter().enumerate().for_each(|(place, &variable)| simplex.place[variable] = Place::Basic(place));
            simplex.basis.clone_from(&basis);
            if !simplex.refactor() {
                continue;
            }
            regular[usize::from(has_factors)] += 1;
            for place in 0..7 {
                simplex.solve_column(basis[place]);
                let is_unit = |(at, &entry): (usize, &f64)| (entry - f64::from(u8::from(at == place))).abs() < 1e-9;
                assert!(simplex.column.iter().enumerate().all(is_unit), "{number}: {:?}", simplex.column);
                // A row of the inverse times a basic column is 1 at its own place.
                simplex.solve_row(place);
                for (at, &variable) in basis.iter().enumerate() {
                    let entry: f64 = match variable.checked_sub(7) {
                        Some(sum) => -simplex.row[sum],
                        None => columns[variable].iter().map(|&row| simplex.row[row as usize]).sum(),
                    };
                    assert!((entry - f64::from(u8::from(at == place))).abs() < 1e-9);
                }
            }
        }
    }
    assert!(regular[0] > 50 && regular[0] == regular[1], "both forms say which bases are singular: {regular:?}");
}

#[test]
fn an_inverse_wears_out() {
    let explicit = Inverse::of_sums(2);
    assert!(!explicit.is_worn(FRESH - 1) && explicit.is_worn(FRESH));
    // Many short exchanges.
    let mut factors = Factors::of(2, Column::Sum).unwrap();
    (0..100).for_each(|_| factors.exchange(0, &[1.0, 0.0]));
    assert!(!factors.is_worn());
    factors.exchange(0, &[1.0, 0.0]);
    assert!(factors.is_worn() && Inverse::Factored(factors).is_worn(0));
    // Few long ones.
    let mut factors = Factors::of(200, Column::Sum).unwrap();
    (0..31).for_each(|_| factors.exchange(0, &[1.0; 200]));
    assert!(factors.is_worn());
}

#[test]
fn an_inverse_of_more_than_400_rows_is_kept_as_factors() {
    assert!(matches!(Inverse::of_sums(400), Inverse::Explicit(_)));
    assert!(matches!(Inverse::of_sums(401), Inverse::Factored(_)));
}

#[test]
fn what_counts_as_a_violation_grows_with_the_value() {
    // The sum of one row, with a value and a box.
    let violation = |value: f64, own: (f64, f64)| {
        let mut simplex = Simplex::new(&[], [own].into_iter(), 1, Limits::default().search_end());
        simplex.values[0] = value;
        simplex.violation(0)
    };
    // 1e-7 near 0, as far as that included; 1e-3 near 10,000.
    assert_eq!([-2e-7, -5e-8, 0.5, 2.0].map(|value| violation(value, (0.0, 1.0))), [1.0, 0.0, 0.0, -1.0]);
    assert_eq!([violation(0.0, (FEASIBLE, 1.0)), violation(0.0, (-1.0, -FEASIBLE))], [0.0, 0.0]);
    assert_eq!([9_999.000_5, 9_999.002].map(|value| violation(value, (0.0, 9_999.0))), [0.0, -1.0]);
}

#[test]
fn a_price_within_the_tolerance_improves_nothing() {
    let boxes = [(0.0, 3.0), (0.0, 3.0)].into_iter();
    let mut simplex = Simplex::new(&[vec![], vec![]], boxes, 0, Limits::default().search_end());
    simplex.place[1] = Place::Upper;
    let improving = |costs: [f64; 2]| [0, 1].map(|v| simplex.improving(v, &Phase::Objective(&costs)).is_some());
    assert_eq!(improving([PRICE, -PRICE]), [false, false]);
    assert_eq!(improving([2.0 * PRICE, -2.0 * PRICE]), [true, true]);
    assert_eq!(improving([-1.0, 1.0]), [false, false]);
}

#[test]
fn large_programs_of_many_rows_return_by_dual_steps_and_others_by_primal_ones() {
    // Each cell is in two of 401 rows, 2 in each; the first 40 cells are worth one each.
    let steps = |cells: usize| {
        let columns: Vec<Vec<u32>> = (0..cells as u32).map(|cell| vec![cell % 401, (3 * cell + 1) % 401]).collect();
        let boxes = (0..cells).map(|_| (0.0, 3.0)).chain((0..401).map(|_| (1.0, 2.0)));
        let cost: Vec<f64> = (0..cells).map(|cell| f64::from(u8::from(cell < 40))).collect();
        let mut simplex = Simplex::new(&columns, boxes, 401, Limits::default().search_end());
        assert_eq!(simplex.maximise(&cost, 5_000), Outcome::Optimal);
        for cell in 0..10 {
            simplex.set_box(cell, 0.0, simplex.value(cell) / 2.0);
        }
        assert_eq!(simplex.maximise(&cost, 5_000), Outcome::Optimal);
        5_000 - simplex.steps_left()
    };
    assert_eq!([MOST_SMALL, MOST_SMALL + 1].map(steps), [19, 14]);
}

#[test]
fn a_step_says_whether_anything_moved() {
    // One row of two cells: its sum is between 0 and `most`.
    for (most, is_moved) in [(2.0, true), (0.0, false)] {
        let boxes = [(0.0, 3.0), (0.0, 3.0), (0.0, most)].into_iter();
        let mut simplex = Simplex::new(&[vec![0], vec![0]], boxes, 1, Limits::default().search_end());
        simplex.refresh_prices(&Phase::Objective(&[1.0, 0.0]));
        assert_eq!(simplex.step(0, 1.0, false), Some(is_moved));
        assert_eq!(simplex.point(), [most, 0.0]);
    }
}

#[test]
fn a_limit_on_steps_ends_a_solve() {
    let (mut ended, mut all) = (0, 0);
    for number in 0..50 {
        let program = Program::random(&mut SimRng::for_trial(0, "two forms", number));
        let mut simplex = program.simplex(number % 2 == 1);
        assert_eq!(simplex.maximise(&program.cost, 1_000), Outcome::Optimal);
        let taken = 1_000 - simplex.steps_left();
        all += usize::from(taken > 1);
        for (steps, outcome) in [(taken, Outcome::Optimal), (taken - 1, Outcome::Stalled)] {
            let mut simplex = program.simplex(number % 2 == 1);
            assert_eq!(simplex.maximise(&program.cost, steps), outcome, "{number}: {steps} of {taken}");
            assert_eq!(simplex.steps_left(), 0);
            ended += usize::from(outcome == Outcome::Stalled);
        }
    }
    assert!(ended == 50 && all > 40, "{ended} {all}");
}

#[test]
fn a_worn_inverse_is_made_afresh_on_the_way() {
    for number in 0..60 {
        let mut program = Program::random(&mut SimRng::for_trial(0, "two forms", number));
        let mut simplex = program.simplex(false);
        simplex.pivots_since_fresh = FRESH;
        assert_eq!(simplex.maximise(&program.cost, 1_000), Outcome::Optimal, "{number}");
        assert!(program.holds(&simplex.point()) && simplex.pivots_since_fresh < FRESH);
        // Dual steps as well.
        let cell = number as usize % 6;
        program.cells[cell].1 = (simplex.value(cell) - 1.0).floor().max(0.0);
        simplex.set_box(cell, 0.0, program.cells[cell].1);
        (simplex.steps_left, simplex.pivots_since_fresh) = (1_000, FRESH);
        simplex.refresh_values();
        let found = simplex.return_by_dual(&Phase::Objective(&program.cost));
        let mut afresh = program.simplex(false);
        assert_eq!(found, Some(afresh.maximise(&program.cost, 1_000)), "{number}");
    }
}

#[test]
fn dual_steps_leave_prices_that_are_not_optimal_to_primal_ones() {
    // The first basis has no prices, so a cell with a cost would improve, and a sum with none.
    let program = Program { cost: vec![1.0; 6], ..Program::random(&mut SimRng::for_trial(0, "two forms", 0)) };
    let mut simplex = program.simplex(false);
    simplex.steps_left = 1_000;
    assert_eq!(simplex.return_by_dual(&Phase::Objective(&program.cost)), None);
    // A sum at its lower end whose price is positive, where no cell improves.
    let boxes = [(0.0, 3.0), (1.0, 2.0)].into_iter();
    let mut simplex = Simplex::new(&[vec![0]], boxes, 1, Limits::default().search_end());
    (simplex.place, simplex.basis) = (vec![Place::Basic(0), Place::Lower], vec![0]);
    assert!(simplex.refactor());
    simplex.steps_left = 1_000;
    assert_eq!(simplex.return_by_dual(&Phase::Objective(&[1.0])), None);
}
