//! Ways to spend a budget on `d` binary features when all pairs are wanted.
//!
//! ```text
//! bits            randomised response of every bit, epsilon / d each                    all orders
//! sampled bits    s features drawn for each person, epsilon / s each                    up to s
//! sampled pair    one pair drawn for each person, generalised response over 4 cells     pairs
//! super-features  groups of s bits, generalised response over 2^s cells, epsilon s / d  all orders
//! parity          one product of at most two signs drawn for each person, one noisy bit pairs
//! joint symbol    generalised response over all 2^d cells                               all orders
//! joint block     optimised unary encoding over all 2^d cells                           all orders
//! ```

use ldp_client::{Channel, ChannelError};

use crate::estimate::Influence;

use super::variance::{
    FrequencyPrior, cell_variance, generalised_response, optimised_unary, pair_variance, randomised_response,
    sum_of_bits, union_of_symbols,
};

/// Most features whose cells are listed one by one.
const MOST_JOINT: usize = 20;

/// A way to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(tag = "design", rename_all = "snake_case")
)]
#[non_exhaustive]
pub enum Design {
    /// Randomised response of every bit; the budget is split over all of them.
    Bits,
    /// The same for some of the features, drawn for each person.
    SampledBits {
        /// Features a person reports.
        per_person: usize,
    },
    /// One pair, drawn for each person, as one symbol of four.
    SampledPair,
    /// Groups of bits, each group one symbol.
    SuperFeatures {
        /// Bits of a group; the last one may have fewer.
        bits: usize,
    },
    /// One parity of at most two features, drawn for each person.
    Parity,
    /// All features together as one symbol.
    JointSymbol,
    /// All features together as a one-hot block.
    JointBlock,
}

/// A design with what it promises.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlannedDesign {
    /// The design.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub design: Design,
    /// Variance of the frequency of a pair times the number of reports, averaged over the pairs
    /// where they differ.
    pub variance: f64,
    /// Largest order of joint frequencies that it estimates; `None` for all.
    pub order: Option<usize>,
    /// By how many people false reports can move the count of a pair, the pair where they move it
    /// most.
    pub influence: Influence,
}

/// All designs for a total budget, best first.
pub(super) fn for_total(
    features: usize,
    epsilon: f64,
    prior: FrequencyPrior,
) -> Result<Vec<PlannedDesign>, ChannelError> {
    let pairs = pairs(features as f64);
    let bit = randomised_response(epsilon / features as f64)?;
    let four = generalised_response(4.0, epsilon)?;
    let coin = randomised_response(epsilon)?;
    // One of d + pairs parities; a pair's cell is a quarter of the sum of three of them and 1. A
    // mean parity is taken for 0, where its variance is largest.
    let parity = (features as f64 + pairs) * 3.0 / 16.0 / (coin.gap() * coin.gap());
    let sampled_pair = Influence::of_channels(&[four], 1.0 / pairs);
    let mut designs = vec![
        planned(Design::Bits, pair_variance(bit, bit, prior), None, Influence::of_channels(&[bit, bit], 1.0)),
        planned(Design::SampledPair, pairs * cell_variance(four, prior.pair_frequency), Some(2), sampled_pair),
        planned(Design::Parity, parity, Some(2), influence_of_parity(features as f64 + pairs, coin)),
    ];
    designs.extend(best_sample(features, epsilon, prior)?);
    designs.extend(best_groups(features, epsilon, prior));
    if features <= MOST_JOINT {
        let (cells, quarter) = (2.0_f64.powi(features as i32), 2.0_f64.powi(features as i32 - 2));
        // With too many symbols a report carries no information: not a design.
        if let Ok(symbol) = union_of_symbols(cells, quarter, epsilon) {
            let influence = Influence::of_channels(&[symbol], 1.0);
            designs.push(planned(Design::JointSymbol, cell_variance(symbol, prior.pair_frequency), None, influence));
        }
        let unary = optimised_unary(epsilon)?;
        let block = sum_of_bits(unary, quarter, prior.pair_frequency);
        // All bits of the pair's cells, or none.
        let influence = Influence::between(quarter * unary.reading(false), quarter * unary.reading(true), 1.0);
        designs.push(planned(Design::JointBlock, block, None, influence));
    }
    designs.sort_by(|a, b| a.variance.total_cmp(&b.variance));
    Ok(designs)
}

fn planned(design: Design, variance: f64, order: Option<usize>, influence: Influence) -> PlannedDesign {
    PlannedDesign { design, variance, order, influence }
}

/// A pair's cell is a quarter of 1 and of three mean parities, of which a report is about one, for
/// `parities` times its sign.
fn influence_of_parity(parities: f64, coin: Channel) -> Influence {
    let sign = 0.25 * parities / coin.gap();
    Influence::between(0.25 - sign, 0.25 + sign, 1.0)
}

/// How many pairs `n` features have.
fn pairs(n: f64) -> f64 {
    0.5 * n * (n - 1.0)
}

/// The best number of features to draw; the whole is [`Design::Bits`].
fn best_sample(features: usize, epsilon: f64, prior: FrequencyPrior) -> Result<Option<PlannedDesign>, ChannelError> {
    let mut best: Option<PlannedDesign> = None;
    for per_person in 2..=features {
        // A pair is reported by the share of people who draw both of its features.
        let bit = randomised_response(epsilon / per_person as f64)?;
        let share = pairs(features as f64) / pairs(per_person as f64);
        let variance = share * pair_variance(bit, bit, prior);
        if best.is_none_or(|best| variance < best.variance) {
            let influence = Influence::of_channels(&[bit, bit], 1.0 / share);
            best = Some(planned(Design::SampledBits { per_person }, variance, Some(per_person), influence));
        }
    }
    Ok(best)
}

/// The best size of groups between a single bit and all of them.
fn best_groups(features: usize, epsilon: f64, prior: FrequencyPrior) -> Option<PlannedDesign> {
    let each = epsilon / features as f64;
    let variances = (2..features.min(MOST_JOINT + 1))
        .filter_map(|bits| groups(features, bits, each, prior).ok().map(|variance| (bits, variance)));
    let (bits, variance) = variances.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    // Across two full groups, or a full one and the rest; within one of them a cell of four.
    let of = |bits: usize, share: f64| share_of_group(bits, share, each).ok();
    let rest = if features.is_multiple_of(bits) { bits } else { features % bits };
    let (full, last, cell) = (of(bits, 0.5)?, of(rest, 0.5)?, of(bits, 0.25)?);
    let influences = [vec![full, if features > 2 * bits { full } else { last }], vec![full, last], vec![cell]];
    let influences = influences.map(|channels| Influence::of_channels(&channels, 1.0));
    let worst = influences.into_iter().max_by(|a, b| a.of_one().total_cmp(&b.of_one()))?;
    Some(planned(Design::SuperFeatures { bits }, variance, None, worst))
}

/// Mean variance of a pair over groups of `bits` bits at `each` epsilon per bit.
fn groups(features: usize, bits: usize, each: f64, prior: FrequencyPrior) -> Result<f64, ChannelError> {
    let (whole, rest) = (features / bits, features % bits);
    let (full, last) = if rest == 0 { (whole - 1, bits) } else { (whole, rest) };
    // A bit of a group is half of its symbols, a pair a quarter.
    let (bit_full, bit_last) = (share_of_group(bits, 0.5, each)?, share_of_group(last, 0.5, each)?);
    let (count, m, r) = (full as f64, bits as f64, last as f64);
    // Pairs within a group, pairs across two full groups, and pairs of a full group with the
    // last.
    let mut sum = count * within_group(bits, each, prior)? + within_group(last, each, prior)?;
    sum += 0.5 * count * (count - 1.0) * m * m * pair_variance(bit_full, bit_full, prior);
    sum += count * m * r * pair_variance(bit_full, bit_last, prior);
    Ok(sum / pairs(features as f64))
}

/// The channel of a share of the symbols of a group of bits.
fn share_of_group(bits: usize, share: f64, each: f64) -> Result<Channel, ChannelError> {
    let symbols = 2.0_f64.powi(bits as i32);
    union_of_symbols(symbols, symbols * share, each * bits as f64)
}

/// Variances of all pairs within a group.
fn within_group(bits: usize, each: f64, prior: FrequencyPrior) -> Result<f64, ChannelError> {
    if bits < 2 {
        return Ok(0.0);
    }
    Ok(pairs(bits as f64) * cell_variance(share_of_group(bits, 0.25, each)?, prior.pair_frequency))
}
