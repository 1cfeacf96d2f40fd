//! Standard input, standard output, and files that are read.

use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use disclosure::privacy_core::rng;
use disclosure_jobs::disclosure::privacy_core::prf::Secret;
use disclosure_jobs::document::date_of;
use disclosure_jobs::ended::not_shown;
use disclosure_jobs::input::{
    CsvSource, FormatSpec, OpenedSource, SourceOpener, SourceRequest, check_not_read, is_pipe, open_file, text_of,
};
use disclosure_jobs::privacy_data::FileOptions;
use disclosure_jobs::secret::{make_secret, read_secret};
use disclosure_jobs::sink::FileSink;
use rand_chacha::ChaCha20Rng;

pub(crate) use disclosure_jobs::document::json_of;

use crate::display::{fit, printable};
use crate::error::Failure;
use crate::observer::{AboutFiles, clear_line};
use crate::stop;

/// A file, or the standard input for `-`.
pub(crate) fn open(path: &Path) -> Result<Box<dyn Read>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    Ok(Box::new(open_file(path)?))
}

/// Whether data can be read once alone.
pub(crate) fn is_stream(path: &Path) -> bool {
    path == Path::new("-") || is_pipe(path)
}

/// What opens data that are not text.
static OPENERS: OnceLock<Vec<Box<dyn SourceOpener>>> = OnceLock::new();

/// Opens data that are no text with these from now on.
pub(crate) fn open_data_with(openers: Vec<Box<dyn SourceOpener>>) {
    // The first call is that of the program.
    let _ = OPENERS.set(openers);
}

/// What opens data that are not text: nothing in the program that reads text alone.
#[cfg(feature = "serve")]
pub(crate) fn openers() -> &'static [Box<dyn SourceOpener>] {
    OPENERS.get().map_or(&[][..], Vec::as_slice)
}

/// The data at a path or an address, or those of the standard input for `-`. Says what was found
/// out about the form of a file.
pub(crate) fn data_source(path: &Path, format: FormatSpec) -> Result<OpenedSource, Failure> {
    data_source_within(path, format, u64::MAX)
}

/// The same, of which at most `max_mib` mebibytes may be held.
pub(crate) fn data_source_within(path: &Path, format: FormatSpec, max_mib: u64) -> Result<OpenedSource, Failure> {
    let openers = OPENERS.get().map_or(&[][..], Vec::as_slice);
    let request = SourceRequest { name: path, format: &format, stop: stop::flag() };
    if path != Path::new("-")
        && let Some(source) = OpenedSource::by(openers, &request)?
    {
        return Ok(source);
    }
    let source = match () {
        () if path == Path::new("-") => CsvSource::stream("-", io::stdin()),
        () if is_pipe(path) => CsvSource::stream(path, open(path)?),
        () => CsvSource::file(path),
    };
    let source = source.with_format(format).with_stop(stop::flag().clone()).with_max_mib(max_mib);
    if let Some(form) = source.form()? {
        note(&format!("{} is read as: {form}.", path.display()));
    }
    Ok(OpenedSource::Text(Box::new(source)))
}

/// The generator of a release, seeded by the operating system.
pub(crate) fn system_rng() -> Result<ChaCha20Rng, Failure> {
    rng::system().map_err(|error| Failure::new("E0106", error.to_string()))
}

/// The secret of a file, which is made first if it may be new and is not there.
pub(crate) fn secret_of(path: &Path, may_be_new: bool) -> Result<Secret, Failure> {
    if may_be_new {
        make_secret(path, &AboutFiles, &mut system_rng()?)?;
    }
    read_secret(path)
}

/// The text of a domain file or of a file that a spec names: refused above 16 MiB, never cut.
pub(crate) fn read_text(path: &Path) -> Result<String, Failure> {
    read_text_at_most(path, |_| 1 << 24)
}

/// The text of a file: refused above the limit that its first bytes call for, never cut.
pub(crate) fn read_text_at_most(path: &Path, limit: impl FnOnce(&[u8]) -> u64) -> Result<String, Failure> {
    text_of(open(path)?, path, limit)
}

/// Writes to the standard output. A reader who has gone away is no failure.
pub(crate) fn print(bytes: &[u8]) -> Result<(), Failure> {
    clear_line();
    let mut out = anstream::stdout();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(source) if source.kind() != io::ErrorKind::BrokenPipe => {
            Err(not_shown(Failure::new("E0107", format!("cannot write to standard output: {source}"))))
        }
        _ => Ok(()),
    }
}

/// Prints what people read, no wider than their terminal; nothing under `--quiet`.
pub(crate) fn print_text(text: &str) -> Result<(), Failure> {
    if is_quiet() { Ok(()) } else { print_answer(text) }
}

/// Prints what a person asked to read and nothing else, under `--quiet` too.
pub(crate) fn print_answer(text: &str) -> Result<(), Failure> {
    print(fit(text).as_bytes())
}

/// Whether a program reads the standard error: with `--json` it has the document of a failure and
/// nothing else.
static FOR_PROGRAMS: AtomicBool = AtomicBool::new(false);

/// Whether nothing is said but errors, and nothing is printed but what a program reads.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Says nothing but errors from now on.
pub(crate) fn keep_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether a person hears of nothing but errors.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed) || are_errors_for_programs()
}

/// Keeps the standard error for the document of a failure.
pub(crate) fn keep_errors_for_programs() {
    FOR_PROGRAMS.store(true, Ordering::Relaxed);
}

/// Whether the standard error is kept for the document of a failure.
pub(crate) fn are_errors_for_programs() -> bool {
    FOR_PROGRAMS.load(Ordering::Relaxed)
}

/// Says something to a person, on the standard error; nothing where a program reads it, and under
/// `--quiet`. That nobody hears it is no failure.
pub(crate) fn say(words: &str) {
    if !is_quiet() {
        // Names of files and in specifications must not steer the terminal.
        write_error_text(&printable(words));
    }
}

/// Writes words to the standard error, no wider than the terminal.
pub(crate) fn write_error_text(words: &str) {
    write_error(fit(words).trim_end_matches('\n'));
}

/// What is remarked on a job, for a program that reads it in the document that is printed: the name
/// of a field at its end, and a sentence in it.
static REMARKS: Mutex<Vec<(&str, String)>> = Mutex::new(Vec::new());

/// Warns of parameters: on the standard error, or in the field `warnings`.
pub(crate) fn warn(warnings: &[String]) {
    warnings.iter().for_each(|words| remark("warnings", words));
}

/// Says what was found out or assumed: on the standard error, or in the field `notes`.
pub(crate) fn note(words: &str) {
    remark("notes", words);
}

fn remark(field: &'static str, words: &str) {
    match are_errors_for_programs() {
        true => REMARKS.lock().unwrap_or_else(PoisonError::into_inner).push((field, words.to_owned())),
        false => say(words),
    }
}

/// Writes a line to the standard error, for people and programs alike.
pub(crate) fn write_error(words: &str) {
    clear_line();
    let _ = writeln!(anstream::stderr(), "{words}");
}

/// Whether a file that is there is replaced, as an argument of several commands.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct WriteArgs {
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
}

/// A file that a command will write.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputFile<'a> {
    path: &'a Path,
    options: FileOptions,
}

impl WriteArgs {
    /// A file that may leave, or has nothing of the data; refused if it is there already.
    pub(crate) fn file(self, path: &Path) -> Result<OutputFile<'_>, Failure> {
        self.checked(path, false)
    }

    /// A file for the owner of the data: nobody else may read it.
    pub(crate) fn owner_file(self, path: &Path) -> Result<OutputFile<'_>, Failure> {
        self.checked(path, true)
    }

    fn checked(self, path: &Path, for_owner: bool) -> Result<OutputFile<'_>, Failure> {
        let options = FileOptions { for_owner, replaces: self.force };
        options.check(named(path)?)?;
        Ok(OutputFile { path, options })
    }
}

impl<'a> OutputFile<'a> {
    pub(crate) fn path(&self) -> &'a Path {
        self.path
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(bytes))
    }

    /// Writes the file whole or not at all, and in the place of no file that was read.
    pub(crate) fn write_with(&self, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        check_not_read(self.path)?;
        Ok(self.options.write_with(self.path, write)?)
    }

    /// The same in the place of a file whose content is in the new one.
    pub(crate) fn write_sum(&self, bytes: &[u8]) -> Result<(), Failure> {
        Ok(self.options.write_with(self.path, |file| file.write_all(bytes))?)
    }

    pub(crate) fn sink(&self) -> Result<FileSink, Failure> {
        check_not_read(self.path)?;
        FileSink::new(self.path, self.options)
    }
}

/// Refuses `-`, which is a standard stream and no name for a file that is written.
pub(crate) fn named(path: &Path) -> Result<&Path, Failure> {
    if path == Path::new("-") {
        return Err(Failure::new(
            "E0200",
            "- stands for a standard stream, which cannot be used here; name a file or directory",
        ));
    }
    Ok(path)
}

/// Prints one JSON document, with the notes and the warnings in fields at its end; a document with
/// notes of its own has them all in one list.
pub(crate) fn print_json(document: &impl serde::Serialize) -> Result<(), Failure> {
    let mut json = String::from_utf8(json_of(document)).expect("JSON is UTF-8");
    let remarks = std::mem::take(&mut *REMARKS.lock().unwrap_or_else(PoisonError::into_inner));
    for field in ["notes", "warnings"] {
        let said = remarks.iter().filter(|(name, _)| *name == field);
        json = with_remarks(json, field, &said.map(|(_, words)| words.as_str()).collect::<Vec<_>>());
    }
    print(json.as_bytes())
}

/// A document with more sentences in a field. Documents are objects with fields, whose order a
/// generic value would lose.
fn with_remarks(json: String, field: &str, said: &[&str]) -> String {
    let Some(fields) = json.strip_suffix("\n}\n").filter(|_| !said.is_empty()) else { return json };
    let list = serde_json::json!(said).to_string();
    match fields.split_once(&format!("\n  \"{field}\": [")) {
        None => format!("{fields},\n  \"{field}\": {list}\n}}\n"),
        Some((before, own)) => {
            let comma = if own.starts_with(']') { "" } else { "," };
            let said = &list[1..list.len() - 1];
            format!("{before}\n  \"{field}\": [{said}{comma}{own}\n}}\n")
        }
    }
}

/// The day in UTC, which dates a release whose job does not.
pub(crate) fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    date_of(since.map_or(0, |since| since.as_secs()))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn remarks_join_a_field_that_is_there() {
        let merged = |document: Value| -> Value {
            let json = String::from_utf8(json_of(&document)).unwrap();
            serde_json::from_str(&with_remarks(json, "notes", &["a [b]", "c"])).unwrap()
        };
        assert_eq!(merged(json!({"x": 1}))["notes"], json!(["a [b]", "c"]));
        assert_eq!(merged(json!({"notes": [], "x": 1}))["notes"], json!(["a [b]", "c"]));
        assert_eq!(merged(json!({"a": [1], "notes": ["own"]}))["notes"], json!(["a [b]", "c", "own"]));
        assert_eq!(with_remarks("{\n}\n".to_owned(), "notes", &[]), "{\n}\n");
    }
}
