#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// What a group of n people is worth: laws of the threshold, and what they give away.
mod draws;

mod cutoffs;
mod law;

mod odds;
mod posterior;
mod profile;

mod utility;

mod advise;

mod attack;

pub use advise::{AdviceError, OddsTarget, PrivacyTarget, Search, Target, advise};
pub use attack::Attacks;
pub use cutoffs::Cutoffs;
pub use law::{
    Chance, ClampedNormal, Elm, HardThreshold, LawError, MAX_CAP, OptimalSelection, ThinUniform, ThresholdLaw,
    report_chance_without_floor,
};
pub use odds::{Certainty, Guess, Odds};
pub use posterior::OneMore;
pub use profile::ReleaseProfile;
pub use utility::{GroupSizes, SizesError, Utility};

// What the filter does to data: identifiers, bounded state, decisions, groups.
mod error;

mod group_name;
mod identifier;

mod aid_set;
mod wire;

mod decision;
mod filter;

mod open_groups;

mod grouping;
mod labels;
mod table_wire;

mod low_effect;
mod near;
mod rest;

mod filtered;
mod guard;

mod audit;

#[cfg(feature = "compat")]
pub mod compat;

pub use aid_set::{AidSet, Distinct};
pub use audit::{AuditReport, SizeClass};
pub use decision::{Decision, Reason};
pub use error::Error;
pub use filter::{DrawMode, EntityColumn, LowCountFilter, MAX_COLUMNS, Rule};
pub use filtered::{FilteredTable, Outcome, ReportedGroup, TableOptions};
pub use group_name::GroupName;
pub use grouping::{Group, GroupLimits, Groups, RowGroup};
pub use guard::DifferenceGuard;
pub use identifier::Identifier;
pub use labels::{LabelledGroups, LabelledTable};
pub use rest::{FEWEST_MERGED, Rest};
