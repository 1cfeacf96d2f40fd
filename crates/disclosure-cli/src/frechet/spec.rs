//! SPEC.toml as it is written, and what it says by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use disclosure::core::param::{Delta, Epsilon};
use disclosure::frechet::{AllocationLoss, DecisionData, DisclosureRule, DisclosureTarget, Limits, NoiseBudget, Scope};
use privacy_data::AttributeSpec;
use serde::Deserialize;

use super::facts::{KnownSpec, Label, PublishSpec};
use crate::args::EncodingArg;
use crate::error::{Failure, reject_job_fields};

/// The file as it is written. Unknown fields are refused.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpecFile {
    pub(super) title: Option<String>,
    pub(super) data: Option<PathBuf>,
    pub(super) count: Option<String>,
    pub(super) encoding: Option<EncodingArg>,
    #[serde(rename = "response", alias = "vote")]
    pub(super) vote: Option<VoteSpec>,
    #[serde(default)]
    pub(super) margins: MarginsSpec,
    #[serde(default)]
    pub(super) publish: Vec<PublishSpec>,
    #[serde(default)]
    pub(super) known: Vec<KnownSpec>,
    #[serde(rename = "min_interval_width", alias = "tau")]
    pub(super) tau: u64,
    #[serde(rename = "rate_margin", alias = "beta")]
    pub(super) beta: Option<f64>,
    #[serde(rename = "min_frequency", alias = "kappa")]
    pub(super) kappa: u64,
    #[serde(default = "all")]
    pub(super) classes: Scope,
    pub(super) target: Option<DisclosureTarget>,
    pub(super) epsilon: Option<Epsilon>,
    pub(super) delta: Option<Delta>,
    pub(super) loss: Option<AllocationLoss>,
    #[serde(default)]
    pub(super) decide_on: DecideOn,
    #[serde(default)]
    pub(super) forbid: BTreeSet<Forbidden>,
    #[serde(default = "yes")]
    pub(super) integer: bool,
    #[serde(default)]
    pub(super) limits: LimitsSpec,
    #[serde(default)]
    pub(super) hierarchy: BTreeMap<String, PathBuf>,
    pub(super) domain: Option<PathBuf>,
    #[serde(default, rename = "attribute")]
    pub(super) attributes: Vec<AttributeSpec>,
}

/// Whose counts are the table: those who voted so; without a value, every candidate at once.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct VoteSpec {
    pub(super) column: String,
    pub(super) value: Option<Label>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected [[\"age\"], [\"age\", \"sex\"]] or \"axial\"")]
pub(super) enum MarginsSpec {
    Named(NamedMargins),
    Sets(Vec<MarginSpec>),
}

#[derive(Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "expected [\"age\", \"sex\"] or {set = [\"age\"], weight = 2.0}")]
pub(super) enum MarginSpec {
    Set(Vec<String>),
    Weighted { set: Vec<String>, weight: f64 },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum NamedMargins {
    Axial,
}

impl Default for MarginsSpec {
    fn default() -> Self {
        Self::Sets(Vec::new())
    }
}

/// What a plan may not do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Forbidden {
    NoiseBudget,
    Suppression,
    Merging,
}

/// What a plan looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum DecideOn {
    #[default]
    PublicSizes,
    Counts,
}

/// What a plan may do.
#[derive(Debug)]
pub(super) struct Means {
    pub(super) basis: DecisionData,
    pub(super) noise: Option<NoiseBudget>,
    pub(super) suppress: bool,
    pub(super) merge: bool,
}

/// Work that may be done; what is left out is the library's default.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitsSpec {
    pub(super) steps: Option<u64>,
    pub(super) nodes: Option<u32>,
    pub(super) super_cells: Option<usize>,
    pub(super) rows: Option<usize>,
    pub(super) classes: Option<u64>,
}

fn yes() -> bool {
    true
}

fn all() -> Scope {
    Scope::All
}

impl SpecFile {
    /// What a part of a job must leave to the job.
    pub(super) fn check_is_part(&self) -> Result<(), Failure> {
        reject_job_fields(&[
            ("title", self.title.is_some()),
            ("data", self.data.is_some()),
            ("count", self.count.is_some()),
            ("encoding", self.encoding.is_some()),
            ("domain", self.domain.is_some()),
            ("[[attribute]]", !self.attributes.is_empty()),
        ])
    }

    /// Whether a plan may use noise.
    pub(crate) fn has_noise(&self) -> bool {
        self.epsilon.is_some() && !self.forbid.contains(&Forbidden::NoiseBudget)
    }

    /// The column whose values it counts.
    pub(crate) fn voted_in(&self) -> Option<&str> {
        self.vote.as_ref().map(|vote| vote.column.as_str())
    }

    /// The attributes that it names; all where it takes each by itself.
    pub(super) fn named(&self) -> Option<BTreeSet<&str>> {
        let MarginsSpec::Sets(margins) = &self.margins else { return None };
        let in_margins = margins.iter().flat_map(|margin| match margin {
            MarginSpec::Set(names) | MarginSpec::Weighted { set: names, .. } => names,
        });
        let in_facts =
            self.publish.iter().flat_map(PublishSpec::names).chain(self.known.iter().flat_map(KnownSpec::names));
        let names = in_margins.chain(in_facts).chain(self.hierarchy.keys()).map(String::as_str);
        Some(names.chain(self.vote.iter().map(|vote| vote.column.as_str())).collect())
    }

    /// What may be known.
    pub(super) fn policy(&self) -> Result<DisclosureRule, Failure> {
        if self.vote.is_some() && self.beta.is_none() {
            return Err(Failure::new("E0234", "a vote needs beta: its rate must stay possible on both sides"));
        }
        // Without a vote there are no rates, and no rate is compared.
        Ok(DisclosureRule::new(self.tau, self.beta.unwrap_or(0.5), self.kappa, self.classes)?)
    }

    /// What an audit is to find.
    pub(super) fn target(&self) -> Result<DisclosureTarget, Failure> {
        match (self.target, &self.vote) {
            (Some(DisclosureTarget::Certified), None) => {
                Err(Failure::new("E0234", "target = \"certified\" is about rates, which take a vote"))
            }
            (Some(target), _) => Ok(target),
            (None, Some(_)) => Ok(DisclosureTarget::Certified),
            (None, None) => Ok(DisclosureTarget::Undisclosed),
        }
    }

    /// What a plan may do.
    pub(super) fn means(&self) -> Result<Means, Failure> {
        if self.epsilon.is_none() && (self.delta.is_some() || self.loss.is_some()) {
            return Err(Failure::new("E0234", "delta and loss are about noise, which takes epsilon"));
        }
        let loss = self.loss.unwrap_or(AllocationLoss::Variance);
        let may = |what| !self.forbid.contains(&what);
        Ok(Means {
            basis: match self.decide_on {
                DecideOn::PublicSizes => DecisionData::PublicSizes,
                DecideOn::Counts => DecisionData::Counts,
            },
            noise: self.epsilon.filter(|_| may(Forbidden::NoiseBudget)).map(|epsilon| NoiseBudget {
                epsilon,
                delta: self.delta,
                loss,
            }),
            suppress: may(Forbidden::Suppression),
            merge: may(Forbidden::Merging),
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
        }
    }
}
