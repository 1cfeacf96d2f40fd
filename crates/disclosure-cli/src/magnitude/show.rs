//! Plans, releases and patterns of amounts as people read them.

use disclosure_jobs::amounts::{AmountStatus, AmountsPattern, AmountsPlan, AmountsRelease, SuppressionStatus};
use disclosure_jobs::exact::Promise;

use crate::display::{Align, Table, count, labelled, number, one_line};

/// Lines of a table.
const MOST_LINES: usize = 24;

pub(super) fn show_plan(plan: &AmountsPlan) -> String {
    let tally = plan.tally;
    let withheld = number(tally.primary + tally.complementary, "withheld cell", "withheld cells");
    let mut text = title(&plan.title, &format!("{withheld} of {}", count(tally.cells as f64)));
    text += &promise(&plan.promise);
    let sums = plan.attacked.saturating_sub(tally.primary);
    let sums = if sums > 0 { format!(", {} of withheld cells", number(sums, "sum", "sums")) } else { String::new() };
    let [primary, further] = [tally.primary, tally.complementary].map(|cells| count(cells as f64));
    text += &line("cells", &format!("{primary} sensitive{sums}; {further} withheld to protect them"));
    let not_covered: String = plan.not_covered.iter().map(|words| line("not covered", words)).collect();
    if plan.cells.is_empty() {
        return text + &not_covered;
    }
    let labels = plan.axes.iter().map(|name| (name.clone(), Align::Left));
    let right = ["amount", "from", "least", "most", "level"].map(|name| (name.to_owned(), Align::Right));
    let mut table = Table::new(labels.chain(right).chain([("withheld as".to_owned(), Align::Left)]));
    let decimals = usize::from(plan.unit.decimals);
    for cell in plan.cells.iter().take(MOST_LINES) {
        let is_primary = cell.status == SuppressionStatus::Primary;
        let numbers = [
            amount(Some(cell.amount), decimals),
            count(cell.respondents as f64),
            amount(cell.lower, decimals),
            amount(cell.upper, decimals),
            if is_primary { amount(Some(cell.level), decimals) } else { String::new() },
            if is_primary { "sensitive" } else { "complementary" }.to_owned(),
        ];
        table.row(cell.labels.iter().cloned().chain(numbers));
    }
    text + "\n" + &table.render() + &more(plan.cells.len()) + "\n" + &not_covered
}

pub(super) fn show_release(release: &AmountsRelease) -> String {
    let withheld =
        format!("{} published, {} withheld", count(release.published as f64), count(release.withheld as f64));
    let not_covered: String = release.not_covered.iter().map(|words| line("not covered", words)).collect();
    title(&release.title, &withheld) + &promise(&release.promise) + &not_covered
}

pub(super) fn show_pattern(pattern: &AmountsPattern) -> String {
    let met = if pattern.target_met { "met" } else { "missed" };
    let cells = number(pattern.cells.len(), "suppressed cell", "suppressed cells");
    let mut text = title(&pattern.title, &format!("{cells}, target {met}"));
    text += &promise(&pattern.promise);
    let columns =
        [("cell", Align::Right), ("least", Align::Right), ("most", Align::Right), ("withheld as", Align::Left)];
    let mut table = Table::new(columns.into_iter().chain([("finding", Align::Left)]));
    let mut cells: Vec<_> = pattern.cells.iter().collect();
    cells.sort_by_key(|cell| (cell.status != SuppressionStatus::Primary, std::cmp::Reverse(cell.protected)));
    for cell in cells.iter().take(MOST_LINES) {
        let finding = match (cell.protected, cell.is_exactly_disclosed) {
            (AmountStatus::Protected, _) => "protected",
            (AmountStatus::Undecided, _) => "undecided: a limit was reached",
            (AmountStatus::Exposed, true) => "known exactly",
            (AmountStatus::Exposed, false) => "known more closely than required",
        };
        let is_primary = cell.status == SuppressionStatus::Primary;
        let kind = if is_primary { "sensitive" } else { "complementary" };
        let ends = [cell.lower, cell.upper].map(|end| end.map_or_else(|| "-".to_owned(), |end| format!("{end}")));
        let [lower, upper] = ends;
        table.row([cell.cell.to_string(), lower, upper, kind.to_owned(), finding.to_owned()]);
    }
    text + "\n" + &table.render() + &more(pattern.cells.len())
}

fn amount(amount: Option<f64>, decimals: usize) -> String {
    amount.map_or_else(|| "-".to_owned(), |amount| format!("{amount:.decimals$}"))
}

fn title(title: &str, words: &str) -> String {
    format!("\n  {}: {words}\n\n", one_line(title))
}

fn line(name: &str, words: &str) -> String {
    labelled(13, name, words)
}

fn promise(promise: &Promise) -> String {
    let part = |name: &str, words: Option<&str>| words.map_or_else(String::new, |words| line(name, words));
    line(promise.kind.word(), &promise.guarantee)
        + &part("against", promise.against.as_deref())
        + &part("unit", promise.unit.as_deref())
}

fn more(all: usize) -> String {
    match all.checked_sub(MOST_LINES) {
        None | Some(0) => String::new(),
        Some(left) => format!("  … and {} more cells, in --json\n", count(left as f64)),
    }
}
