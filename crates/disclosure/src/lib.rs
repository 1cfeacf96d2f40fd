#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

pub use privacy_core as core;

#[cfg(feature = "frechet")]
pub use frechet_release as frechet;
#[cfg(feature = "screen")]
pub use hetero_screen as screen;
#[cfg(feature = "resplan")]
pub use resplan;

/// The nouns that nearly every program needs.
pub mod prelude {
    pub use privacy_core::accounting::{Neighbours, PrivacyCost};
    pub use privacy_core::param::{Delta, Epsilon, Mu, Probability, Rho};
    pub use privacy_core::table::TableSource;
    pub use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain};
    #[cfg(feature = "resplan")]
    pub use resplan::{Basis, Limits, Objective, Plan, PlanSpec, Workload};
}
