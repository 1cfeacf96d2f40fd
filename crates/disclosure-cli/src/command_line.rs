//! The words of a command line: parsed, or what is printed in place of a run.

use std::ffi::OsString;

use clap::builder::Styles;
use clap::{CommandFactory, FromArgMatches};

use crate::args::Args;
use crate::display::one_line;
use crate::error::{invalid_command_line, invalid_text, json_line};

/// What a command line prints that starts no command: its help, or why it is invalid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// The text; with `--json` the document of an invalid command line.
    pub text: String,
    /// 0 for help and the version, 2 for an invalid command line.
    pub exit_code: u8,
}

/// What reads command lines, the name of the program their first word, and runs nothing.
#[derive(Debug)]
pub struct CommandLines {
    command: clap::Command,
}

impl Default for CommandLines {
    /// Prints without colours, so that an escape sequence in a text is one of a word.
    fn default() -> Self {
        Self { command: Args::command().styles(Styles::plain()) }
    }
}

impl CommandLines {
    /// Whether words start a command.
    ///
    /// # Errors
    /// What [`run_command`](crate::run_command) prints if they do not.
    pub fn check(&mut self, words: &[OsString]) -> Result<(), Printed> {
        let Err(error) = self.parse(words) else { return Ok(()) };
        if error.use_stderr() && asks_for_json(words) {
            let failure = invalid_command_line(&error);
            return Err(Printed { text: json_line(&failure), exit_code: failure.exit_code() });
        }
        if error.use_stderr() {
            return Err(Printed { text: invalid_text(&error), exit_code: 2 });
        }
        Err(Printed { text: error.render().ansi().to_string(), exit_code: 0 })
    }

    /// Prints with colours where there are any.
    pub(crate) fn coloured() -> Self {
        Self { command: Args::command() }
    }

    /// The arguments of a command line. Its errors repeat no character that steers a terminal: clap
    /// repeats words, that of the program among them, as they are.
    pub(crate) fn parse(&mut self, words: &[OsString]) -> Result<Args, clap::Error> {
        let shown: Vec<OsString> = words.iter().map(shown).collect();
        // The name of the program is in every usage.
        let named = shown.iter().take(1).chain(words.iter().skip(1));
        let error = match self.arguments(named) {
            Ok(args) => return Ok(args),
            Err(error) if shown == words => return Err(error),
            Err(error) => error,
        };
        // The error of the same command line with question marks for what would steer a terminal.
        match self.arguments(&shown) {
            Err(of_shown) if of_shown.kind() == error.kind() => Err(of_shown),
            // A question mark has a meaning that the character had not: nothing is repeated.
            _ => Err(clap::Error::new(error.kind())),
        }
    }

    fn arguments<'a>(&mut self, words: impl IntoIterator<Item = &'a OsString>) -> Result<Args, clap::Error> {
        let mut matches = self.command.try_get_matches_from_mut(words)?;
        Args::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut self.command))
    }
}

/// Whether a program reads the standard error.
pub(crate) fn asks_for_json(words: &[OsString]) -> bool {
    words.iter().any(|word| word == "--json")
}

/// A word as it may be printed: itself unless it misleads.
fn shown(word: &OsString) -> OsString {
    let text = word.to_string_lossy();
    let line = one_line(&text);
    if line == text { word.clone() } else { line.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(words: &[&str]) -> Printed {
        let words: Vec<OsString> = words.iter().map(OsString::from).collect();
        CommandLines::default().check(&words).expect_err("no command line")
    }

    #[test]
    fn no_word_steers_the_terminal_through_an_error() {
        let clear = "\u{1b}[2J\u{1b}[1;1H";
        for words in [
            &["disclosure", clear][..],
            &["disclosure", "resplan", "plan", "a", "--weights", clear],
            &["disclosure", "resplan", "plan", "a", "--target-sd", "1\nnext: disclosure run\u{202e}"],
            &["disclosure", "ledger", "show", "a", "b\u{9b}2J"],
            &["disclosure", "--help\r"],
            &["disclosure", &format!("--{clear}=1"), "--json"],
            &[clear, "screen", "model"],
        ] {
            let Printed { text, exit_code } = printed(words);
            assert_eq!(exit_code, 2, "{words:?}");
            assert!(text.contains('?') && !text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
            assert!(!text.contains(['\u{202e}']) && !text.contains("\nnext:"), "{text:?}");
        }
    }

    #[test]
    fn a_question_mark_that_means_more_is_not_repeated() {
        // As a letter of a flag it asks for help in other programs; here neither is known.
        let text = printed(&["disclosure", "resplan", "plan", "\u{7}", "--trials"]).text;
        assert!(text.starts_with("error[E0200]: ") && !text.contains('\u{7}'), "{text:?}");
    }

    #[test]
    fn help_and_version_are_no_errors() {
        for word in ["--help", "--version", "help"] {
            assert_eq!(printed(&["disclosure", word]).exit_code, 0, "{word}");
        }
        let json = printed(&["disclosure", "resplan", "--json"]);
        let document: serde_json::Value = serde_json::from_str(&json.text).unwrap();
        assert_eq!((json.exit_code, document["code"].as_str()), (2, Some("E0200")), "{document}");
        assert_eq!(CommandLines::default().check(&["disclosure", "man"].map(OsString::from)), Ok(()));
    }
}
