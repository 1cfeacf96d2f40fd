//! The tests of `resplan`, in one program, since each program is linked for itself.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

#[cfg(feature = "linalg")]
mod after;
#[cfg(feature = "linalg")]
mod bases;
#[cfg(feature = "linalg")]
mod covariances;
mod gaussian;
mod golden;
#[cfg(feature = "linalg")]
mod joint;
mod margins;
mod release;
mod replaced;
#[cfg(feature = "serde")]
mod serde;
#[cfg(feature = "linalg")]
mod statistics;
#[cfg(feature = "linalg")]
mod stop;
#[cfg(all(feature = "files", feature = "linalg"))]
mod stored;
#[cfg(feature = "linalg")]
mod strategies;
mod tables;
#[cfg(feature = "linalg")]
mod unequal;
