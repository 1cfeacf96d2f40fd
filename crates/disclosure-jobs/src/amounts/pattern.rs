//! The suppression pattern of another tool over a table of amounts, as a reader sees it.

use disclosure::magnitude::{
    AdditiveTable, Amount, AmountStatus, AttackLimits, ProtectionLevels, Relation, SuppressionStatus, audit_pattern,
};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use privacy_data::{JjFile, JjStatus, read_jj_amounts};
use serde::{Deserialize, Serialize};

use crate::amounts::Certificates;
use crate::amounts::decimal::{MOST_DECIMALS, number};
use crate::error::JobError;
use crate::observer::{Observer, during};

/// The schema of the document of a pattern of amounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum AmountsPatternSchema {
    /// The first version.
    #[default]
    #[serde(rename = "disclosure.magnitude-pattern/1")]
    V1,
}

/// What a reader of the published cells can tell about every withheld one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AmountsPattern {
    /// `disclosure.magnitude-pattern/1`.
    pub schema: AmountsPatternSchema,
    /// The name of the pattern.
    pub title: String,
    /// What the bounds promise.
    pub promise: Promise,
    /// Whether every sensitive cell is protected as its levels ask.
    pub target_met: bool,
    /// Number of published cells.
    pub published: usize,
    /// Number of relations between cells.
    pub relations: usize,
    /// The withheld cells.
    pub cells: Vec<PatternAmount>,
}

/// A withheld cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatternAmount {
    /// Its number in the file.
    pub cell: usize,
    /// Why it is withheld.
    pub status: SuppressionStatus,
    /// The least amount that fits; null where a limit was reached.
    pub lower: Option<f64>,
    /// The largest; null where nothing bounds it, or a limit was reached.
    pub upper: Option<f64>,
    /// Whether the amount is known exactly.
    pub is_exactly_disclosed: bool,
    /// Whether it is protected as its levels ask.
    pub protected: AmountStatus,
}

/// A suppression pattern over additive tables of amounts.
#[derive(Clone, Debug)]
pub struct Pattern {
    title: String,
    decimals: u8,
    table: AdditiveTable,
    statuses: Vec<SuppressionStatus>,
    levels: Vec<ProtectionLevels>,
}

impl AmountsPattern {
    /// Whether every sensitive cell is protected as its levels ask.
    ///
    /// # Errors
    /// E0442 for one that is not.
    pub fn check_target(&self) -> Result<(), JobError> {
        if self.target_met {
            return Ok(());
        }
        let words = "the published cells do not protect a sensitive cell as required";
        let next = "withhold more cells with the tool that wrote the file, and audit again";
        Err(JobError::new("E0442", words).next(next))
    }
}

impl Pattern {
    /// Reads a JJ file of amounts with at most this many decimals.
    ///
    /// # Errors
    /// E0246 for too many decimals; E0364 to E0367 and E0348 for files that are damaged or not
    /// additive.
    pub fn parse(text: &str, title: &str, decimals: u8) -> Result<Self, JobError> {
        if decimals > MOST_DECIMALS {
            return Err(JobError::new("E0246", "decimals must be at most 9"));
        }
        let file = read_jj_amounts(text.as_bytes(), decimals)?;
        let table = additive(&file)?;
        let statuses = file.cells.iter().map(|cell| match cell.status {
            JjStatus::Published => SuppressionStatus::Published,
            JjStatus::Primary => SuppressionStatus::Primary,
            JjStatus::Secondary => SuppressionStatus::Complementary,
        });
        let levels = file.cells.iter().map(|cell| {
            let [lower, upper, sliding] = cell.protection.map(signed);
            ProtectionLevels { lower, upper, sliding }
        });
        let (statuses, levels) = (statuses.collect(), levels.collect());
        Ok(Self { title: title.to_owned(), decimals, table, statuses, levels })
    }

    /// Judges every withheld cell, with the certificates of its bounds.
    ///
    /// # Errors
    /// E0640 beyond a limit.
    pub fn audit(
        &self,
        steps: Option<u64>,
        observer: &dyn Observer,
    ) -> Result<(AmountsPattern, Certificates), JobError> {
        let default = AttackLimits::default();
        let limits = AttackLimits { steps: steps.unwrap_or(default.steps), stop: observer.stop_flag() };
        let judge = || audit_pattern(&self.table, &self.statuses, &self.levels, &limits);
        let (findings, certificates) = during(observer, "auditing", judge)?;
        let end = |end: Option<Amount>| end.map(|end| number(end.value(), self.decimals));
        let cells: Vec<PatternAmount> = findings
            .iter()
            .map(|finding| PatternAmount {
                cell: finding.interval.cell,
                status: finding.status,
                lower: end(finding.interval.lower),
                upper: end(finding.interval.upper),
                is_exactly_disclosed: finding.interval.is_exactly_disclosed(),
                protected: finding.protected,
            })
            .collect();
        let is_open = |cell: &&PatternAmount| {
            cell.status == SuppressionStatus::Primary && cell.protected != AmountStatus::Protected
        };
        let document = AmountsPattern {
            schema: AmountsPatternSchema::V1,
            title: self.title.clone(),
            promise: promise(),
            target_met: !cells.iter().any(|cell| is_open(&cell)),
            published: self.statuses.len() - cells.len(),
            relations: self.table.relations().len(),
            cells,
        };
        Ok((document, certificates))
    }
}

fn promise() -> Promise {
    let statement = "in every table of amounts consistent with what is known, each amount is within its bounds";
    let against = "anyone who reads the published cells and knows the relations and the bounds of every cell in the file, and has \
                   no amount of their own: the file does not say who contributes";
    Promise::new(PromiseKind::Guarantee, statement).with_attacker(against).with_unit("the amount of a cell")
}

fn additive(file: &JjFile) -> Result<AdditiveTable, JobError> {
    let amounts = file.cells.iter().map(|cell| signed(cell.count)).collect();
    let known = file.cells.iter().map(|cell| (signed(cell.least), signed(cell.most))).collect();
    let relations = file.relations.iter().map(|own| Relation { constant: own.sum, terms: own.terms.clone() });
    Ok(AdditiveTable::new(amounts, known, relations.collect())?)
}

/// Counts of a file are at most 2^53.
fn signed(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
