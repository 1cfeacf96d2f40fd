//! Exact tables: what exact numbers disclose about every group, and which may be released.
//!
//! A [`Job`] is parsed from its text and loaded with its table. A [`LoadedJob`] answers questions
//! with documents: bounds, an audit, slack, the difference of two periods. It plans a release; a
//! [`Planned`] release is carried out with a generator, and a [`Released`] one is written to a
//! sink.

mod error;

mod linkage;
mod numbers;

mod facts;
mod pattern_terms;
mod spec;

mod problem;

mod job;

mod documents;
mod promises;
mod reasons;
mod schemas;
mod statements;

mod algorithm_aware;
mod attackers;
mod certificates;

mod audit;
mod bounds;
mod differencing;
mod pattern;
mod slack;

mod perturbation;
mod plan;
mod private;
mod record_keys;
mod refusal;
mod release;
mod rounding;

pub use algorithm_aware::AlgorithmAwareDocument;
pub use audit::{
    AuditDocument, AuditOptions, ClassDocument, Expectations, PrimaryCellDocument, Sampled, Sampling,
    algorithm_aware_lost, target_missed,
};
pub use bounds::{BoundsDocument, BoundsOptions, CellDocument, OuterBounds, TableCount};
pub use certificates::{MAX_CERTIFICATE_BYTES, VerifyDocument, verify};
pub use differencing::{DiffDocument, DiffError, GroupDocument, diff};
pub use documents::{ClassBounds, ClassLabels, ClassStatus, RuleDocument, rate};
pub use error::too_many_cells;
pub use facts::FactDocument;
pub use job::{Counted, Job, LoadedJob};
pub use numbers::{ExactNumber, Levels, NoisedNumber, PolicyClass, PublicPopulation, WithheldNumber};
pub use pattern::{MAX_PATTERN_BYTES, Pattern, PatternCell, PatternDocument, PatternOptions, PatternTally};
pub use pattern_terms::PatternStatement;
pub use perturbation::{PerturbationDocument, Perturbed};
pub use plan::{MarginDocument, NoiseDocument, NoisedCellDocument, PlanDocument, Planned, TableSummary};
pub use private::{PrivatePlanDocument, PrivatePlanned};
pub use problem::Attacker;
pub use refusal::{BlockingClass, PublishedNumbers, RefusalDocument, SettingDocument, SettingOutcome, TrialLimits};
pub use release::{Mechanism, ReleaseDocument, Released, TableFile, Versions};
pub use rounding::{Rounded, RoundedFile, RoundingDocument};
pub use schemas::{
    AuditSchema, BoundsSchema, DiffSchema, PatternSchema, PerturbationSchema, PlanSchema, PrivatePlanSchema,
    ReleaseSchema, RoundingSchema, SlackSchema, VerifySchema,
};
pub use slack::{LeastSlack, SlackDocument, WindowDocument};
pub use spec::ExactSpec;
pub use statements::{Circumstances, Condition, Place, SENTENCES, Sentence};

pub use disclosure::frechet::certificate::Certificates;
pub use disclosure::frechet::{
    AuditDetail, Connectivity, DecisionData, DisclosureTarget, LinkedFinding, NoiseStatement, PatternCost, PeriodGroup,
    PrimaryReason, ProtectionStatus, ReplayReport, RequestedNoise, Scope, SuppressionStatus, Treatment,
};
pub use disclosure::privacy_core::promise::Promise;
