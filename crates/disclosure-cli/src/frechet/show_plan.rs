//! Plans and releases as people read them: what happens to every table, and why.

use disclosure_jobs::exact::{
    DecisionData, MarginDocument, PatternStatement, PerturbationDocument, PlanDocument, PrivatePlanDocument,
    ReleaseDocument, RoundedFile, RoundingDocument, TableFile, Treatment,
};

use super::show::{MOST_LINES, algorithm_aware, line, more, policy, promise, title};
use crate::display::refusal::show_refusal;
use crate::display::{Align, Table, count, number};

pub(super) fn show_plan(report: &PlanDocument) -> String {
    let met = if report.target_met { "met" } else { "missed" };
    let margins = number(report.margins.len(), "table", "tables");
    let mut text = match report.publishes_nothing() {
        true => title(&report.title, &format!("{margins}, nothing can be published")),
        false => title(&report.title, &format!("{margins}, target {met}")),
    };
    text += &promise(&report.promise);
    text += &policy(&report.policy);
    text += &line(
        "decided on",
        match report.basis {
            DecisionData::PublicSizes => "public sizes",
            DecisionData::Counts => "the counts",
            DecisionData::Robust => "the counts, robustly: knowing the algorithm discloses nothing further",
            DecisionData::Private => "the counts, under a privacy budget",
        },
    );
    text += &algorithm_aware(report.algorithm_aware.as_ref());
    text += &notes(&report.notes);
    let mut table = Table::new([
        ("table", Align::Left),
        ("exact", Align::Right),
        ("noised", Align::Right),
        ("withheld", Align::Right),
        ("what", Align::Left),
        ("why", Align::Left),
    ])
    .with_notes();
    for margin in report.margins.iter().take(MOST_LINES) {
        let cells = [margin.exact, margin.noised, margin.suppressed].map(|cells| count(cells as f64));
        let [exact, noised, suppressed] = cells;
        let what = treatment(margin.treatment).to_owned();
        table.row([name_of(&margin.attributes), exact, noised, suppressed, what, why(margin)]);
    }
    let refusal = report.refusal.as_ref().map_or_else(String::new, show_refusal);
    text + "\n" + &table.render() + &more(report.margins.len(), "tables") + &refusal
}

/// What a private pattern costs and which counts may leave. Nothing is drawn for this.
pub(super) fn show_private_plan(report: &PrivatePlanDocument) -> String {
    let mut text = title(&report.title, "nothing is drawn yet");
    text += &promise(&report.promise);
    text += &policy(&report.policy);
    text += &pattern(&report.pattern);
    text += &line(
        "threshold",
        &format!(
            "a number is published if one of its cells reaches {} after adding noise for this decision",
            report.threshold
        ),
    );
    if report.coarsenings > 1 {
        text += &line("groups", &format!("chosen from {} coarsenings of the hierarchies", report.coarsenings));
    }
    text + &algorithm_aware(Some(&report.algorithm_aware))
}

fn pattern(statement: &PatternStatement) -> String {
    let cost = statement.promise.cost.as_deref().unwrap_or_default();
    line("pattern", &statement.promise.guarantee) + &line("cost", cost)
}

fn why(margin: &MarginDocument) -> String {
    let groups = margin.groups.iter().map(|(name, groups)| format!("{name} in {}", groups.join(" | ")));
    margin.reasons.iter().cloned().chain(groups).collect::<Vec<_>>().join("; ")
}

pub(super) fn show_release(record: &ReleaseDocument) -> String {
    let written = record.files.iter().filter(|file| file.name.is_some()).count();
    let mut text = title(&record.title, &number(written, "table", "tables"));
    text += &record.pattern.as_ref().map(pattern).unwrap_or_default();
    text += &algorithm_aware(record.algorithm_aware.as_ref());
    text += &notes(&record.notes);
    let columns = [("table", Align::Left), ("what", Align::Left), ("file", Align::Left)];
    let mut table = Table::new(columns);
    let row = |file: &TableFile| {
        let (name, what) = (file.name.clone().unwrap_or_default(), treatment(file.treatment).to_owned());
        [name_of(&file.attributes), what, name]
    };
    record.files.iter().take(MOST_LINES).for_each(|file| table.row(row(file)));
    text + "\n" + &table.render() + &more(record.files.len(), "tables")
}

pub(super) fn show_rounded(record: &RoundingDocument) -> String {
    let mut text = title(&record.title, &format!("multiples of {}", record.base));
    text += &promise(&record.promise);
    text += &notes(&record.notes);
    text + &left_out(&record.not_covered) + &tables(&record.files)
}

pub(super) fn show_perturbed(record: &PerturbationDocument) -> String {
    let mut text = title(&record.title, &format!("numbers within {} of the counts", record.max_deviation));
    text += &promise(&record.promise);
    text += &notes(&record.notes);
    text + &left_out(&record.not_covered) + &tables(&record.files)
}

fn left_out(words: &[String]) -> String {
    words.iter().map(|words| line("excluded", words)).collect()
}

fn tables(files: &[RoundedFile]) -> String {
    let mut table = Table::new([("table", Align::Left), ("numbers", Align::Right), ("file", Align::Left)]);
    for file in files.iter().take(MOST_LINES) {
        table.row([name_of(&file.attributes), count(file.numbers as f64), file.digest.name.clone()]);
    }
    format!("\n{}{}", table.render(), more(files.len(), "tables"))
}

fn notes(notes: &[String]) -> String {
    notes.iter().map(|note| line("note", note)).collect()
}

fn name_of(attributes: &[String]) -> String {
    if attributes.is_empty() { "(total)".to_owned() } else { attributes.join(" × ") }
}

pub(super) fn treatment(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Exact => "exact",
        Treatment::Coarsened => "merged into groups, exact",
        Treatment::Suppressed => "some cells withheld, the others exact",
        Treatment::Noised => "with noise",
        Treatment::Withheld => "withheld",
    }
}
