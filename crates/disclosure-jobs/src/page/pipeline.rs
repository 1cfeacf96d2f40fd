//! The page of a pipeline, `disclosure.run/1`, and of the part of it that may leave,
//! `disclosure.run-release/1`.

use disclosure_report::number::{count, short, short_up};
use disclosure_report::{Block, Cell, Column, Page, PromiseSection, Section, Share, Shares, Table, Tone};

use super::contents::below_release;
use super::sheet::Sheet;
use super::stored::Content;
use super::stored::{StoredFile, StoredRelease};
use super::words::{
    colophon, epsilon_curve, epsilon_fact, ledger_entry, plural, promise_section, statement_kind, table_name, too_large,
};
use super::{exact, files, review, tables};
use crate::budget::{BudgetDocument, PartCost};
use crate::pipeline::{Figure, Manifest, PartDocument, PartName, ReleaseStatement, TableDocument, TargetDocument};

/// Makes the page of a pipeline, with sections for the data owner.
pub(super) fn page(manifest: &Manifest, release: &StoredRelease) -> Page {
    let tables = PartTables::of(release);
    let mut page = head(&manifest.title, &manifest.version, &manifest.parts, manifest.budget.as_ref(), &tables);
    page.sections.extend((!manifest.targets.is_empty()).then(|| targets(&manifest.targets)));
    let overview = (!manifest.tables.is_empty()).then(|| overview(&manifest.tables));
    page.sections.push(tables.section(overview));
    page.sections.extend(reviews(release));
    page.section(files::section(release))
}

/// Makes the page of the part of a pipeline that may leave.
pub(super) fn statement_page(statement: &ReleaseStatement, release: &StoredRelease) -> Page {
    let tables = PartTables::of(release);
    let page = head(&statement.title, &statement.version, &statement.parts, statement.budget.as_ref(), &tables);
    page.section(tables.section(None)).section(files::section(release))
}

fn head(
    title: &str,
    version: &str,
    parts: &[PartDocument],
    budget: Option<&BudgetDocument>,
    tables: &PartTables<'_>,
) -> Page {
    let page = Page::new(title)
        .lead(tables.lead())
        .lead(protected(parts))
        .colophon(colophon(version))
        .section(promises(parts));
    match budget {
        Some(budget) => page.section(cost(budget)),
        None => page,
    }
}

/// Who or what is protected by the parts that leave.
fn protected(parts: &[PartDocument]) -> String {
    let mut units: Vec<&str> = Vec::new();
    for part in parts.iter().filter(|part| part.name != PartName::Screen) {
        if !units.contains(&part.unit.as_str()) {
            units.push(&part.unit);
        }
    }
    format!("What is protected: {}.", units.join("; "))
}

fn promises(parts: &[PartDocument]) -> Section {
    let (predictions, promises): (Vec<&PartDocument>, Vec<&PartDocument>) =
        parts.iter().partition(|part| part.name == PartName::Screen);
    let section = promises.into_iter().map(promise).fold(Section::new("What is promised"), Section::with);
    if predictions.is_empty() {
        return section;
    }
    section.subsection(predictions.into_iter().map(promise).fold(Section::owner("What was predicted"), Section::with))
}

fn promise(part: &PartDocument) -> PromiseSection {
    let section = PromiseSection::new(statement_kind(part.kind), part.promise.as_str())
        .about(part.name.name())
        .term("protects", part.unit.as_str())
        .term("against", part.against.as_str());
    PromiseSection { not_covered: part.not_covered.clone(), ..section }
}

fn cost(budget: &BudgetDocument) -> Section {
    let promise = promise_section(&budget.promise, None).about("the noise of all parts");
    let chart = Shares {
        title: "The budget, by what spends it".to_owned(),
        parts: budget.spent.iter().map(share).collect(),
        whole: Some(budget.rho),
    };
    let mut facts = vec![
        ("budget".to_owned(), Cell::from(format!("rho {}", short_up(budget.rho)))),
        ("spent".to_owned(), format!("rho {}", short_up(budget.spent_rho)).into()),
    ];
    facts.extend(budget.epsilon_at_delta.iter().map(epsilon_fact));
    let mut section = Section::new("What it costs").with(promise).with(chart).with(Block::Facts(facts));
    section.blocks.push(ledger_entry(budget.ledger_hash.as_deref()));
    section.blocks.extend(epsilon_curve(budget.spent_rho, budget.dominated_by.as_ref()).map(Into::into));
    section
}

fn share(spent: &PartCost) -> Share {
    Share { label: spent.part.clone(), amount: spent.rho, shown: format!("rho {}", short_up(spent.rho)) }
}

fn targets(targets: &[TargetDocument]) -> Section {
    let columns = ["target", "asked", "found", "", "kind", "what it is"].map(Column::words);
    let mut table = Table::new("Targets, and what was found before any noise was drawn", columns);
    table.rows = targets.iter().map(target_row).collect();
    let met = targets.iter().filter(|target| target.met).count();
    let all = plural(targets.len(), "target", "targets");
    let note = match met == targets.len() {
        true => Block::Note(Tone::Good, format!("{all}, all met.")),
        false => Block::Note(Tone::Bad, format!("{all}, of which {met} met.")),
    };
    Section::owner("Targets").with(note).with(table)
}

fn target_row(target: &TargetDocument) -> Vec<Cell> {
    vec![
        target.name.replace('-', " ").into(),
        figure(&target.asked).into(),
        figure(&target.found).into(),
        if target.met { Cell::toned(Tone::Good, "met") } else { Cell::toned(Tone::Bad, "missed") },
        statement_kind(target.kind).name().into(),
        target.what.as_str().into(),
    ]
}

fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Count(number) => count(*number as f64),
        Figure::Number(number) => short(*number),
        Figure::Word(word) => word.clone(),
    }
}

/// What became of each requested table. For the owner, since it counts what is withheld.
fn overview(requested: &[TableDocument]) -> Section {
    let columns = [
        Column::words("part"),
        Column::words("table"),
        Column::words("what"),
        Column::numbers("numbers"),
        Column::numbers("withheld"),
    ];
    let mut table = Table::new("Status of each requested table", columns);
    table.row_names = 2;
    table.rows = requested.iter().map(overview_row).collect();
    Section::owner("All tables").with(table)
}

fn overview_row(table: &TableDocument) -> Vec<Cell> {
    vec![
        table.part.name().into(),
        table_name(&table.attributes).into(),
        table.what.as_str().into(),
        count(table.numbers).into(),
        count(table.withheld as f64).into(),
    ]
}

/// Predictions, audits and attacks, for the owner.
fn reviews(release: &StoredRelease) -> Option<Section> {
    let documents = release.files.iter().filter_map(|file| match &file.content {
        Content::Review(document) => Some(review::section(document, release.max_lines)),
        _ => None,
    });
    let section = documents.fold(Section::owner("Prediction, audit, attack"), Section::subsection);
    (!section.sections.is_empty()).then_some(section)
}

/// The files that may leave, by the part that they belong to.
#[derive(Default)]
struct PartTables<'a> {
    exact: Vec<(&'a Sheet, &'a str)>,
    filtered: Vec<(&'a Sheet, &'a str)>,
    noisy: Vec<Section>,
    /// Tables computed from the noisy ones.
    adjusted: Vec<Block>,
    /// What the exact part says besides its tables.
    said: Vec<Section>,
    exact_unit: Option<String>,
}

impl<'a> PartTables<'a> {
    fn of(release: &'a StoredRelease) -> Self {
        let mut tables = Self::default();
        release.files.iter().filter(|file| !file.entry.stays).for_each(|file| tables.add(file));
        tables
    }

    fn add(&mut self, file: &'a StoredFile) {
        let path = file.entry.path.as_str();
        let below = below_release(path);
        match &file.content {
            Content::ExactRecord(record) => {
                self.said = exact::said(record);
                self.exact_unit = Some(exact::unit(record));
            }
            Content::TooLarge if below.ends_with(".csv") => self.noisy.push(too_large(below.to_owned(), path)),
            Content::Table(sheet) => self.add_table(sheet, path, below),
            _ => {}
        }
    }

    fn add_table(&mut self, sheet: &'a Sheet, path: &'a str, below: &str) {
        let name = table_name(&sheet.names);
        let (folder, file) = below.split_once('/').unwrap_or(("", below));
        match folder {
            "exact" => self.exact.push((sheet, path)),
            "noisy" if ["nonnegative_", "rounded_"].iter().any(|start| file.starts_with(start)) => {
                self.adjusted.push(tables::folded(&name, sheet, path));
            }
            "noisy" => self.noisy.push(tables::section(name, sheet, "counts", path)),
            _ => self.filtered.push((sheet, path)),
        }
    }

    fn lead(&self) -> String {
        let parts = [
            (self.exact.len(), "table of the exact part", "tables of the exact part"),
            (self.filtered.len(), "table of groups", "tables of groups"),
            (self.noisy.len(), "table with noise", "tables with noise"),
        ];
        let parts = parts.into_iter().filter(|&(tables, ..)| tables > 0);
        let parts: Vec<String> = parts.map(|(tables, one, many)| plural(tables, one, many)).collect();
        if parts.is_empty() { "No tables.".to_owned() } else { format!("{}.", parts.join(", ")) }
    }

    /// All tables, part by part.
    fn section(self, overview: Option<Section>) -> Section {
        let mut all = Section::new("Tables");
        all.sections.extend(overview);
        let unit = self.exact_unit.as_deref().unwrap_or("people who are counted");
        let exact = self.said.into_iter().chain(sections(&self.exact, unit)).collect();
        let groups = sections(&self.filtered, "rows").collect();
        let parts: [(&str, &str, Vec<Section>); 3] = [
            ("Exact tables", "Counts without noise, unless a cell says otherwise.", exact),
            (
                "Groups",
                "Groups that pass the low-count filter, with their exact numbers of rows. Small groups are left out.",
                groups,
            ),
            (
                "Tables with noise",
                "Values are unbiased, so they may be negative or fractional. All tables are consistent with each other.",
                self.noisy,
            ),
        ];
        for (heading, text, sections) in parts.into_iter().filter(|(.., sections)| !sections.is_empty()) {
            all.sections.push(sections.into_iter().fold(Section::new(heading).text(text), Section::subsection));
        }
        all.sections.extend((!self.adjusted.is_empty()).then(|| after_noise(self.adjusted)));
        all
    }
}

fn sections<'a>(sheets: &'a [(&Sheet, &str)], unit: &'a str) -> impl Iterator<Item = Section> + 'a {
    sheets.iter().map(move |(sheet, path)| tables::section(table_name(&sheet.names), sheet, unit, path))
}

fn after_noise(adjusted: Vec<Block>) -> Section {
    let text = "Computed from the noisy tables alone, at no further privacy cost. These values are biased, and the intervals do not hold for them.";
    let section = Section::new("Tables after the noise").with(Block::Note(Tone::Warning, text.to_owned()));
    adjusted.into_iter().fold(section, Section::with)
}
