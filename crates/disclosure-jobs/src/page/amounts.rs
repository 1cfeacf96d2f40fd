//! The page of a table of amounts: `disclosure.magnitude-release/1`.

use disclosure_report::number::count;
use disclosure_report::{Page, PromiseCard, Section, Tone};

use super::glossary;
use super::head::Head;
use super::stored::{Content, StoredFile, StoredRelease};
use super::words::{colophon, plural, promise_section, statement_kind, too_large};
use super::{files, tables};
use crate::amounts::AmountsRelease;
use crate::document::Imprint;

/// Makes the page of a table of amounts. It has nothing that tells a cell that is sensitive from
/// one that protects it.
pub(super) fn page(record: &AmountsRelease, release: &StoredRelease) -> Page {
    let kind = statement_kind(record.promise.kind);
    let withheld =
        format!("{} published, {} withheld", plural(record.published, "cell", "cells"), count(record.withheld as f64));
    let head = Head::new(&Imprint::default())
        .verdict(Tone::Good, format!("Released. {}: {}.", kind.name(), record.promise.guarantee))
        .fact("what is protected", record.promise.unit.as_deref().unwrap_or("the amount of a respondent"))
        .fact("amounts", record.unit.amount.as_str())
        .fact("cells", withheld);
    let page = head.onto(Page::new(record.title.as_str()).colophon(colophon(&record.version)), None);
    page.section(promises(record))
        .section(contents(record, release))
        .section(files::section(release))
        .section(glossary::section(&[kind], &[]))
}

fn promises(record: &AmountsRelease) -> Section {
    let mut promise = promise_section(&record.promise, None);
    promise.not_covered.clone_from(&record.not_covered);
    let card = PromiseCard { subject: "Table of amounts".to_owned(), promises: vec![promise] };
    Section::new("What is promised").with(card)
}

fn contents(record: &AmountsRelease, release: &StoredRelease) -> Section {
    let words = "An amount without a number is withheld. A reader cannot tell a cell that discloses a respondent from one \
                 that is withheld to protect it.";
    release
        .files
        .iter()
        .map(|stored| table(record, stored))
        .fold(Section::new("The table").text(words), Section::subsection)
}

fn table(record: &AmountsRelease, stored: &StoredFile) -> Section {
    match &stored.content {
        Content::Table(sheet) => {
            let name = if sheet.names.is_empty() { record.title.clone() } else { sheet.names.join(" × ") };
            tables::section(name, sheet, &record.unit.amount, &stored.entry.path)
        }
        _ => too_large(record.title.clone(), &stored.entry.path),
    }
}
