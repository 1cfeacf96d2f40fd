//! How many numbers average the noise out: numbers beside sets that hold the same unknown group of
//! `N` or `N + 1` entities, and each of them other entities that the attacker knows.
//!
//! `V` the number beside a set of `x` entities and `V'` beside one of `x + 1`, far from threshold
//! and floor. The noise of a set is that of its least hash, so sets with many others have noise of
//! their own, and the attacker chooses how many others, that is `x` modulo the base. As in (11) the
//! best guess after `m` numbers errs with probability at most `exp(-C m) / 2`, so
//!
//! ```text
//! (20)  C = -ln min over 0 <= s <= 1 of sum over v of P(V = v)^s P(V' = v)^(1-s),  for the best x
//!       m = ceil(ln(1 / (2 e)) / C)
//! ```
//!
//! Rounding alone, `x` a multiple of `b`: `V = x` always, and `V' = x` but for one in `b`, so
//! `C = -ln(1 - 1/b)`.

use std::collections::BTreeMap;

use super::line::NumberLaw;

/// The error of the attacker.
const ERROR: f64 = 0.01;
/// Halvings of the interval of `s`, in thirds.
const STEPS: usize = 60;

/// `m` of (20) for an error of 1 %; none where no number is shown.
pub(super) fn numbers_for_99_percent(law: &NumberLaw) -> Option<u64> {
    let noise = match law {
        NumberLaw::Hidden => return None,
        NumberLaw::Exact => return Some(1),
        NumberLaw::Noisy(noise) => noise,
    };
    // Numbers far above the floor depend on the size modulo the base alone.
    let free = law.reach() + law.base();
    let sizes = (free..free + law.base()).map(|x| information(&noise.numbers(x, 0), &noise.numbers(x + 1, 0)));
    let best = sizes.fold(0.0, f64::max);
    Some((libm::log(1.0 / (2.0 * ERROR)) / best).ceil().max(1.0) as u64)
}

/// `C` of two laws. The sum is convex in `s`, so its least value is between two thirds of any
/// interval around it; numbers that one law never gives have no part in it.
fn information(fewer: &BTreeMap<u64, f64>, more: &BTreeMap<u64, f64>) -> f64 {
    let both: Vec<[f64; 2]> =
        fewer.iter().filter_map(|(v, &p)| Some([libm::log(p), libm::log(*more.get(v)?)])).collect();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..STEPS {
        let [left, right] = [low + (high - low) / 3.0, high - (high - low) / 3.0];
        if sum(&both, left) < sum(&both, right) { high = right } else { low = left }
    }
    -libm::log(sum(&both, f64::midpoint(low, high)))
}

fn sum(logs: &[[f64; 2]], s: f64) -> f64 {
    logs.iter().map(|[p, p1]| libm::exp(s * p + (1.0 - s) * p1)).sum()
}

#[cfg(test)]
mod tests {
    use privacy_core::prf::Secret;

    use super::*;
    use crate::number::{Counted, GroupNumber, NumberNoise};

    fn needed(number: &GroupNumber) -> Option<u64> {
        numbers_for_99_percent(&NumberLaw::new(number))
    }

    #[test]
    fn rounding_alone_is_a_closed_form() {
        // ln 50 / -ln(1 - 1/b).
        for (base, numbers) in [(2, 6), (10, 38), (100, 390)] {
            assert_eq!(needed(&GroupNumber::Rounded(NumberNoise::rounding(base).unwrap())), Some(numbers));
        }
        assert_eq!(needed(&GroupNumber::Hidden), None);
        assert_eq!(needed(&GroupNumber::Exact(Counted::Entities)), Some(1));
    }

    #[test]
    fn the_best_guess_on_that_many_numbers_with_noise_errs_in_one_case_of_a_hundred_at_most() {
        const TRIALS: u64 = 2000;
        let noise = NumberNoise::laplace(2.0).unwrap().rounded_to(10).unwrap();
        let number = GroupNumber::Noisy(noise);
        let (law, streams) = (NumberLaw::new(&number), Secret::new(&[9; 32]).unwrap().sticky_noise());
        let NumberLaw::Noisy(of) = &law else { unreachable!("it is noisy") };
        let needed = needed(&number).unwrap();
        assert_eq!(needed, 623);
        let free = law.reach() + law.base();
        let size = (free..free + 10)
            .max_by(|&x, &y| {
                let [x, y] = [x, y].map(|x| information(&of.numbers(x, 0), &of.numbers(x + 1, 0)));
                x.total_cmp(&y)
            })
            .unwrap();
        let (fewer, more) = (of.numbers(size, 0), of.numbers(size + 1, 0));
        // Wrong guesses of the likelier size after `count` numbers.
        let wrong = |count: u64| {
            let errs = |trial: &u64| {
                let is_more = trial % 2 == 1;
                let ratio: f64 = (0..count)
                    .map(|at| noise.add_to(size + u64::from(is_more), &mut streams.generator(trial * 1000 + at)))
                    .map(|v| {
                        libm::log(more.get(&v).copied().unwrap_or(1e-300) / fewer.get(&v).copied().unwrap_or(1e-300))
                    })
                    .sum();
                (ratio > 0.0) != is_more
            };
            (0..TRIALS).filter(errs).count()
        };
        // At most 20 are expected; 51 or more have probability 1e-9.
        assert!(wrong(needed) <= 50);
        // A quarter of the numbers is not enough: an error of 12 % or so.
        assert!(wrong(needed / 4) > 50);
    }
}
