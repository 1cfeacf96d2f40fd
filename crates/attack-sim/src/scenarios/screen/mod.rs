//! Scenarios of `hetero-screen`: is the accuracy that is predicted the accuracy that attackers measure?

mod players;
mod predictor;
mod settings;
mod table;

pub use players::{BlindAttacker, PortfolioAttacker};
pub use predictor::{Fault, Predictor};
pub use settings::{Sizes, random_setting};

use super::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("solver-on-settings", settings::build),
    ("solver-on-table", table::build),
    ("solver-on-skewed-table", table::build_skewed),
];
