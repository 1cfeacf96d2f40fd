//! What adaptive measurement refuses, in the words of a job.

use adaptive_marginals::Error;
use disclosure::privacy_core::{AttrSet, Domain};

use crate::error::{JobError, chain};

/// An error with the names of the attributes that it is about.
pub(super) fn named(error: Error, domain: &Domain) -> JobError {
    let about = |set: AttrSet| domain.names(set).map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ");
    match error {
        Error::Stopped => JobError::stopped(),
        Error::EmptyWorkload => JobError::new("E0221", "the marginals name no attribute"),
        Error::Weight { set, got } => {
            let message = format!("the weight of the marginal of {} must be 1 to 1,000,000, got {got}", about(set));
            JobError::new("E0224", message)
        }
        Error::DomainLearntFromData => JobError::new("E0401", error.to_string()),
        Error::TooManyCandidates => {
            JobError::new("E0611", error.to_string()).next("request fewer or smaller marginals")
        }
        Error::TooManyCells { .. } => {
            JobError::new("E0611", error.to_string()).next("request fewer or smaller marginals, or raise --max-memory")
        }
        Error::Budget { .. } => JobError::new("E0226", chain(&error)),
        Error::Model(synthetic_people::Error::NothingPossible) => {
            JobError::new("E0292", "the structural zeros and hierarchies exclude every combination of labels")
        }
        Error::Model(synthetic_people::Error::TooWide { .. }) => {
            JobError::new("E0292", "the attributes of a structural zero have more cells together than model_cells")
        }
        Error::Setting { .. } | Error::ScoresTooLarge => JobError::new("E0291", error.to_string()),
        error => JobError::new("E0613", chain(&error)),
    }
}
