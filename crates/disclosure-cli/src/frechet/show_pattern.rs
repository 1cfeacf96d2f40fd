//! A suppression pattern as people read it: what is not protected first.

use disclosure_jobs::exact::{LinkedFinding, PatternCell, PatternDocument, ProtectionStatus, SuppressionStatus};

use super::show::{MOST_LINES, line, more, promise, title};
use crate::display::{Align, Table, count, number};

pub(super) fn show_pattern(report: &PatternDocument) -> String {
    let met = if report.target_met { "met" } else { "missed" };
    let cells = number(report.cells.len(), "suppressed cell", "suppressed cells");
    let mut text = title(&report.title, &format!("{cells}, target {met}"));
    text += &promise(&report.promise);
    let published = number(report.published, "published cell", "published cells");
    text += &line("given", &format!("{published} and {}", number(report.relations, "relation", "relations")));
    for (name, tally, failing) in
        [("sensitive", report.primary, "not protected as required"), ("secondary", report.secondary, "without effect")]
    {
        let [all, failed, pinned, unknown] =
            [tally.all, tally.exposed, tally.pinned, tally.unknown].map(|cells| count(cells as f64));
        let unknown = if tally.unknown > 0 { format!(", {unknown} not decided") } else { String::new() };
        text += &line(name, &format!("{all}: {failed} {failing}, {pinned} known exactly{unknown}"));
    }
    let right = ["cell", "least", "most", "required"].map(|name| (name, Align::Right));
    let mut table = Table::new(right.into_iter().chain([("suppressed as", Align::Left), ("finding", Align::Left)]));
    let mut cells: Vec<&PatternCell> = report.cells.iter().collect();
    let order = |cell: &PatternCell| {
        let found = &cell.found;
        (
            found.status == SuppressionStatus::Secondary,
            found.protected == ProtectionStatus::Yes,
            found.upper - found.lower,
            found.cell,
        )
    };
    cells.sort_by_key(|cell| order(cell));
    for cell in cells.iter().take(MOST_LINES) {
        let found = &cell.found;
        let is_primary = found.status == SuppressionStatus::Primary;
        let asked = format!("-{} +{} {}", cell.asked.lower, cell.asked.upper, cell.asked.sliding);
        table.row([
            found.cell.to_string(),
            count(found.lower as f64),
            count(found.upper as f64),
            if is_primary { asked } else { String::new() },
            if is_primary { "sensitive" } else { "secondary" }.to_owned(),
            pattern_finding(found),
        ]);
    }
    text + "\n" + &table.render() + &more(cells.len(), "cells")
}

fn pattern_finding(found: &LinkedFinding) -> String {
    let finding = match (found.protected, found.is_exactly_disclosed) {
        (ProtectionStatus::Yes, _) => "protected",
        (ProtectionStatus::No, true) => "known exactly",
        (ProtectionStatus::No, false) => "known more closely than required",
        (ProtectionStatus::Unknown, _) => "undecided: a limit was reached, or the solver stalled",
    };
    let gap = if found.has_integer_gap { "; the linear relaxation is wider" } else { "" };
    format!("{finding}{gap}")
}
