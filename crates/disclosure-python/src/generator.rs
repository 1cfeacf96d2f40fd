//! The generator of releases: seeded by the operating system.

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::rng;
use pyo3::prelude::*;
use rand_core::CryptoRng;

#[cfg(not(feature = "fixed-generator"))]
pub(crate) fn system() -> Result<impl CryptoRng + Send, JobError> {
    rng::system().map_err(|error| JobError::new("E0106", error.to_string()))
}

/// Tests only: each call begins with the bytes that a test has set.
#[cfg(feature = "fixed-generator")]
mod fixed {
    use std::sync::{Mutex, PoisonError};

    use super::*;
    use rand_core::SeedableRng;

    static SEED: Mutex<Option<[u8; 32]>> = Mutex::new(None);

    #[pyfunction]
    pub(super) fn set_generator(seed: Option<[u8; 32]>) {
        *SEED.lock().unwrap_or_else(PoisonError::into_inner) = seed;
    }

    pub(crate) fn system() -> Result<impl CryptoRng + Send, JobError> {
        match *SEED.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(seed) => Ok(rand_chacha::ChaCha20Rng::from_seed(seed)),
            None => rng::system().map_err(|error| JobError::new("E0106", error.to_string())),
        }
    }
}
#[cfg(feature = "fixed-generator")]
pub(crate) use fixed::system;

/// Whether a test may fix the generator: never in a wheel that leaves.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("FIXED_GENERATOR", cfg!(feature = "fixed-generator"))?;
    #[cfg(feature = "fixed-generator")]
    module.add_function(wrap_pyfunction!(fixed::set_generator, module)?)?;
    Ok(())
}
