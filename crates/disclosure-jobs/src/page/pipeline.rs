//! The page of a pipeline, `disclosure.run/1`, and of the part of it that may leave,
//! `disclosure.run-release/1`.

use disclosure_report::number::{count, short, short_up};
use disclosure_report::{Block, Cell, Column, Page, PromiseCard, PromiseSection, Section, StatementKind, Table, Tone};

use super::contents::below_release;
use super::glossary::{self, Topic};
use super::head::{Head, budget_bar, first_clause};
use super::sheet::Sheet;
use super::stored::Content;
use super::stored::{StoredFile, StoredRelease};
use super::twice::{self, PublishedTable};
use super::words::{
    colophon, epsilon_curve, epsilon_fact, ledger_entry, plural, promise_section, statement_kind, table_name, too_large,
};
use super::{exact, files, review, tables};
use crate::budget::BudgetDocument;
use crate::document::Imprint;
use crate::exact::Counted;
use crate::figures::percent;
use crate::pipeline::{Figure, Manifest, PartDocument, PartName, ReleaseStatement, TableDocument, TargetDocument};

/// What both records of a pipeline say for its page.
struct Statement<'a> {
    title: &'a str,
    imprint: &'a Imprint,
    version: &'a str,
    parts: &'a [PartDocument],
    budget: Option<&'a BudgetDocument>,
    /// Whether a target was missed, as no release of the command can have.
    misses_target: bool,
}

/// Makes the page of a pipeline, with sections for the data owner.
pub(super) fn page(manifest: &Manifest, release: &StoredRelease) -> Page {
    let tables = PartTables::of(release);
    let statement = Statement {
        title: &manifest.title,
        imprint: &manifest.imprint,
        version: &manifest.version,
        parts: &manifest.parts,
        budget: manifest.budget.as_ref(),
        misses_target: manifest.targets.iter().any(|target| !target.met),
    };
    let mut page = statement.head(&tables);
    if !manifest.targets.is_empty() {
        page = page.overview(Section::owner("").with(targets_note(&manifest.targets)));
    }
    let mut page = statement.promised(page);
    page.sections.extend((!manifest.targets.is_empty()).then(|| targets(&manifest.targets)));
    let overview = (!manifest.tables.is_empty()).then(|| overview(&manifest.tables));
    page.sections.push(tables.section(overview));
    page.sections.extend(reviews(release));
    page.section(files::section(release)).section(statement.glossary())
}

/// Makes the page of the part of a pipeline that may be published.
pub(super) fn statement_page(record: &ReleaseStatement, release: &StoredRelease) -> Page {
    let tables = PartTables::of(release);
    let statement = Statement {
        title: &record.title,
        imprint: &record.imprint,
        version: &record.version,
        parts: &record.parts,
        budget: record.budget.as_ref(),
        misses_target: false,
    };
    let page = statement.promised(statement.head(&tables));
    page.section(tables.section(None)).section(files::section(release)).section(statement.glossary())
}

/// The parts whose files are published, in the order of the page.
const PARTS: [PartName; 4] = [PartName::Exact, PartName::Filtered, PartName::Noisy, PartName::Together];

/// The name of a part for readers.
fn part_name(part: PartName) -> &'static str {
    match part {
        PartName::Exact => "Exact tables",
        PartName::Filtered => "Groups",
        PartName::Noisy => "Tables with noise",
        PartName::Together => "All exact numbers together",
        PartName::Screen => "Attack on labels",
    }
}

impl Statement<'_> {
    fn of_part(&self, part: PartName) -> impl Iterator<Item = &PartDocument> {
        self.parts.iter().filter(move |document| document.name == part)
    }

    /// The first screen.
    fn head(&self, tables: &PartTables<'_>) -> Page {
        let page = Page::new(self.title).colophon(colophon(self.version));
        let verdict = match self.misses_target {
            false => (Tone::Good, "Released: every target of the job is met."),
            true => (Tone::Bad, "Not released as the job requires."),
        };
        let head = Head::new(self.imprint).verdict(verdict.0, verdict.1).fact("what is protected", self.protected());
        let head = head.total(tables.noisy.iter().filter_map(|table| table.sheet));
        let head = PARTS.into_iter().fold(head, |head, part| match self.of_part(part).next() {
            Some(document) => head.fact(part_name(part), part_sentence(document, tables.count(part))),
            None => head,
        });
        let bar = self.budget.map(|budget| {
            let spent = budget.spent.iter().map(|spent| (spent.part.clone(), spent.rho));
            budget_bar(budget.rho, spent, budget.spent_rho)
        });
        head.onto(page, bar)
    }

    /// Who or what is protected by the published parts.
    fn protected(&self) -> String {
        let mut units: Vec<&str> = Vec::new();
        for part in self.parts.iter().filter(|part| part.name != PartName::Screen) {
            if !units.contains(&part.unit.as_str()) {
                units.push(&part.unit);
            }
        }
        units.join("; ")
    }

    /// The cards of the parts, and what the noise costs.
    fn promised(&self, page: Page) -> Page {
        let cards = PARTS.into_iter().filter_map(|part| self.card(part));
        let mut section = cards.fold(Section::new("What is promised"), Section::with);
        section
            .sections
            .extend(self.card(PartName::Screen).map(|card| Section::owner("What was predicted").with(card)));
        let page = page.section(section);
        self.budget.map(cost).into_iter().fold(page, Page::section)
    }

    fn card(&self, part: PartName) -> Option<PromiseCard> {
        let promises: Vec<PromiseSection> = self.of_part(part).map(promise).collect();
        (!promises.is_empty()).then(|| PromiseCard { subject: part_name(part).to_owned(), promises })
    }

    fn glossary(&self) -> Section {
        let kinds: Vec<StatementKind> = self.parts.iter().map(|part| statement_kind(part.kind)).collect();
        let topics = [
            (Topic::Exact, self.of_part(PartName::Exact).next().is_some()),
            (Topic::Groups, self.of_part(PartName::Filtered).next().is_some()),
            (Topic::Noise, self.budget.is_some()),
        ];
        let topics: Vec<Topic> = topics.into_iter().filter(|&(_, is_used)| is_used).map(|(topic, _)| topic).collect();
        glossary::section(&kinds, &topics)
    }
}

/// A part in a line: how many tables it has, and the first clause of its first promise.
fn part_sentence(part: &PartDocument, tables: usize) -> String {
    let tables = if tables == 0 { String::new() } else { format!("{}. ", plural(tables, "table", "tables")) };
    format!("{tables}{}: {}", statement_kind(part.kind).name(), first_clause(&part.promise))
}

fn promise(part: &PartDocument) -> PromiseSection {
    let section = PromiseSection::new(statement_kind(part.kind), part.promise.as_str())
        .term("protects", part.unit.as_str())
        .term("against", part.against.as_str());
    PromiseSection { not_covered: part.not_covered.clone(), ..section }
}

fn cost(budget: &BudgetDocument) -> Section {
    let promise = promise_section(&budget.promise, None).about("The noise of all parts");
    let mut facts = vec![
        ("budget".to_owned(), Cell::from(format!("rho {}", short_up(budget.rho)))),
        ("spent".to_owned(), format!("rho {}", short_up(budget.spent_rho)).into()),
    ];
    facts.extend(budget.epsilon_at_delta.iter().map(epsilon_fact));
    let mut section = Section::new("What it costs").with(promise).with(Block::Facts(facts));
    section.blocks.push(ledger_entry(budget.ledger_hash.as_deref()));
    section.blocks.extend(epsilon_curve(budget.spent_rho, budget.dominated_by.as_ref()).map(Into::into));
    section
}

/// Whether every target is met, in a sentence.
fn targets_note(targets: &[TargetDocument]) -> Block {
    let met = targets.iter().filter(|target| target.met).count();
    let all = plural(targets.len(), "target", "targets");
    match met == targets.len() {
        true => Block::Note(Tone::Good, format!("{all}, all met.")),
        false => Block::Note(Tone::Bad, format!("{all}, of which {met} are met.")),
    }
}

fn targets(targets: &[TargetDocument]) -> Section {
    let columns = ["target", "required", "found", "result", "kind", "quantity"].map(Column::words);
    let mut table = Table::new("Targets, and what was found before any noise was drawn", columns);
    table.rows = targets.iter().map(target_row).collect();
    Section::owner("Targets").with(table)
}

fn target_row(target: &TargetDocument) -> Vec<Cell> {
    vec![
        target.name.replace('-', " ").into(),
        figure(&target.asked, is_share(target)).into(),
        figure(&target.found, is_share(target)).into(),
        if target.met { Cell::toned(Tone::Good, "met") } else { Cell::toned(Tone::Bad, "missed") },
        statement_kind(target.kind).name().into(),
        target.what.as_str().into(),
    ]
}

/// Whether the figures of a target are shares, which are shown in percent.
fn is_share(target: &TargetDocument) -> bool {
    target.name.starts_with("label-accuracy") || target.name.contains("posterior")
}

fn figure(figure: &Figure, is_share: bool) -> String {
    match figure {
        Figure::Number(share) if is_share => percent(*share),
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
        Column::words("treatment"),
        Column::numbers("numbers"),
        Column::numbers("withheld"),
    ];
    let mut table = Table::new("Status of each requested table", columns);
    table.row_names = 2;
    table.rows = requested.iter().map(overview_row).collect();
    Section::owner("All tables").with(table.without_zero_columns())
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
    let section = documents.fold(Section::owner("Predictions, audits and attacks"), Section::subsection);
    (!section.sections.is_empty()).then_some(section)
}

/// A noisy table; without its sheet if it is too large to be shown.
struct NoisyTable<'a> {
    sheet: Option<&'a Sheet>,
    path: &'a str,
    section: Section,
}

/// The files that may leave, by the part that they belong to.
#[derive(Default)]
struct PartTables<'a> {
    exact: Vec<(&'a Sheet, &'a str)>,
    filtered: Vec<(&'a Sheet, &'a str)>,
    noisy: Vec<NoisyTable<'a>>,
    /// Tables computed from the noisy ones.
    adjusted: Vec<Block>,
    /// What the exact part says besides its tables.
    said: Vec<Section>,
    exact_unit: Option<String>,
    /// Whom the exact tables count, where it is not everybody.
    counted: Option<&'a Counted>,
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
                self.counted = record.counted.as_ref();
            }
            Content::TooLarge if [".csv", ".parquet"].iter().any(|end| below.ends_with(end)) => {
                self.noisy.push(NoisyTable { sheet: None, path, section: too_large(below.to_owned(), path) });
            }
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
            "noisy" => {
                let section = tables::section(name, sheet, "counts", path);
                self.noisy.push(NoisyTable { sheet: Some(sheet), path, section });
            }
            _ => self.filtered.push((sheet, path)),
        }
    }

    /// How many tables of a part leave.
    fn count(&self, part: PartName) -> usize {
        match part {
            PartName::Exact => self.exact.len(),
            PartName::Filtered => self.filtered.len(),
            PartName::Noisy => self.noisy.len(),
            PartName::Together | PartName::Screen => 0,
        }
    }

    /// What is published by more than one part.
    fn published_twice(&self) -> Option<Section> {
        let counted = self.counted.and_then(|counted| Some((counted.column.as_str(), counted.value.as_deref()?)));
        let published = |&(sheet, path): &(&'a Sheet, &'a str), counted| PublishedTable { sheet, path, counted };
        let exact: Vec<PublishedTable<'_>> = self.exact.iter().map(|table| published(table, counted)).collect();
        let groups: Vec<PublishedTable<'_>> = self.filtered.iter().map(|table| published(table, None)).collect();
        let noisy = self.noisy.iter().filter_map(|table| Some(published(&(table.sheet?, table.path), None)));
        let sentences = twice::sentences(&exact, &groups, &noisy.collect::<Vec<_>>());
        let text = "Some numbers of this release are about the same people.";
        (!sentences.is_empty()).then(|| Section::new("Published twice").text(text).with(Block::List(sentences)))
    }

    /// All tables, part by part.
    fn section(self, overview: Option<Section>) -> Section {
        let mut all = Section::new("Tables");
        all.sections.extend(overview);
        all.sections.extend(self.published_twice());
        let unit = self.exact_unit.as_deref().unwrap_or("people");
        let exact = self.said.into_iter().chain(sections(&self.exact, unit)).collect();
        let groups = sections(&self.filtered, "rows").collect();
        let parts: [(&str, &str, Vec<Section>); 3] = [
            ("Exact tables", "Counts without noise, unless a cell states otherwise.", exact),
            ("Groups", "Groups that pass the low-count filter. Small groups are left out.", groups),
            (
                "Tables with noise",
                "Values are unbiased, so they may be negative or fractional. All tables are consistent with each other.",
                self.noisy.into_iter().map(|table| table.section).collect(),
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
