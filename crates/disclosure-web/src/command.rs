//! The command line that carries a job out from the folder of the data, and how a job names its
//! data.

use std::path::Path;

use disclosure_jobs::input::is_address;
use disclosure_jobs::privacy_data::toml_text;

use crate::choices::{Choices, Relation};
use crate::folder::WORKBENCH;
use crate::jobfile::{KEY, LEDGER, file_names};
use crate::parts::Alone;

/// What the line of a job file with its command begins with.
pub(crate) const COMMAND: &str = "#   ";

/// The command that carries the job of a release out from the folder of the data. A ledger that is
/// not there yet is made by it.
pub(crate) fn command(choices: &Choices, number: u32) -> String {
    let job = format!("{WORKBENCH}/{}", file_names(number)[0]);
    let program = if is_of_engine(choices) { "disclosure-sql" } else { "disclosure" };
    let data = data_words(choices);
    match &choices.alone {
        Some(Alone::Reports(_)) => format!("{program} ldp encode {job} {data} -o reports.bin"),
        Some(Alone::Amounts(_)) => format!("{program} magnitude release {job} -o out"),
        Some(Alone::Rows(_)) => {
            let ledger = match choices.ledger {
                Some(rho) => format!(" --ledger {WORKBENCH}/{LEDGER} --new-ledger --rho {rho}"),
                None => String::new(),
            };
            format!("{program} adaptive release {job} {data} -o out{ledger}")
        }
        None => {
            let mut words = format!("{program} run {job} -o out");
            if choices.filter.is_some() {
                words += &format!(" --secret-file {WORKBENCH}/{KEY} --register");
            }
            if let (Some(rho), Some(_)) = (choices.ledger, &choices.noise) {
                words += &format!(" --new-ledger --rho {rho}");
            }
            words
        }
    }
}

/// Whether the data are read by an engine and not as text.
fn is_of_engine(choices: &Choices) -> bool {
    let name = choices.data.as_deref().unwrap_or_default();
    is_address(Path::new(name)) || !crate::folder::is_text(name)
}

/// The data as words of a command line.
fn data_words(choices: &Choices) -> String {
    let data = word(choices.data.as_deref().unwrap_or_default());
    match &choices.relation {
        None => data,
        Some(Relation::Table(table)) => format!("{data} --table {}", word(table)),
        Some(Relation::Query(query)) => {
            format!("{data} --query {}", word(&query.split_whitespace().collect::<Vec<_>>().join(" ")))
        }
    }
}

/// Whether a character of a word stands for itself in a shell.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"._/:@-".contains(&byte)
}

/// A text as one word of a shell: a name of a file must not become a command.
fn word(text: &str) -> String {
    if text.chars().any(char::is_control) {
        // Nothing leaves the line of a comment.
        return "DATA".to_owned();
    }
    match !text.is_empty() && text.bytes().all(is_plain) && !text.starts_with('-') {
        true => text.to_owned(),
        // Behind ./ a name that begins with a hyphen is no option.
        false if text.starts_with('-') => format!("'./{}'", text.replace('\'', r"'\''")),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The data as a job in the folder of the workbench names them.
pub(crate) fn beside_job(data: &str) -> String {
    if is_address(Path::new(data)) { data.to_owned() } else { format!("../{data}") }
}

/// What of a database is read, as a job says it.
pub(crate) fn format_of(relation: &Relation) -> String {
    match relation {
        Relation::Table(table) => format!("{{ table = {} }}", toml_text(table)),
        Relation::Query(query) => format!("{{ query = {} }}", toml_text(query)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_data_becomes_a_command() {
        assert_eq!(word("deep/people.csv"), "deep/people.csv");
        assert_eq!(word("a b; rm x"), "'a b; rm x'");
        assert_eq!(word("it's $(x)"), r"'it'\''s $(x)'");
        assert_eq!(word("-o"), "'./-o'");
        assert_eq!(word("a\ndata = \"/etc/passwd\""), "DATA");
        assert_eq!(word("postgres://me@localhost:5432/base"), "postgres://me@localhost:5432/base");
    }

    #[test]
    fn what_an_engine_reads_is_named_with_its_program() {
        let mut choices = Choices { data: Some("people.PARQUET".to_owned()), ..Choices::default() };
        assert_eq!(command(&choices, 1), "disclosure-sql run disclosure-workbench/job-1.toml -o out");
        choices.data = Some("postgres://localhost/base".to_owned());
        choices.relation = Some(Relation::Table("people".to_owned()));
        choices.alone = Some(Alone::Reports(crate::parts::Reports::default()));
        let wanted = "disclosure-sql ldp encode disclosure-workbench/job-2.toml postgres://localhost/base --table people \
                      -o reports.bin";
        assert_eq!(command(&choices, 2), wanted);
        assert_eq!(beside_job("postgres://localhost/base"), "postgres://localhost/base");
        assert_eq!(format_of(&Relation::Query("SELECT \"a\"".to_owned())), r#"{ query = "SELECT \"a\"" }"#);
    }
}
