//! (14), (15) and (18) in exact numbers, as they stand in the sources.

use super::exact::Exact;

/// `x` of (14): the sum over the answers of `k` randomised responses.
pub(crate) fn pure_exactly(epsilon: f64, line: &Exact, k: u32) -> Exact {
    let (odds, allowed) = (line.exp(), Exact::from(epsilon).exp());
    let (mut ways, mut sum) = (1_u128, Exact::from(0.0));
    for l in 0..=k {
        let excess = &odds.power(l) - &(&allowed * &odds.power(k - l));
        if excess > Exact::from(0.0) {
            sum = &sum + &(&Exact::from(ways) * &excess);
        }
        ways = ways * u128::from(k - l) / u128::from(l + 1);
    }
    &sum / &(&Exact::one() + &odds).power(k)
}

/// `z` of (18).
pub(crate) fn mu_of_number_exactly(number: f64) -> Exact {
    match number {
        0.0 => Exact::from(0.0),
        _ => &Exact::from(-2.0) * &(&Exact::one() / &(&Exact::one() + &Exact::from(number).exp())).quantile(),
    }
}

/// `y` of (15) for the square of `m sqrt k`.
pub(crate) fn gaussian_exactly(epsilon: f64, square: &Exact) -> Exact {
    let (mu, epsilon) = (square.root(), Exact::from(epsilon));
    let (at, half) = (&epsilon / &mu, &mu * &Exact::from(0.5));
    let minus_at = &Exact::from(0.0) - &at;
    &(&half - &at).normal() - &(&epsilon.exp() * &(&minus_at - &half).normal())
}

/// Delta of all: of `k` decisions that may prove an entity with probability `each`, and `rest`.
pub(crate) fn together_exactly(each: f64, k: u32, rest: &Exact) -> Exact {
    let one = Exact::one();
    &one - &(&(&one - &Exact::from(each)).power(k) * &(&one - rest))
}

/// `k (m^2 + z^2)`.
pub(crate) fn sum_of_squares(mu: f64, of_number: &Exact, k: u32) -> Exact {
    let mu = Exact::from(mu);
    &Exact::from(u128::from(k)) * &(&(&mu * &mu) + &(of_number * of_number))
}

/// Whether a value is at most a bound, and less by this part of it at most.
pub(crate) fn reaches(value: &Exact, bound: f64, less: f64) -> bool {
    let value_is_within = *value <= Exact::from(bound);
    value_is_within && value.near() >= bound * (1.0 - less)
}
