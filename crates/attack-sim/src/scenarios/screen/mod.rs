//! Scenarios of `hetero-screen`: is the predicted accuracy the one that attackers reach?

mod plain;
mod players;
mod predictor;
mod settings;
mod table;

pub use players::PortfolioAttacker;
pub use predictor::{Fault, Predictor};
pub use settings::{Sizes, random_setting};

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("solver-on-settings", settings::build),
    ("solver-on-table", table::build),
    ("solver-on-dependent-table", table::build_dependent),
    ("solver-on-skewed-table", table::build_skewed),
    ("majority-per-cell", plain::build),
];
