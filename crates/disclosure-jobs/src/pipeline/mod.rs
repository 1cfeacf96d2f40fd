//! Pipelines: exact tables, filtered groups and noisy marginals of one table as one release.
//!
//! ```text
//! Job::parse(text, &files)           the job and its columns; no rows are read
//! job.plan(&source, &observer)       screened, audited, planned, attacked; nothing is drawn or spent
//! planned.require_targets()          refuses a release that misses a target
//! planned.release(ledger, rng)       charges the ledger, then draws the noise; the plan is used up
//! released.write(sink, &observer)    what may leave, the review for the owner, the manifest
//! ```

mod spec;

mod job;
mod parts;
mod planned;
mod released;

mod findings;
mod linkage;
mod posterior;
mod targets;

mod documents;
mod promises;

pub use disclosure::frechet::LinkageStatus;
pub use documents::{
    AttackDocument, AttackSchema, Figure, LinkageCounts, LinkageDocument, LinkageFinding, Manifest, ManifestSchema,
    PartDocument, PartName, PolicyDocument, PosteriorDocument, PosteriorFigures, ReleaseStatement,
    ReleaseStatementSchema, ReleasedFile, TableDocument, TargetDocument,
};
pub use findings::{Findings, LabelFindings};
pub use job::Job;
pub use linkage::{LinkageReport, PolicyTogether};
pub use planned::Planned;
pub use posterior::PosteriorFindings;
pub use released::Released;
pub use spec::TargetsSpec;
