//! Tables of amounts: which cells disclose a respondent, which are withheld, and what is published.
//!
//! A [`Job`] is parsed from its text and loaded with its data. A [`LoadedJob`] plans; a [`Planned`]
//! table has a document for the owner of the data, and is written as a release. A [`Pattern`] of
//! another tool is judged by itself.

mod error;

mod rule;
mod spec;

mod decimal;
mod labels;
mod read;

mod job;
mod statements;

mod documents;
mod pattern;
mod release;

pub use documents::{AmountCell, AmountsPlan, AmountsPlanSchema, AmountsTally, AmountsUnit};
pub use job::{Job, LoadedJob, PlanOptions, Planned};
pub use pattern::{AmountsPattern, AmountsPatternSchema, Pattern, PatternAmount};
pub use release::{AmountsRelease, AmountsReleaseSchema};
pub use spec::AmountsSpec;

pub use disclosure::magnitude::certificate::Certificates;
pub use disclosure::magnitude::{AmountStatus, PublishedAmounts, SuppressionCost, SuppressionStatus};
