//! Schemas as scenarios write them.

use crate::prelude::*;
use disclosure::ldp::{BitNoise, Feature, Protocol, Schema};
use disclosure::privacy_core::Attribute;

/// Most values of a feature: sets of them are words.
const MOST_VALUES: usize = 64;

/// A schema: features, and how many of them a person reports.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SchemaSpec {
    features: Vec<FeatureSpec>,
    features_per_person: Option<usize>,
    /// Epsilon of a report whose features are all answered together, or about one question.
    epsilon: Option<f64>,
    /// The chance that a question of parities is about one feature; the best if left out.
    alone: Option<f64>,
}

/// A feature, by its protocol. Pairs are `[p, q]`: P(0 becomes 1), P(1 stays 1).
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "protocol", rename_all = "kebab-case", deny_unknown_fields)]
enum FeatureSpec {
    Rr { epsilon: f64 },
    RrOf { noise: [f64; 2] },
    UeSymmetric { values: usize, epsilon: f64 },
    UeOptimised { values: usize, epsilon: f64 },
    Grr { values: u32, epsilon: f64 },
    Lh { values: usize, epsilon: f64, buckets: Option<u32> },
    Ss { values: u32, epsilon: f64, size: Option<u32> },
    Rappor { values: usize, permanent: [f64; 2], instantaneous: [f64; 2] },
    Joint { values: usize },
    Parity,
}

impl SchemaSpec {
    /// The schema, built as its users build it.
    pub(super) fn build(&self, blueprint: &Blueprint<'_>) -> Result<Schema, Error> {
        if let Some(epsilon) = self.epsilon {
            let is_parity = matches!(self.features.first(), Some(FeatureSpec::Parity));
            return if is_parity { self.parities(epsilon, blueprint) } else { self.joint(epsilon, blueprint) };
        }
        let features = self.features.iter().enumerate().map(|(place, feature)| feature.build(place, blueprint));
        let schema = Schema::new(features.collect::<Result<_, _>>()?)?;
        if schema.features().iter().any(|feature| feature.attribute().cardinality() > MOST_VALUES) {
            return Err(blueprint.refuse(format!("a feature has more than {MOST_VALUES} values")));
        }
        Ok(match self.features_per_person {
            Some(count) => schema.with_features_per_person(count)?,
            None => schema,
        })
    }

    /// Features that are asked alone or as parities.
    fn parities(&self, epsilon: f64, blueprint: &Blueprint<'_>) -> Result<Schema, Error> {
        let epsilon = Epsilon::new(epsilon).map_err(|error| blueprint.refuse(error))?;
        if !self.features.iter().all(|feature| matches!(feature, FeatureSpec::Parity)) {
            return Err(blueprint.refuse("parities are of all features or none"));
        }
        let attributes = (0..self.features.len()).map(|place| Attribute::codes(place.to_string(), 2));
        let attributes = attributes.collect::<Result<Vec<_>, _>>().map_err(|error| blueprint.refuse(error))?;
        Ok(Schema::of_parities(attributes, epsilon, self.alone.map(probability).transpose()?)?)
    }

    /// Features that are answered together.
    fn joint(&self, epsilon: f64, blueprint: &Blueprint<'_>) -> Result<Schema, Error> {
        let epsilon = Epsilon::new(epsilon).map_err(|error| blueprint.refuse(error))?;
        let attributes = self.features.iter().enumerate().map(|(place, feature)| feature.joint(place, blueprint));
        let attributes = attributes.collect::<Result<Vec<_>, _>>()?;
        let asked = self.features_per_person.unwrap_or(attributes.len());
        Ok(Schema::of_joint_symbol(attributes, asked, epsilon)?)
    }
}

impl FeatureSpec {
    /// Name and values of a feature that is answered together with the others.
    fn joint(&self, place: usize, blueprint: &Blueprint<'_>) -> Result<Attribute, Error> {
        match *self {
            Self::Joint { values } => {
                Attribute::codes(place.to_string(), values).map_err(|error| blueprint.refuse(error))
            }
            _ => Err(blueprint.refuse("epsilon of a report is for joint features")),
        }
    }

    fn build(&self, place: usize, blueprint: &Blueprint<'_>) -> Result<Feature, Error> {
        let eps = |epsilon: f64| Epsilon::new(epsilon).map_err(|error| blueprint.refuse(error));
        let bit = |noise: [f64; 2]| bit_noise(noise);
        let (values, protocol) = match *self {
            Self::Rr { epsilon } => (2, Protocol::RandomisedResponse(BitNoise::symmetric(eps(epsilon)?)?)),
            Self::RrOf { noise } => (2, Protocol::RandomisedResponse(bit(noise)?)),
            Self::UeSymmetric { values, epsilon } => {
                (values, Protocol::UnaryEncoding(BitNoise::symmetric_unary(eps(epsilon)?)?))
            }
            Self::UeOptimised { values, epsilon } => {
                (values, Protocol::UnaryEncoding(BitNoise::optimised_unary(eps(epsilon)?)?))
            }
            Self::Grr { values, epsilon } => (values as usize, Protocol::generalised_response(eps(epsilon)?, values)?),
            Self::Lh { values, epsilon, buckets } => (values, Protocol::local_hashing(eps(epsilon)?, buckets)?),
            Self::Ss { values, epsilon, size } => {
                (values as usize, Protocol::subset_selection(eps(epsilon)?, values, size)?)
            }
            Self::Rappor { values, permanent, instantaneous } => {
                let (permanent, instantaneous) = (bit(permanent)?, bit(instantaneous)?);
                (values, Protocol::Rappor { permanent, instantaneous })
            }
            Self::Joint { .. } | Self::Parity => {
                return Err(blueprint.refuse("joint features and parities have one epsilon, that of the schema"));
            }
        };
        let attribute = Attribute::codes(place.to_string(), values).map_err(|e| blueprint.refuse(e))?;
        Ok(Feature::new(attribute, protocol)?)
    }
}

/// The noise of a bit.
///
/// # Errors
/// [`Error::BadClaim`] for what is no probability; what the mechanism refuses.
pub(super) fn bit_noise([p, q]: [f64; 2]) -> Result<BitNoise, Error> {
    Ok(BitNoise::new(probability(p)?, probability(q)?)?)
}

/// A probability.
///
/// # Errors
/// [`Error::BadClaim`] for a schema that is invalid.
pub(super) fn probability(p: f64) -> Result<Probability, Error> {
    Probability::new(p).map_err(|_| Error::BadClaim { name: "a probability of noise" })
}

/// Checks that a row answers every question of a schema.
///
/// # Errors
/// [`Error::Scenario`].
pub(super) fn check_row(row: &[u32], schema: &Schema, blueprint: &Blueprint<'_>) -> Result<(), Error> {
    let values = schema.features().iter().map(|feature| feature.attribute().cardinality());
    let is_row = row.len() == schema.features().len()
        && row.iter().zip(values).all(|(&value, values)| (value as usize) < values);
    if is_row { Ok(()) } else { Err(blueprint.refuse(format!("{row:?} is no row of the schema"))) }
}
