//! What clients get wrong.

use disclosure::ldp::{BitNoise, Feature, FixedProbability, Protocol, Schema, SchemaError};

use super::schema::{bit_noise, probability};
use crate::prelude::*;

/// A fault of the code that makes reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Flaw {
    /// Every chance of noise a tenth too small.
    ThresholdsOffByATenth,
    /// Every chance of noise a hundredth too small.
    ThresholdsOffByAHundredth,
    /// Every chance of noise too small by its 10^12th part.
    ThresholdsOffByATrillionth,
    /// Noise of a one-hot block for a change of one bit, though another answer changes two.
    OneBitForTwo,
    /// "Any other value" drawn among all values, the true one included.
    OthersIncludeTheTruth,
    /// The last feature sent as it is.
    OneFeatureWithoutNoise,
    /// A person reports one feature more than the schema says.
    OneFeatureMore,
    /// The permanent stage drawn anew for every report.
    FreshPermanentStage,
    /// The generator seeded alike for every feature: one coin decides them all.
    SameCoins,
    /// The letters of another paper: a 1 stays with chance `p`, a 0 becomes 1 with chance `q`.
    /// For the first feature.
    PAndQSwapped,
    /// One seed of the hash for all people.
    HashSeedFixed,
    /// A question of parities twice as likely where its answer is yes.
    AskedByAnswer,
    /// Sets of one value fewer, with the chances of the larger ones.
    SetsOneSmaller,
    /// A coin for each feature, each with the chance of the one coin that decides for all.
    CoinForEach,
}

impl Flaw {
    /// The schema whose true client behaves as the flawed one, where there is one.
    pub(super) fn schema(self, stated: &Schema) -> Result<Schema, Error> {
        let last = stated.features().len() - 1;
        let changed = |place: usize, protocol: Protocol, values: usize| match self {
            Self::ThresholdsOffByATenth => quieter(protocol, 0.9),
            Self::ThresholdsOffByAHundredth => quieter(protocol, 0.99),
            Self::ThresholdsOffByATrillionth => quieter(protocol, 1.0 - 1e-12),
            Self::OneBitForTwo => twice_the_epsilon(protocol),
            Self::OthersIncludeTheTruth => among_all(protocol, values),
            Self::CoinForEach => coin_of_its_own(protocol, values),
            Self::SetsOneSmaller => Ok(one_smaller(protocol)),
            Self::OneFeatureWithoutNoise if place == last => quieter(protocol, 0.0),
            _ => Ok(protocol),
        };
        let features = stated.features().iter().enumerate().map(|(place, feature)| {
            let protocol = changed(place, feature.protocol(), feature.attribute().cardinality())?;
            Ok(Feature::new(feature.attribute().clone(), protocol)?)
        });
        let schema = Schema::new(features.collect::<Result<_, Error>>()?)?;
        let (features, asked) = (schema.features().len(), stated.features_per_person());
        match self {
            // With all of them asked, reports would have another layout.
            Self::OneFeatureMore if asked + 1 < features => Ok(schema.with_features_per_person(asked + 1)?),
            Self::OneFeatureMore => Err(SchemaError::FeaturesPerPerson { features, got: asked + 1 }.into()),
            _ => Ok(schema.with_features_per_person(asked)?),
        }
    }
}

/// The same protocol with every chance of noise multiplied by a share.
fn quieter(protocol: Protocol, share: f64) -> Result<Protocol, Error> {
    // Through complements, where doubles are finest; exact chances keep the exact complement.
    let less =
        |chance: FixedProbability| Ok::<_, Error>(FixedProbability::nearest(probability(chance.to_f64() * share)?));
    let bit = |noise: BitNoise| {
        let q = less(noise.q().complement())?.complement();
        Ok::<_, Error>(BitNoise::from_fixed(less(noise.p())?, q)?)
    };
    let truth_of = |truth: FixedProbability| Ok::<_, Error>(less(truth.complement())?.complement());
    Ok(match protocol {
        Protocol::RandomisedResponse(noise) => Protocol::RandomisedResponse(bit(noise)?),
        Protocol::UnaryEncoding(noise) => Protocol::UnaryEncoding(bit(noise)?),
        Protocol::GeneralisedResponse { truth } => Protocol::GeneralisedResponse { truth: truth_of(truth)? },
        Protocol::LocalHashing { buckets, truth } => Protocol::LocalHashing { buckets, truth: truth_of(truth)? },
        Protocol::SubsetSelection { size, truth } => Protocol::SubsetSelection { size, truth: truth_of(truth)? },
        Protocol::Parity { noise, alone } => Protocol::Parity { noise: bit(noise)?, alone },
        Protocol::JointSymbol { keep } => Protocol::JointSymbol { keep: truth_of(keep)? },
        Protocol::Rappor { permanent, instantaneous } => {
            Protocol::Rappor { permanent: bit(permanent)?, instantaneous: bit(instantaneous)? }
        }
        other => other,
    })
}

/// Subset selection whose sets are smaller than their chances are for.
fn one_smaller(protocol: Protocol) -> Protocol {
    match protocol {
        Protocol::SubsetSelection { size, truth } => Protocol::SubsetSelection { size: size - 1, truth },
        other => other,
    }
}

/// A joint symbol whose features each have the coin that should decide for all of them.
fn coin_of_its_own(protocol: Protocol, values: usize) -> Result<Protocol, Error> {
    Ok(match protocol {
        Protocol::JointSymbol { keep } => {
            let truth = keep.to_f64() + keep.complement().to_f64() / values as f64;
            Protocol::GeneralisedResponse { truth: FixedProbability::nearest(probability(truth)?) }
        }
        other => other,
    })
}

/// One-hot blocks whose bits have twice the epsilon: their odds squared.
fn twice_the_epsilon(protocol: Protocol) -> Result<Protocol, Error> {
    let squared = |chance: FixedProbability| {
        let (yes, no) = (chance.to_f64().powi(2), chance.complement().to_f64().powi(2));
        yes / (yes + no)
    };
    Ok(match protocol {
        Protocol::UnaryEncoding(noise) => Protocol::UnaryEncoding(bit_noise([squared(noise.p()), squared(noise.q())])?),
        other => other,
    })
}

/// Symbols whose noise may be the truth again.
fn among_all(protocol: Protocol, values: usize) -> Result<Protocol, Error> {
    let again = |truth: FixedProbability, symbols: f64| {
        Ok::<_, Error>(FixedProbability::nearest(probability(truth.to_f64() + truth.complement().to_f64() / symbols)?))
    };
    Ok(match protocol {
        Protocol::GeneralisedResponse { truth } => {
            Protocol::GeneralisedResponse { truth: again(truth, values as f64)? }
        }
        Protocol::LocalHashing { buckets, truth } => {
            Protocol::LocalHashing { buckets, truth: again(truth, f64::from(buckets))? }
        }
        other => other,
    })
}
