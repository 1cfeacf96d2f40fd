#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod table;

mod closed;
mod engine;
mod solver;

mod audit;

mod attacker;

mod planner;

mod rounding;

mod cell_key;

pub use frechet_certificate as certificate;
pub use table::hierarchy;

pub use frechet_certificate::{Bound, Flaw, Multipliers, Node, Proof, Ratio, Row, Side, SparseTable, Split, Witness};

pub use attacker::convergence::has_converged;
pub use attacker::enumeration::{EnumerationLimits, count_tables, visit_tables};
pub use attacker::fiber_sampler::{Connectivity, FiberSampler, Prior};
pub use attacker::linkage::{
    LinkageAttack, LinkageFinding, LinkageStatus, LinkedClass, LinkedDifference, LinkedPopulation,
};
pub use attacker::max_entropy::{EntropyOptions, MaxEntropy};
pub use attacker::noised::attack::{CountPosterior, PosteriorAttack};
pub use attacker::noised::numbers::{AxisQueries, NoisyNumbers};
pub use attacker::posterior::{FiberSample, SampledCount};
pub use audit::classes::{AuditDetail, DisclosureAudit, DisclosureTarget, audit, audit_in_detail, audited_intervals};
pub use audit::differencing::{DifferencingAudit, DifferencingFinding, audit_differencing};
pub use audit::linked_tables::{
    CellRelation, LinkedCell, LinkedFinding, LinkedTable, Protection, ProtectionStatus, SuppressionStatus,
};
pub use audit::primary::PrimaryReason;
pub use audit::reference_periods::PeriodGroup;
pub use audit::rule::{Closeness, DisclosureMode, DisclosureRule, DisclosureStatus, Finding, Unanimity};
pub use cell_key::method::PerturbedTable;
pub use cell_key::perturbation::PerturbationTable;
pub use cell_key::records::{KeyedCounts, KeyedTable};
pub use engine::linear_program::Limits;
pub use planner::action::{CellStatus, MarginAction, Treatment};
pub use planner::margin::recoded_margin::RecodedMargin;
pub use planner::margin::recoding::{CategoryGroup, Recoding};
pub use planner::noise::allocation::{Allocation, AllocationLoss, allocate_budget, allocate_common_budget};
pub use planner::noise::by_request::{MarginSize, RequestedNoise};
pub use planner::noise::row_space::{Combination, noise_implied_by_exact};
pub use planner::noise::statement::{Change, ComposedEpsilon, NoiseStatement, compose};
pub use planner::plan::{ReleasePlan, plan};
pub use planner::private::cost::{PatternBudget, PatternCost};
pub use planner::private::pattern::{DrawnPattern, PrivatePattern};
pub use planner::problem::{DecisionData, NoiseBudget, NoiseDivision, ReleaseProblem};
pub use planner::release::{OwnerAudit, Published, PublishedCell, PublishedMargin};
pub use planner::replay::{ReplayLimits, ReplayReport};
pub use planner::schedule::{NoiseSchedule, NoisedCell};
pub use planner::suppression::{PrimaryCell, SuppressibleCell, SuppressionPattern, suppress};
pub use rounding::controlled::{ControlledRounding, RoundedTable};
pub use solver::Solver;
pub use solver::slack::Slack;
pub use table::class::{Class, Region, Scope};
pub use table::error::Error;
pub use table::interval::{CountInterval, CountRange, Method};
pub use table::knowledge::Knowledge;
pub use table::published_form::PublishedForm;
pub use table::system::{NO_CAPACITY, System, verify};
