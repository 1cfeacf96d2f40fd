//! What every scenario imports.

pub(crate) use disclosure::privacy_core::AttrSet;
pub(crate) use disclosure::privacy_core::param::{Epsilon, Probability};
pub(crate) use disclosure::privacy_core::rng::SimRng;
pub(crate) use disclosure::privacy_core::table::TableSource;
pub(crate) use rand::RngExt;
pub(crate) use serde::Deserialize;

pub(crate) use crate::audit::{
    Audit, BitAudit, Claim, Enumerable, EnumeratedScenario, NeighbouringInputs, PrivacyLoss, Quantity, Side, coin_toss,
    release_rng,
};
pub(crate) use crate::builder::{Blueprint, Built};
pub(crate) use crate::error::Error;
