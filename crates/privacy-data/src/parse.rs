//! Texts in TOML, and what is wrong with them: a place, and plain words without a value.
//!
//! A parser's message shows the value that it found, and a learnt schema holds labels of the
//! data; and it names the types of the program, which mean nothing to the person who wrote the
//! file.

use std::fmt;

use serde::de::DeserializeOwned;
use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::nearest::did_you_mean;

/// Most memory for the values of a text, in bytes, beside the text itself.
const MOST_BYTES: usize = 48_000_000;

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Its line, from 1.
    pub line: usize,
    /// Its character on the line, from 1; its byte in JSON.
    pub column: usize,
}

/// Why a text is not what it should be, without a value of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{}{reason}", place.map_or_else(String::new, |place| format!("{place}: ")))]
pub struct TextError {
    /// Where it is; `None` when something is missing from the whole text.
    pub place: Option<TextPlace>,
    /// What is wrong, in the words of the format. Names of fields and variants are shown, values
    /// are not.
    pub reason: String,
}

impl fmt::Display for TextPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl TextPlace {
    /// The place of a byte. One that is not at the start of a character has the place of the
    /// text's start.
    fn of_byte(text: &str, at: usize) -> Self {
        let before = text.get(..at).unwrap_or_default();
        let last = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: last.chars().count() + 1 }
    }
}

/// Reads a TOML text. Its errors have a place and never show a value, as those of the parser do.
///
/// Values are shown all the same if the `Deserialize` of `T` writes them into an error of its
/// own. Memory is some 60 MB and three times the text at most, so limit its length before.
///
/// # Errors
/// [`TextError`] for text that is not TOML, for a value that is not a `T`, and for values that take
/// more than 48 MB: some 200,000 labels, or 35,000 numbers with a point.
pub fn parse_toml<T: DeserializeOwned>(text: &str) -> Result<T, TextError> {
    if takes_too_much(text) {
        let reason =
            format!("the file has too many values: they take more than {} MB of memory", MOST_BYTES / 1_000_000);
        return Err(TextError { place: None, reason });
    }
    let error = |error: &toml::de::Error, place| TextError { place, reason: plain(error.message()) };
    let place = |span: std::ops::Range<usize>| TextPlace::of_byte(text, span.start);
    let document = toml::Deserializer::parse(text).map_err(|e| error(&e, e.span().map(place)))?;
    // What is missing from the text as a whole is reported at its first byte, and is not there.
    let found = |e: &toml::de::Error| e.span().filter(|span| !span.is_empty());
    T::deserialize(document).map_err(|e| error(&e, found(&e).map(place)))
}

/// Whether the values of a text take more than [`MOST_BYTES`]. What begins or ends one says how
/// much it takes, as measured on lists and tables of one kind.
fn takes_too_much(text: &str) -> bool {
    const TOKEN: usize = 30;
    let mut bytes = 0;
    Source::new(text).lex().any(|token| {
        bytes += TOKEN;
        bytes += match token.kind() {
            TokenKind::Comma => 110,
            TokenKind::Equals | TokenKind::LeftSquareBracket => 280,
            TokenKind::LeftCurlyBracket => 900,
            // It may begin a table; that of a number is counted as well.
            TokenKind::Dot => 1200,
            _ => 0,
        };
        bytes > MOST_BYTES
    })
}

/// What is wrong with a JSON text, as [`parse_toml`] would say it.
pub(crate) fn json_error(error: &serde_json::Error) -> TextError {
    let message = error.to_string();
    let reason = plain(message.rsplit_once(" at line ").map_or(message.as_str(), |(reason, _)| reason));
    let place = TextPlace { line: error.line(), column: error.column() };
    TextError { place: (place.line > 0).then_some(place), reason }
}

/// A parser's message in plain words and without the value that it found.
///
/// Serde writes ``invalid type: string "v", expected u32`` and ``unknown variant `v`, expected
/// `a` or `b` ``; the value may hold any of these words, the end never does.
fn plain(message: &str) -> String {
    let (head, expected) = message.rsplit_once(", expected ").unwrap_or((message, ""));
    if let Some(found) = head.strip_prefix("invalid type: ") {
        let kind = found.split(['"', '`']).next().unwrap_or_default().trim_end();
        let (expected, found) = (kind_expected(expected), kind_found(kind));
        // A number beyond 64 bits is found as another type of whole number.
        let same = expected.starts_with(found);
        return if same { format!("expected {expected}") } else { format!("expected {expected}, found {found}") };
    }
    if head.starts_with("invalid length ") {
        // "struct S with 2 elements", "an array of length 2"
        let length = expected.split(' ').filter_map(|word| word.parse::<usize>().ok()).next_back();
        return length.map_or_else(|| message.to_owned(), |length| format!("expected an array of length {length}"));
    }
    if head.starts_with("invalid value: ") {
        return format!("expected {}", kind_expected(expected));
    }
    // Words of the format stand between backticks; what was meant is one of them.
    let meant = |name: &str| did_you_mean(name.trim_matches('`'), expected.split('`').skip(1).step_by(2));
    if let Some(word) = head.strip_prefix("unknown variant ") {
        return format!("unknown word, expected {expected}{}", meant(word));
    }
    if let Some(name) = head.strip_prefix("unknown field ") {
        return message.to_owned() + &meant(name);
    }
    if head.starts_with("data did not match any variant ") {
        return "the value has none of the forms that are allowed here".to_owned();
    }
    message.to_owned()
}

/// What a type of the program is to the writer of a file.
fn kind_expected(expected: &str) -> &str {
    match expected {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "path string" => "a text in quotes",
        "a character" => "one character in quotes",
        "a sequence" => "an array",
        "a map" | "newtype variant" | "struct variant" | "tuple variant" => "a table",
        _ if expected.starts_with("struct ") => "a table",
        _ if expected.starts_with("tuple struct ") || expected.starts_with("a tuple ") => "an array",
        _ if expected.starts_with("enum ") => "a word in quotes",
        _ => expected,
    }
}

/// What a parser found, in the same words. TOML dates come as maps.
fn kind_found(kind: &str) -> &str {
    match kind {
        "integer" => "a whole number",
        "floating point" => "a number",
        "boolean" => "true or false",
        "string" | "character" | "unit variant" => "a text",
        "sequence" => "an array",
        "map" => "a table or a date",
        "null" | "unit value" => "nothing",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// A spec with one field of each kind.
    #[derive(Debug, Default, Deserialize)]
    #[serde(deny_unknown_fields, default)]
    struct Kinds {
        small: u8,
        rows: u32,
        size: usize,
        shift: i64,
        share: f64,
        sure: bool,
        name: String,
        file: std::path::PathBuf,
        list: Vec<String>,
        pair: (u32, f64),
        inner: Option<Inner>,
        word: Option<Word>,
        either: Option<Either>,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "read for its errors alone")]
    struct Inner {
        must: u32,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    #[expect(dead_code, reason = "read for its errors alone")]
    enum Word {
        AddRemove,
        Other(u32),
    }

    #[derive(Debug, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "read for its errors alone")]
    enum Either {
        One(u32),
        Many(Vec<u32>),
    }

    fn message(text: &str) -> String {
        parse_toml::<Kinds>(text).expect_err(text).to_string()
    }

    #[test]
    fn reasons_are_in_the_words_of_the_format() {
        let cases = [
            ("small = 256", "expected a whole number from 0 to 255"),
            ("rows = 1.5", "expected a whole number from 0 to 4294967295, found a number"),
            ("rows = -7777", "expected a whole number from 0 to 4294967295"),
            ("size = 'CANARY'", "expected a whole number, 0 or more, found a text"),
            ("size = 99999999999999999999", "expected a whole number, 0 or more"),
            ("shift = []", "expected a whole number, found an array"),
            ("share = 'CANARY, expected f64'", "expected a number, found a text"),
            ("sure = 'CANARY'", "expected true or false, found a text"),
            ("name = 7777.5", "expected a text in quotes, found a number"),
            ("file = true", "expected a text in quotes, found true or false"),
            ("list = [ 2024-01-01 ]", "expected a text in quotes, found a table or a date"),
            ("list = { a = 1 }", "expected an array, found a table or a date"),
            ("pair = 7777", "expected an array, found a whole number"),
            ("pair = [7777]", "expected an array of length 2"),
            ("inner = 7777", "expected a table, found a whole number"),
            ("inner = {}", "missing field `must`"),
            ("word = 'CANARY'", "unknown word, expected `add-remove` or `other`"),
            ("word = 'add-rmove'", "unknown word, expected `add-remove` or `other`; did you mean \"add-remove\"?"),
            ("word = 'other'", "expected a table, found a text"),
            ("either = 'CANARY'", "the value has none of the forms that are allowed here"),
            ("nmae = 'CANARY'", "unknown field `nmae`, expected one of `small`"),
        ];
        for (text, reason) in cases {
            let got = parse_toml::<Kinds>(text).expect_err(text).reason;
            assert!(got.starts_with(reason), "{text}: {got}");
            assert!(!got.contains("CANARY") && !got.contains("7777"), "{got}");
        }
    }

    #[test]
    fn places_are_lines_and_characters_from_1() {
        assert!(message("# é\r\n\r\nlist = ['é', 7777]").starts_with("line 3, column 14: "));
        assert!(message("= 7777").starts_with("line 1, column 1: "), "a place of the parser is one, even the first");
        assert!(message("name = 'a'\nname = 'CANARY'").starts_with("line 2, column 1: duplicate key"));
        assert!(message("\n[inner]\n").starts_with("line 2, column 1: missing field"));
        assert!(message("name = \"CANARY").starts_with("line 1, column 15: "));
    }

    #[test]
    fn values_are_counted_before_they_are_read() {
        let list = |value: &str, times: usize| format!("list = [{}]", value.repeat(times));
        for (value, most) in
            [("'[.{=,',", 250_000), ("\n'',", 200_000), ("[],", 90_000), ("1.5,", 30_000), ("{},", 40_000)]
        {
            let too_many = |times| message(&list(value, times)).contains("too many values");
            assert!(too_many(2 * most), "{value}");
            assert_eq!(parse_toml::<Kinds>(&list(value, most)).is_ok(), value.contains('\''), "{value}");
            assert!(value.contains('\'') || !too_many(most), "{value}");
        }
        assert!(message(&"\n".repeat(2_000_000)).contains("too many values"), "lines take memory as well");
    }

    #[test]
    fn what_is_missing_from_the_whole_text_has_no_place() {
        for text in ["", "\n\n# CANARY\n", "other = 'CANARY'\n"] {
            let error = parse_toml::<Inner>(text).unwrap_err();
            assert_eq!((error.place, error.to_string().as_str()), (None, "missing field `must`"));
        }
    }

    #[test]
    fn json_is_explained_alike_whatever_a_value_says() {
        let message = |text: &str| json_error(&serde_json::from_str::<Inner>(text).unwrap_err()).to_string();
        let wrong = "expected a whole number from 0 to 4294967295, found a text";
        assert_eq!(message(r#"{"must": "CANARY"}"#), format!("line 1, column 17: {wrong}"));
        assert_eq!(message(r#"{"must": "CANARY at line 1"}"#), format!("line 1, column 27: {wrong}"));
        assert_eq!(message("\n[]"), "line 2, column 2: expected an array of length 1");
    }
}
