//! Ways to spend a budget on `d` binary features when all pairs are wanted.
//!
//! ```text
//! bits            randomised response of every bit, epsilon / d each                    all orders
//! sampled bits    s features drawn for each person, epsilon / s each                    up to s
//! joint symbol    s features drawn for each person, one symbol of their 2^s cells       up to s
//! parity          one feature, or the parity of two, drawn for each person, one noisy bit pairs
//! joint subset    subset selection over all 2^d cells                             all orders
//! super-features  groups of s bits, generalised response over 2^s cells, epsilon s / d  all orders
//! joint block     optimised unary encoding over all 2^d cells                           all orders
//! ```
//!
//! A design is listed if a schema holds it: columns of super-features and of a joint block are as
//! many as their cells, questions of parities as many as features and pairs, at most 65,536.

use ldp_client::{BitNoise, Channel, ChannelError, FixedProbability, MAX_COLUMNS, Parities};
use privacy_core::param::Epsilon;

use crate::estimate::Influence;

use super::pair::PairVariance;
use super::variance::{
    FrequencyPrior, cell_variance, optimised_unary, randomised_response, subset_selection, union_of_symbols,
};

/// Most features of a joint symbol that are tried: at epsilon 100 no more than 145 are worth it.
const MOST_TOGETHER: usize = 160;

/// A design: how the answers of a person are randomised.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Some of the features, drawn for each person, answered together as one symbol; or all.
    JointSymbol {
        /// Features a person reports.
        per_person: usize,
    },
    /// One feature, or "exactly one of two features", drawn for each person: one bit.
    Parity {
        /// The chance that it is one feature, the best for the frequencies of the prior.
        alone: f64,
    },
    /// All features together as one feature of all cells, of which a report names some.
    JointSubset {
        /// Cells that a report names.
        size: usize,
    },
    /// Groups of bits, each group one symbol.
    SuperFeatures {
        /// Bits of a group; the last one may have fewer.
        bits: usize,
    },
    /// All features together as a one-hot block.
    JointBlock,
}

/// A design with its predicted variances.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct PlannedDesign {
    /// The design.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub design: Design,
    /// Variance of the frequency of a pair times the number of reports, averaged over the pairs
    /// where they differ, at the frequencies of the prior.
    pub variance: f64,
    /// The same at the frequencies where it is largest.
    pub worst_variance: f64,
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
    let plan = Plan { features, epsilon, prior };
    let mut designs = vec![plan.bits(features, epsilon / features as f64)?];
    designs.extend(plan.best(2..=features, |s| plan.sampled_bits(s)));
    designs.extend(plan.joint_symbols());
    designs.extend(plan.parity());
    designs.extend(plan.best(2..=features.saturating_sub(1), |bits| plan.super_features(bits)));
    designs.extend(plan.joint_block());
    designs.extend(plan.joint_subset());
    designs.sort_by(|a, b| a.variance.total_cmp(&b.variance));
    designs.dedup_by_key(|planned| planned.design);
    Ok(designs)
}

/// Randomised response of every bit, with this epsilon each.
pub(super) fn for_each(epsilon: f64, prior: FrequencyPrior) -> Result<PlannedDesign, ChannelError> {
    Plan { features: 2, epsilon, prior }.bits(2, epsilon)
}

/// What is planned for.
#[derive(Clone, Copy)]
struct Plan {
    features: usize,
    epsilon: f64,
    prior: FrequencyPrior,
}

impl Plan {
    fn planned(
        &self,
        design: Design,
        variance: PairVariance,
        order: Option<usize>,
        influence: Influence,
    ) -> PlannedDesign {
        let (at_prior, worst_variance) = (variance.at(self.prior), variance.worst());
        PlannedDesign { design, variance: at_prior, worst_variance, order, influence }
    }

    /// The best of a size that can be: the first of equal ones.
    fn best(
        &self,
        sizes: std::ops::RangeInclusive<usize>,
        of: impl Fn(usize) -> Option<PlannedDesign>,
    ) -> Option<PlannedDesign> {
        sizes.filter_map(of).min_by(|a, b| a.variance.total_cmp(&b.variance))
    }

    /// People for each one who is asked about a pair, when `per_person` features are drawn.
    fn share(&self, per_person: usize) -> f64 {
        pairs(self.features as f64) / pairs(per_person as f64)
    }

    fn bits(&self, per_person: usize, each: f64) -> Result<PlannedDesign, ChannelError> {
        let (bit, share) = (randomised_response(each)?, self.share(per_person));
        let (design, order) = match per_person == self.features {
            true => (Design::Bits, None),
            false => (Design::SampledBits { per_person }, Some(per_person)),
        };
        let influence = Influence::of_channels(&[bit, bit], 1.0 / share);
        Ok(self.planned(design, PairVariance::of_columns(bit, bit).shared(share), order, influence))
    }

    fn sampled_bits(&self, per_person: usize) -> Option<PlannedDesign> {
        let mut planned = self.bits(per_person, self.epsilon / per_person as f64).ok()?;
        planned.design = Design::SampledBits { per_person };
        planned.order = Some(per_person);
        Some(planned)
    }

    /// The best number of features for the frequencies, the best for the worst ones, a single
    /// pair, and all: sets of any order.
    fn joint_symbols(&self) -> Vec<PlannedDesign> {
        let tried: Vec<PlannedDesign> =
            (2..=self.features.min(MOST_TOGETHER)).filter_map(|s| self.joint_symbol(s)).collect();
        let ends = [2, self.features].map(|s| self.joint_symbol(s));
        let best = tried.iter().min_by(|a, b| a.variance.total_cmp(&b.variance));
        let best_at_worst = tried.iter().min_by(|a, b| a.worst_variance.total_cmp(&b.worst_variance));
        let chosen = [best.cloned(), best_at_worst.cloned()];
        let mut designs: Vec<PlannedDesign> = chosen.into_iter().chain(ends).flatten().collect();
        designs.sort_by(|a, b| a.variance.total_cmp(&b.variance));
        designs.dedup_by_key(|planned| planned.design);
        designs
    }

    /// `None` where a report carries no information: too many cells.
    fn joint_symbol(&self, per_person: usize) -> Option<PlannedDesign> {
        let cells = 2.0_f64.powi(i32::try_from(per_person).ok()?);
        let (pair, share) = (union_of_symbols(cells, 0.25 * cells, self.epsilon).ok()?, self.share(per_person));
        let order = (per_person < self.features).then_some(per_person);
        let influence = Influence::of_channels(&[pair], 1.0 / share);
        let variance = PairVariance::of_cell(pair).shared(share);
        Some(self.planned(Design::JointSymbol { per_person }, variance, order, influence))
    }

    /// A pair's cell is half of two features less half of their parity, each read from those who
    /// are asked about it: with `w` of the people about a feature and `v` about a pair,
    /// `(v_i / w + v_j / w + v_ij / v) / 4`.
    fn parity(&self) -> Option<PlannedDesign> {
        let (singles, pairs) = (self.features as f64, pairs(self.features as f64));
        let coin = randomised_response(self.epsilon).ok().filter(|_| singles + pairs <= MAX_COLUMNS as f64)?;
        let FrequencyPrior { frequency: f, pair_frequency: both } = self.prior;
        let (of_one, of_parity) = (cell_variance(coin, f), cell_variance(coin, 2.0 * (f - both)));
        // Least where 2 v_i / w^2 is to v_ij / v^2 as the numbers of questions are.
        let [ones, parities] = [(2.0 * singles * of_one).sqrt(), (pairs * of_parity).sqrt()];
        let alone = FixedProbability::from_threshold((ones / (ones + parities) * 2.0_f64.powi(64)) as u64);
        let (w, v) = (alone.to_f64() / singles, alone.complement().to_f64() / pairs);
        let [one, other] = [2.0 / w, 1.0 / v].map(|people| 0.25 * people);
        // Every answer is most uncertain at one half, which a pair of one quarter has.
        let worst = cell_variance(coin, 0.5);
        let noise = BitNoise::symmetric(Epsilon::new(self.epsilon).ok()?).ok()?;
        let attributes = Parities::of(self.features, noise, alone).ok()?;
        Some(PlannedDesign {
            design: Design::Parity { alone: alone.to_f64() },
            variance: one * of_one + other * of_parity,
            worst_variance: (one + other) * worst,
            order: Some(2),
            influence: Influence::of_parities(attributes, true),
        })
    }

    /// All cells as one feature, of which a report names `size`: a pair is read as how many of a
    /// quarter of the cells are named.
    fn joint_subset(&self) -> Option<PlannedDesign> {
        let cells = 1_usize.checked_shl(self.features as u32).filter(|&cells| cells <= MAX_COLUMNS)? as f64;
        let mut size = (cells / (self.epsilon.exp() + 1.0)).floor().clamp(1.0, 0.5 * cells);
        let cost = |size: f64| self.pair_of_subsets(cells, size).map_or(f64::INFINITY, |pair| pair.at(self.prior));
        // One minimum, near the best size for a single cell: walk there.
        for step in [1.0, -1.0] {
            while (1.0..=0.5 * cells).contains(&(size + step)) && cost(size + step) < cost(size) {
                size += step;
            }
        }
        // A single cell is a joint symbol.
        let pair = self.pair_of_subsets(cells, size).filter(|_| size > 1.0)?;
        let (channel, quarter) = (subset_selection(cells, size, self.epsilon).ok()?, 0.25 * cells);
        let reading = |named: f64| (named - quarter * channel.p()) / channel.gap();
        let influence = Influence::between(reading(0.0), reading(size.min(quarter)), 1.0);
        Some(self.planned(Design::JointSubset { size: size as usize }, pair, None, influence))
    }

    /// The number of named cells among the pair's is hypergeometric, given whether the true cell is
    /// named.
    fn pair_of_subsets(&self, cells: f64, size: f64) -> Option<PairVariance> {
        let channel = subset_selection(cells, size, self.epsilon).ok()?;
        let (quarter, q) = (0.25 * cells, channel.q());
        // Of the other cells, `marked` are the pair's, and `named` are named.
        let second_moment = |own: f64| {
            let marked = quarter - own;
            let square = |named: f64, own: f64| {
                let share = marked / (cells - 1.0);
                let spread = named * share * (1.0 - share) * (cells - 1.0 - named) / (cells - 2.0);
                spread + (own + named * share - quarter * channel.p()).powi(2)
            };
            (q * square(size - 1.0, own) + (1.0 - q) * square(size, 0.0)) / channel.gap().powi(2)
        };
        let (without, with) = (second_moment(0.0), second_moment(1.0));
        Some(PairVariance { share: 1.0, of_both: with - without, of_one: 0.0, constant: without })
    }

    /// All cells in one block: a pair is read as the sum of a quarter of its bits.
    fn joint_block(&self) -> Option<PlannedDesign> {
        let cells = 1_usize.checked_shl(self.features as u32).filter(|&cells| cells <= MAX_COLUMNS)?;
        let (unary, quarter) = (optimised_unary(self.epsilon).ok()?, 0.25 * cells as f64);
        let (p, q, d2) = (unary.p(), unary.q(), unary.gap() * unary.gap());
        let (zero, one) = (p * (1.0 - p) / d2, q * (1.0 - q) / d2);
        let variance = PairVariance { share: 1.0, of_both: one - zero + 1.0, of_one: 0.0, constant: quarter * zero };
        // All bits of the pair's cells, or none.
        let influence = Influence::between(quarter * unary.reading(false), quarter * unary.reading(true), 1.0);
        Some(self.planned(Design::JointBlock, variance, None, influence))
    }

    /// Groups of `bits` bits, and a last one of the rest.
    fn super_features(&self, bits: usize) -> Option<PlannedDesign> {
        let (whole, rest) = (self.features / bits, self.features % bits);
        let (full, last) = if rest == 0 { (whole - 1, bits) } else { (whole, rest) };
        let columns = (full as f64).mul_add(2.0_f64.powi(bits as i32), 2.0_f64.powi(last as i32));
        if columns > MAX_COLUMNS as f64 {
            return None;
        }
        // A bit of a group is half of its symbols, a pair a quarter.
        let (one, one_last) = (self.share_of_group(bits, 0.5)?, self.share_of_group(last, 0.5)?);
        let both = self.share_of_group(bits, 0.25)?;
        // Pairs within a group, pairs across two full groups, and pairs of a full group with the
        // last.
        let (count, m, r) = (full as f64, bits as f64, last as f64);
        let mut kinds = vec![(count * pairs(m), PairVariance::of_cell(both))];
        let mut channels = vec![vec![one, if full > 1 { one } else { one_last }], vec![one, one_last], vec![both]];
        if last > 1 {
            let both = self.share_of_group(last, 0.25)?;
            kinds.push((pairs(r), PairVariance::of_cell(both)));
            channels.push(vec![both]);
        }
        kinds.push((pairs(count) * m * m, PairVariance::of_columns(one, one)));
        kinds.push((count * m * r, PairVariance::of_columns(one, one_last)));
        let (_, variance) = kinds.into_iter().reduce(|(weight, mean), (more, other)| {
            let sum = weight + more;
            (sum, if sum > 0.0 { mean.mixed(other, weight / sum) } else { mean })
        })?;
        let influences = channels.iter().map(|channels| Influence::of_channels(channels, 1.0));
        let worst = influences.max_by(|a, b| a.of_one().total_cmp(&b.of_one()))?;
        Some(self.planned(Design::SuperFeatures { bits }, variance, None, worst))
    }

    /// The channel of a share of the symbols of a group of bits, which has its part of epsilon.
    fn share_of_group(&self, bits: usize, share: f64) -> Option<Channel> {
        let symbols = 2.0_f64.powi(i32::try_from(bits).ok()?);
        union_of_symbols(symbols, symbols * share, self.epsilon * bits as f64 / self.features as f64).ok()
    }
}

/// How many pairs `n` features have.
fn pairs(n: f64) -> f64 {
    0.5 * n * (n - 1.0)
}
