//! The command line: any words, parsed and not run.
//!
//! The bytes of the target are the words behind the name of the program, with a NUL between two of
//! them, which no word of a system has.

use std::cell::RefCell;
use std::ffi::OsString;

use disclosure_cli::{CommandLines, Printed};

/// Most bytes of a command line: longer words are the same again, and wrapped for longer.
const MOST_BYTES: usize = 1 << 11;

thread_local! {
    /// Made once: it takes longer than a command line.
    static LINES: RefCell<CommandLines> = RefCell::default();
}

/// Any words start a command, or end as the contract of the command says: in exit code 2, or in 0
/// where help was asked for, and with no character that steers a terminal.
pub(crate) fn words(bytes: &[u8]) -> bool {
    let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
    let behind = bytes.split(|&byte| byte == 0).filter(|word| !bytes.is_empty() || !word.is_empty());
    let words: Vec<OsString> = std::iter::once(OsString::from("disclosure")).chain(behind.map(word)).collect();
    let Err(Printed { text, exit_code }) = LINES.with_borrow_mut(|lines| lines.check(&words)) else { return true };
    let asks_for_help = words.iter().any(|word| word == "help" || word.as_encoded_bytes().starts_with(b"-"));
    assert!(exit_code == 2 || (exit_code == 0 && asks_for_help), "exit code {exit_code}");
    assert!(!text.contains(steers), "{text:?} steers a terminal");
    if exit_code == 2 && words.iter().any(|word| word == "--json") {
        let document: serde_json::Value = serde_json::from_str(&text).expect("an error for programs is JSON");
        assert_eq!((document["code"].as_str(), document["exit_code"].as_u64()), (Some("E0200"), Some(2)));
        assert!(!text.contains('\n'), "and one line");
    }
    let starts_a_line = |word: &OsString| word.to_string_lossy().lines().skip(1).any(|line| is_start(&text, line));
    assert!(!words.iter().any(starts_a_line), "{text:?} has a line of a word");
    false
}

/// Whether a line of a word, and one too long to be there by chance, starts a line.
fn is_start(text: &str, line: &str) -> bool {
    line.len() >= 8 && text.lines().any(|shown| shown.starts_with(line))
}

#[cfg(unix)]
fn word(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn word(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Control characters but the end of a line, and those that turn the direction of a line, join
/// letters or have no width.
fn steers(c: char) -> bool {
    let code = u32::from(c);
    let is_control = code < 0x20 || (0x7f..0xa0).contains(&code);
    let is_format = matches!(code, 0x200b..=0x200f | 0x202a..=0x202e | 0x2066..=0x2069 | 0xfeff);
    (is_control && c != '\n') || is_format
}
