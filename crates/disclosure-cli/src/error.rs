//! Every way to fail: a stable code, a message without data, an exit code.

use std::process::ExitCode;

use disclosure::resplan::{Error as ResplanError, StoredError};
use privacy_data::{DataError, OutputError, SchemaError};
use serde_json::json;

use crate::display::printable;
use crate::files::say;
use crate::ledger::LedgerError;

/// A failure, as the user sees it.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
    next: Option<String>,
    /// Whether a budget was spent before it failed.
    spent: bool,
}

impl Failure {
    /// A failure with its code, a key of `explain`.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None, spent: false }
    }

    /// The same, with what to type next.
    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    /// The same, naming the file it is about.
    pub(crate) fn within(self, file: &std::path::Path) -> Self {
        self.of(&file.display().to_string())
    }

    /// The same, naming what it is about.
    pub(crate) fn of(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// The same, after a ledger was charged: whoever reads it must know that the budget is gone.
    pub(crate) fn after_spending(self, rho: f64, ledger: &std::path::Path) -> Self {
        let next = format!("rho {rho} is spent in {}; a new release is paid for again", ledger.display());
        Self { next: Some(next), spent: true, ..self }
    }

    /// Words of the command that make no sense.
    pub(crate) fn words(wrong: &clap::Error) -> Self {
        let text = wrong.render().to_string();
        let said = text.lines().take_while(|line| !line.starts_with("Usage")).map(str::trim);
        let said: Vec<&str> = said.filter(|line| !line.is_empty()).collect();
        Self::new("E0200", said.join(" ").trim_start_matches("error: "))
    }

    /// A failure to open or read a file.
    pub(crate) fn reading(path: &std::path::Path, source: &std::io::Error) -> Self {
        Self::new("E0104", format!("{}: {source}", path.display()))
    }

    /// Whether it is the failure of this code.
    pub(crate) fn has_code(&self, code: &str) -> bool {
        self.code == code
    }

    /// The exit code: the hundreds of the error code are its kind.
    fn exit_code(&self) -> u8 {
        match self.code.as_bytes().get(2) {
            Some(kind @ b'1'..=b'6') => kind - b'0',
            _ => 1,
        }
    }

    /// Says it on the standard error, and gives the exit code.
    pub(crate) fn report(&self, json: bool) -> ExitCode {
        let next = self.next.as_deref().or_else(|| what_next(self.code));
        if json {
            let document = json!({
                "schema": "disclosure.error/1",
                "code": self.code,
                "exit_code": self.exit_code(),
                "message": self.message,
                "next": next,
                "spent": self.spent,
            });
            say(&document.to_string());
        } else {
            let red = clap::builder::styling::AnsiColor::Red.on_default().bold();
            // File names and names in specs must not steer the terminal.
            say(&format!("{red}error[{}]{red:#}: {}", self.code, printable(&self.message)));
            if let Some(next) = next {
                say(&format!("  next: {}", printable(next)));
            }
            say(&format!("  more: disclosure explain {}", self.code));
        }
        ExitCode::from(self.exit_code())
    }
}

/// What to do next, where the code alone tells.
fn what_next(code: &str) -> Option<&'static str> {
    Some(match code {
        "E0103" => "check the free space and the permissions of the parent directory, which must exist",
        "E0111" => "name a new directory with -o, or remove the old one",
        "E0200" => "disclosure --help",
        "E0210" => "docs/formats.md lists every field of a spec",
        "E0212" => "keep one of rho, mu, pcost, or epsilon with delta",
        "E0213" => "compare the basis with the categories of the attribute; docs/formats.md lists every basis",
        "E0219" => "give the label, the node or the query another name",
        "E0221" => "write up_to = 2, or marginals = [[\"age\"]]",
        "E0227" => "ask for a table within a planned one; without --marginal the command lists them",
        "E0228" => "--marginal shows a table with the names of its answers",
        "E0229" => "write max_sd = 5.0 beside the set, with objective = \"sum-variance\"",
        "E0251" => {
            "write rows = 400, cardinalities = [2, 3, 5], classes = 2; for a table: disclosure screen table SPEC DATA"
        }
        "E0255" => "write target_accuracy = 0.8",
        "E0261" | "E0262" => "docs/formats.md lists what each protocol takes",
        "E0272" => "write mean = 8.0, sd = 1.5 and always_suppress_upper_bound = 2",
        "E0275" => "--rest=\"(other)\"",
        "E0276" => "disclosure lcf odds --mean 8 --sd 1.5 --floor 2",
        "E0278" => "write certainty_odds = 1e-3 with posterior = 0.9, or epsilon = 1.0 with delta = 1e-5",
        "E0304" => "write encoding = \"latin1\" in the spec (--encoding latin1 for init), or convert the file to UTF-8",
        "E0308" => "compare the names of the attributes (or their `column`) with the header",
        "E0316" => "add the label, collect unlisted ones with other = \"...\", or repair the row",
        "E0361" | "E0363" => "make the file again with this version of the command",
        "E0362" => "fetch the file again from where it was written",
        "E0391" => "fetch the file again from where it was written",
        "E0392" => "give the schema that the reports were made under",
        "E0401" => "check the labels, then write domain_is_public = true in a domain.toml",
        "E0402" => "use the ledger's words in the spec, or another ledger",
        "E0403" => "raise the budget to what the message names, or the max_sd of some marginals",
        "E0407" => "--secret-file with the name of a file that is not there, and --new-secret, make one",
        "E0415" => "disclosure screen search SPEC finds the first setting that keeps the target",
        "E0421" => "disclosure run JOB -o DIR --dry-run, until what leaves meets the targets",
        "E0425" => "raise max_mean, or loosen the target",
        "E0501" => "disclosure ledger show FILE says what is left; ask for at most that rho",
        "E0502" => "lower epsilon in [exact], or raise rho in [budget]",
        "E0661" => "raise --max-memory",
        "E0611" => "ask for fewer or smaller marginals, or raise --max-marginals, --max-answers or --max-memory",
        "E0641" => "write order = 2 in the schema, or raise --max-memory",
        "E0612" => "ask for smaller marginals",
        _ => return None,
    })
}

/// Refuses fields of a section that the whole job has at its top; each with whether it was given.
pub(crate) fn at_the_top(given: &[(&str, bool)]) -> Result<(), Failure> {
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            Err(Failure::new("E0243", format!("{name} is said once for the whole job, not in a section")))
        }
    }
}

/// The message of an error and of all its sources.
fn chain(error: &dyn std::error::Error) -> String {
    let sources = std::iter::successors(error.source(), |source| source.source());
    sources.fold(error.to_string(), |text, source| {
        let more = source.to_string();
        if text.contains(&more) { text } else { format!("{text}: {more}") }
    })
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        Self::new(error.code(), chain(&error))
    }
}

impl From<SchemaError> for Failure {
    fn from(error: SchemaError) -> Self {
        Self::new(error.code(), chain(&error))
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Self::new(error.code(), chain(&error))
    }
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::new(error.code(), chain(&error))
    }
}

impl From<ResplanError> for Failure {
    fn from(error: ResplanError) -> Self {
        use ResplanError as E;
        let code = match &error {
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
            // A plan and its data are made from one schema here, and a source in memory fails for its size alone.
            _ => "E0613",
        };
        Self::new(code, chain(&error))
    }
}

impl From<StoredError> for Failure {
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
