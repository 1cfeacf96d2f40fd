#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub use privacy_core;

#[cfg(feature = "frechet")]
pub use frechet_release as frechet;
#[cfg(feature = "screen")]
pub use hetero_screen as screen;
#[cfg(feature = "lcf")]
pub use lcf;
#[cfg(feature = "ldp")]
pub use ldp_pmdh as ldp;
#[cfg(feature = "magnitude")]
pub use magnitude_release as magnitude;
#[cfg(feature = "resplan")]
pub use resplan;

/// The types that all mechanisms share: parameters, sets of attributes, domains and tables. It has
/// no items of a single mechanism, because their names would shadow each other.
pub mod prelude {
    pub use privacy_core::accounting::{Neighbours, PrivacyCost};
    pub use privacy_core::param::{Delta, Epsilon, Mu, Probability, Rho, StdDev};
    pub use privacy_core::table::TableSource;
    pub use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain, Provenance};
}
