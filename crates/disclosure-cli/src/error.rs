//! Every way to fail: a stable code, a message without data, an exit code.

use std::process::ExitCode;

use disclosure::resplan::Error as ResplanError;
use privacy_data::{DataError, OutputError, SchemaError};
use serde_json::json;

use crate::ledger::LedgerError;

/// A failure, as the user sees it.
#[derive(Debug)]
pub(crate) struct Failure {
    code: &'static str,
    message: String,
    next: Option<String>,
}

impl Failure {
    /// A failure with its code, a key of `explain`.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), next: None }
    }

    /// The same, with what to type next.
    pub(crate) fn next(self, next: impl Into<String>) -> Self {
        Self { next: Some(next.into()), ..self }
    }

    /// The same, naming the file it is about.
    pub(crate) fn within(self, file: &std::path::Path) -> Self {
        Self { message: format!("{}: {}", file.display(), self.message), ..self }
    }

    /// Words of the command that make no sense.
    pub(crate) fn words(wrong: &clap::Error) -> Self {
        let text = wrong.render().to_string();
        let first = text.lines().next().unwrap_or_default();
        Self::new("E0200", first.trim_start_matches("error: "))
    }

    /// A failure to open or read a file.
    pub(crate) fn reading(path: &std::path::Path, source: &std::io::Error) -> Self {
        Self::new("E0104", format!("{}: {source}", path.display()))
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
        if json {
            let document = json!({
                "schema": "disclosure.error/1",
                "code": self.code,
                "exit_code": self.exit_code(),
                "message": self.message,
                "next": self.next,
            });
            anstream::eprintln!("{document}");
        } else {
            let red = clap::builder::styling::AnsiColor::Red.on_default().bold();
            anstream::eprintln!("{red}error[{}]{red:#}: {}", self.code, self.message);
            if let Some(next) = &self.next {
                anstream::eprintln!("  next: {next}");
            }
            anstream::eprintln!("  more: disclosure explain {}", self.code);
        }
        ExitCode::from(self.exit_code())
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
            E::UnknownAttribute { .. } | E::NotMeasured { .. } => "E0222",
            E::RepeatedMarginal { .. } => "E0223",
            E::BadWeight { .. } => "E0224",
            E::BadContribution => "E0225",
            E::NoiseOutOfRange(_) => "E0226",
            E::DomainLearntFromData => "E0401",
            E::TooLarge { .. } => "E0611",
            E::CountsTooLarge { .. } => "E0612",
            // A plan and its data are made from one schema here, and a source in memory fails for its size alone.
            _ => "E0613",
        };
        let failure = Self::new(code, chain(&error));
        match error {
            E::DomainLearntFromData => {
                failure.next("check the labels in the domain file, then write domain_is_public = true in it")
            }
            E::TooLarge { what: "bytes of memory", .. } => {
                failure.next("ask for fewer marginals, or raise --max-memory")
            }
            E::TooLarge { .. } => failure.next("ask for fewer or smaller marginals, or raise --max-cells"),
            _ => failure,
        }
    }
}
