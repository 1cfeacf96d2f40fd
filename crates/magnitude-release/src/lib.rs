#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod table;

mod rule;

mod attack;

mod suppression;

pub use attack::attacked::AttackLimits;
pub use attack::audit::{AmountAudit, AmountFinding, AmountStatus, audit};
pub use attack::intervals::{Amount, CellInterval};
pub use error::Error;
pub use frechet_certificate as certificate;
pub use rule::{Dominance, MOST_COALITION, MinFrequency, SensitivityRule, Share};
pub use suppression::pattern::{PatternFinding, ProtectionLevels, audit_pattern};
pub use suppression::plan::{SuppressionCost, SuppressionPlan, SuppressionProblem, SuppressionStatus, plan};
pub use suppression::release::{PublishedAmount, PublishedAmounts, WithheldAmount};
pub use table::additive::{AdditiveTable, MOST_AMOUNT, Relation, UNBOUNDED};
pub use table::axis::{Axis, AxisNode};
pub use table::contributions::Contribution;
pub use table::cube::{Cube, MOST_CELLS};
pub use table::magnitude::{MagnitudeTable, ReadyCell, Record};
