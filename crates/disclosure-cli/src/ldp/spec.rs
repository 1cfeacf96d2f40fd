//! SCHEMA.toml: what is asked, and how each answer is randomised.

use std::path::Path;

use disclosure::core::Attribute;
use disclosure::core::param::{Epsilon, Probability};
use disclosure::ldp::{BitNoise, Feature, Protocol, Schema, StateDetail};
use privacy_data::{AttributeSpec, parse_toml};
use serde::Deserialize;

use crate::args::EncodingArg;
use crate::error::Failure;
use crate::files::read_text;

/// The order that is kept when the schema says none: pairs.
const PAIRS: usize = 2;

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    order: Option<OrderSpec>,
    features_per_person: Option<usize>,
    #[serde(default)]
    encoding: EncodingArg,
    #[serde(default, rename = "feature")]
    features: Vec<FeatureSpec>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged, expecting = "expected a number of columns, \"full\" or \"reports\"")]
enum OrderSpec {
    UpTo(usize),
    Named(NamedOrder),
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum NamedOrder {
    Full,
    Reports,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeatureSpec {
    name: String,
    /// The name of the column in the data, when it differs.
    column: Option<String>,
    values: Vec<String>,
    protocol: ProtocolName,
    epsilon: Option<f64>,
    p: Option<f64>,
    q: Option<f64>,
    variant: Option<Variant>,
    buckets: Option<u32>,
    permanent: Option<StageSpec>,
    instantaneous: Option<StageSpec>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum ProtocolName {
    Rr,
    Ue,
    Grr,
    Lh,
    Rappor,
}

/// How unary encoding spends an epsilon.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Variant {
    Symmetric,
    #[default]
    Optimised,
}

/// A stage of RAPPOR.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct StageSpec {
    epsilon: Option<f64>,
    p: Option<f64>,
    q: Option<f64>,
}

/// A schema that was checked.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) schema: Schema,
    /// What an aggregator keeps.
    pub(super) keep: StateDetail,
    /// The name of each feature's column in the data.
    columns: Vec<String>,
    pub(super) encoding: EncodingArg,
}

impl Job {
    /// Reads and checks a schema.
    pub(super) fn read(path: &Path) -> Result<Self, Failure> {
        let text = read_text(path)?;
        Self::parse(&text).map_err(|failure| failure.within(path))
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        let file: SchemaFile = parse_toml(text).map_err(|error| Failure::new("E0210", error.to_string()))?;
        let column = |feature: &FeatureSpec| feature.column.clone().unwrap_or_else(|| feature.name.clone());
        let columns = file.features.iter().map(column).collect();
        let features = file.features.into_iter().map(FeatureSpec::feature).collect::<Result<_, _>>()?;
        let mut schema = Schema::new(features)?;
        if let Some(count) = file.features_per_person {
            schema = schema.with_features_per_person(count)?;
        }
        let keep = match file.order.unwrap_or(OrderSpec::UpTo(PAIRS)) {
            OrderSpec::UpTo(order) => StateDetail::UpTo(order),
            OrderSpec::Named(NamedOrder::Full) => StateDetail::Full,
            OrderSpec::Named(NamedOrder::Reports) => StateDetail::Reports,
        };
        Ok(Self { schema, keep, columns, encoding: file.encoding })
    }

    /// How the columns of the data are read: one a feature, its labels.
    pub(super) fn attributes(&self) -> Vec<AttributeSpec> {
        let attribute = |(feature, column): (&Feature, &String)| AttributeSpec {
            column: Some(column.clone()),
            ..AttributeSpec::of_labels(feature.attribute().name(), feature.attribute().labels())
        };
        self.schema.features().iter().zip(&self.columns).map(attribute).collect()
    }
}

impl FeatureSpec {
    fn feature(self) -> Result<Feature, Failure> {
        let name = self.name.clone();
        let of = |failure: Failure| failure.in_section(&format!("feature {name:?}"));
        let protocol = self.protocol().map_err(of)?;
        let attribute = Attribute::new(self.name, self.values);
        let attribute = attribute.map_err(|error| of(Failure::new("E0261", error.to_string())))?;
        Feature::new(attribute, protocol).map_err(|error| of(error.into()))
    }

    fn protocol(&self) -> Result<Protocol, Failure> {
        let fits = |allowed: bool, words: &str| if allowed { Ok(()) } else { Err(misfit(words)) };
        let named = self.protocol;
        fits(named == ProtocolName::Ue || self.variant.is_none(), "variant is for protocol = \"ue\"")?;
        fits(named == ProtocolName::Lh || self.buckets.is_none(), "buckets is for protocol = \"lh\"")?;
        let has_stages = self.permanent.is_some() || self.instantaneous.is_some();
        fits(
            named == ProtocolName::Rappor || !has_stages,
            "permanent and instantaneous are for protocol = \"rappor\"",
        )?;
        let stage = StageSpec { epsilon: self.epsilon, p: self.p, q: self.q };
        Ok(match named {
            ProtocolName::Rr => Protocol::RandomisedResponse(stage.bits(BitNoise::symmetric)?),
            ProtocolName::Ue => {
                fits(self.variant.is_none() || self.epsilon.is_some(), "variant goes with epsilon")?;
                Protocol::UnaryEncoding(stage.bits(self.variant.unwrap_or_default().noise())?)
            }
            ProtocolName::Grr => self.generalised_response()?,
            ProtocolName::Lh => match (self.epsilon, self.p, self.q) {
                (Some(epsilon), None, None) => Protocol::local_hashing(epsilon_of(epsilon)?, self.buckets)?,
                _ => return Err(misfit("lh takes epsilon, and buckets if you like")),
            },
            ProtocolName::Rappor => {
                fits(self.epsilon.is_none() && self.p.is_none() && self.q.is_none(), "rappor takes two stages")?;
                let (Some(permanent), Some(instantaneous)) = (self.permanent, self.instantaneous) else {
                    return Err(misfit("rappor takes permanent = {...} and instantaneous = {...}"));
                };
                let of = BitNoise::symmetric_unary;
                Protocol::Rappor { permanent: permanent.bits(of)?, instantaneous: instantaneous.bits(of)? }
            }
        })
    }

    fn generalised_response(&self) -> Result<Protocol, Failure> {
        let values = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        match (self.epsilon, self.p, self.q) {
            (Some(epsilon), None, None) => Ok(Protocol::generalised_response(epsilon_of(epsilon)?, values)?),
            (None, None, Some(q)) => Ok(Protocol::generalised_response_with_truth(probability("q", q)?)),
            _ => Err(misfit("grr takes either epsilon or q, the probability of the true value")),
        }
    }
}

impl Variant {
    fn noise(self) -> fn(Epsilon) -> Result<BitNoise, disclosure::ldp::SchemaError> {
        match self {
            Self::Symmetric => BitNoise::symmetric_unary,
            Self::Optimised => BitNoise::optimised_unary,
        }
    }
}

impl StageSpec {
    /// The noise of `p` and `q`, or that of an epsilon.
    fn bits(
        self,
        of_epsilon: impl FnOnce(Epsilon) -> Result<BitNoise, disclosure::ldp::SchemaError>,
    ) -> Result<BitNoise, Failure> {
        match (self.epsilon, self.p, self.q) {
            (Some(epsilon), None, None) => Ok(of_epsilon(epsilon_of(epsilon)?)?),
            (None, Some(p), Some(q)) => Ok(BitNoise::new(probability("p", p)?, probability("q", q)?)?),
            _ => Err(misfit("give either epsilon, or p and q")),
        }
    }
}

fn misfit(words: &str) -> Failure {
    Failure::new("E0262", words)
}

fn epsilon_of(value: f64) -> Result<Epsilon, Failure> {
    Epsilon::new(value).map_err(|error| misfit(&error.to_string()))
}

fn probability(name: &str, value: f64) -> Result<Probability, Failure> {
    Probability::new(value).map_err(|error| misfit(&format!("{name}: {error}")))
}
