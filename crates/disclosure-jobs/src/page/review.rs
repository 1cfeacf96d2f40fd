//! Documents for the data owner, each by its schema: predictions, audits, attacks.

use std::collections::BTreeMap;

use disclosure::privacy_core::promise::Promise;
use disclosure_report::number::{count, short};
use disclosure_report::{Block, Cell, Page, Section, Table};
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::error::PageError;
use super::record::parse;
use super::views::{ExactAudit, FilterAudit, LabelAttack, Prediction};
use super::words::promise_section;
use super::{attacks, audits};
use crate::pipeline::AttackDocument;

/// Longest document whose contents are shown.
const MAX_DOCUMENT_BYTES: usize = 1 << 24;
/// Most bars of one chart.
pub(super) const MOST_DRAWN: usize = 40;

/// A document for the data owner.
#[derive(Clone, Debug)]
pub struct ReviewDocument {
    /// Path of its file.
    pub path: String,
    /// Its schema; empty if it states none.
    pub schema: String,
    /// What it promises.
    pub promise: Option<Promise>,
    /// Its fields that fit on a line.
    pub summary: BTreeMap<String, Scalar>,
    /// Its contents.
    pub contents: ReviewContents,
}

/// The contents of a document for the data owner, by its schema.
#[derive(Clone, Debug)]
pub enum ReviewContents {
    /// `disclosure.frechet-audit/1`
    ExactAudit(Box<ExactAudit>),
    /// `disclosure.frechet-plan/1`, of which only the summary is shown.
    ExactPlan,
    /// `disclosure.screen/1` and `disclosure.screen-table/1`
    Prediction(Box<Prediction>),
    /// `disclosure.screen-simulate/1`
    LabelAttack(Box<LabelAttack>),
    /// `disclosure.run-attack/1`
    Linkage(Box<AttackDocument<LabelAttack>>),
    /// `disclosure.lcf-audit/1`
    FilterAudit(Box<FilterAudit>),
    /// Another schema: only the summary is shown.
    Other,
    /// The document is larger than a page shows.
    TooLarge,
}

/// A field at the top of a document, as far as a line can show it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Scalar {
    /// A truth value.
    Truth(bool),
    /// A number.
    Number(f64),
    /// A text.
    Text(String),
    /// A list, of which the length is shown.
    List(Vec<IgnoredAny>),
    /// Anything else, which is not shown.
    Other(IgnoredAny),
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    schema: String,
}

/// A document that may state a promise.
#[derive(Deserialize)]
struct Promising {
    promise: Promise,
}

impl ReviewDocument {
    /// Reads a document by its schema.
    pub(super) fn parse(path: &str, bytes: &[u8]) -> Result<Self, PageError> {
        if bytes.len() > MAX_DOCUMENT_BYTES {
            return Ok(Self {
                path: path.to_owned(),
                schema: String::new(),
                promise: None,
                summary: BTreeMap::new(),
                contents: ReviewContents::TooLarge,
            });
        }
        let summary = parse(path, bytes)?;
        let Head { schema } = parse(path, bytes)?;
        let contents = ReviewContents::parse(&schema, path, bytes)?;
        // Filters state their promises in fields of their own.
        let promise = serde_json::from_slice(bytes).ok().map(|Promising { promise }| promise);
        Ok(Self { path: path.to_owned(), schema, promise, summary, contents })
    }
}

impl ReviewContents {
    fn parse(schema: &str, path: &str, bytes: &[u8]) -> Result<Self, PageError> {
        Ok(match schema {
            "disclosure.frechet-audit/1" => Self::ExactAudit(parse(path, bytes)?),
            "disclosure.frechet-plan/1" => Self::ExactPlan,
            "disclosure.screen-table/1" | "disclosure.screen/1" => Self::Prediction(parse(path, bytes)?),
            "disclosure.screen-simulate/1" => Self::LabelAttack(parse(path, bytes)?),
            "disclosure.run-attack/1" => Self::Linkage(parse(path, bytes)?),
            "disclosure.lcf-audit/1" => Self::FilterAudit(parse(path, bytes)?),
            _ => Self::Other,
        })
    }

    fn heading(&self) -> &'static str {
        match self {
            Self::ExactAudit(_) => "Audit of the exact tables as requested",
            Self::ExactPlan => "Plan of the exact tables",
            Self::Prediction(_) => "Prediction for a solver",
            Self::LabelAttack(_) => "Attack on the labels",
            Self::Linkage(_) => "Linkage attack on the release",
            Self::FilterAudit(_) => "Audit of the filter",
            Self::Other | Self::TooLarge => "Document",
        }
    }

    fn blocks(&self, max_lines: usize) -> Vec<Block> {
        match self {
            Self::ExactAudit(document) => audits::exact(document, max_lines),
            Self::Prediction(document) => attacks::prediction(document),
            Self::LabelAttack(document) => attacks::labels(document),
            Self::Linkage(document) => attacks::linkage(document, max_lines),
            Self::FilterAudit(document) => audits::filter(document, max_lines),
            Self::ExactPlan | Self::Other | Self::TooLarge => Vec::new(),
        }
    }
}

/// The section of a document, for the data owner. Its fields are folded.
pub(super) fn section(document: &ReviewDocument, max_lines: usize) -> Section {
    section_of(document, max_lines, false)
}

fn section_of(document: &ReviewDocument, max_lines: usize, is_open: bool) -> Section {
    let mut section = Section::owner(document.contents.heading());
    if let ReviewContents::TooLarge = document.contents {
        return section.text(format!(
            "{} is larger than 16 MiB. Its digest was verified; its contents are not shown here.",
            document.path
        ));
    }
    section.blocks.extend(document.promise.as_ref().map(|promise| promise_section(promise, None).into()));
    section.blocks.extend(document.contents.blocks(max_lines));
    section.with(Block::Folded {
        summary: format!("{}: {}", document.path, document.schema),
        is_open,
        blocks: vec![Block::Facts(facts(&document.summary))],
    })
}

/// One document by itself.
pub(super) fn page(document: &ReviewDocument, max_lines: usize) -> Page {
    let title = match document.summary.get("title") {
        Some(Scalar::Text(title)) => title,
        _ => document.contents.heading(),
    };
    // Where nothing else is shown of the document, its fields are what there is to read.
    let is_open = matches!(document.contents, ReviewContents::Other);
    Page::new(title).section(section_of(document, max_lines, is_open))
}

/// Every number, text and truth value at the top of a document, and the lengths of its lists.
fn facts(summary: &BTreeMap<String, Scalar>) -> Vec<(String, Cell)> {
    let facts = summary.iter();
    facts.filter_map(|(name, value)| Some((name.replace('_', " "), value.shown()?.into()))).collect()
}

impl Scalar {
    fn shown(&self) -> Option<String> {
        Some(match self {
            Self::Number(number) if number.fract() == 0.0 => count(*number),
            Self::Number(number) => short(*number),
            Self::Text(text) => text.clone(),
            Self::Truth(truth) => if *truth { "yes" } else { "no" }.to_owned(),
            Self::List(list) => format!("{} entries", count(list.len() as f64)),
            Self::Other(_) => return None,
        })
    }
}

/// A class as text: attributes and labels.
pub(super) fn labelled(class: &BTreeMap<String, String>) -> String {
    let parts: Vec<String> = class.iter().map(|(axis, label)| format!("{axis} {label}")).collect();
    if parts.is_empty() { "everyone".to_owned() } else { parts.join(", ") }
}

/// Added to the title of a chart that does not draw everything.
pub(super) fn truncation_note(all: usize) -> String {
    if all > MOST_DRAWN { format!(", the worst {MOST_DRAWN} of {}", count(all as f64)) } else { String::new() }
}

/// Said below a list that does not show everything.
pub(super) fn left_out(shown: usize, all: usize) -> Option<String> {
    let [first, whole] = [shown, all].map(|number| count(number as f64));
    (shown < all).then(|| format!("The first {first} of {whole}; the file contains all of them."))
}

/// A table that is folded away.
pub(super) fn folded(summary: &str, table: Table) -> Block {
    let summary = format!("{summary}: {}", count(table.rows.len() as f64));
    Block::Folded { summary, is_open: false, blocks: vec![table.into()] }
}
