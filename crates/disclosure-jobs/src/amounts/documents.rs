//! The plan as a document, for the owner of the data.

use disclosure::magnitude::{Amount, SuppressionStatus};
use disclosure::privacy_core::promise::Promise;
use privacy_data::{JjCell, JjFile, JjRelation, JjStatus};
use serde::{Deserialize, Serialize};

use crate::amounts::decimal::number;
use crate::amounts::job::{PlanOptions, Planned};
use crate::amounts::rule::RuleSpec;
use crate::amounts::{Certificates, statements};
use crate::error::JobError;
use crate::observer::{Observer, during};

/// The schema of the document of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AmountsPlanSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.magnitude-plan/1")]
    V1,
}

/// The column of the amounts, and its unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmountsUnit {
    /// The column.
    pub amount: String,
    /// Digits after the decimal mark.
    pub decimals: u8,
}

/// How many cells there are of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AmountsTally {
    /// All cells, totals and empty ones among them.
    pub cells: usize,
    /// Published.
    pub published: usize,
    /// Withheld because they are sensitive.
    pub primary: usize,
    /// Withheld to protect those.
    pub complementary: usize,
}

/// Which cells are withheld and why, and what a reader knows of each. It holds the data: for their
/// owner alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AmountsPlan {
    /// `disclosure.magnitude-plan/1`.
    pub schema: AmountsPlanSchema,
    /// The title of the job.
    pub title: String,
    /// What the published table promises.
    pub promise: Promise,
    /// What the promise leaves open.
    pub not_covered: Vec<String>,
    /// When a cell is sensitive.
    pub rule: RuleSpec,
    /// What the amounts are.
    pub unit: AmountsUnit,
    /// The axes.
    pub axes: Vec<String>,
    /// How many cells there are.
    pub tally: AmountsTally,
    /// Sensitive cells and sums that were attacked.
    pub attacked: usize,
    /// The withheld cells.
    pub cells: Vec<AmountCell>,
}

/// A withheld cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AmountCell {
    /// The label on each axis.
    pub labels: Vec<String>,
    /// Why it is withheld.
    pub status: SuppressionStatus,
    /// The amount.
    pub amount: f64,
    /// How many respondents contribute.
    pub respondents: usize,
    /// How far from the amount a reader must stay; 0 for a cell that protects others.
    pub level: f64,
    /// The least amount that a reader thinks possible; null where a limit was reached.
    pub lower: Option<f64>,
    /// The largest; null where nothing bounds it, or a limit was reached.
    pub upper: Option<f64>,
    /// Whether both ends were proved.
    pub is_proved: bool,
}

impl Planned {
    /// The document of the plan, with certificates where the options ask for them.
    ///
    /// # Errors
    /// E0640 beyond a limit.
    pub fn document(
        &self,
        options: PlanOptions,
        observer: &dyn Observer,
    ) -> Result<(AmountsPlan, Option<Certificates>), JobError> {
        let (loaded, plan) = (&self.loaded, &self.plan);
        let (problem, spec) = (loaded.problem(), loaded.spec());
        let review = during(observer, "bounding", || plan.review(&problem))?;
        let scaled = |amount: i64| number(amount as f64, spec.decimals);
        let end = |end: Option<Amount>| end.map(|end| number(end.value(), spec.decimals));
        let cells = review.into_iter().map(|cell| AmountCell {
            labels: cell.labels,
            status: cell.status,
            amount: scaled(cell.amount),
            respondents: cell.respondents,
            level: scaled(cell.level),
            lower: end(cell.interval.lower),
            upper: end(cell.interval.upper),
            is_proved: cell.interval.is_proved,
        });
        let certificates = match options.certificates {
            true => Some(problem.certificates(&plan.is_withheld())?.1),
            false => None,
        };
        let document = AmountsPlan {
            schema: AmountsPlanSchema::V1,
            title: loaded.title().to_owned(),
            promise: statements::promise(loaded),
            not_covered: statements::not_covered(),
            rule: spec.rule.clone(),
            unit: AmountsUnit { amount: spec.amount.clone(), decimals: spec.decimals },
            axes: spec.axes.clone(),
            tally: self.tally(),
            attacked: plan.audit().findings.len(),
            cells: cells.collect(),
        };
        Ok((document, certificates))
    }

    pub(super) fn tally(&self) -> AmountsTally {
        let [published, primary, complementary] =
            [SuppressionStatus::Published, SuppressionStatus::Primary, SuppressionStatus::Complementary]
                .map(|status| self.plan.count(status));
        AmountsTally { cells: published + primary + complementary, published, primary, complementary }
    }

    /// The table with its pattern as an instance of cell suppression, which tau-ARGUS and sdcTable
    /// read: for the owner of the data.
    #[must_use]
    pub fn jj(&self) -> JjFile {
        let (table, statuses) = (self.loaded.table(), self.plan.statuses());
        let (additive, rule) = (table.additive(), self.loaded.problem().rule);
        // Nothing is above the sum of everything, and a file needs an end.
        let most = additive.amounts().iter().copied().max().unwrap_or(0).saturating_mul(2).unsigned_abs();
        let cells = statuses.iter().enumerate().map(|(cell, status)| {
            let level = rule.level(table.contributions(cell), &[]).unsigned_abs();
            JjCell {
                count: additive.amounts()[cell].unsigned_abs(),
                status: match status {
                    SuppressionStatus::Published => JjStatus::Published,
                    SuppressionStatus::Primary => JjStatus::Primary,
                    SuppressionStatus::Complementary => JjStatus::Secondary,
                },
                least: 0,
                most,
                protection: [level.min(additive.amounts()[cell].unsigned_abs()), level, 0],
            }
        });
        let relations =
            additive.relations().iter().map(|own| JjRelation { sum: own.constant, terms: own.terms.clone() });
        JjFile { cells: cells.collect(), relations: relations.collect() }
    }

    /// Digits after the decimal mark of the amounts.
    #[must_use]
    pub fn decimals(&self) -> u8 {
        self.loaded.spec().decimals
    }
}
