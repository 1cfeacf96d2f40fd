//! What decisions about `k` groups disclose together, from what a decision about one discloses.
//!
//! `e`, `d` epsilon and delta of one decision, `m` the mu of Gaussian differential privacy that it
//! has but for a probability `d`; the `k` draws are independent.
//!
//! ```text
//! (14)  delta(E) = 1 - (1 - d)^k (1 - x(E)),
//!       x(E) = sum over l of C(k, l) [e^(l e) - e^(E + (k-l) e)]+ / (1 + e^e)^k
//!            = sum over l of Q(l) [1 - e^(E - (2 l - k) e)]+,  Q = Binomial(k, e^e / (1 + e^e))
//! (15)  delta(E) = 1 - (1 - d)^k (1 - y(E)),     y the curve of Gaussian dp for mu = m sqrt k
//! ```
//!
//! (18)  a decision of (e, d) with a number of epsilon n beside it is (e + n, d); one of (m, d) is
//!       (sqrt(m^2 + z^2), d) with z = -2 Phi^-1(1 / (1 + e^n)), since the line from (0, 1) by
//!       (a, a) to (1, 0), a = 1 / (1 + e^n), is nowhere below the trade-off curve of mu = z
//!
//! (14) is the least delta that `k` decisions of (e, d) can have together, (15) that of `k`
//! decisions of (m, d); both hold for any `k` of them. Sources: Kairouz, Oh, Viswanath (2015),
//! theorem 3.3, as Murtagh and Vadhan (2016) write it; Dong, Roth, Su (2022), section 3 and
//! theorem 2.7.

use std::num::NonZeroU32;

use privacy_core::accounting::{PrivacyCost, gaussian};
use privacy_core::binomial::Binomial;
use privacy_core::normal;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::round::{add_up, mul_up, sqrt_up, sub_up};

/// Relative error that sums of binomial terms stay below, many times over.
const SLACK: f64 = 1e-9;

/// Beyond this many groups (14) is not summed: (15) is far better there.
const MOST_SUMMED: u64 = 10_000;

/// `x` of (14), rounded up; 1 beyond 10,000 groups.
pub(crate) fn pure(epsilon: f64, each: f64, groups: NonZeroU32) -> f64 {
    let k = u64::from(groups.get());
    if k > MOST_SUMMED {
        return 1.0;
    }
    let miss = 1.0 / (1.0 + libm::exp(each));
    let Some(said) = Probability::new(miss).ok().and_then(|miss| Binomial::with_failure(k, miss).ok()) else {
        return 1.0;
    };
    // The first term above 0: 2 l - k > E / e.
    let first = (0.5 * (k as f64 + epsilon / each)).floor().max(0.0) as u64;
    let mut sum = 0.0;
    for l in first..=k {
        let loss = (2.0 * l as f64 - k as f64) * each;
        if loss > epsilon {
            sum += said.pmf(l) * -libm::expm1(epsilon - loss);
        }
    }
    (sum * (1.0 + SLACK)).min(1.0)
}

/// `y` of (15), rounded up.
pub(crate) fn gaussian(epsilon: Epsilon, mu: f64, groups: NonZeroU32) -> f64 {
    let cost = mul_up(mul_up(mu, mu), f64::from(groups.get()));
    if cost == 0.0 {
        return 0.0;
    }
    let delta = PrivacyCost::new(cost).ok().and_then(|cost| gaussian::delta(cost, epsilon).ok());
    delta.map_or(1.0, |delta| delta.get())
}

/// `z` of (18), rounded up: the mu of a number of this epsilon.
pub(crate) fn mu_of_number(epsilon: f64) -> f64 {
    if epsilon == 0.0 {
        return 0.0;
    }
    let vertex = Probability::new(1.0 / (1.0 + libm::exp(epsilon)));
    vertex.map_or(f64::INFINITY, |vertex| -2.0 * normal::quantile(vertex) * (1.0 + SLACK) + SLACK * 1e-3)
}

/// `sqrt(m^2 + z^2)` of (18), rounded up.
pub(crate) fn mu_of_line(mu: f64, epsilon_of_number: f64) -> f64 {
    let number = mu_of_number(epsilon_of_number);
    if number == 0.0 { mu } else { sqrt_up(add_up(mul_up(mu, mu), mul_up(number, number))) }
}

/// `1 - (1 - d)^k (1 - x)`, rounded up.
pub(crate) fn together(each: f64, groups: NonZeroU32, rest: f64) -> f64 {
    let proved = -libm::expm1(f64::from(groups.get()) * libm::log1p(-each.min(1.0)));
    let proved = (proved * (1.0 + SLACK)).min(1.0);
    // 1 - (1 - a)(1 - b) = a + b (1 - a).
    add_up(proved, mul_up(rest, sub_up(1.0, proved)))
}

/// The largest `d` with which (14) or (15) stays at most `delta`, rounded down; none where `rest`
/// alone is more.
pub(crate) fn each(delta: f64, groups: NonZeroU32, rest: f64) -> Option<f64> {
    if rest >= delta {
        return None;
    }
    let left = (libm::log1p(-delta) - libm::log1p(-rest)) / f64::from(groups.get());
    // The difference of two logarithms near each other loses digits, so the slack is relative to
    // the larger of them.
    let lost = SLACK * delta / f64::from(groups.get());
    let each = -libm::expm1(left) * (1.0 - SLACK) - lost;
    (each > 0.0).then_some(each)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(k: u32) -> NonZeroU32 {
        NonZeroU32::new(k).unwrap()
    }

    /// (14) from the laws of all `2^k` answers of `k` randomised responses.
    fn enumerated(epsilon: f64, each: f64, k: u32) -> f64 {
        let truth = each.exp() / (1.0 + each.exp());
        (0..1_u32 << k)
            .map(|answers| {
                let yes = answers.count_ones() as i32;
                let no = k as i32 - yes;
                let with = truth.powi(yes) * (1.0 - truth).powi(no);
                let without = truth.powi(no) * (1.0 - truth).powi(yes);
                (with - epsilon.exp() * without).max(0.0)
            })
            .sum()
    }

    #[test]
    fn the_sum_is_that_over_all_answers() {
        // The last one is of decisions that each may cost more than is asked about.
        for (epsilon, each, k) in
            [(1.0, 0.7, 1), (1.0, 0.6, 2), (0.5, 0.4, 5), (2.0, 0.3, 12), (1.0, 0.05, 12), (5.0, 6.0, 3)]
        {
            let (sum, brute) = (pure(epsilon, each, groups(k)), enumerated(epsilon, each, k));
            assert!((sum - brute).abs() <= 2e-9 * brute.max(1e-300), "{epsilon} {each} {k}: {sum} {brute}");
        }
        assert!(pure(1.0, 0.01, groups(10_000)) < 0.9 && pure(1.0, 0.01, groups(10_001)) == 1.0);
        assert_eq!(pure(1.0, 0.1, groups(10)), 0.0, "basic composition leaves nothing over");
    }

    #[test]
    fn the_mu_of_a_number_covers_randomised_response() {
        for epsilon in [1e-3, 0.1, 0.5, 2.0, 8.0] {
            let (mu, truth) = (mu_of_number(epsilon), 1.0 / (1.0 + f64::exp(-epsilon)));
            // The trade-off curve at a false positive rate of 1 - truth may not be above the miss
            // rate of anyone who reports what is drawn.
            let curve = normal::at_most(normal::quantile(Probability::new(truth).unwrap()) - mu);
            assert!(curve <= 1.0 - truth && curve >= (1.0 - truth) * (1.0 - 1e-6), "{epsilon}: {curve}");
        }
        assert_eq!((mu_of_line(0.3, 0.0), mu_of_number(0.0)), (0.3, 0.0));
    }

    #[test]
    fn the_largest_delta_of_one_gives_back_that_of_all() {
        for (delta, k, rest) in [(1e-5, 150, 3e-6), (1e-5, 2, 0.0), (0.2, 7, 0.1), (1e-9, 10_000, 5e-10)] {
            let all = together(each(delta, groups(k), rest).unwrap(), groups(k), rest);
            assert!(all <= delta && all >= delta * (1.0 - 1e-7), "{delta} {k} {rest}: {all}");
        }
        assert_eq!(each(1e-5, groups(3), 1e-5), None);
    }

    #[test]
    fn sums_have_their_slack_and_every_step_is_rounded_up() {
        for (epsilon, one, k) in [(1.0, 0.7, 1), (1.0, 0.6, 2), (2.0, 0.3, 12)] {
            assert!(pure(epsilon, one, groups(k)) >= enumerated(epsilon, one, k) * (1.0 + 0.5 * SLACK));
        }
        let vertex = Probability::new(1.0 / (1.0 + libm::exp(1e-9))).unwrap();
        assert!(mu_of_number(1e-9) > -2.0 * normal::quantile(vertex));
        for step in 1_u32..200 {
            let (mu, number, k) = (f64::from(step) / 300.0, f64::from(step % 17) / 7.0, step % 40 + 1);
            let of_number = mu_of_number(number);
            let line = sqrt_up(add_up(mul_up(mu, mu), mul_up(of_number, of_number)));
            assert_eq!(mu_of_line(mu, number), if number == 0.0 { mu } else { line });
            let cost = PrivacyCost::new(mul_up(mul_up(mu, mu), f64::from(k))).unwrap();
            let epsilon = Epsilon::new(0.3 + number).unwrap();
            assert_eq!(gaussian(epsilon, mu, groups(k)), gaussian::delta(cost, epsilon).unwrap().get());
            let (one, rest) = (1e-3 * mu, 0.01 * f64::from(step % 13));
            let proved = -libm::expm1(f64::from(k) * libm::log1p(-one)) * (1.0 + SLACK);
            assert_eq!(together(one, groups(k), rest), add_up(proved, mul_up(rest, sub_up(1.0, proved))));
        }
    }
}
