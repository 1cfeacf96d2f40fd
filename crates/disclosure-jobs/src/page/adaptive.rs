//! The page of adaptive marginals: `disclosure.adaptive-release/1`.

use disclosure_report::number::{count, short, short_up, with_error};
use disclosure_report::{
    Amount, Bar, Bars, Block, Cell, Column, Lines, Page, PromiseCard, PromiseSection, Section, Series, StatementKind,
    Table, Tone,
};

use super::glossary::{self, Topic};
use super::head::{Head, first_clause, spent_bar};
use super::review::{folded, left_out};
use super::stored::{Content, StoredFile, StoredRelease};
use super::words::{
    colophon, epsilon_curve, epsilon_fact, ledger_entry, plural, promise_section, statement_kind, table_name, too_large,
};
use super::{files, tables};
use crate::adaptive::{AdaptiveReleaseDocument, AdaptiveTable, AnswerError, AnswerErrorBasis, RoundSummary};
use crate::figures::percent;

/// Makes the page of marginals that were chosen under the budget, and of the rows of their model.
pub(super) fn page(record: &AdaptiveReleaseDocument, release: &StoredRelease) -> Page {
    let page = Page::new(record.title.as_str()).colophon(colophon(&record.version));
    let kinds = [statement_kind(record.promise.kind), StatementKind::Guarantee];
    head(record)
        .onto(page, Some(spent_bar(record.cost.rho, record.ledger_hash.is_some())))
        .section(promises(record))
        .section(cost(record))
        .section(rounds(record, release.max_lines))
        .section(errors(record, release.max_lines))
        .section(model(record, release.max_lines))
        .section(contents(record, release))
        .section(files::section(release))
        .section(glossary::section(&kinds, &[Topic::Noise]))
}

fn head(record: &AdaptiveReleaseDocument) -> Head {
    let kind = statement_kind(record.promise.kind);
    let tone = if kind == StatementKind::Guarantee { Tone::Good } else { Tone::Warning };
    let chosen = record.rounds.iter().filter(|round| round.epsilon.is_some()).count();
    let measured = format!(
        "{}, measured in {}, of which {} chosen from the data under the budget",
        plural(record.marginals.len(), "table", "tables"),
        plural(record.rounds.len(), "round", "rounds"),
        if chosen == 1 { "1 was".to_owned() } else { format!("{} were", count(chosen as f64)) },
    );
    Head::new(&record.imprint)
        .verdict(tone, format!("Released. {}: {}", kind.name(), first_clause(&record.promise.guarantee)))
        .fact("what is protected", record.promise.unit.as_deref().unwrap_or("a row"))
        .fact("number of people", format!("{}, with noise", short(record.measured_total)))
        .fact("synthetic rows", format!("{}, of people who do not exist", count(record.rows as f64)))
        .fact("tables with noise", measured)
}

fn promises(record: &AdaptiveReleaseDocument) -> Section {
    let everybody = "anyone who sees the whole release, whatever else they know";
    let mut promise = promise_section(&record.promise, Some(everybody));
    promise.not_covered.clone_from(&record.not_covered);
    let together = "with a probability of 95 % over the random draws of the release, the distance of the rows from every \
         table without noise is at most this";
    let bounds = PromiseSection::new(StatementKind::Guarantee, "95 % bounds on the error of the rows in each table")
        .term("all together", together);
    let card = PromiseCard {
        subject: "Choice of tables, tables with noise, and rows".to_owned(),
        promises: vec![promise, bounds],
    };
    let section = Section::new("What is promised").with(card);
    section.with(Block::List(record.statements.clone()))
}

fn cost(record: &AdaptiveReleaseDocument) -> Section {
    let mut facts = vec![
        ("charged".to_owned(), Cell::from(format!("rho {}", short_up(record.cost.rho)))),
        ("used by the choices and the noise".to_owned(), format!("rho {}", short_up(record.used_rho)).into()),
    ];
    facts.extend(record.cost.epsilon_at_delta.iter().map(epsilon_fact));
    let mut section = Section::new("What it costs").with(Block::Facts(facts));
    section.blocks.push(ledger_entry(record.ledger_hash.as_deref()));
    section.blocks.extend(epsilon_curve(record.cost.rho, None).map(Into::into));
    section
}

/// What was chosen, in order, and how much noise it got.
fn rounds(record: &AdaptiveReleaseDocument, max_lines: usize) -> Section {
    let words = "Every attribute is measured first. Then a table is drawn in each round, and a table is more likely to \
         be drawn the larger its error is in a model of everything measured so far. If a measurement changes the model \
         by no more than its noise, later rounds have half the noise and cost four times as much.";
    let noise = Lines {
        title: "Standard deviation of the noise, by round".to_owned(),
        across: "round".to_owned(),
        up: "counts".to_owned(),
        is_logarithmic: true,
        series: vec![Series {
            name: "sd of the noise in a cell".to_owned(),
            points: record.rounds.iter().enumerate().map(|(place, round)| ((place + 1) as f64, round.sd)).collect(),
        }],
    };
    let columns = [
        Column::numbers("round"),
        Column::words("table"),
        Column::numbers("sd of a cell"),
        Column::numbers("epsilon of the choice"),
    ];
    let mut table = Table::new("Rounds, in order", columns);
    table.rows = record.rounds.iter().enumerate().take(max_lines).map(round_row).collect();
    table.left_out = left_out(table.rows.len(), record.rounds.len());
    let mut section = Section::new("What was chosen").text(words);
    section.blocks.extend((record.rounds.len() > 1).then(|| noise.into()));
    section.with(folded("All rounds", table))
}

fn round_row((place, round): (usize, &RoundSummary)) -> Vec<Cell> {
    let epsilon = round.epsilon.map_or_else(|| "not chosen".to_owned(), short_up);
    vec![
        count((place + 1) as f64).into(),
        table_name(&round.attributes).into(),
        with_error(round.sd, round.sd).into(),
        epsilon.into(),
    ]
}

/// How close the rows are to the tables that were measured.
fn errors(record: &AdaptiveReleaseDocument, max_lines: usize) -> Section {
    /// Most tables that are drawn.
    const MOST: usize = 40;
    let mut sorted: Vec<&AdaptiveTable> = record.marginals.iter().collect();
    sorted.sort_by_key(|table| std::cmp::Reverse(table.attributes.len()));
    let bars: Vec<Bar> = sorted.iter().map(|table| error_bar(table)).take(MOST).collect();
    let mut section = Section::new("How accurate it is").text(
        "The error is half the sum of the absolute differences over the cells of a table, as a proportion of the \
         people: 0 % means that the tables are equal, 100 % that no cell is occupied in both. All bounds hold together. \
         A table that was not measured has a bound if it was a candidate in a round: its error was hardly larger than \
         that of the table that was chosen.",
    );
    if bars.len() > 1 {
        let title = "Largest error of the rows compared with the table without noise, with probability 95 %".to_owned();
        section.blocks.push(Bars { title, axis: "% of the people".to_owned(), bars }.into());
    }
    let columns = [
        Column::words("table"),
        Column::numbers("measured"),
        Column::numbers("sd of a cell"),
        Column::numbers("distance from measured"),
        Column::numbers("error bound, 95 %"),
    ];
    let mut table = Table::new("Measured tables, those of more attributes first", columns);
    table.rows = sorted.iter().take(max_lines).map(|table| error_row(table)).collect();
    table.left_out = left_out(table.rows.len(), sorted.len());
    let section = section.with(folded("Errors of the measured tables", table));
    section.with(folded("Errors of the job's marginals", answers(record, max_lines)))
}

fn error_bar(table: &AdaptiveTable) -> Bar {
    let bound = table.error_bound95;
    Bar { label: table_name(&table.attributes), amount: Amount::Exact(100.0 * bound), shown: percent(bound) }
}

/// The marginals of the job, measured or not.
fn answers(record: &AdaptiveReleaseDocument, max_lines: usize) -> Table {
    let columns =
        [Column::words("marginal of the job"), Column::words("measured"), Column::numbers("error bound, 95 %")];
    let mut table = Table::new("Marginals of the job", columns);
    table.rows = record.answers.iter().take(max_lines).map(answer_row).collect();
    table.left_out = left_out(table.rows.len(), record.answers.len());
    table
}

fn answer_row(answer: &AnswerError) -> Vec<Cell> {
    let (basis, bound) = match (answer.basis, answer.round) {
        (AnswerErrorBasis::Measured, _) => ("yes".to_owned(), percent(answer.error_bound95)),
        (AnswerErrorBasis::Choice, Some(round)) => {
            (format!("no: another one was chosen in round {}", count(round as f64)), percent(answer.error_bound95))
        }
        _ => ("no".to_owned(), "not known".to_owned()),
    };
    vec![table_name(&answer.attributes).into(), basis.into(), bound.into()]
}

fn error_row(table: &AdaptiveTable) -> Vec<Cell> {
    let times = if table.measured == 1 { "once".to_owned() } else { format!("{} times", count(table.measured as f64)) };
    vec![
        table_name(&table.attributes).into(),
        times.into(),
        with_error(table.sd, table.sd).into(),
        percent(table.distance).into(),
        percent(table.error_bound95).into(),
    ]
}

/// The model of the rows.
fn model(record: &AdaptiveReleaseDocument, max_lines: usize) -> Section {
    let facts = vec![
        ("tables in the model".to_owned(), Cell::from(count(record.cliques.len() as f64))),
        (
            "misfit".to_owned(),
            format!("{} (half the sum of squared errors over variances)", short(record.fit.loss)).into(),
        ),
        (
            "smallest possible misfit".to_owned(),
            format!("at least {}", short((record.fit.loss - record.fit.gap).max(0.0))).into(),
        ),
        ("steps".to_owned(), count(record.fit.steps as f64).into()),
    ];
    let mut table = Table::new("Attributes that the model represents jointly", [Column::words("table")]);
    table.rows = record.cliques.iter().take(max_lines).map(|names| vec![table_name(names).into()]).collect();
    table.left_out = left_out(table.rows.len(), record.cliques.len());
    Section::new("The model of the rows").with(Block::Facts(facts)).with(folded("Its tables", table))
}

/// The measured tables. The rows are left to their file.
fn contents(record: &AdaptiveReleaseDocument, release: &StoredRelease) -> Section {
    let words = "The measured tables, with noise. They are not consistent with each other, because each has its own \
         noise; tables of the rows are. The rows are in rows.csv.";
    let files = record.files.iter().zip(&release.files);
    let measured = files.filter_map(|(file, stored)| Some((table_name(file.attributes.as_ref()?), stored)));
    measured.fold(Section::new("Tables").text(words), |section, (name, stored)| section.subsection(table(name, stored)))
}

fn table(name: String, stored: &StoredFile) -> Section {
    match &stored.content {
        Content::Table(sheet) => tables::section(name, sheet, "counts", &stored.entry.path),
        _ => too_large(name, &stored.entry.path),
    }
}
