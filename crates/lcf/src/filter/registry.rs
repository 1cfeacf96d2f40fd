//! The registry of a secret: what was fixed when the secret was first used, and what was published
//! under it.
//!
//! Everything that a draw depends on besides the data is a *term*: kinds, forms and laws, the rule
//! and the mode. An analyst who may choose one of them gets a fresh draw for every choice and
//! averages, so a request under other terms is refused. In publish mode a table of other data is
//! a second publication: groups whose entities did not change keep their answer, so an answer that
//! changed proves who came or went, and it is refused as well.
//!
//! ```text
//! lcf registry 1
//! term NAME = VALUE              in the order in which they were registered
//! publication DIGEST             at most one
//! answers SEAL                   at most one: of the newest answers of a difference guard
//! seal HEX                       keyed digest of all lines above
//! ```
//!
//! Control characters, `%` and `=` are written as `%XX` in names and values.

use std::fmt::Write as _;

use privacy_core::prf::Secret;

use crate::error::Error;
use crate::filter::description::FilterDescription;

/// What the seals of registries are for.
const PURPOSE: &str = "lcf registry";
const HEADER: &str = "lcf registry 1";

/// The settings for which a secret key is used, and what was published with it.
///
/// A program that decides for analysts fixes its filter when the secret is first used, and refuses
/// any other one: each would be a fresh draw.
///
/// # Example
/// ```
/// use lcf::{
///     ClampedNormal, ColumnRule, DrawMode, EntityColumn, Error, LowCountFilter, Registry, ThresholdTable,
/// };
/// use privacy_core::param::StdDev;
/// use privacy_core::prf::Secret;
///
/// let secret = Secret::new(&[7; 32])?; // from a file that nobody else reads
/// let filter = |kind: &str| -> Result<LowCountFilter, Box<dyn std::error::Error>> {
///     let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, StdDev::new(1.5)?, 2.0)?);
///     let column = EntityColumn { kind: kind.into(), thresholds };
///     Ok(LowCountFilter::new(vec![column], ColumnRule::WorkingColumn, DrawMode::Query, &secret)?)
/// };
/// let stored = Registry::of(filter("user")?.description()).to_text(&secret);
/// // Later, before every decision:
/// let registry = Registry::from_text(&stored, &secret)?;
/// assert_eq!(registry.admits(filter("user")?.description()), Ok(()));
/// let other = Error::OtherTerms { name: "kind of column 0".into() };
/// assert_eq!(registry.admits(filter("person")?.description()), Err(other));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registry {
    terms: Vec<(String, String)>,
    publication: Option<[u8; 16]>,
    answers: Option<[u8; 16]>,
}

impl Registry {
    /// A registry of these terms, pairs of a name and a value. Nothing was published.
    #[must_use]
    pub fn new(terms: impl IntoIterator<Item = (String, String)>) -> Self {
        Self { terms: terms.into_iter().collect(), publication: None, answers: None }
    }

    /// A registry of the terms of a filter: its rule and mode, what an entity counts in, the number
    /// beside groups, and kind and thresholds of every column. How a program reads identifiers is
    /// its own: [`new`](Self::new) takes further terms.
    #[must_use]
    pub fn of(filter: &FilterDescription) -> Self {
        Self::new(filter.terms())
    }

    /// Refuses a filter of other terms than those of [`of`](Self::of).
    ///
    /// # Errors
    /// [`Error::OtherTerms`], as [`check`](Self::check).
    pub fn admits(&self, filter: &FilterDescription) -> Result<(), Error> {
        let terms = filter.terms();
        self.check(terms.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    /// The terms.
    pub fn terms(&self) -> impl Iterator<Item = (&str, &str)> {
        self.terms.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Compares terms with the registered ones, in any order.
    ///
    /// # Errors
    /// [`Error::OtherTerms`] with the name of the first one that differs, is missing or is new.
    pub fn check<'t>(&self, terms: impl IntoIterator<Item = (&'t str, &'t str)>) -> Result<(), Error> {
        let given: Vec<(&str, &str)> = terms.into_iter().collect();
        let refused = |name: &str| Err(Error::OtherTerms { name: name.to_owned() });
        if let Some((name, _)) = self.terms().find(|term| !given.contains(term)) {
            return refused(name);
        }
        let known: Vec<(&str, &str)> = self.terms().collect();
        match given.iter().find(|term| !known.contains(term)) {
            Some((name, _)) => refused(name),
            None if given.len() != known.len() => refused("terms"),
            None => Ok(()),
        }
    }

    /// Records the publication of a table by its [digest](crate::LabelledTable::digest). The same
    /// table may be published again, since its answers are the same.
    ///
    /// # Errors
    /// [`Error::SecondPublication`].
    pub fn publish(&mut self, table: [u8; 16]) -> Result<(), Error> {
        match self.publication {
            Some(published) if published != table => Err(Error::SecondPublication),
            _ => {
                self.publication = Some(table);
                Ok(())
            }
        }
    }

    /// The seal of the newest answers of a difference guard; none before the first.
    #[must_use]
    pub const fn answers(&self) -> Option<[u8; 16]> {
        self.answers
    }

    /// Notes the [seal](crate::DifferenceGuard::seal_of) of the newest answers of a difference
    /// guard, so that older ones are [not taken for them](crate::DifferenceGuard::continues).
    pub fn record_answers(&mut self, seal: [u8; 16]) {
        self.answers = Some(seal);
    }

    /// The registry as text, sealed.
    #[must_use]
    pub fn to_text(&self, secret: &Secret) -> String {
        let text = self.content();
        let seal = secret.sealer().seal(PURPOSE, text.as_bytes());
        text + &format!("seal {}\n", hexadecimal(&seal))
    }

    /// All lines but the last.
    fn content(&self) -> String {
        let mut text = format!("{HEADER}\n");
        for (name, value) in &self.terms {
            text += &format!("term {} = {}\n", escaped(name), escaped(value));
        }
        if let Some(publication) = &self.publication {
            text += &format!("publication {}\n", hexadecimal(publication));
        }
        if let Some(answers) = &self.answers {
            text += &format!("answers {}\n", hexadecimal(answers));
        }
        text
    }

    /// The registry that all of a text describes.
    ///
    /// # Errors
    /// [`Error::NotSealed`] for a text that was changed, or sealed with another secret;
    /// [`Error::NotAState`] for one that is no registry.
    pub fn from_text(text: &str, secret: &Secret) -> Result<Self, Error> {
        let text = text.strip_suffix('\n').ok_or(Error::NotAState)?;
        let (content, last) = text.split_at(text.rfind('\n').ok_or(Error::NotAState)? + 1);
        let seal = last.strip_prefix("seal ").and_then(bytes_of).ok_or(Error::NotAState)?;
        if !secret.sealer().fits(PURPOSE, content.as_bytes(), &seal) {
            return Err(Error::NotSealed);
        }
        // One registry has one text: no line twice, and no letter in another spelling.
        let registry = parse(content).ok_or(Error::NotAState)?;
        if registry.content() == content { Ok(registry) } else { Err(Error::NotAState) }
    }
}

fn parse(content: &str) -> Option<Registry> {
    let mut lines = content.lines();
    if lines.next() != Some(HEADER) {
        return None;
    }
    let mut registry = Registry::new([]);
    for line in lines {
        if let Some(term) = line.strip_prefix("term ") {
            let (name, value) = term.split_once(" = ")?;
            registry.terms.push((unescaped(name)?, unescaped(value)?));
        } else if let Some(answers) = line.strip_prefix("answers ") {
            registry.answers = Some(bytes_of(answers)?);
        } else {
            registry.publication = Some(bytes_of(line.strip_prefix("publication ")?)?);
        }
    }
    Some(registry)
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes_of(text: &str) -> Option<[u8; 16]> {
    // One text for one seal: digits as they are written.
    if text.len() != 32 || !text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let mut bytes = [0; 16];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok()?;
    }
    Some(bytes)
}

fn escaped(text: &str) -> String {
    let mut line = String::new();
    for letter in text.chars() {
        match letter {
            '%' | '=' | '\0'..='\x1f' | '\x7f' => {
                let _ = write!(line, "%{:02x}", letter as u32);
            }
            _ => line.push(letter),
        }
    }
    line
}

fn unescaped(line: &str) -> Option<String> {
    let mut parts = line.split('%');
    let mut text = parts.next()?.to_owned();
    for part in parts {
        let (code, rest) = part.split_at_checked(2)?;
        text.push(char::from(u8::from_str_radix(code, 16).ok()?));
        text += rest;
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(byte: u8) -> Secret {
        Secret::new(&[byte; 32]).unwrap()
    }

    fn terms(kind: &str) -> Vec<(String, String)> {
        vec![("kind".to_owned(), kind.to_owned()), ("a = b\n%".to_owned(), "x\u{1} = é".to_owned())]
    }

    fn check(registry: &Registry, terms: &[(String, String)]) -> Result<(), Error> {
        registry.check(terms.iter().map(|(name, value)| (name.as_str(), value.as_str())))
    }

    #[test]
    fn terms_that_differ_are_named() {
        let registry = Registry::new(terms("user"));
        let mut reversed = terms("user");
        reversed.reverse();
        assert_eq!(check(&registry, &reversed), Ok(()));
        let other = Error::OtherTerms { name: "kind".to_owned() };
        assert_eq!(check(&registry, &terms("person")), Err(other.clone()));
        assert_eq!(check(&registry, &terms("user")[1..]), Err(other));
        let more = [terms("user"), vec![("form".to_owned(), "text".to_owned())]].concat();
        assert_eq!(check(&registry, &more), Err(Error::OtherTerms { name: "form".to_owned() }));
    }

    #[test]
    fn one_table_is_published_as_often_as_one_likes_and_no_other() {
        let mut registry = Registry::new(terms("user"));
        assert_eq!([registry.publish([1; 16]), registry.publish([1; 16])], [Ok(()), Ok(())]);
        assert_eq!(registry.publish([2; 16]), Err(Error::SecondPublication));
    }

    #[test]
    fn texts_come_back_and_changed_ones_are_refused() {
        let mut registry = Registry::new(terms("user"));
        for _ in 0..2 {
            let text = registry.to_text(&secret(1));
            assert_eq!(Registry::from_text(&text, &secret(1)), Ok(registry.clone()));
            assert_eq!(Registry::from_text(&text, &secret(2)), Err(Error::NotSealed));
            for at in 0..text.len() {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1;
                let Ok(changed) = String::from_utf8(bytes) else { continue };
                assert!(Registry::from_text(&changed, &secret(1)).is_err(), "{at}");
            }
            let shorter: String =
                text.lines().filter(|line| !line.starts_with("pub")).map(|l| l.to_owned() + "\n").collect();
            assert_eq!(Registry::from_text(&shorter, &secret(1)).is_ok(), registry.publication.is_none());
            registry.publish([7; 16]).unwrap();
            registry.record_answers([9; 16]);
        }
        assert_eq!(Registry::from_text("", &secret(1)), Err(Error::NotAState));
    }

    #[test]
    fn a_sealed_registry_in_other_words_is_refused() {
        let publication = format!("publication {}\n", "0f".repeat(16));
        let is_read = |lines: &str| {
            let content = format!("{HEADER}\n{lines}");
            let seal = hexadecimal(&secret(1).sealer().seal(PURPOSE, content.as_bytes()));
            Registry::from_text(&format!("{content}seal {seal}\n"), &secret(1)).is_ok()
        };
        assert!(is_read(&format!("term a%09 = b\n{publication}")));
        for other in ["term a\t = b\n", "term a%61 = b\n", "term a = b\r\n", &publication.repeat(2)] {
            assert!(!is_read(other), "{other:?}");
        }
        assert!(!is_read(&format!("{publication}term a = b\n")), "terms come first");
    }

    #[test]
    fn a_seal_is_thirty_two_digits_in_one_spelling() {
        let seal = "00ff".repeat(8);
        assert_eq!(bytes_of(&seal), Some([[0, 0xff]; 8].concat().try_into().unwrap()));
        for other in [&seal[..31], &format!("{seal}00"), &seal.to_uppercase(), &seal.replace('f', "+")] {
            assert_eq!(bytes_of(other), None, "{other}");
        }
    }
}
