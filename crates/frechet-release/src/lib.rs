#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod class;
mod error;
mod grid;
pub mod hierarchy;
mod knowledge;
mod system;

mod certificate;
mod checker;
mod witness;

mod interval;

mod coupling;
mod split;

mod closed;
mod disjoint;
mod flow;
mod network;
mod parity;
mod residual;

mod dual;
mod lattice;
mod moves;
mod pool;
mod simplex;

mod asker;
mod branch;
mod conflict;
mod engine;
mod program;

mod bounds;
mod parts;
mod slack;

mod audit;
mod cycles;
mod differencing;
mod verdict;

mod linked;

mod fiber;
mod line;
mod maxent;
mod sample;
mod settled;

mod cut;
mod statistic;

mod problem;

mod attack;
mod clauses;
mod options;
mod span;
mod suppress;

mod search;

mod budget;
mod privacy;

mod plan;
mod schedule;

mod explain;
mod release;

pub use attack::Unfit;
pub use audit::{Audit, audit};
pub use bounds::Solver;
pub use budget::{Allocation, Loss, divide, divide_evenly};
pub use certificate::{Bound, Dual, Proof, Ratio, Side, Tree, Witness};
pub use checker::{Flaw, verify};
pub use class::{Class, Region, Scope};
pub use cut::{Cut, Group};
pub use cycles::CycleGroup;
pub use differencing::{CycleAudit, CycleFinding, audit_cycles};
pub use error::Error;
pub use fiber::{count_tables, visit_tables};
pub use interval::{Interval, Method};
pub use knowledge::Knowledge;
pub use linked::{CellStatus, Link, LinkedCell, LinkedFinding, LinkedTable, Protected, Protection};
pub use maxent::MaxEntropy;
pub use plan::{Action, Fate, ReleasePlan, Treatment, plan};
pub use privacy::{Change, Composition, Statement, compose};
pub use problem::{Basis, Noise, Problem, Target};
pub use program::Limits;
pub use release::{Published, PublishedCell, PublishedMargin};
pub use sample::{Connectivity, Prior, Walk};
pub use schedule::{NoisedCell, Schedule};
pub use settled::has_settled;
pub use slack::Slack;
pub use span::{Combination, void_noise};
pub use statistic::Statistic;
pub use suppress::{Pattern, Primary, Suppressible, suppress};
pub use system::{NO_CAPACITY, Row, System};
pub use verdict::{Closeness, Finding, Mode, Policy, Unanimity, Verdict};
pub use witness::SparseTable;
