//! Screening: how many labels a solver is expected to reconstruct from released counts, and how
//! many simulated solvers do.
//!
//! Screening releases nothing, so a job here has no outcome to write:
//! [`ScreeningJob::screen_model`], [`ScreeningJob::search`] and [`ScreeningJob::simulate_model`]
//! take a described table, and [`ScreeningJob::read_table`] reads an actual one for
//! [`TableScreening::screen`] and [`TableScreening::simulate`].

mod error;

mod spec;

mod table_data;

mod document;

mod attacks;

mod job;
mod quick;
mod search;
mod table;

pub use attacks::{AttackEffort, AttackSummary, AttackerSummary, MeanSummary, MethodSummary, StrongestSummary};
pub use disclosure::screen::{
    AccuracyInterval, Bracketed, CoverageMethod, Covered, Estimate, GridPoint, IdenticalFeatures, RowRisk,
    ScreenLimits, SourceProxy, Spread, TargetLevel,
};
pub use document::{
    ModelDocument, ReleaseRule, ScreeningSchema, SimulationDocument, measured, predicted, predicted_of_table,
};
pub use job::ScreeningJob;
pub use label_attack::{Evidence, Method};
pub use quick::QuickAttack;
pub use search::{Confirmation, SafeSetting, SearchDocument, write_grid};
pub use spec::{ScreeningSpec, SuppressedBy};
pub use table::{ClassCoverage, RealisedTable, RowExposure, ScreenedTable, TableDocument, TableScreening};
