#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;

mod entity;
mod filter;
mod groups;
mod law;
mod number;
mod odds;
mod table;

#[cfg(feature = "compat")]
pub mod compat;

pub use entity::{
    EntityCount, EntitySet, FieldIdentifier, Identifier, IdentifierField, IdentifierForm, RowEntities, Spellings,
};
pub use error::Error;
pub use filter::{
    ColumnRule, Decision, DifferenceGuard, DrawMode, EntityColumn, FilterDescription, GroupName, GroupsPerEntity,
    LowCountFilter, MAX_COLUMNS, Reason, Registry,
};
pub use groups::{Group, GroupLimits, GroupState, Groups, LabelledGroups, LabelledTable, RowGroup, RowQueue};
pub use law::{
    ClampedNormal, Elm, HardThreshold, LawError, MAX_CAP, OptimalSelection, ReportingProbability, SelectionShare,
    ThinUniform, ThresholdLaw, ThresholdTable, unclamped_reporting_probability,
};
pub use number::{Counted, GroupNumber, NumberNoise};
pub use odds::{
    AdviceError, AdviceOptions, AdviceTarget, Attacks, Certainty, GroupSizes, Inference, LineOdds, LinePair,
    MembershipPosterior, Odds, OddsTarget, PrivacyTarget, ReleaseProfile, SizesError, Utility, advise,
};
pub use table::{
    AuditReport, FEWEST_MERGED, FEWEST_MERGING_COLUMNS, FilteredTable, GroupOutcome, ReportedGroup, Rest, SizeClass,
    TableOptions,
};
