//! The flag that ends every job, and how far the job is: the first signal sets the one, long loops
//! report to the other.

use std::sync::{Arc, LazyLock};

use disclosure_jobs::disclosure::privacy_core::stop::{Progress, StopFlag};

static PROGRESS: LazyLock<Arc<Progress>> = LazyLock::new(Arc::default);
static FLAG: LazyLock<StopFlag> = LazyLock::new(|| StopFlag::new().with_progress(Arc::clone(&PROGRESS)));

/// The flag of every job.
pub(crate) fn flag() -> &'static StopFlag {
    &FLAG
}

/// How far the job is.
pub(crate) fn progress() -> &'static Progress {
    &PROGRESS
}
