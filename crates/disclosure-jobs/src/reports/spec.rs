//! SCHEMA.toml: what is asked, and how each answer is randomised.

use disclosure::ldp::{BitNoise, Feature, Protocol, ProtocolKind, Schema, SchemaError, StateDetail};
use disclosure::privacy_core::param::{Epsilon, Probability};
use disclosure::privacy_core::{Attribute, Provenance};
use privacy_data::{AttributeSpec, parse_toml};
use serde::Deserialize;

use crate::budget::warnings;
use crate::error::JobError;
use crate::input::EncodingName;

/// The order that is kept when the schema says none: pairs.
const PAIRS: usize = 2;

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SchemaFile {
    /// The largest sets of columns whose co-occurrences are counted: a number (2 by default),
    /// `full`, or `reports`.
    order: Option<OrderSpec>,
    /// How many features a person reports, drawn at random; all by default.
    features_per_person: Option<usize>,
    /// Epsilon of a whole report: protocols `joint` and `parity`.
    epsilon: Option<f64>,
    /// The chance that a report of `parity` is about one feature; the best where nothing is known
    /// about frequencies by default.
    alone: Option<f64>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    #[serde(default)]
    encoding: EncodingName,
    /// The features, in order.
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
    /// The name of the feature.
    name: String,
    /// The name of the column in the data, when it differs.
    column: Option<String>,
    /// The values of an answer, at least two.
    values: Vec<String>,
    /// What outputs call the values, a name each in their order; as they are written by default.
    names: Option<Vec<String>>,
    /// How an answer is randomised: `rr`, `ue`, `grr`, `lh`, `rappor`, `ss`, `parity` or
    /// `joint`.
    protocol: ProtocolKind,
    /// Epsilon of the feature, instead of probabilities.
    epsilon: Option<f64>,
    /// The probability that a 0 is reported as 1.
    p: Option<f64>,
    /// The probability that a 1 is reported as 1.
    q: Option<f64>,
    /// How unary encoding spends epsilon: `optimised` (the default) or `symmetric`.
    variant: Option<Variant>,
    /// The number of hash values of local hashing; the best for epsilon by default.
    buckets: Option<u32>,
    /// How many values a report of subset selection names; the best number for epsilon by default.
    size: Option<u32>,
    /// The memoised stage of RAPPOR.
    permanent: Option<StageSpec>,
    /// The stage of RAPPOR that is drawn for each report.
    instantaneous: Option<StageSpec>,
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
    /// Epsilon of the stage, instead of probabilities.
    epsilon: Option<f64>,
    /// The probability that a 0 becomes 1.
    p: Option<f64>,
    /// The probability that a 1 stays 1.
    q: Option<f64>,
}

/// A schema that was checked: what is asked, how each answer is randomised, and what a collector
/// keeps.
#[derive(Clone, Debug)]
pub struct Job {
    pub(super) schema: Schema,
    /// What an aggregator keeps.
    pub(super) detail: StateDetail,
    /// How the column of each feature is read.
    attributes: Vec<AttributeSpec>,
    pub(super) encoding: EncodingName,
}

impl Job {
    /// Reads and checks a schema. No rows are read.
    ///
    /// # Errors
    /// E0210 for text that is no schema, E0261 to E0264 for a schema that cannot be, E0641 for
    /// one that is too large.
    pub fn parse(text: &str) -> Result<Self, JobError> {
        let file: SchemaFile = parse_toml(text).map_err(|error| JobError::new("E0210", error.to_string()))?;
        let attributes = file.features.iter().map(FeatureSpec::attribute_spec).collect();
        let whole = WholeReport { per_person: file.features_per_person, epsilon: file.epsilon, alone: file.alone };
        let schema = schema(file.features, whole)?;
        let detail = match file.order.unwrap_or(OrderSpec::UpTo(PAIRS)) {
            // A report of parities answers one question: there is nothing to count together.
            OrderSpec::UpTo(order) if schema.parities().is_some() => StateDetail::UpTo(order.min(1)),
            OrderSpec::UpTo(order) => StateDetail::UpTo(order),
            OrderSpec::Named(NamedOrder::Full) => StateDetail::Full,
            OrderSpec::Named(NamedOrder::Reports) => StateDetail::Reports,
        };
        Ok(Self { schema, detail, attributes, encoding: file.encoding })
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What to say of a schema whose reports protect little: sentences, none for a usual one.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        warnings::of_epsilon("the epsilon of a report,", self.schema.epsilon_per_report()).into_iter().collect()
    }

    /// What a collector keeps of the reports.
    #[must_use]
    pub fn detail(&self) -> StateDetail {
        self.detail
    }

    /// How the columns of the data are read: one per feature, its labels.
    pub(super) fn attributes(&self) -> &[AttributeSpec] {
        &self.attributes
    }
}

/// What a schema says about a report as a whole.
#[derive(Clone, Copy)]
struct WholeReport {
    per_person: Option<usize>,
    epsilon: Option<f64>,
    alone: Option<f64>,
}

fn schema(features: Vec<FeatureSpec>, whole: WholeReport) -> Result<Schema, JobError> {
    let is = |kind: ProtocolKind| features.iter().any(|feature| feature.protocol == kind);
    require(whole.alone.is_none() || is(ProtocolKind::Parity), "alone is only used with protocol = \"parity\"")?;
    if is(ProtocolKind::JointSymbol) || is(ProtocolKind::Parity) {
        return schema_of_all(features, whole);
    }
    let words =
        "epsilon of the whole report is only used with the protocols joint and parity: give epsilon for each feature";
    require(whole.epsilon.is_none(), words)?;
    let schema = Schema::new(features.into_iter().map(FeatureSpec::feature).collect::<Result<_, _>>()?)?;
    Ok(match whole.per_person {
        Some(count) => schema.with_features_per_person(count)?,
        None => schema,
    })
}

/// One epsilon for the features of a report together.
fn schema_of_all(features: Vec<FeatureSpec>, whole: WholeReport) -> Result<Schema, JobError> {
    let is_parity = features.iter().any(|feature| feature.protocol == ProtocolKind::Parity);
    let kind = if is_parity { ProtocolKind::Parity } else { ProtocolKind::JointSymbol };
    if let Some(other) = features.iter().find(|feature| feature.protocol != kind) {
        let message =
            format!("feature {:?}: protocol = \"{kind}\" must be used for all features or for none", other.name);
        return Err(misfit(&message));
    }
    let Some(epsilon) = whole.epsilon else {
        let message = format!("protocol = \"{kind}\" requires epsilon of the whole report, written above the features");
        return Err(misfit(&message));
    };
    let epsilon = epsilon_of(epsilon)?;
    let per_person = whole.per_person.unwrap_or(features.len());
    let attributes = features.into_iter().map(FeatureSpec::attribute_of_all).collect::<Result<_, _>>()?;
    if kind == ProtocolKind::JointSymbol {
        return Ok(Schema::of_joint_symbol(attributes, per_person, epsilon)?);
    }
    require(whole.per_person.is_none(), "a parity report covers one or two features: leave features_per_person out")?;
    let alone = whole.alone.map(|alone| probability("alone", alone)).transpose()?;
    Ok(Schema::of_parities(attributes, epsilon, alone)?)
}

impl FeatureSpec {
    /// How its column is read: the data may have the values or their names.
    fn attribute_spec(&self) -> AttributeSpec {
        let labels = AttributeSpec::of_labels(&self.name, &self.values);
        AttributeSpec { column: self.column.clone(), names: self.names.clone(), ..labels }
    }

    /// Name and values of a feature that is answered together with the others.
    fn attribute_of_all(self) -> Result<Attribute, JobError> {
        let place = format!("feature {:?}", self.name);
        let numbers = [self.epsilon, self.p, self.q];
        let is_bare = numbers.iter().all(Option::is_none)
            && self.variant.is_none()
            && self.buckets.is_none()
            && self.size.is_none()
            && self.permanent.is_none()
            && self.instantaneous.is_none();
        let words = "with joint and parity, a feature has no epsilon, p, q, variant, buckets, size or stages of its own: write epsilon of the whole report above the features";
        require(is_bare, words).map_err(|error| error.in_section(&place))?;
        self.attribute()
    }

    fn attribute(self) -> Result<Attribute, JobError> {
        let place = format!("feature {:?}", self.name);
        let labels = match &self.names {
            // What a name may not be is known to the reader of data.
            Some(names) => {
                let read = privacy_data::Schema::new(vec![self.attribute_spec()], Provenance::Public);
                read.map_err(|error| JobError::from(error).in_section(&place))?;
                names.clone()
            }
            None => self.values,
        };
        let attribute = Attribute::new(self.name, labels);
        attribute.map_err(|error| JobError::new("E0261", error.to_string()).in_section(&place))
    }

    fn feature(self) -> Result<Feature, JobError> {
        let place = format!("feature {:?}", self.name);
        let protocol = self.protocol().map_err(|error| error.in_section(&place))?;
        let attribute = self.attribute()?;
        Feature::new(attribute, protocol).map_err(|error| JobError::from(error).in_section(&place))
    }

    fn protocol(&self) -> Result<Protocol, JobError> {
        let named = self.protocol;
        require(
            named == ProtocolKind::UnaryEncoding || self.variant.is_none(),
            "variant is only used with protocol = \"ue\"",
        )?;
        require(
            named == ProtocolKind::LocalHashing || self.buckets.is_none(),
            "buckets is only used with protocol = \"lh\"",
        )?;
        require(
            named == ProtocolKind::SubsetSelection || self.size.is_none(),
            "size is only used with protocol = \"ss\"",
        )?;
        let has_stages = self.permanent.is_some() || self.instantaneous.is_some();
        require(
            named == ProtocolKind::Rappor || !has_stages,
            "permanent and instantaneous are only used with protocol = \"rappor\"",
        )?;
        let stage = StageSpec { epsilon: self.epsilon, p: self.p, q: self.q };
        Ok(match named {
            ProtocolKind::RandomisedResponse => Protocol::RandomisedResponse(stage.bits(BitNoise::symmetric)?),
            ProtocolKind::UnaryEncoding => {
                require(self.variant.is_none() || self.epsilon.is_some(), "variant requires epsilon")?;
                Protocol::UnaryEncoding(stage.bits(self.variant.unwrap_or_default().noise())?)
            }
            ProtocolKind::GeneralisedResponse => self.generalised_response()?,
            ProtocolKind::LocalHashing => match (self.epsilon, self.p, self.q) {
                (Some(epsilon), None, None) => Protocol::local_hashing(epsilon_of(epsilon)?, self.buckets)?,
                _ => return Err(misfit("lh takes epsilon and, optionally, buckets")),
            },
            ProtocolKind::SubsetSelection => match (self.epsilon, self.p, self.q) {
                (Some(epsilon), None, None) => {
                    let values = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
                    Protocol::subset_selection(epsilon_of(epsilon)?, values, self.size)?
                }
                _ => return Err(misfit("ss takes epsilon and, optionally, size")),
            },
            ProtocolKind::Rappor => {
                require(
                    self.epsilon.is_none() && self.p.is_none() && self.q.is_none(),
                    "rappor takes permanent and instantaneous, not epsilon, p or q",
                )?;
                let (Some(permanent), Some(instantaneous)) = (self.permanent, self.instantaneous) else {
                    return Err(misfit("rappor takes permanent = {...} and instantaneous = {...}"));
                };
                let permanent = permanent.bits(BitNoise::symmetric_unary)?;
                Protocol::Rappor { permanent, instantaneous: instantaneous.bits(BitNoise::symmetric_unary)? }
            }
            other => return Err(misfit(&format!("protocol {other} cannot be written in a schema"))),
        })
    }

    fn generalised_response(&self) -> Result<Protocol, JobError> {
        let values = u32::try_from(self.values.len()).unwrap_or(u32::MAX);
        match (self.epsilon, self.p, self.q) {
            (Some(epsilon), None, None) => Ok(Protocol::generalised_response(epsilon_of(epsilon)?, values)?),
            (None, None, Some(q)) => Ok(Protocol::generalised_response_with_truth(probability("q", q)?)),
            _ => Err(misfit("grr takes either epsilon or q, the probability of the true value")),
        }
    }
}

impl Variant {
    fn noise(self) -> fn(Epsilon) -> Result<BitNoise, SchemaError> {
        match self {
            Self::Symmetric => BitNoise::symmetric_unary,
            Self::Optimised => BitNoise::optimised_unary,
        }
    }
}

impl StageSpec {
    /// The noise of `p` and `q`, or that of an epsilon.
    fn bits(self, of_epsilon: impl FnOnce(Epsilon) -> Result<BitNoise, SchemaError>) -> Result<BitNoise, JobError> {
        match (self.epsilon, self.p, self.q) {
            (Some(epsilon), None, None) => Ok(of_epsilon(epsilon_of(epsilon)?)?),
            (None, Some(p), Some(q)) => Ok(BitNoise::new(probability("p", p)?, probability("q", q)?)?),
            _ => Err(misfit("give either epsilon, or p and q")),
        }
    }
}

/// Refuses fields that do not belong together.
fn require(allowed: bool, words: &str) -> Result<(), JobError> {
    if allowed { Ok(()) } else { Err(misfit(words)) }
}

fn misfit(words: &str) -> JobError {
    JobError::new("E0262", words)
}

fn epsilon_of(value: f64) -> Result<Epsilon, JobError> {
    Epsilon::new(value).map_err(|error| misfit(&error.to_string()))
}

fn probability(name: &str, value: f64) -> Result<Probability, JobError> {
    Probability::new(value).map_err(|error| misfit(&format!("{name}: {error}")))
}
