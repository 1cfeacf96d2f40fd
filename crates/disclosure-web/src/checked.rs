//! What a check found.

use disclosure_jobs::amounts::{AmountsPlan, PublishedAmounts};
use disclosure_jobs::exact::{AuditDocument, PlanDocument};
use disclosure_jobs::filter;
use disclosure_jobs::pipeline::{LabelFindings, LinkageFinding, TargetDocument};

use crate::choices::Choices;

/// What a check found, for the owner of the data.
#[derive(Debug)]
pub(crate) struct Checked {
    /// The choices that were checked.
    pub(crate) choices: Choices,
    /// Every target with its result.
    pub(crate) targets: Vec<TargetDocument>,
    /// What would follow if all exact tables were published as they are wanted.
    pub(crate) audit: Option<AuditDocument>,
    /// What is done about it.
    pub(crate) plan: Option<PlanDocument>,
    /// Numbers that the exact part withholds, with what all exact numbers tell about each.
    pub(crate) withheld: Vec<LinkageFinding>,
    /// What becomes of every group.
    pub(crate) groups: Option<filter::AuditDocument>,
    /// The attack on one column, in short.
    pub(crate) labels: Option<LabelFindings>,
    /// What is withheld of a table of amounts.
    pub(crate) amounts: Option<AmountsFound>,
    /// What all noise spends, and what of it is allowed.
    pub(crate) spent: Option<(f64, f64)>,
}

/// A plan of a table of amounts, with every cell as it would be published.
#[derive(Debug)]
pub(crate) struct AmountsFound {
    /// The withheld cells, and why.
    pub(crate) plan: AmountsPlan,
    /// All cells.
    pub(crate) published: PublishedAmounts,
}
