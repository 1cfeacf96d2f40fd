#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod table;

mod closed;
mod engine;
mod solver;

mod audit;

mod attacker;

mod planner;

pub use frechet_certificate as certificate;
pub use table::hierarchy;

pub use frechet_certificate::{Bound, Flaw, Multipliers, Node, Proof, Ratio, Row, Side, SparseTable, Split, Witness};

pub use attacker::convergence::has_settled;
pub use attacker::enumeration::{count_tables, visit_tables};
pub use attacker::fiber_sampler::{Connectivity, Prior, Walk};
pub use attacker::linkage::{LinkageAttack, LinkageFinding, LinkageStatus};
pub use attacker::max_entropy::MaxEntropy;
pub use attacker::posterior::{FiberSample, SampledCount};
pub use audit::classes::{Audit, Target, audit};
pub use audit::differencing::{CycleAudit, CycleFinding, audit_cycles};
pub use audit::linked_tables::{CellStatus, Link, LinkedCell, LinkedFinding, LinkedTable, Protected, Protection};
pub use audit::primary::Unfit;
pub use audit::reference_periods::CycleGroup;
pub use audit::rule::{Closeness, Finding, Mode, Policy, Unanimity, Verdict};
pub use engine::linear_program::Limits;
pub use planner::action::{Action, Fate, Treatment};
pub use planner::noise::allocation::{Allocation, Loss, divide, divide_evenly};
pub use planner::noise::charge::NoiseCharge;
pub use planner::noise::row_space::{Combination, void_noise};
pub use planner::noise::statement::{Change, Composition, Statement, compose};
pub use planner::plan::{ReleasePlan, plan};
pub use planner::problem::{Basis, Noise, Problem};
pub use planner::recoded_margin::Statistic;
pub use planner::recoding::{Cut, Group};
pub use planner::release::{Published, PublishedCell, PublishedMargin};
pub use planner::schedule::{NoisedCell, Schedule};
pub use planner::suppression::{Pattern, Primary, Suppressible, suppress};
pub use solver::Solver;
pub use solver::slack::Slack;
pub use table::class::{Class, Region, Scope};
pub use table::error::Error;
pub use table::interval::{Interval, Method};
pub use table::knowledge::Knowledge;
pub use table::published_form::PublishedForm;
pub use table::system::{NO_CAPACITY, System, verify};
