//! The field `schema` of each document, which is checked when the document is read.

use serde::{Deserialize, Serialize};

/// The schema of the document of an audit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-audit/1")]
    V1,
}

/// The schema of the document of bounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoundsSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-bounds/1")]
    V1,
}

/// The schema of the document of slack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum SlackSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-slack/1")]
    V1,
}

/// The schema of the document of a difference of two periods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiffSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-diff/1")]
    V1,
}

/// The schema of the document of a suppression pattern.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PatternSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-pattern/1")]
    V1,
}

/// The schema of the document of a verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerifySchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-verify/1")]
    V1,
}

/// The schema of the document of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-plan/1")]
    V1,
}

/// The schema of the document of a plan whose pattern is drawn later.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PrivatePlanSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-private-plan/1")]
    V1,
}

/// The schema of the document of a release.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReleaseSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-release/1")]
    V1,
}

/// The schema of the document of a rounded table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RoundingSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-rounding/1")]
    V1,
}

/// The schema of the document of a perturbed table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum PerturbationSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.frechet-perturbation/1")]
    V1,
}
