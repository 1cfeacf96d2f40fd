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
//! joint symbol          a value, as one of 1 or d bits    1 or d       (1-k)/d        k + (1-k)/d
//! ```
//!
//! A joint symbol is the only protocol whose features are not randomised independently: with
//! chance `k` the values of all features that a report covers are the true ones, else each is
//! uniform. Any `j` of them together have `q - p = k`, too.

use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};

use crate::channel::{Channel, ChannelError};
use crate::epsilon;
use crate::error::SchemaError;
use crate::noise::{BitNoise, truth_of_symbols};
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
    /// The values of all features of a report as one symbol.
    #[cfg_attr(feature = "serde", serde(rename = "joint"))]
    JointSymbol,
}

impl ProtocolKind {
    /// The name in files: `rr`, `ue`, `grr`, `lh`, `rappor` or `joint`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RandomisedResponse => "rr",
            Self::UnaryEncoding => "ue",
            Self::GeneralisedResponse => "grr",
            Self::LocalHashing => "lh",
            Self::Rappor => "rappor",
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
            Self::RandomisedResponse(bit) | Self::UnaryEncoding(bit) => bit.channel(),
            Self::GeneralisedResponse { truth } => {
                Channel::new(truth.complement().to_f64() / (values - 1) as f64, truth.to_f64())
            }
            Self::LocalHashing { buckets, truth } => Channel::new(1.0 / f64::from(buckets), truth.to_f64()),
            Self::Rappor { permanent, instantaneous } => permanent.channel()?.then(instantaneous.channel()?),
            Self::JointSymbol { keep } => joint_channel(keep, values as f64),
        }
    }

    /// Whether every report about a feature of this many values supports exactly one of its
    /// columns.
    pub(crate) fn supports_one(self, values: usize) -> bool {
        match self {
            Self::GeneralisedResponse { .. } => true,
            Self::JointSymbol { .. } => values > 2,
            _ => false,
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
            Self::JointSymbol { .. } => ProtocolKind::JointSymbol,
        }
    }
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
            Protocol::RandomisedResponse(_) if values != 2 => {
                return Err(SchemaError::NotBinary { feature: feature(), values });
            }
            Protocol::GeneralisedResponse { truth } => check_truth(truth, u32::try_from(values).unwrap_or(u32::MAX))?,
            Protocol::LocalHashing { buckets, truth } => check_truth(truth, checked_buckets(buckets)?)?,
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
            Protocol::RandomisedResponse(_) => 1..2,
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
    /// joint symbol: what it tells about this feature alone; all features together cost
    /// [`Schema::epsilon_per_report`](crate::Schema::epsilon_per_report), which is no sum of these.
    #[must_use]
    pub fn epsilon(&self) -> f64 {
        match self.protocol {
            Protocol::RandomisedResponse(bit) => epsilon::binary(bit.p(), bit.q()),
            Protocol::UnaryEncoding(bit) => epsilon::unary(bit.p(), bit.q()),
            Protocol::GeneralisedResponse { truth } => epsilon::symbol(truth, self.attribute.cardinality() as u32),
            Protocol::LocalHashing { buckets, truth } => epsilon::symbol(truth, buckets),
            Protocol::Rappor { permanent: a, instantaneous: b } => epsilon::two_stages((a.p(), a.q()), (b.p(), b.q())),
            Protocol::JointSymbol { keep } => epsilon::joint(keep, self.attribute.cardinality() as f64),
        }
    }

    /// Whether every report about this feature supports exactly one of its columns.
    #[must_use]
    pub fn supports_one(&self) -> bool {
        self.protocol.supports_one(self.attribute.cardinality())
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
            Protocol::UnaryEncoding(_) | Protocol::Rappor { .. } => values,
            Protocol::GeneralisedResponse { .. } | Protocol::JointSymbol { .. } => bits_below(values as u64),
            Protocol::LocalHashing { buckets, .. } => SEED_BITS as usize + bits_below(buckets.into()),
        }
    }
}

/// How many bits write a number below `bound`, which is at least 2.
pub(crate) fn bits_below(bound: u64) -> usize {
    (u64::BITS - (bound - 1).leading_zeros()) as usize
}
