//! The schema: what is asked, and how each answer is randomised.

use std::collections::BTreeSet;

use sha2::{Digest, Sha256};

use crate::channel::Channel;
use crate::error::{ColumnError, SchemaError};
use crate::feature::{Feature, Protocol, joint_channel};
use crate::noise::{BitNoise, keep_of_cells};
use crate::parity::Parities;
use crate::probability::FixedProbability;
use crate::{ChannelError, epsilon};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::round::{mul_up, sum_up};

/// Most support columns of a schema.
pub const MAX_COLUMNS: usize = 1 << 16;

/// Most features of a parity schema: they and their pairs are 65,341 questions.
const MOST_PARITY_FEATURES: usize = 361;

/// A support column: one bit that the collector reads off a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SupportColumn {
    /// Position of its feature.
    pub feature: usize,
    /// The value it stands for, as a position among the feature's values.
    pub value: usize,
    /// The law of the bit, given whether the truth is this value.
    pub channel: Channel,
}

/// Features in order, and how many of them a person reports.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    features: Vec<Feature>,
    features_per_person: usize,
    columns: Vec<SupportColumn>,
    first_columns: Vec<usize>,
}

impl Schema {
    /// Every person reports every feature.
    ///
    /// # Errors
    /// [`SchemaError::NoFeature`], [`SchemaError::NoName`], [`SchemaError::DuplicateFeature`],
    /// [`SchemaError::DuplicateColumn`], [`SchemaError::NotJoint`],
    /// [`SchemaError::TooManyColumns`].
    pub fn new(features: Vec<Feature>) -> Result<Self, SchemaError> {
        if features.is_empty() {
            return Err(SchemaError::NoFeature);
        }
        let mut seen = BTreeSet::new();
        for (position, feature) in features.iter().enumerate() {
            let name = feature.attribute().name();
            if name.is_empty() {
                return Err(SchemaError::NoName { position });
            }
            if !seen.insert(name) {
                return Err(SchemaError::DuplicateFeature { name: name.to_owned() });
            }
        }
        check_together(&features)?;
        let (mut columns, mut first_columns) = (Vec::new(), Vec::with_capacity(features.len()));
        for (position, feature) in features.iter().enumerate() {
            first_columns.push(columns.len());
            if columns.len() + feature.supported_values().len() > MAX_COLUMNS {
                return Err(SchemaError::TooManyColumns { limit: MAX_COLUMNS });
            }
            let channel = feature.channel();
            columns.extend(feature.supported_values().map(|value| SupportColumn { feature: position, value, channel }));
        }
        let mut schema = Self { features_per_person: features.len(), features, columns, first_columns };
        if schema.parities().is_some() {
            schema.features_per_person = 2;
        }
        schema.check_column_names()?;
        Ok(schema)
    }

    /// Every person reports `features_per_person` of the features, drawn uniformly and without
    /// looking at the answers, and answers them together, as one symbol of all combinations of
    /// their values: the whole report has this epsilon.
    ///
    /// A feature of two values has one support column, as a bit has. Where features have different
    /// numbers of values, epsilon is that of the largest combinations that can be drawn.
    ///
    /// # Errors
    /// As [`Schema::new`] and [`Feature::new`]; [`SchemaError::FeaturesPerPerson`];
    /// [`SchemaError::Uninformative`] if epsilon is too small for the number of combinations.
    pub fn of_joint_symbol(
        attributes: Vec<Attribute>,
        features_per_person: usize,
        epsilon: Epsilon,
    ) -> Result<Self, SchemaError> {
        let features = attributes.len();
        if !(1..=features).contains(&features_per_person) {
            return Err(SchemaError::FeaturesPerPerson { features, got: features_per_person });
        }
        let cells = largest_combinations(attributes.iter(), features_per_person);
        // One value can be no combination of two: Feature::new refuses it.
        let keep = keep_of_cells(epsilon, cells.max(2.0));
        let protocol = Protocol::JointSymbol { keep };
        let features = attributes.into_iter().map(|attribute| Feature::new(attribute, protocol));
        Self::new(features.collect::<Result<_, _>>()?)?.with_features_per_person(features_per_person)
    }

    /// Every person answers one question with one bit: whether one of the features is there, or
    /// whether exactly one of two of them is. Which, is drawn for every report, without looking at
    /// the answers: a feature with chance `alone`, all alike, else a pair. The whole report has
    /// this epsilon. Attributes have two values; sets of one and two columns can be estimated.
    ///
    /// With `alone` left out, the chance that is best where nothing is known about frequencies:
    /// [`Parities::best_share_alone`].
    ///
    /// # Errors
    /// As [`Schema::new`] and [`Feature::new`]; [`SchemaError::Parities`].
    pub fn of_parities(
        attributes: Vec<Attribute>,
        epsilon: Epsilon,
        alone: Option<Probability>,
    ) -> Result<Self, SchemaError> {
        let alone = match alone {
            Some(alone) => FixedProbability::nearest(alone),
            None => FixedProbability::from_threshold(
                (Parities::best_share_alone(attributes.len()) * 2.0_f64.powi(64)) as u64,
            ),
        };
        let protocol = Protocol::Parity { noise: BitNoise::symmetric(epsilon)?, alone };
        let features = attributes.into_iter().map(|attribute| Feature::new(attribute, protocol));
        Self::new(features.collect::<Result<_, _>>()?)
    }

    /// The questions, where a report is about one feature or the parity of two; `None` where it is
    /// about features by themselves.
    #[must_use]
    pub fn parities(&self) -> Option<Parities> {
        match self.features[0].protocol() {
            Protocol::Parity { noise, alone } => {
                Some(Parities::new(self.features.len(), noise, alone, self.features[0].channel()))
            }
            _ => None,
        }
    }

    /// The chance that a report keeps all values, where features are answered together as one
    /// symbol; `None` where each is randomised by itself.
    #[must_use]
    pub fn joint_keep(&self) -> Option<FixedProbability> {
        match self.features[0].protocol() {
            Protocol::JointSymbol { keep } => Some(keep),
            _ => None,
        }
    }

    /// How a set of support columns, at most one per feature, is read as one column: the law of
    /// "all of them are supported", given whether all are true. `None` where features are
    /// randomised independently, so that their readings multiply.
    ///
    /// # Errors
    /// If less than [`Channel::LEAST_GAP`] is left.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn joint_channel(&self, set: &[usize]) -> Option<Result<Channel, ChannelError>> {
        let values = |&column: &usize| self.features[self.columns[column].feature].attribute().cardinality() as f64;
        self.joint_keep().map(|keep| joint_channel(keep, set.iter().map(values).product()))
    }

    /// Every name that a column can be asked for by is that of one column.
    fn check_column_names(&self) -> Result<(), SchemaError> {
        // `a` with `b=c` is `a=b` with `c`: one of the two features has an equals sign in its name.
        if !self.features.iter().any(|feature| feature.attribute().name().contains('=')) {
            return Ok(());
        }
        let mut seen = BTreeSet::new();
        for (position, column) in self.columns.iter().enumerate() {
            let attribute = self.features[column.feature].attribute();
            let full = format!("{}={}", attribute.name(), &attribute.labels()[column.value]);
            let short = self.column_name(position);
            let names = if short == full { vec![full] } else { vec![short, full] };
            for name in names {
                if let Some(name) = seen.replace(name) {
                    return Err(SchemaError::DuplicateColumn { name });
                }
            }
        }
        Ok(())
    }

    /// The same schema, but every person reports only `count` features, drawn uniformly and
    /// without looking at the answers.
    ///
    /// # Errors
    /// [`SchemaError::FeaturesPerPerson`]; a report of a parity schema is about 2 at the most.
    pub fn with_features_per_person(self, count: usize) -> Result<Self, SchemaError> {
        let features = self.features.len();
        if !(1..=features).contains(&count) || self.parities().is_some() && count != 2 {
            return Err(SchemaError::FeaturesPerPerson { features, got: count });
        }
        Ok(Self { features_per_person: count, ..self })
    }

    /// The features in order.
    #[must_use]
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// How many features a person reports; with parities, 2 at the most.
    #[must_use]
    pub fn features_per_person(&self) -> usize {
        self.features_per_person
    }

    /// Whether a person reports a random part of the features.
    #[must_use]
    pub fn is_sampled(&self) -> bool {
        self.features_per_person < self.features.len() || self.parities().is_some()
    }

    /// The support columns, those of one feature side by side, features and values in order.
    #[must_use]
    pub fn columns(&self) -> &[SupportColumn] {
        &self.columns
    }

    /// The support column of a value, if it has one: the first value of a binary feature has
    /// none.
    ///
    /// # Panics
    /// If there is no such feature.
    #[must_use]
    pub fn column_of(&self, feature: usize, value: usize) -> Option<usize> {
        let supported = self.features[feature].supported_values();
        supported.contains(&value).then(|| self.first_columns[feature] + value - supported.start)
    }

    /// The support column of a value, by name.
    ///
    /// ```
    /// # use ldp_client::{Feature, Protocol, Schema};
    /// # use privacy_core::{Attribute, param::Epsilon};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let protocol = Protocol::generalised_response(Epsilon::new(1.0)?, 3)?;
    /// let party = Feature::new(Attribute::new("party", ["a", "b", "c"])?, protocol)?;
    /// let schema = Schema::new(vec![party])?;
    /// assert_eq!(schema.column("party", "b")?, 1);
    /// assert!(schema.column("party", "d").is_err());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ColumnError`].
    pub fn column(&self, feature: &str, value: &str) -> Result<usize, ColumnError> {
        let position = self.features.iter().position(|known| known.attribute().name() == feature);
        let position = position.ok_or_else(|| ColumnError::UnknownFeature { feature: feature.to_owned() })?;
        let labels = self.features[position].attribute().labels();
        let (feature, value) = (feature.to_owned(), value.to_owned());
        match labels.iter().position(|label| *label == value) {
            None => Err(ColumnError::UnknownValue { feature, value }),
            Some(code) => self.column_of(position, code).ok_or(ColumnError::NoColumn { feature, value }),
        }
    }

    /// The support column with this name: that of [`column_name`](Self::column_name), or
    /// `feature=value` for a binary feature.
    #[must_use]
    pub fn column_named(&self, name: &str) -> Option<usize> {
        let by_name = (0..self.columns.len()).find(|&column| self.column_name(column) == name);
        by_name.or_else(|| self.columns.iter().position(|column| self.is_value_of(column, name)))
    }

    /// Whether `name` is `feature=value` of a column.
    fn is_value_of(&self, column: &SupportColumn, name: &str) -> bool {
        let attribute = self.features[column.feature].attribute();
        let value = name.strip_prefix(attribute.name()).and_then(|rest| rest.strip_prefix('='));
        value == Some(&attribute.labels()[column.value])
    }

    /// The support columns of a feature.
    ///
    /// # Panics
    /// If there is no such feature.
    #[must_use]
    pub fn columns_of(&self, feature: usize) -> std::ops::Range<usize> {
        let first = self.first_columns[feature];
        first..first + self.features[feature].supported_values().len()
    }

    /// The name of a support column: `feature` for a binary one, else `feature=value`.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn column_name(&self, column: usize) -> String {
        let SupportColumn { feature, value, .. } = self.columns[column];
        let (attribute, protocol) = (self.features[feature].attribute(), self.features[feature].protocol());
        match protocol {
            Protocol::RandomisedResponse(_) | Protocol::Parity { .. } => attribute.name().to_owned(),
            Protocol::JointSymbol { .. } if attribute.cardinality() == 2 => attribute.name().to_owned(),
            _ => format!("{}={}", attribute.name(), &attribute.labels()[value]),
        }
    }

    /// Epsilon of one report.
    ///
    /// # Guarantee
    /// `epsilon`-local differential privacy: whatever a person's answers are, no report is more
    /// than `e^epsilon` times as likely as under any other answers. Unit: all answers of one
    /// person; for one report. At least the real value, which some report attains, up to
    /// rounding. Infinite where a report can exclude an answer.
    #[must_use]
    pub fn epsilon_per_report(&self) -> f64 {
        if let Some(keep) = self.joint_keep() {
            let attributes = self.features.iter().map(Feature::attribute);
            return epsilon::joint(keep, largest_combinations(attributes, self.features_per_person));
        }
        // One bit, whatever it is about.
        if self.parities().is_some() {
            return self.features[0].epsilon();
        }
        let mut costs: Vec<f64> = self.features.iter().map(Feature::epsilon).collect();
        // The worst subset of features that a report may be about.
        costs.sort_by(|a, b| b.total_cmp(a));
        sum_up(&costs[..self.features_per_person])
    }

    /// SHA-256 of everything that reports depend on: names, values, protocols, thresholds,
    /// features a person. Reports and states of one digest can be counted together. Layout in
    /// `docs/formats.md`.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.content()).into()
    }
}

/// One coin decides for all features, or a report is about any of them: they have one protocol.
fn check_together(features: &[Feature]) -> Result<(), SchemaError> {
    let is_of_all =
        |feature: &Feature| matches!(feature.protocol(), Protocol::JointSymbol { .. } | Protocol::Parity { .. });
    let differ = |two: &&[Feature]| two.iter().any(is_of_all) && two[0].protocol() != two[1].protocol();
    if let Some(two) = features.windows(2).find(differ) {
        return Err(SchemaError::NotJoint { feature: two[1].attribute().name().to_owned() });
    }
    let Protocol::Parity { alone, .. } = features[0].protocol() else { return Ok(()) };
    let is_drawn = alone != FixedProbability::NEVER && alone != FixedProbability::ALWAYS;
    if is_drawn && (2..=MOST_PARITY_FEATURES).contains(&features.len()) { Ok(()) } else { Err(SchemaError::Parities) }
}

/// The most combinations of values of this number of the attributes, rounded up.
fn largest_combinations<'a>(attributes: impl Iterator<Item = &'a Attribute>, taken: usize) -> f64 {
    let mut values: Vec<usize> = attributes.map(Attribute::cardinality).collect();
    values.sort_unstable_by(|a, b| b.cmp(a));
    values.iter().take(taken).fold(1.0, |cells, &values| mul_up(cells, values as f64))
}

mod bytes;
#[cfg(test)]
mod tests;
