//! Variance of one report's reading of a cell, for every way to ask.
//!
//! `f` the frequency of a cell, `alpha`, `beta` of a channel; a standard error over `N` reports
//! is `sqrt(variance / N)`. All include the sampling of people, `f (1 - f)`.

use ldp_client::{Channel, ChannelError};

/// What is assumed about the answers: a prior, not data.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct FrequencyPrior {
    /// Share of people with a feature.
    pub frequency: f64,
    /// Share of people with two of them.
    pub pair_frequency: f64,
}

/// A cell read through one channel: `alpha f + beta - f^2`.
#[must_use]
pub fn cell_variance(channel: Channel, frequency: f64) -> f64 {
    channel.alpha() * frequency + channel.beta() - frequency * frequency
}

/// A pair of columns, each through its channel.
#[must_use]
pub fn pair_variance(first: Channel, second: Channel, prior: FrequencyPrior) -> f64 {
    let FrequencyPrior { frequency: f, pair_frequency: both } = prior;
    let (a1, b1, a2, b2) = (first.alpha(), first.beta(), second.alpha(), second.beta());
    a1 * a2 * both + (a1 * b2 + b1 * a2) * f + b1 * b2 - both * both
}

/// Randomised response of a bit, `p = 1 / (1 + e^epsilon)`, `q = 1 - p`.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn randomised_response(epsilon: f64) -> Result<Channel, ChannelError> {
    let p = 1.0 / (1.0 + epsilon.exp());
    Channel::new(p, 1.0 - p)
}

/// A symbol of generalised response over `symbols`, `q = e^epsilon / (e^epsilon + symbols - 1)`.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn generalised_response(symbols: f64, epsilon: f64) -> Result<Channel, ChannelError> {
    // Over e^epsilon, which may be large.
    let others = (-epsilon).exp();
    let q = 1.0 / (1.0 + (symbols - 1.0) * others);
    Channel::new(q * others, q)
}

/// Optimised unary encoding: `q = 1/2`, `p = 1 / (1 + e^epsilon)`.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn optimised_unary(epsilon: f64) -> Result<Channel, ChannelError> {
    Channel::new(1.0 / (1.0 + epsilon.exp()), 0.5)
}

/// Symmetric unary encoding of a one-hot block: half of epsilon for each of the two bits that
/// differ.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn symmetric_unary(epsilon: f64) -> Result<Channel, ChannelError> {
    randomised_response(epsilon / 2.0)
}

/// The unary encoding that reads a value of this frequency best:
/// `q (1 - p) / (p (1 - q)) = e^epsilon`, by golden section between the optimised and the
/// symmetric one, and beyond.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn best_unary(epsilon: f64, frequency: f64) -> Result<Channel, ChannelError> {
    // Golden section: the variance has one minimum between its two extremes, and 100 rounds leave
    // nothing of the bracket.
    let section = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (-2.0, epsilon + 2.0);
    for _ in 0..100 {
        let (left, right) = (high - section * (high - low), low + section * (high - low));
        if unary_cost(left, epsilon, frequency) < unary_cost(right, epsilon, frequency) {
            high = right;
        } else {
            low = left;
        }
    }
    unary_at(0.5 * (low + high), epsilon)
}

/// The unary encoding with `ln(q / (1 - q)) = logit`: `p` is the logistic of `logit - epsilon`.
fn unary_at(logit: f64, epsilon: f64) -> Result<Channel, ChannelError> {
    Channel::new(logistic(logit - epsilon), logistic(logit))
}

fn unary_cost(logit: f64, epsilon: f64, frequency: f64) -> f64 {
    unary_at(logit, epsilon).map_or(f64::INFINITY, |channel| cell_variance(channel, frequency))
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Local hashing with `buckets` buckets: `q = e^epsilon / (e^epsilon + buckets - 1)`, `p = 1 /
/// buckets`.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn local_hashing(buckets: f64, epsilon: f64) -> Result<Channel, ChannelError> {
    let truth = generalised_response(buckets, epsilon)?;
    Channel::new(1.0 / buckets, truth.q())
}

/// Subset selection: `size` of `values` values, `q = w e^epsilon / (w e^epsilon + d - w)`,
/// `p = (q (w - 1) + (1 - q) w) / (d - 1)`.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub fn subset_selection(values: f64, size: f64, epsilon: f64) -> Result<Channel, ChannelError> {
    let q = 1.0 / (1.0 + (values - size) / size * (-epsilon).exp());
    Channel::new((q * (size - 1.0) + (1.0 - q) * size) / (values - 1.0), q)
}

/// The size of the subsets that reads a value of this frequency best, near
/// `values / (e^epsilon + 1)`.
#[must_use]
pub fn best_subset_size(values: f64, epsilon: f64, frequency: f64) -> f64 {
    let middle = values / (epsilon.exp() + 1.0);
    let cost = |size: &f64| {
        subset_selection(values, *size, epsilon).map_or(f64::INFINITY, |channel| cell_variance(channel, frequency))
    };
    // The variance has one minimum in the size, and a frequent value moves it: walk down from the
    // whole numbers around the size for rare values.
    let mut best = middle.floor().clamp(1.0, values - 1.0);
    loop {
        let near = [best + 1.0, best - 1.0].into_iter().filter(|size| (1.0..=values - 1.0).contains(size));
        match near.min_by(|a, b| cost(a).total_cmp(&cost(b))).filter(|size| cost(size) < cost(&best)) {
            Some(better) => best = better,
            None => return best,
        }
    }
}

/// The sum of `cells` symbols of generalised response read as one cell: a binary channel.
///
/// # Errors
/// If epsilon is too small to carry any information.
pub(super) fn union_of_symbols(symbols: f64, cells: f64, epsilon: f64) -> Result<Channel, ChannelError> {
    let one = generalised_response(symbols, epsilon)?;
    Channel::new(cells * one.p(), one.q() + (cells - 1.0) * one.p())
}
