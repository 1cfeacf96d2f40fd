//! Plans and measurements in files.

pub(crate) mod archive;
pub(crate) mod stored;

pub use archive::{Origin, StoredMeasurement, StoredOrigin};
pub use stored::{PlanFile, StoredError};
