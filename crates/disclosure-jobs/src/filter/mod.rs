//! The low-count filter: which groups are reported, why, and what a threshold reveals.
//!
//! [`Job`] (a specification) and a data source give a [`Decided`] table, whose decisions are
//! drawn under a secret; [`Decided::release`] gives what may leave. [`odds()`] and [`AdviceJob`]
//! read no data.

mod advise;
mod counts;
mod documents;
mod error;
mod grouped;
mod job;
mod labels;
mod law;
mod odds;
mod read;
mod section;
mod sizes;
mod spec;
mod statement;
mod terms;
mod threshold;

pub use advise::{AdviceDocument, AdviceJob, AdviceTargets, Alternative};
pub use counts::{CountsKind, CountsReport, CountsSpec};
pub use disclosure::lcf::{
    AuditReport, Certainty, ClampedNormal, ColumnRule, Counted, DrawMode, Elm, HardThreshold, Inference, LineOdds,
    LinePair, LowCountFilter, MembershipPosterior, Odds, OptimalSelection, Reason, Rest, SelectionShare, ThinUniform,
    ThresholdLaw,
};
pub use documents::{
    AuditDocument, AuditedEntity, AuditedGroup, EntityReport, ExplainDocument, FilterDocument, LabelledGroup,
    NumberBeside, OWNER_ONLY, RestRow,
};
pub use grouped::{GroupedTable, is_stored_table, stored_groups};
pub use job::{Decided, Job, Released};
pub use labels::{Label, Labels};
pub use law::LawSpec;
pub use odds::{Composed, CompositionReport, OddsDocument, OddsRequest, ReportProbability, odds};
pub use section::{DecidedSection, FilterPromises, Section};
pub use spec::{ENTITIES, EntityEntry, EntitySpec, FilterSpec, LimitsSpec, ROWS};
pub use statement::{FilterStatement, NOT_PRIVATE};
pub use threshold::{
    AttackReport, DeltaAtEpsilon, OddsStatement, OddsSummary, ProfileReport, ThresholdReport, UtilityReport,
};
