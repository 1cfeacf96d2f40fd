//! The page of marginals with noise: `disclosure.release/1`.

use disclosure_report::number::{count, short, short_up, with_error};
use disclosure_report::{
    Amount, Bar, Bars, Block, Cell, Column, Page, PromiseCard, PromiseSection, Section, StatementKind, Table, Tone,
};

use super::glossary::{self, Topic};
use super::head::{Head, first_clause, spent_bar};
use super::stored::{Content, StoredFile, StoredRelease};
use super::words::{
    colophon, epsilon_curve, epsilon_fact, ledger_entry, pair_of_mu, plural, promise_section, statement_kind,
    table_name, too_large,
};
use super::{files, tables};
use crate::marginals::{MarginalSummary, PlanDocument, ReleaseDocument, TableFile};

/// A marginal of the release: what the record, the plan and its file say about it.
struct NoisyTable<'a> {
    name: String,
    file: &'a TableFile,
    planned: Option<&'a MarginalSummary>,
    content: &'a Content,
}

/// Makes the page of marginals with noise.
pub(super) fn page(record: &ReleaseDocument, release: &StoredRelease) -> Page {
    let plan = release.files.iter().find_map(|file| match &file.content {
        Content::MarginalsPlan(plan) => Some(plan.as_ref()),
        _ => None,
    });
    let noisy = noisy_tables(record, plan, release);
    let adjusted = adjusted_tables(record, release);
    let page = Page::new(record.title.as_str()).colophon(colophon(&record.versions.disclosure));
    let head = head(record, &noisy, plan.map(|plan| plan.rmse));
    let mut page = head
        .onto(page, Some(spent_bar(record.cost.rho, record.ledger_hash.is_some())))
        .section(promises(record))
        .section(cost(record))
        .section(errors(&noisy))
        .section(contents(&noisy));
    page.sections.extend((!adjusted.is_empty()).then(|| after_noise(&adjusted)));
    let kinds = [statement_kind(record.promise.kind), statement_kind(record.intervals.kind)];
    page.section(files::section(release)).section(glossary::section(&kinds, &[Topic::Noise]))
}

/// The marginals, in the order of the plan. Their files are those that state the noise.
fn noisy_tables<'a>(
    record: &'a ReleaseDocument,
    plan: Option<&'a PlanDocument>,
    release: &'a StoredRelease,
) -> Vec<NoisyTable<'a>> {
    let mut planned = plan.map(|plan| plan.marginals.iter()).into_iter().flatten();
    let files = record.files.iter().zip(&release.files).filter(|(file, _)| file.sd.is_some());
    let tables = files.filter_map(|(file, stored)| {
        let name = table_name(file.attributes.as_ref()?);
        Some(NoisyTable { name, file, planned: planned.next(), content: &stored.content })
    });
    tables.collect()
}

/// Tables computed from the marginals, with their names.
fn adjusted_tables<'a>(record: &'a ReleaseDocument, release: &'a StoredRelease) -> Vec<(String, &'a StoredFile)> {
    let files = record.files.iter().zip(&release.files).filter(|(file, _)| file.sd.is_none());
    files.filter_map(|(file, stored)| Some((table_name(file.attributes.as_ref()?), stored))).collect()
}

fn head(record: &ReleaseDocument, noisy: &[NoisyTable<'_>], rmse: Option<f64>) -> Head {
    let kind = statement_kind(record.promise.kind);
    let tone = if kind == StatementKind::Guarantee { Tone::Good } else { Tone::Warning };
    let answers: f64 = noisy.iter().filter_map(|table| table.file.answers).map(|answers| answers as f64).sum();
    let error = rmse.map_or_else(String::new, |rmse| format!(", root mean square error {}", short(rmse)));
    let tables = format!("{}, {} numbers{error}.", plural(noisy.len(), "table", "tables"), count(answers));
    let sheets = noisy.iter().filter_map(|table| match table.content {
        Content::Table(sheet) => Some(sheet),
        _ => None,
    });
    Head::new(&record.imprint)
        .verdict(tone, format!("Released. {}: {}", kind.name(), first_clause(&record.promise.guarantee)))
        .fact("what is protected", record.promise.unit.as_deref().unwrap_or("a row"))
        .total(sheets)
        .fact("tables with noise", tables)
}

fn promises(record: &ReleaseDocument) -> Section {
    let everybody = "anyone who sees the whole release, whatever else they know";
    let mut promise = promise_section(&record.promise, Some(everybody));
    promise.not_covered.clone_from(&record.not_covered);
    let level = (record.intervals.level * 1e4).round() / 100.0;
    let intervals =
        PromiseSection::new(statement_kind(record.intervals.kind), format!("{level} % intervals for each number"));
    let intervals = intervals.term("each", record.intervals.meaning.as_str());
    let card = PromiseCard { subject: "Tables with noise".to_owned(), promises: vec![promise, intervals] };
    Section::new("What is promised").with(card)
}

fn cost(record: &ReleaseDocument) -> Section {
    let mut facts = vec![
        ("cost".to_owned(), Cell::from(format!("rho {}", short_up(record.cost.rho)))),
        ("squared sensitivity over variance (pcost)".to_owned(), short_up(record.cost.pcost).into()),
    ];
    facts.extend(record.cost.epsilon_at_delta.iter().map(epsilon_fact));
    facts.extend([
        ("noise".to_owned(), record.mechanism.noise.as_str().into()),
        ("minimised".to_owned(), record.mechanism.objective.as_str().into()),
        ("estimates".to_owned(), record.mechanism.estimates.as_str().into()),
    ]);
    let mut section = Section::new("What it costs").with(Block::Facts(facts));
    section.blocks.push(ledger_entry(record.ledger_hash.as_deref()));
    section.blocks.extend(epsilon_curve(record.cost.rho, pair_of_mu(record.cost.mu).as_ref()).map(Into::into));
    section
}

/// The accuracy of the tables.
fn errors(noisy: &[NoisyTable<'_>]) -> Section {
    /// Most tables that are drawn; the table lists all.
    const MOST: usize = 40;
    let bars: Vec<Bar> = noisy.iter().filter_map(error_bar).collect();
    let mut section = Section::new("How accurate it is");
    let has_chart = (2..=MOST).contains(&bars.len());
    if has_chart {
        let title = "Half-width of the 95 % interval, by table".to_owned();
        section.blocks.push(Bars { title, axis: "counts, on either side".to_owned(), bars }.into());
    }
    let columns = [
        Column::words("table"),
        Column::numbers("numbers"),
        Column::numbers("sd"),
        Column::numbers("± 95 %"),
        Column::numbers("simultaneous"),
        Column::words("file"),
    ];
    let caption = "Standard deviation and half-width of the 95 % interval, for the noisiest number of each table";
    let mut table = Table::new(caption, columns);
    table.rows = noisy.iter().map(error_row).collect();
    let summary = format!("Errors of {}", plural(noisy.len(), "table", "tables"));
    section.with(Block::Folded { summary, is_open: !has_chart, blocks: vec![table.into()] })
}

fn error_bar(table: &NoisyTable<'_>) -> Option<Bar> {
    let width = table.planned?.ci95_half_width;
    let shown = format!("± {}", with_error(width, width));
    Some(Bar { label: table.name.clone(), amount: Amount::Exact(width), shown })
}

fn error_row(table: &NoisyTable<'_>) -> Vec<Cell> {
    let widths = [
        table.file.sd,
        table.planned.map(|planned| planned.ci95_half_width),
        table.planned.map(|planned| planned.ci95_simultaneous_half_width),
    ];
    let mut row = vec![Cell::from(table.name.as_str()), count(table.file.answers.unwrap_or_default() as f64).into()];
    row.extend(widths.map(|width| Cell::from(width.map_or_else(String::new, |width| with_error(width, width)))));
    row.push(table.file.file.name.as_str().into());
    row
}

fn contents(noisy: &[NoisyTable<'_>]) -> Section {
    let words =
        "Values are unbiased, so they may be negative or fractional. All tables are consistent with each other.";
    noisy.iter().fold(Section::new("Tables").text(words), |section, table| {
        section.subsection(match table.content {
            Content::Table(sheet) => tables::section(table.name.clone(), sheet, "counts", &table.file.file.name),
            _ => too_large(table.name.clone(), &table.file.file.name),
        })
    })
}

fn after_noise(adjusted: &[(String, &StoredFile)]) -> Section {
    let words = "Computed from the noisy tables alone, at no further privacy cost. These values are biased, and the intervals do not hold for them.";
    let section = Section::new("Tables after the noise").with(Block::Note(Tone::Warning, words.to_owned()));
    adjusted.iter().fold(section, |section, (name, file)| {
        let path = &file.entry.path;
        section.with(match &file.content {
            Content::Table(sheet) => tables::folded(name, sheet, path),
            _ => Block::Text(format!("{name} is larger than 64 MiB. It is in {path}.")),
        })
    })
}
