//! Randomised reports under local differential privacy: encode, count, estimate, plan.
//!
//! ```text
//! client:     SCHEMA.toml -> Job -> plan(source, rounds) -> PlannedReports -> draw_permanent(rng)
//!             -> ReadyReports -> release(out, rng)
//! collector:  Job -> Counting -> State; Job, State -> EstimateDocument
//! both:       Job, rows -> release(sink, rng): reports, state, estimates and a record
//! before:     PLAN.toml -> PlanDocument; Job, rows -> SimulationDocument
//! ```

mod error;
mod nullable;

mod spec;

mod rounds;
mod rows;

mod aggregate;
mod encode;
mod merge;

mod sets;

mod estimate;
mod plan;
mod simulate;

mod release;

pub use disclosure::ldp::derived::ConfidenceSet;
pub use disclosure::ldp::estimate::Population;
pub use disclosure::ldp::{ChangedAnswer, State, StateDetail, Tally};

pub use aggregate::{Counting, StateDocument, StateSchema};
pub use encode::{EncodeDocument, EncodeSchema, PlannedReports, ReadyReports};
pub use estimate::{
    DerivedEstimate, EstimateDocument, EstimateOptions, EstimateSchema, FeasibleCounts, PairEstimate, SetEstimate,
    UncoveredSet, estimate,
};
pub use merge::{merge, read_state};
pub use plan::{DesignPlan, FalseReports, FeaturePlan, PairsPlan, PlanDocument, PlanSchema, design_words, plan};
pub use release::{ReportsReleaseDocument, ReportsReleaseSchema, release};
pub use rounds::{RoundDocument, RoundSpec, Rounds};
pub use sets::SetRequest;
pub use simulate::{SetSimulation, SimulationDocument, SimulationOptions, SimulationSchema, simulate};
pub use spec::Job;

/// Most steps that one job takes: a few minutes.
const MAX_STEPS: f64 = 1e11;
