//! Pipelines: exact tables, filtered groups and noisy marginals of one table as one release.

mod documents;

pub use documents::{
    AttackDocument, AttackSchema, BudgetDocument, EpsilonAtDelta, Figure, LinkageCounts, LinkageDocument,
    LinkageFinding, Manifest, ManifestSchema, PartCost, PartDocument, PartName, ReleaseStatement,
    ReleaseStatementSchema, ReleasedFile, TableDocument, TargetDocument,
};
