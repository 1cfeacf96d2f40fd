//! Bounds by hand, and the law of a choice.

use std::f64::consts::PI;

use privacy_core::accounting::Neighbours;
use privacy_core::noise::Rational;
use synthetic_people::ModelSpec;

use super::*;
use crate::budget::Step;
use crate::workload::candidates;

const ONE: AttrSet = AttrSet::single(0);

/// Two attributes of two categories. Both were measured with variance 9, as (60, 40) and (50, 50);
/// then one choice among all three candidates with epsilon 2, for half of the budget, fell on the
/// first attribute.
fn release() -> (Vec<Measurement>, Model, Facts) {
    let two = AttrSet::single(1);
    let sizes = vec![2, 2];
    let measurements =
        vec![Measurement::cells(ONE, vec![60.0, 40.0], 9.0), Measurement::cells(two, vec![50.0, 50.0], 9.0)];
    let model = Model::fit(&ModelSpec::new(sizes.clone(), 100.0), &measurements).unwrap();
    let candidates = candidates(2, &[(AttrSet::first(2), 1)]).unwrap();
    let sets: Vec<AttrSet> = candidates.iter().map(|candidate| candidate.set).collect();
    let mut choices = Choices::new(sizes.clone(), 1e3);
    let step = Step { sigma2: Rational::new(9, 1).unwrap(), epsilon: Rational::new(2, 1).unwrap() };
    choices.push(Choice { round: 2, chosen: ONE, step, share: 0.5, took_part: 3, sets, model: model.clone() });
    let facts = Facts {
        possible: PossibleCells::new(&sizes, &[], 1e3).unwrap(),
        sizes,
        candidates,
        sensitivity: Sensitivity::new(Neighbours::AddRemove, 1),
        first_variance: 9.0,
        public_total: None,
        choices,
    };
    (measurements, model, facts)
}

fn bounds((measurements, model, facts): &(Vec<Measurement>, Model, Facts)) -> ErrorBounds<'_> {
    ErrorBounds::new(measurements, model, facts, JointConfidence::new(0.9).unwrap())
}

/// (A5) where the middle of the grid is best: `n` cells and `N` cells of variance 9.
fn noise(cells: f64, information: f64) -> f64 {
    // A tenth, half of it for the noise of three candidates and the people.
    let exponent = cells * 2.0_f64.ln() + (4.0 / 0.05_f64).ln();
    let middle = (2.0 * exponent * cells * 9.0).sqrt();
    middle / 2.0 + (exponent + 3.0_f64.ln()) / (middle * information)
}

#[test]
fn a_measured_marginal_is_as_far_as_its_noise_allows() {
    let release = release();
    let bounds = bounds(&release);
    // An exponent of 5.768, a slope of 14.41: 7.205 and 8.577.
    let noise = noise(2.0, 1.0 / 18.0);
    assert!((noise - 15.782).abs() < 1e-3, "{noise}");
    for (answer, distance) in [([60.0, 40.0], 0.0), ([57.0, 44.5], 7.5)] {
        let bound = bounds.of_answer(ONE, &answer).unwrap();
        assert_eq!((bound.set, bound.basis), (ONE, BoundBasis::Measured));
        assert!((bound.l1 - distance - noise).abs() < 1e-6, "{bound:?}");
    }
    let of_model = bounds.of_model(ONE).unwrap();
    assert!((of_model.l1 - noise).abs() < 1e-2, "{of_model:?}");
    // Both tables have a sum of proxy 18: 100 people, more or less.
    let (least, most) = bounds.people();
    assert!((most - 100.0 - (100.0 - least)).abs() < 1e-9 && (10.0..16.5).contains(&(most - 100.0)), "{most}");
}

#[test]
fn a_marginal_that_was_not_chosen_is_hardly_further_than_the_chosen_one() {
    let release = release();
    let bounds = bounds(&release);
    let unit = 1.0 / 1024.0;
    let noise_term = |cells: f64| ((2.0 / PI).sqrt() * 3.0 * cells / unit).round() * unit;
    // Weights in units of 1 / 1024: 1 and 2 over the root of 2.
    let (one, both) = (1024.0, 1448.0);
    let slack = 2.0 * both / 2.0 * (3.0 / (0.05_f64 * 0.5)).ln();
    let chosen = noise(2.0, 1.0 / 18.0) + unit - noise_term(2.0);
    let at_choice = noise_term(4.0) + 2.0 * unit + (one * chosen + slack) / both;
    // 9.577 for the noise of a measurement, 7.776 for the error of the chosen, 4.787 for the choice.
    assert!((at_choice - 22.140).abs() < 1e-3, "{at_choice}");
    for (answer, distance) in [([30.0, 30.0, 20.0, 20.0], 0.0), ([31.0, 30.0, 20.0, 16.0], 5.0)] {
        let bound = bounds.of_answer(AttrSet::first(2), &answer).unwrap();
        assert_eq!(bound.basis, BoundBasis::Choice { round: 2 });
        assert!((bound.l1 - distance - at_choice).abs() < 1e-2, "{bound:?} {at_choice}");
    }
    // Nothing is further from an answer than all people and all of the answer.
    let empty = bounds.of_answer(AttrSet::first(2), &[-1e9, 0.0, 0.0, 0.0]).unwrap();
    assert_eq!(empty.basis, BoundBasis::People);
    assert!((empty.l1 / (1e9 + bounds.people().1) - 1.0).abs() < 1e-8);
}

#[test]
fn a_candidate_that_took_part_in_no_choice_is_bounded_by_people() {
    let (measurements, model, mut facts) = release();
    facts.choices = Choices::new(vec![2, 2], 1e3);
    let bound = bounds(&(measurements, model, facts)).of_model(AttrSet::first(2)).unwrap();
    assert!(bound.basis == BoundBasis::People && bound.l1 > 200.0 && bound.l1 < 220.0, "{bound:?}");
}

/// Later choices replace earlier ones, and models beyond the limit are dropped, old ones first.
#[test]
fn the_last_choice_of_each_candidate_is_kept_within_its_room() {
    let (_, model, facts) = release();
    let [one, two] = [0, 1].map(AttrSet::single);
    let both = AttrSet::first(2);
    let first = facts.choices.last_with(both).unwrap().clone();
    // A model of two attributes has four cells.
    let choice = |round: usize, sets: &[AttrSet]| Choice { round, sets: sets.to_vec(), ..first.clone() };
    let rounds = |room: f64| {
        let mut choices = Choices::new(vec![2, 2], room);
        choices.push(choice(2, &[one, two, both]));
        choices.push(choice(3, &[one, both]));
        choices.push(choice(4, &[one]));
        [one, two, both].map(|set| choices.last_with(set).map(|choice| choice.round))
    };
    assert_eq!(model.cliques().count(), 2);
    assert_eq!(rounds(8.0), [Some(4), Some(2), Some(3)]);
    assert_eq!(rounds(7.0), [Some(4), None, Some(3)]);
    assert_eq!(rounds(3.0), [Some(4), None, None]);
}

/// The law of (A2) exceeds the bound of (A7) with a probability of at most delta, and comes close
/// to it; without the number of candidates it would not keep to it.
#[test]
fn choices_are_beyond_their_bound_as_rarely_as_stated() {
    // Exponents `epsilon q / (2 Delta)`: one best candidate, and others `apart` below it.
    let beyond = |others: u32, apart: f64, bound: f64| {
        let weight = f64::from(others) * (-apart).exp();
        if apart > bound { weight / (1.0 + weight) } else { 0.0 }
    };
    let (mut closest, mut control) = (0.0_f64, 0.0_f64);
    for others in [1, 3, 40, 1000] {
        let count = f64::from(others + 1);
        for delta in [0.5, 0.05, 1e-3] {
            for step in 0..400 {
                let apart = f64::from(step) / 20.0;
                closest = closest.max(beyond(others, apart, count.ln() - f64::ln(delta)) / delta);
                control = control.max(beyond(others, apart, -f64::ln(delta)) / delta);
            }
        }
    }
    assert!(closest <= 1.0 && closest > 0.9, "{closest}");
    assert!(control > 2.0, "{control}");
}
