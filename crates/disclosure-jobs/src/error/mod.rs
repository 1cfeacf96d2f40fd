//! Every way in which a job fails: a stable code, a message without data, an exit code, a next
//! step.

mod explanations;

use std::io;
use std::path::Path;

use disclosure::resplan::{Error as ResplanError, StoredError};
use privacy_data::{DataError, Defect, OutputError, SchemaError};
use serde::{Deserialize, Serialize};

use crate::input::is_damaged;
use crate::ledger::LedgerError;
use crate::regular::what_to_do;

pub use explanations::{Explanation, explanations};

/// The code of a job whose stop flag was set.
const STOPPED: &str = "E0108";

/// Why a job failed.
///
/// The code is stable, and [`explanation`] explains it. The message says what is wrong and where,
/// and never carries a count, an identifier or a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    code: &'static str,
    message: String,
    next: Option<String>,
    /// Whether a budget was charged before the failure.
    spent: bool,
}

/// A failure as programs read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorDocument {
    /// The code, such as `E0301`.
    pub code: String,
    /// The exit code of the command: 1 to 6, or 130 for a run that was stopped.
    pub exit_code: u8,
    /// What is wrong, and where.
    pub message: String,
    /// What to do next, where the code or the place tells.
    pub next: Option<String>,
    /// `disclosure.error/1`.
    pub schema: String,
    /// Whether a budget was charged before the failure.
    pub spent: bool,
}

impl std::fmt::Display for JobError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for JobError {}

impl JobError {
    /// A failure with its code, one of [`explanations`].
    pub fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, spent: false }
    }

    /// The same, with what to do next.
    #[must_use]
    pub fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    /// The same in other words.
    #[must_use]
    pub(crate) fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// The same, naming the file that it is about.
    #[must_use]
    pub fn within(self, file: &Path) -> Self {
        self.in_section(&file.display().to_string())
    }

    /// The same, naming the section or the place that it is about.
    #[must_use]
    pub fn in_section(self, section: &str) -> Self {
        Self { message: format!("{section}: {}", self.message), ..self }
    }

    /// The same, after a ledger was charged: the message says that the budget is gone.
    #[must_use]
    pub fn after_spending(self, rho: f64, ledger: &Path) -> Self {
        let next = match self.code {
            "E0121" => {
                format!("nothing: the output is complete, and rho {rho} was charged to {} for it", ledger.display())
            }
            _ => format!("rho {rho} was charged to {}; another release is charged again", ledger.display()),
        };
        Self { next: Some(next), spent: true, ..self }
    }

    /// The end of a job whose stop flag was set.
    #[must_use]
    pub fn stopped() -> Self {
        Self::new(STOPPED, "stopped before the end; nothing was written")
    }

    /// A failure to open or read a file.
    #[must_use]
    pub fn reading(path: &Path, source: &io::Error) -> Self {
        if is_damaged(source) {
            return Self::damaged(source).within(path);
        }
        Self::new("E0104", format!("{}: {source}", path.display()))
    }

    /// Compressed data that cannot be decompressed.
    fn damaged(source: &io::Error) -> Self {
        Self::new("E0328", source.to_string()).next("fetch the file again from its source, or compress it again")
    }

    /// Whether this is the end of a job whose stop flag was set.
    #[must_use]
    pub fn is_stop(&self) -> bool {
        self.code == STOPPED
    }

    /// Whether this is the failure with this code.
    #[must_use]
    pub fn has_code(&self, code: &str) -> bool {
        self.code == code
    }

    /// The exit code of the command: the hundreds of the error code are its kind. A run that was
    /// stopped ends as shells expect it of Ctrl-C.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        if self.code == STOPPED {
            return 130;
        }
        match self.code.as_bytes().get(2) {
            Some(kind @ b'1'..=b'6') => kind - b'0',
            _ => 1,
        }
    }

    /// The stable code, such as `E0301`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.code
    }

    /// What is wrong, and where.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do next: what the place of the failure says, else what the code says.
    #[must_use]
    pub fn next_step(&self) -> Option<&str> {
        self.next.as_deref().or_else(|| next_step_of(self.code))
    }

    /// Whether a budget was charged before the failure.
    #[must_use]
    pub fn is_after_spending(&self) -> bool {
        self.spent
    }

    /// The failure as programs read it.
    #[must_use]
    pub fn document(&self) -> ErrorDocument {
        ErrorDocument {
            schema: "disclosure.error/1".to_owned(),
            code: self.code.to_owned(),
            exit_code: self.exit_code(),
            message: self.message.clone(),
            next: self.next_step().map(str::to_owned),
            spent: self.spent,
        }
    }
}

/// The paragraph that explains a code, in this library or in that of the data.
#[must_use]
pub fn explanation(code: &str) -> Option<&'static str> {
    let own = explanations().find(|(own, _)| *own == code).map(|(_, text)| text);
    own.or_else(|| privacy_data::explain(code))
}

/// What to do next, where the code alone tells.
fn next_step_of(code: &str) -> Option<&'static str> {
    Some(match code {
        "E0103" => "check the free space and the permissions of the parent directory, which must exist",
        "E0121" => "run sync and check that the output exists; do not create it again",
        "E0111" => "name a new directory with -o, or remove the old one",
        "E0117" => "name another file, or add --force to replace this one",
        "E0200" => "run disclosure --help",
        "E0210" => "docs/formats.md lists every field of a specification",
        "E0212" => "keep one of rho, mu, pcost, or epsilon with delta",
        "E0213" => "compare the basis with the categories of the attribute; docs/formats.md lists every basis",
        "E0219" => "give the label, the node or the query another name",
        "E0220" => "build with the feature linalg of resplan",
        "E0221" => "write up_to = 2, or marginals = [[\"age\"]]",
        "E0227" => "request a marginal of a planned one; without --marginal, the command lists them",
        "E0228" => "use --marginal to show a table with the names of its answers",
        "E0229" => "write max_sd = 5.0 next to the set, or max_sd = {\"age\" = 5.0}, with objective = \"sum-variance\"",
        "E0230" => "write separator = \";\" (or \"tab\"), decimal = \",\", quote = \"'\" (or \"none\")",
        "E0251" => {
            "write rows = 400, cardinalities = [2, 3, 5], classes = 2; for a table: disclosure screen table SPEC DATA"
        }
        "E0255" => "write target_accuracy = 0.8",
        "E0261" | "E0262" => "docs/formats.md lists what each protocol takes",
        "E0272" => "write mean = 8.0, sd = 1.5 and always_suppress_upper_bound = 2",
        "E0287" => "--zero \"age=child,works=yes\"",
        "E0681" => "disclosure synth measurement.bin -o rows.csv --choose",
        "E0275" => "--rest=\"(other)\"",
        "E0276" => "disclosure lcf odds --mean 8 --sd 1.5 --floor 2",
        "E0278" => "write certainty_odds = 1e-3 with posterior = 0.9, or epsilon = 1.0 with delta = 1e-5",
        "E0304" => {
            "write encoding = \"latin1\" in the specification (--encoding latin1 for init), or convert the file to UTF-8"
        }
        "E0309" => "add --separator \";\", or write format = { separator = \";\" } if the job names the data",
        "E0319" => {
            "add --decimal \",\" if numbers have a decimal comma, or list words for missing values in missing_values"
        }
        "E0327" => "disclosure-sql reads Parquet and Arrow files (docs/engines.md); export other formats as CSV",
        "E0336" => "add the labels, set missing = \"category\" or other = \"...\", or repair the rows",
        "E0350" => "docs/engines.md says which program reads which data",
        "E0328" => "repair the sheet, or export it as CSV; --sheet NAME reads another one",
        "E0308" => "compare the names of the attributes (or their `column`) with the header",
        "E0316" => "add the label, collect unlisted ones with other = \"...\", or repair the row",
        "E0361" | "E0363" => "make the file again with this version of the command",
        "E0362" => "fetch the file again from its source",
        "E0368" | "E0369" => "make missing values a category, and count all tables in one transaction",
        "E0391" => "fetch the file again from its source",
        "E0392" => "give the schema with which the reports were made",
        "E0401" => "check the labels, then write domain_is_public = true in a domain.toml",
        "E0402" => "use the terms of the ledger in the specification, or another ledger",
        "E0403" => "raise the budget to the value in the message, or raise max_sd of some marginals",
        "E0407" => "create a key in a new file: --secret-file FILE --new-secret",
        "E0415" => "disclosure screen search SPEC finds the first setting that meets the target",
        "E0421" => "change the job and run disclosure run JOB -o DIR --dry-run until every target is met",
        "E0425" => "raise max_mean, or loosen the target",
        "E0501" => "disclosure ledger show FILE prints the remaining budget; request at most that rho",
        "E0502" => "lower epsilon in [exact], or raise rho in [budget]",
        "E0661" => "raise --max-memory",
        "E0611" => "request fewer or smaller marginals, or raise --max-marginals, --max-answers or --max-memory",
        "E0641" => "write order = 2 in the schema, or raise --max-memory",
        "E0612" => "request smaller marginals",
        "E0624" => "plan with strategy = \"automatic\"",
        _ => return None,
    })
}

/// Refuses fields of a section that belong to the whole job. `given` pairs each name with whether
/// the section has it.
///
/// # Errors
/// E0243 for the first field that was given.
pub fn reject_job_fields(given: &[(&str, bool)]) -> Result<(), JobError> {
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            Err(JobError::new("E0243", format!("{name} belongs at the top of the job, not in a section")))
        }
    }
}

/// The message of an error, followed by those of its sources.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(error.source(), |source| source.source());
    sources.fold(error.to_string(), |text, source| {
        let more = source.to_string();
        if text.contains(&more) { text } else { format!("{text}: {more}") }
    })
}

impl From<DataError> for JobError {
    fn from(error: DataError) -> Self {
        let failure = Self::new(error.code(), chain(&error));
        match error.defect() {
            Defect::OtherFormat { format } if !matches!(*format, "a Parquet file" | "an Arrow file") => {
                failure.next("save it as CSV or as a workbook (XLSX), and use that file")
            }
            Defect::Read(source) if is_damaged(source) => Self::damaged(source),
            _ => failure,
        }
    }
}

impl From<SchemaError> for JobError {
    fn from(error: SchemaError) -> Self {
        Self::new(error.code(), chain(&error))
    }
}

impl From<OutputError> for JobError {
    fn from(error: OutputError) -> Self {
        Self::new(error.code(), chain(&error))
    }
}

impl From<LedgerError> for JobError {
    fn from(error: LedgerError) -> Self {
        let failure = Self::new(error.code(), chain(&error));
        match &error {
            LedgerError::System { path, source } if source.kind() == io::ErrorKind::NotFound && lacks_directory(path) => {
                failure.next("create its directory first")
            }
            LedgerError::System { path, source } if source.kind() == io::ErrorKind::NotFound => failure.next(format!(
                "create it with this release: --new-ledger --rho R; or before it: disclosure ledger open {} --rho R --neighbours ...",
                path.display()
            )),
            LedgerError::Exposed { place, .. } => failure.next(what_to_do(place)),
            LedgerError::NotSynced { path, rho, .. } => failure.after_spending(*rho, path),
            LedgerError::Full { .. } => {
                failure.next("open a new ledger with the budget that is left, and charge this one no more")
            }
            _ => failure,
        }
    }
}

fn lacks_directory(path: &Path) -> bool {
    path.parent().is_some_and(|directory| !directory.as_os_str().is_empty() && !directory.exists())
}

impl From<ResplanError> for JobError {
    fn from(error: ResplanError) -> Self {
        use ResplanError as E;
        let code = match &error {
            E::Stopped => return Self::stopped(),
            E::EmptyWorkload => "E0221",
            E::UnknownAttribute { .. } => "E0222",
            E::NotMeasured { .. } => "E0227",
            E::RepeatedMarginal { .. } => "E0223",
            E::BadWeight { .. } => "E0224",
            E::BadBasis { .. } => "E0213",
            E::BadNorm { .. } => "E0216",
            E::BadTilt { .. } => "E0217",
            E::NoStrategy { .. } => "E0218",
            E::BadContribution => "E0225",
            E::NoiseOutOfRange(_) | E::BudgetOutOfRange { .. } => "E0226",
            E::BadBound { .. } => "E0229",
            E::BoundsOutOfReach { .. } => "E0403",
            E::DomainLearntFromData => "E0401",
            E::TooLarge { .. } => "E0611",
            E::CountsTooLarge { .. } => "E0612",
            E::TooManyPeople { .. } => "E0624",
            E::NeedsLinalg { .. } => "E0220",
            E::TotalsDiffer { .. } => "E0368",
            E::MarginsDiffer { .. } => "E0369",
            // A plan and its data are made from one schema here, and a source in memory fails for
            // its size alone.
            _ => "E0613",
        };
        Self::new(code, chain(&error))
    }
}

impl From<StoredError> for JobError {
    fn from(error: StoredError) -> Self {
        use StoredError as E;
        let code = match error {
            // Refused for the reason that a new plan would be.
            E::Plan(error) => return error.into(),
            E::OtherFormat { .. } => "E0361",
            E::Json { .. } | E::Damaged { .. } => "E0362",
            E::Inconsistent { .. } | E::Domain(_) => "E0363",
            _ => "E0104",
        };
        Self::new(code, chain(&error))
    }
}

#[cfg(test)]
mod tests {
    use disclosure::privacy_core::AttrSet;

    use super::*;

    #[test]
    fn tables_that_disagree_and_missing_features_have_codes_of_their_own() {
        let (one, other, common) = (AttrSet::EMPTY, AttrSet::EMPTY, AttrSet::EMPTY);
        for (error, code, exit_code) in [
            (ResplanError::NeedsLinalg { attribute: 0 }, "E0220", 2),
            (ResplanError::TotalsDiffer { one, other }, "E0368", 3),
            (ResplanError::MarginsDiffer { one, other, common }, "E0369", 3),
        ] {
            let error = JobError::from(error);
            assert!(error.has_code(code) && error.exit_code() == exit_code, "{code}");
            assert!(error.next_step().is_some(), "{code} says what to do next");
            assert!(explanations().any(|(known, text)| known == code && text.len() > 100), "{code}");
        }
    }
}
