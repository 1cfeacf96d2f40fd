//! The specification of exact tables as it is written in TOML, and what it says by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use disclosure::frechet::{
    AllocationLoss, AuditDetail, DecisionData, DisclosureRule, DisclosureTarget, Limits, NoiseBudget, NoiseDivision,
    PatternBudget, PerturbationTable, Scope,
};
use disclosure::privacy_core::param::{Delta, Epsilon};
use privacy_data::{AttributeSpec, CsvOptions, DomainFile, TableFormat};
use serde::Deserialize;

use crate::error::{JobError, reject_job_fields};
use crate::exact::facts::{KnownSpec, Label, PublishSpec};
use crate::exact::pattern_terms::PatternSpec;
use crate::input::{EncodingName, FormatSpec, SourceSpec};

/// A specification as it is written: the fields of `docs/formats.md`. Unknown fields are refused.
///
/// In a pipeline it is the section `[exact]`, without the fields that the whole job has.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExactSpec {
    /// Name of the release for people; the name of the file by default.
    pub(super) title: Option<String>,
    /// Who answers for the release: shown on its page.
    pub(super) owner: Option<String>,
    /// The date of the release, as people write it; the day on which it is made by default.
    pub(super) date: Option<String>,
    /// The table, beside the specification; without it every number is in `known`.
    pub(super) data: Option<PathBuf>,
    /// How the file separates, quotes and spells its fields; what is not said is looked for.
    #[serde(default)]
    pub(super) format: FormatSpec,
    /// `[source]`: the data with what is said about them, in place of `data` and `format`.
    pub(super) source: Option<SourceSpec>,
    /// The column with counts, if a line stands for several people.
    pub(super) count: Option<String>,
    /// How the data spell text: `utf-8` (the default) or `latin1`.
    pub(super) encoding: Option<EncodingName>,
    /// How the tables of a release are written: `csv` (the default) or `parquet`.
    #[serde(default)]
    pub(super) tables: TableFormat,
    /// Whose counts are the table: the people with one value of a column, or with each of its
    /// values.
    #[serde(alias = "vote")]
    pub(super) response: Option<ResponseSpec>,
    /// The exact margins that are requested: sets of attributes, or `axial` for every attribute
    /// by itself.
    #[serde(default)]
    pub(super) margins: MarginsSpec,
    /// Single numbers that are published as well, exact, rounded or as an interval.
    #[serde(default)]
    pub(super) publish: Vec<PublishSpec>,
    /// Facts that the attacker knows.
    #[serde(default)]
    pub(super) known: Vec<KnownSpec>,
    /// Intervals of at most this width disclose, in counts.
    #[serde(alias = "tau")]
    pub(super) min_interval_width: u64,
    /// Rates must be able to lie between this and 1 minus this; needed with a response.
    #[serde(alias = "beta")]
    pub(super) rate_margin: Option<f64>,
    /// The smallest number of people that a published number may count.
    #[serde(alias = "kappa")]
    pub(super) min_frequency: u64,
    /// Which classes are protected: `cells`, `pairs` of levels, or `all` (the default).
    #[serde(default = "all")]
    pub(super) classes: Scope,
    /// What must hold: `certified` (the default with a response) or `undisclosed`.
    pub(super) target: Option<DisclosureTarget>,
    /// The budget for noised cells; without it nothing is noised.
    pub(super) epsilon: Option<Epsilon>,
    /// Delta at which the statement of the noise is also given.
    pub(super) delta: Option<Delta>,
    /// What the noise minimises over the cells: `variance` (the default) or `absolute-error`.
    pub(super) loss: Option<AllocationLoss>,
    /// What a plan looks at: `public-sizes` (the default with a response), `robust` (the default
    /// without), where knowing the program adds nothing, `private`, which draws under `pattern`,
    /// or `counts`, which discloses something about them.
    pub(super) decide_on: Option<DecisionData>,
    /// The budget of `decide_on = "private"`: `epsilon`, `delta`, `neighbours` and
    /// `rows_per_person`.
    pub(super) pattern: Option<PatternSpec>,
    /// How `frechet perturb` moves every number: `max_deviation`, `variance` and
    /// `smallest_published`.
    pub(super) cell_key: Option<CellKeySpec>,
    /// What a plan must not use: `noise`, `suppression`, `merging`.
    #[serde(default)]
    pub(super) forbid: BTreeSet<Forbidden>,
    /// Whether bounds are sharp for integer tables (the default) or for linear programs.
    #[serde(default = "yes")]
    pub(super) integer: bool,
    /// How much work a question may take.
    #[serde(default)]
    pub(super) limits: LimitsSpec,
    /// The file of the hierarchy of an attribute, by its name: `.hrc`, or lines
    /// `category;parent;grandparent`.
    #[serde(default)]
    pub(super) hierarchy: BTreeMap<String, PathBuf>,
    /// A domain file beside the specification, instead of `[[attribute]]` tables.
    pub(super) domain: Option<PathBuf>,
    /// The attributes of the data, instead of a domain file.
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
}

/// Whose counts are the table: people with this value of the column; without a value, the people
/// of each value.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ResponseSpec {
    /// The column of the response.
    pub(super) column: String,
    /// The value that is counted; without it, every value is a response category.
    pub(super) value: Option<Label>,
}

/// The deviations of the cell-key method.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CellKeySpec {
    /// The largest deviation of a number from its count.
    max_deviation: u32,
    /// The variance of the deviation of every count above 0, in counts squared.
    variance: f64,
    /// The smallest number that is published besides 0.
    smallest_published: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected [[\"age\"], [\"age\", \"sex\"]] or \"axial\"")]
pub(super) enum MarginsSpec {
    Named(NamedMargins),
    Sets(Vec<MarginSpec>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "expected [\"age\", \"sex\"] or {set = [\"age\"], weight = 2.0}")]
pub(super) enum MarginSpec {
    Set(Vec<String>),
    Weighted { set: Vec<String>, weight: f64 },
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NamedMargins {
    Axial,
}

impl Default for MarginsSpec {
    fn default() -> Self {
        Self::Sets(Vec::new())
    }
}

/// What a plan must not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Forbidden {
    Noise,
    Suppression,
    Merging,
}

/// What a plan may use.
#[derive(Clone, Debug)]
pub(super) struct Means {
    pub(super) decision_data: DecisionData,
    pub(super) noise: Option<NoiseBudget>,
    pub(super) division: NoiseDivision,
    pub(super) suppression: bool,
    pub(super) merging: bool,
}

/// Work that a question may take; what is left out is the library's default.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsSpec {
    /// Most simplex steps of one question.
    pub(super) steps: Option<u64>,
    /// Most nodes of a branch-and-bound tree.
    pub(super) nodes: Option<u32>,
    /// Most cells after cells with the same constraints are merged.
    pub(super) super_cells: Option<usize>,
    /// Most constraint rows.
    pub(super) rows: Option<usize>,
    /// Most classes that are examined.
    pub(super) classes: Option<u64>,
    /// What an audit says of the ends of a class where its status does not depend on them: the
    /// ends that propagation proves (`status`, the default above 1,024 cells), those that linear
    /// programs prove (`linear`), or sharp ones (`sharp`, the default up to 1,024 cells).
    pub(super) bounds: Option<AuditDetail>,
    /// Seconds of an audit or of a plan. Classes that are not decided by then are `unknown` and
    /// count as disclosed, so the target is missed; a plan on the counts withholds what it did not
    /// decide, and a robust one is refused. Everything else is counted in work, and the same on
    /// every machine.
    pub(super) seconds: Option<f64>,
}

/// A year.
const MOST_SECONDS: f64 = 31_536_000.0;

fn yes() -> bool {
    true
}

fn all() -> Scope {
    Scope::All
}

impl ExactSpec {
    /// Refuses the fields that a section of a pipeline must leave to the whole job.
    ///
    /// # Errors
    /// E0243.
    pub(super) fn check_is_section(&self) -> Result<(), JobError> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("owner", self.owner.is_some()),
            ("date", self.date.is_some()),
            ("data", self.data.is_some()),
            ("count", self.count.is_some()),
            ("encoding", self.encoding.is_some()),
            ("tables", self.tables != TableFormat::Csv),
            ("format", !self.format.is_empty()),
            ("[source]", self.source.is_some()),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])
    }

    /// Whether a plan may use noise.
    #[must_use]
    pub fn has_noise(&self) -> bool {
        self.epsilon.is_some() && !self.forbid.contains(&Forbidden::Noise)
    }

    /// The column of the response, if the tables count people with a value of it.
    #[must_use]
    pub fn response_column(&self) -> Option<&str> {
        self.response.as_ref().map(|response| response.column.as_str())
    }

    /// Adds the column of a response that is no attribute: it is read as its value, or as another
    /// one.
    pub fn with_response(&self, columns: &mut DomainFile) {
        // People with other values need not be distinguished.
        if let Some(ResponseSpec { column, value: Some(value) }) = &self.response
            && !columns.attributes.iter().any(|attribute| attribute.name == *column)
        {
            let value = value.text();
            let other = Some(format!("not {value}"));
            columns.attributes.push(AttributeSpec { other, ..AttributeSpec::of_labels(column, [value]) });
        }
    }

    /// The attributes that the specification names; `None` where it takes each by itself.
    pub(super) fn named_attributes(&self) -> Option<BTreeSet<&str>> {
        let MarginsSpec::Sets(margins) = &self.margins else { return None };
        let in_margins = margins.iter().flat_map(|margin| match margin {
            MarginSpec::Set(names) | MarginSpec::Weighted { set: names, .. } => names,
        });
        let in_facts =
            self.publish.iter().flat_map(PublishSpec::names).chain(self.known.iter().flat_map(KnownSpec::names));
        let names = in_margins.chain(in_facts).chain(self.hierarchy.keys()).map(String::as_str);
        Some(names.chain(self.response.iter().map(|response| response.column.as_str())).collect())
    }

    pub(super) fn csv_options(&self) -> CsvOptions {
        CsvOptions {
            encoding: self.encoding.unwrap_or_default().into(),
            count_column: self.count.clone(),
            ..CsvOptions::default()
        }
    }

    /// When a class counts as disclosed.
    pub(super) fn rule(&self) -> Result<DisclosureRule, JobError> {
        if self.response.is_some() && self.rate_margin.is_none() {
            return Err(JobError::new(
                "E0234",
                "a response requires rate_margin: how far its possible rates must extend from 0 and 1",
            ));
        }
        // Without a response there are no rates, and no rate is compared.
        let rate_margin = self.rate_margin.unwrap_or(0.5);
        Ok(DisclosureRule::new(self.min_interval_width, rate_margin, self.min_frequency, self.classes)?)
    }

    /// The deviations of `cell_key`.
    pub(super) fn perturbation(&self) -> Result<PerturbationTable, JobError> {
        let missing = || {
            let next = "[cell_key] with max_deviation = 5, variance = 3.0, smallest_published = 3";
            JobError::new("E0234", "frechet perturb requires the section [cell_key]").next(next)
        };
        let CellKeySpec { max_deviation, variance, smallest_published } = self.cell_key.ok_or_else(missing)?;
        Ok(PerturbationTable::new(max_deviation, variance, smallest_published)?)
    }

    /// Refuses `cell_key` where nothing is perturbed.
    pub(super) fn check_unperturbed(&self) -> Result<(), JobError> {
        match self.cell_key {
            None => Ok(()),
            Some(_) => Err(JobError::new("E0234", "cell_key is only used by frechet perturb; leave it out")),
        }
    }

    /// The fields about plans that the specification gives: where all numbers of a table leave, as
    /// with `frechet round`, they do nothing.
    pub(super) fn fields_of_plans(&self) -> Vec<&'static str> {
        let fields = [
            ("min_frequency", self.min_frequency > 1),
            ("epsilon", self.epsilon.is_some()),
            ("delta", self.delta.is_some()),
            ("loss", self.loss.is_some()),
            ("decide_on", self.decide_on.is_some()),
            ("pattern", self.pattern.is_some()),
            ("forbid", !self.forbid.is_empty()),
        ];
        fields.into_iter().filter(|&(_, is_given)| is_given).map(|(name, _)| name).collect()
    }

    /// What an audit is to find.
    pub(super) fn target(&self) -> Result<DisclosureTarget, JobError> {
        match (self.target, &self.response) {
            (Some(DisclosureTarget::Certified), None) => {
                Err(JobError::new("E0234", "target = \"certified\" is about rates, which require a response"))
            }
            (Some(target), _) => Ok(target),
            (None, Some(_)) => Ok(DisclosureTarget::Certified),
            (None, None) => Ok(DisclosureTarget::Undisclosed),
        }
    }

    /// The budget of the pattern, where a plan draws one.
    pub(super) fn pattern_budget(&self) -> Result<Option<PatternBudget>, JobError> {
        let refused = |words: &str| Err(JobError::new("E0234", words));
        let (Some(pattern), DecisionData::Private) = (self.pattern, self.decision_data()) else {
            return match (self.pattern, self.decision_data()) {
                (None, DecisionData::Private) => refused(
                    "decide_on = \"private\" requires pattern = {epsilon = .., delta = .., neighbours = .., rows_per_person = ..}",
                ),
                (Some(_), _) => refused("pattern is only used with decide_on = \"private\""),
                (None, _) => Ok(None),
            };
        };
        if self.response.is_some() || !self.known.is_empty() || !self.publish.is_empty() {
            return refused(
                "decide_on = \"private\" cannot be combined with response, publish or known: it is for tables without public numbers",
            );
        }
        if self.epsilon.is_some() {
            return refused(
                "decide_on = \"private\" publishes no noisy numbers: leave epsilon out (pattern has its own)",
            );
        }
        if pattern.rows_per_person == 0 {
            return refused("rows_per_person must be at least 1");
        }
        Ok(Some(pattern.into()))
    }

    /// What a plan looks at. People are public where a response is counted among them.
    fn decision_data(&self) -> DecisionData {
        let default = if self.response.is_some() { DecisionData::PublicSizes } else { DecisionData::Robust };
        self.decide_on.unwrap_or(default)
    }

    /// What a plan may use.
    pub(super) fn means(&self) -> Result<Means, JobError> {
        if self.epsilon.is_none() && (self.delta.is_some() || self.loss.is_some()) {
            return Err(JobError::new("E0234", "delta and loss concern the noise, which requires epsilon"));
        }
        let loss = self.loss.unwrap_or(AllocationLoss::Variance);
        let noise = |epsilon| NoiseBudget { epsilon, delta: self.delta, loss };
        Ok(Means {
            decision_data: self.decision_data(),
            noise: self.epsilon.filter(|_| self.has_noise()).map(noise),
            division: NoiseDivision::NoisedCells,
            suppression: !self.forbid.contains(&Forbidden::Suppression),
            merging: !self.forbid.contains(&Forbidden::Merging),
        })
    }

    /// How much work a question may take.
    pub(super) fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            steps: self.limits.steps.unwrap_or(default.steps),
            nodes: if self.integer { self.limits.nodes.unwrap_or(default.nodes) } else { 0 },
            super_cells: self.limits.super_cells.unwrap_or(default.super_cells),
            rows: self.limits.rows.unwrap_or(default.rows),
            ..default
        }
    }

    /// The seconds that an audit or a plan may take.
    pub(super) fn time(&self) -> Result<Option<Duration>, JobError> {
        match self.limits.seconds {
            Some(seconds) if !(seconds > 0.0 && seconds <= MOST_SECONDS) => {
                Err(JobError::new("E0234", "seconds in [limits] must be above 0 and at most 31,536,000"))
            }
            seconds => Ok(seconds.map(Duration::from_secs_f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use privacy_data::parse_toml;

    use super::*;

    const NEW: &str = "response = { column = \"vote\", value = \"A\" }\nmin_interval_width = 3\nrate_margin = 0.2\n\
                       min_frequency = 7\nforbid = [\"noise\"]\nepsilon = 1.0\n";

    #[test]
    fn old_names_of_fields_are_accepted() {
        let old = "vote = { column = \"vote\", value = \"A\" }\ntau = 3\nbeta = 0.2\nkappa = 7\nforbid = [\"noise\"]\n\
                   epsilon = 1.0\n";
        for text in [NEW, old] {
            let spec: ExactSpec = parse_toml(text).unwrap();
            let rule = spec.rule().unwrap();
            assert_eq!((rule.min_interval_width(), rule.rate_margin(), rule.min_frequency()), (3, 0.2, 7));
            assert_eq!(spec.response_column(), Some("vote"));
            assert!(!spec.has_noise() && spec.means().unwrap().noise.is_none());
        }
    }

    #[test]
    fn a_field_is_given_once_under_one_of_its_names() {
        assert!(parse_toml::<ExactSpec>(&format!("{NEW}tau = 3\n")).is_err());
        assert!(parse_toml::<ExactSpec>(&format!("{NEW}sigma = 3\n")).is_err());
    }

    /// What a plan on the counts tells a reader has to be asked for by name.
    #[test]
    fn no_plan_is_decided_on_the_counts_by_default() {
        let spec: ExactSpec = parse_toml("tau = 0\nkappa = 1").unwrap();
        assert_eq!(spec.means().unwrap().decision_data, DecisionData::Robust);
        let spec: ExactSpec = parse_toml(NEW).unwrap();
        assert_eq!(spec.means().unwrap().decision_data, DecisionData::PublicSizes);
    }

    #[test]
    fn rates_take_a_response() {
        let spec: ExactSpec = parse_toml("tau = 0\nkappa = 1\ntarget = \"certified\"").unwrap();
        assert!(spec.target().unwrap_err().has_code("E0234"));
        let spec: ExactSpec = parse_toml("tau = 0\nkappa = 1\nvote = { column = \"v\" }").unwrap();
        assert!(spec.rule().unwrap_err().has_code("E0234"));
    }
}
