//! Features and their protocols.
//!
//! A support column is a bit that the collector reads off a report for one value of a feature,
//! `b(v)`, with `P(b(v) = 1) = q` when the truth is `v` and
//! `p` otherwise; (1.7) of `docs/math/ldp-pmdh.md`:
//!
//! ```text
//! protocol              a report holds                  columns      p              q
//! randomised response   one bit                         1 (value 1)  p              q
//! unary encoding        one bit per value                 d            p              q
//! generalised response  one of d symbols                d            (1-q)/(d-1)    q
//! local hashing         a seed, one of g buckets        d            1/g            q
//! RAPPOR                one bit per value, noised twice   d            p1 (q2-p2)+p2  q1 (q2-p2)+p2
//! subset selection      w of d values                      d            see below      q
//! parity                one bit, of a question drawn       1 (value 1)  p              q
//! joint symbol          a value, as one of 1 or d bits    1 or d       (1-k)/d        k + (1-k)/d
//! ```
//!
//! A subset has the true value with chance `q`, and is else uniform: another value is in it with
//! chance `p = (q (w-1) + (1-q) w) / (d-1)`.
//!
//! A report of a parity schema is about one feature, or about the parity of two:
//! [`crate::Parities`].
//!
//! A joint symbol is the only protocol whose features are not randomised independently: with
//! chance `k` the values of all features that a report covers are the true ones, else each is
//! uniform. Any `j` of them together have `q - p = k`, too.

use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};

use crate::channel::{Channel, ChannelError};
use crate::epsilon;
use crate::error::SchemaError;
use crate::noise::{BitNoise, truth_of_subsets, truth_of_symbols};
use crate::probability::FixedProbability;

/// Most buckets of local hashing.
const MOST_BUCKETS: u32 = 1 << 30;
/// Bits of a hash seed.
pub(crate) const SEED_BITS: u32 = 64;

/// A kind of protocol, without its probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum ProtocolKind {
    /// Randomised response of one bit.
    #[cfg_attr(feature = "serde", serde(rename = "rr"))]
    RandomisedResponse,
    /// Unary encoding.
    #[cfg_attr(feature = "serde", serde(rename = "ue"))]
    UnaryEncoding,
    /// Generalised randomised response.
    #[cfg_attr(feature = "serde", serde(rename = "grr"))]
    GeneralisedResponse,
    /// Local hashing.
    #[cfg_attr(feature = "serde", serde(rename = "lh"))]
    LocalHashing,
    /// RAPPOR, in two stages.
    #[cfg_attr(feature = "serde", serde(rename = "rappor"))]
    Rappor,
    /// Subset selection.
    #[cfg_attr(feature = "serde", serde(rename = "ss"))]
    SubsetSelection,
    /// One feature or the parity of two, drawn for each person.
    #[cfg_attr(feature = "serde", serde(rename = "parity"))]
    Parity,
    /// The values of all features of a report as one symbol.
    #[cfg_attr(feature = "serde", serde(rename = "joint"))]
    JointSymbol,
}

impl ProtocolKind {
    /// The name in files: `rr`, `ue`, `grr`, `lh`, `rappor`, `ss`, `parity` or `joint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RandomisedResponse => "rr",
            Self::UnaryEncoding => "ue",
            Self::GeneralisedResponse => "grr",
            Self::LocalHashing => "lh",
            Self::Rappor => "rappor",
            Self::SubsetSelection => "ss",
            Self::Parity => "parity",
            Self::JointSymbol => "joint",
        }
    }
}

/// As in files.
impl std::fmt::Display for ProtocolKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// How the answer about one feature is randomised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Protocol {
    /// One bit for a feature of two values, `rr`.
    RandomisedResponse(BitNoise),
    /// One bit a value, each noised by itself, `ue`.
    UnaryEncoding(BitNoise),
    /// The true symbol with this chance, else one of the others, all alike, `grr`.
    GeneralisedResponse {
        /// The chance of the truth.
        truth: FixedProbability,
    },
    /// A bucket of the seeded hash of the value, by generalised response over buckets, `lh`. The
    /// seed is drawn for each report and part of it. Variances take the hash for ideal; it is
    /// SipHash-2-4 under the seed.
    LocalHashing {
        /// How many buckets.
        buckets: u32,
        /// The chance of the true bucket.
        truth: FixedProbability,
    },
    /// One bit a value, noised once for good and once more for every report, `rappor`.
    Rappor {
        /// Drawn once per person.
        permanent: BitNoise,
        /// Drawn for every report.
        instantaneous: BitNoise,
    },
    /// A set of `size` values, `ss`: the true value is in it with this chance, the others are
    /// drawn, all alike.
    SubsetSelection {
        /// How many values a report names; at least 1, below the number of values.
        size: u32,
        /// The chance that the true value is among them.
        truth: FixedProbability,
    },
    /// One bit about one feature, or about whether exactly one of two is there, `parity`: which,
    /// is drawn for every report. Every feature of a schema has it, with the same chances, or none
    /// has: [`Schema::of_parities`](crate::Schema::of_parities).
    Parity {
        /// Of the bit.
        noise: BitNoise,
        /// The chance that a report is about one feature.
        alone: FixedProbability,
    },
    /// The values of all features that a report covers as one symbol, `joint`: all of them the
    /// true ones with this chance, else each of them uniform over its values. One coin decides for
    /// all, so every feature of a schema has it, with the same chance, or none has:
    /// [`Schema::of_joint_symbol`](crate::Schema::of_joint_symbol).
    JointSymbol {
        /// The chance that the values are kept.
        keep: FixedProbability,
    },
}

impl Protocol {
    /// Generalised response over `values` values with this epsilon.
    ///
    /// # Errors
    /// [`SchemaError::Uninformative`] if epsilon is too small for 64 bits.
    pub fn generalised_response(epsilon: Epsilon, values: u32) -> Result<Self, SchemaError> {
        let truth = truth_of_symbols(epsilon, values.max(2));
        check_truth(truth, values.max(2))?;
        Ok(Self::GeneralisedResponse { truth })
    }

    /// Local hashing with this epsilon; with `buckets` left out, `round(e^epsilon) + 1` of them,
    /// which is best.
    ///
    /// # Errors
    /// [`SchemaError::Buckets`]; [`SchemaError::Uninformative`] if epsilon is too small for 64
    /// bits.
    pub fn local_hashing(epsilon: Epsilon, buckets: Option<u32>) -> Result<Self, SchemaError> {
        let best = || (epsilon.get().exp().round() + 1.0).min(f64::from(MOST_BUCKETS)) as u32;
        let buckets = checked_buckets(buckets.unwrap_or_else(best))?;
        let truth = truth_of_symbols(epsilon, buckets);
        check_truth(truth, buckets)?;
        Ok(Self::LocalHashing { buckets, truth })
    }

    /// Subset selection over `values` values with this epsilon; with `size` left out, the size with
    /// the smallest variance of all frequencies together, near `values / (e^epsilon + 1)`.
    ///
    /// # Errors
    /// [`SchemaError::SubsetSize`]; [`SchemaError::Uninformative`] if epsilon is too small for 64
    /// bits.
    pub fn subset_selection(epsilon: Epsilon, values: u32, size: Option<u32>) -> Result<Self, SchemaError> {
        let size = size.unwrap_or_else(|| best_subset(epsilon, values.max(2)));
        check_size(size, values.max(2))?;
        let truth = truth_of_subsets(epsilon, size, values.max(2));
        check_subset(size, truth, values.max(2))?;
        Ok(Self::SubsetSelection { size, truth })
    }

    /// Generalised response that reports the truth with the multiple of `2^-64` nearest to
    /// `truth`. Whether that is more likely than each other value is checked by [`Feature::new`],
    /// which knows how many there are.
    #[must_use]
    pub fn generalised_response_with_truth(truth: Probability) -> Self {
        Self::GeneralisedResponse { truth: FixedProbability::nearest(truth) }
    }

    /// The channel of a support column when a feature has this many values.
    fn channel(self, values: usize) -> Result<Channel, ChannelError> {
        match self {
            Self::RandomisedResponse(bit) | Self::UnaryEncoding(bit) | Self::Parity { noise: bit, .. } => bit.channel(),
            Self::GeneralisedResponse { truth } => {
                Channel::new(truth.complement().to_f64() / (values - 1) as f64, truth.to_f64())
            }
            Self::LocalHashing { buckets, truth } => Channel::new(1.0 / f64::from(buckets), truth.to_f64()),
            Self::Rappor { permanent, instantaneous } => permanent.channel()?.then(instantaneous.channel()?),
            Self::SubsetSelection { size, truth } => {
                let (size, q) = (f64::from(size), truth.to_f64());
                Channel::new((q * (size - 1.0) + (1.0 - q) * size) / (values - 1) as f64, q)
            }
            Self::JointSymbol { keep } => joint_channel(keep, values as f64),
        }
    }

    /// How many of its columns every report about a feature of this many values supports; `None`
    /// where that differs.
    pub(crate) fn supported(self, values: usize) -> Option<usize> {
        match self {
            Self::GeneralisedResponse { .. } => Some(1),
            Self::SubsetSelection { size, .. } => Some(size as usize),
            Self::JointSymbol { .. } if values > 2 => Some(1),
            _ => None,
        }
    }

    /// Which kind of protocol it is.
    #[must_use]
    pub fn kind(self) -> ProtocolKind {
        match self {
            Self::RandomisedResponse(_) => ProtocolKind::RandomisedResponse,
            Self::UnaryEncoding(_) => ProtocolKind::UnaryEncoding,
            Self::GeneralisedResponse { .. } => ProtocolKind::GeneralisedResponse,
            Self::LocalHashing { .. } => ProtocolKind::LocalHashing,
            Self::Rappor { .. } => ProtocolKind::Rappor,
            Self::SubsetSelection { .. } => ProtocolKind::SubsetSelection,
            Self::Parity { .. } => ProtocolKind::Parity,
            Self::JointSymbol { .. } => ProtocolKind::JointSymbol,
        }
    }
}

fn check_size(size: u32, values: u32) -> Result<(), SchemaError> {
    if (1..values).contains(&size) { Ok(()) } else { Err(SchemaError::SubsetSize { values, got: size }) }
}

/// A subset with the true value must be more likely than each without: `q (d-w) > (1-q) w`.
fn check_subset(size: u32, truth: FixedProbability, values: u32) -> Result<(), SchemaError> {
    check_size(size, values)?;
    let (with, without) = (truth.numerator(), truth.complement().numerator());
    let is_more = with * u128::from(values - size) > without * u128::from(size);
    if is_more { Ok(()) } else { Err(SchemaError::Uninformative) }
}

/// The size with the smallest sum of variances over all values, whatever the frequencies:
/// `alpha + d beta`, which has one minimum at `d / (e^epsilon + 1)`, a real number.
fn best_subset(epsilon: Epsilon, values: u32) -> u32 {
    let best = f64::from(values) / (epsilon.get().exp() + 1.0);
    let variance = |size: u32| {
        let truth = truth_of_subsets(epsilon, size, values);
        let channel = Protocol::SubsetSelection { size, truth }.channel(values as usize);
        channel.map_or(f64::INFINITY, |channel| channel.alpha() + f64::from(values) * channel.beta())
    };
    let near = [best.floor(), best.ceil()].map(|size| size.clamp(1.0, f64::from(values - 1)) as u32);
    if variance(near[1]) < variance(near[0]) { near[1] } else { near[0] }
}

/// One of `cells` cells of the features that a joint symbol is about: `p` the chance that it is
/// shown when it is not the true one, `q` when it is.
pub(crate) fn joint_channel(keep: FixedProbability, cells: f64) -> Result<Channel, ChannelError> {
    let uniform = keep.complement().to_f64() / cells;
    Channel::new(uniform, keep.to_f64() + uniform)
}

fn checked_buckets(buckets: u32) -> Result<u32, SchemaError> {
    if (2..=MOST_BUCKETS).contains(&buckets) { Ok(buckets) } else { Err(SchemaError::Buckets { got: buckets }) }
}

/// The truth must be more likely than each other symbol: `q > (1 - q) / (symbols - 1)`.
fn check_truth(truth: FixedProbability, symbols: u32) -> Result<(), SchemaError> {
    let others = truth.complement().numerator();
    if truth.numerator() * u128::from(symbols - 1) > others { Ok(()) } else { Err(SchemaError::Uninformative) }
}

/// A question with listed answers, and how an answer is randomised.
#[derive(Clone, Debug, PartialEq)]
pub struct Feature {
    attribute: Attribute,
    protocol: Protocol,
    channel: Channel,
}

impl Feature {
    /// A feature; its values are the labels of `attribute`, in that order.
    ///
    /// # Errors
    /// [`SchemaError::NotBinary`], [`SchemaError::OneValue`], [`SchemaError::Buckets`],
    /// [`SchemaError::Uninformative`].
    pub fn new(attribute: Attribute, protocol: Protocol) -> Result<Self, SchemaError> {
        let (values, feature) = (attribute.cardinality(), || attribute.name().to_owned());
        if values < 2 {
            return Err(SchemaError::OneValue { feature: feature() });
        }
        match protocol {
            Protocol::RandomisedResponse(_) | Protocol::Parity { .. } if values != 2 => {
                return Err(SchemaError::NotBinary { feature: feature(), values });
            }
            Protocol::GeneralisedResponse { truth } => check_truth(truth, u32::try_from(values).unwrap_or(u32::MAX))?,
            Protocol::LocalHashing { buckets, truth } => check_truth(truth, checked_buckets(buckets)?)?,
            Protocol::SubsetSelection { size, truth } => {
                check_subset(size, truth, u32::try_from(values).unwrap_or(u32::MAX))?;
            }
            _ => {}
        }
        let channel = protocol.channel(values).map_err(|_| SchemaError::Uninformative)?;
        Ok(Self { attribute, protocol, channel })
    }

    /// Name and values.
    #[must_use]
    pub fn attribute(&self) -> &Attribute {
        &self.attribute
    }

    /// How an answer is randomised.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// The values that have a support column: the second of a bit, all of any other feature.
    /// A joint symbol shows a feature of two values as a bit.
    pub fn supported_values(&self) -> std::ops::Range<usize> {
        match self.protocol {
            Protocol::RandomisedResponse(_) | Protocol::Parity { .. } => 1..2,
            Protocol::JointSymbol { .. } if self.attribute.cardinality() == 2 => 1..2,
            _ => 0..self.attribute.cardinality(),
        }
    }

    /// The channel of every support column of the feature, in doubles.
    #[must_use]
    pub fn channel(&self) -> Channel {
        self.channel
    }

    /// Epsilon of one report about this feature: at least, and tight up to rounding.
    ///
    /// # Guarantee
    /// Local differential privacy between any two answers of one person, for one report. RAPPOR:
    /// with a fresh permanent stage; [`Feature::epsilon_forever`] bounds all reports of one. A
    /// joint symbol and a parity: what it tells about this feature alone; all features together
    /// cost [`Schema::epsilon_per_report`](crate::Schema::epsilon_per_report), which is no sum of
    /// these.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        match self.protocol {
            Protocol::RandomisedResponse(bit) | Protocol::Parity { noise: bit, .. } => {
                epsilon::binary(bit.p(), bit.q())
            }
            Protocol::UnaryEncoding(bit) => epsilon::unary(bit.p(), bit.q()),
            Protocol::GeneralisedResponse { truth } => epsilon::symbol(truth, self.attribute.cardinality() as u32),
            Protocol::LocalHashing { buckets, truth } => epsilon::symbol(truth, buckets),
            Protocol::Rappor { permanent: a, instantaneous: b } => epsilon::two_stages((a.p(), a.q()), (b.p(), b.q())),
            Protocol::SubsetSelection { size, truth } => {
                epsilon::subset(truth, size, self.attribute.cardinality() as u32)
            }
            Protocol::JointSymbol { keep } => epsilon::joint(keep, self.attribute.cardinality() as f64),
        }
    }

    /// How many of its columns every report about this feature supports, where that is always the
    /// same: one value or a set of values.
    #[must_use]
    pub fn supported(&self) -> Option<usize> {
        self.protocol.supported(self.attribute.cardinality())
    }

    /// Epsilon of any number of reports about this feature from one permanent stage; `None` where
    /// every report is drawn afresh, so that epsilons of reports add up.
    #[must_use]
    pub fn epsilon_forever(&self) -> Option<f64> {
        match self.protocol {
            Protocol::Rappor { permanent, .. } => Some(epsilon::unary(permanent.p(), permanent.q())),
            _ => None,
        }
    }

    /// How many bits of a report are about this feature.
    pub(crate) fn bits(&self) -> usize {
        let values = self.attribute.cardinality();
        match self.protocol {
            Protocol::RandomisedResponse(_) => 1,
            // The question and the bit are not a field of one feature.
            Protocol::Parity { .. } => 0,
            Protocol::UnaryEncoding(_) | Protocol::Rappor { .. } | Protocol::SubsetSelection { .. } => values,
            Protocol::GeneralisedResponse { .. } | Protocol::JointSymbol { .. } => bits_below(values as u64),
            Protocol::LocalHashing { buckets, .. } => SEED_BITS as usize + bits_below(buckets.into()),
        }
    }
}

/// How many bits write a number below `bound`, which is at least 2.
pub(crate) fn bits_below(bound: u64) -> usize {
    (u64::BITS - (bound - 1).leading_zeros()) as usize
}

#[cfg(test)]
mod tests;
