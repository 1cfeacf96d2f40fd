//! Documents on attacks: what solvers get right, and what can be told of withheld numbers.

use disclosure_report::{Amount, Bar, Bars, Block, Cell, Column, Table, Tone};
use serde_json::Value;

use super::review::{MOST_DRAWN, drawn_of, folded, labelled, left_out, list};
use crate::display::{count, short, with_error};

/// Guessing, what a solver is expected to get right, and the most that it can.
pub(super) fn screen(document: &Value) -> Vec<Block> {
    let mut bars = Vec::new();
    for (estimate, about) in [(&document["estimate"], "the model"), (&document["realised"]["estimate"], "this table")] {
        for (field, words) in [("floor", "guessing"), ("accuracy", "a solver"), ("ceiling", "ceiling")] {
            bars.extend(estimate[field].as_f64().map(|share| share_bar(format!("{words}, {about}"), share, None)));
        }
    }
    let title = "Labels that are got right, as is expected".to_owned();
    let axis = "share of the labels".to_owned();
    vec![Bars { title, axis, bars }.into()]
}

/// A share, with twice its standard error if it was measured.
fn share_bar(label: String, share: f64, error: Option<f64>) -> Bar {
    let (low, high) = (share - 2.0 * error.unwrap_or(0.0), share + 2.0 * error.unwrap_or(0.0));
    let (amount, shown) = match error.filter(|&error| error > 0.0) {
        Some(error) => {
            let shown = format!("{} ± {}", with_error(share, 2.0 * error), with_error(2.0 * error, 2.0 * error));
            (Amount::Estimate { value: share, low, high }, shown)
        }
        None => (Amount::Exact(share), short(share)),
    };
    Bar { label, amount, shown }
}

fn measured(label: &str, value: &Value) -> Option<Bar> {
    Some(share_bar(label.to_owned(), value["mean"].as_f64()?, value["standard_error"].as_f64()))
}

/// What attackers got right, between guessing and the ceiling.
pub(super) fn labels(document: &Value) -> Vec<Block> {
    let mut bars: Vec<Bar> = measured("guessing", &document["blind_accuracy"]).into_iter().collect();
    for attacker in list(document, "attackers") {
        let name = format!("attacker: {}", attacker["evidence"].as_str().unwrap_or("?").replace('-', " "));
        bars.extend(measured(&name, &attacker["accuracy"]));
    }
    bars.extend(measured("ceiling", &document["ceiling_accuracy"]));
    let axis = "share of the labels; whiskers are two standard errors to either side".to_owned();
    vec![Bars { title: "Labels that attackers got right".to_owned(), axis, bars }.into()]
}

/// The attack on all exact numbers together, and that on labels.
pub(super) fn attack(document: &Value, max_lines: usize) -> Vec<Block> {
    let exact = &document["exact_numbers"];
    let text = |name: &str| exact[name].as_str().unwrap_or_default().to_owned();
    let mut blocks = vec![Block::Facts(vec![
        ("what it says".to_owned(), text("statement").into()),
        ("against".to_owned(), text("against").into()),
    ])];
    for (name, words) in [("withheld_cells", "withheld cells"), ("withheld_groups", "withheld groups")] {
        blocks.extend(verdicts(&exact[name], words, max_lines));
    }
    if document["labels"].is_object() {
        blocks.extend(labels(&document["labels"]));
    }
    blocks
}

fn verdicts(found: &Value, words: &str, max_lines: usize) -> Vec<Block> {
    let mut each: Vec<&Value> = list(found, "each").iter().collect();
    if each.is_empty() {
        return Vec::new();
    }
    each.sort_by_key(|found| match found["verdict"].as_str() {
        Some("pinned") => 0,
        Some("unknown") => 1,
        _ => 2,
    });
    let number = |name: &str| found[name].as_f64().unwrap_or(0.0);
    let pinned = number("pinned");
    let is_decided = found["pinned"].is_number() && found["unknown"].as_f64() == Some(0.0);
    let tone = match (pinned > 0.0, is_decided) {
        (true, _) => Tone::Bad,
        (false, false) => Tone::Warning,
        (false, true) => Tone::Good,
    };
    let [open, unknown] = [number("open"), number("unknown")].map(count);
    let said = format!("{words}: {open} open, {} pinned, {unknown} not decided.", count(pinned));
    let bar = |found: &Value| {
        let amount = found["width"].as_f64().map_or(Amount::Withheld, Amount::Exact);
        let shown = found["width"].as_f64().map_or_else(|| "no bound".to_owned(), count);
        Bar { label: labelled(&found["of"]), amount, shown }
    };
    let row = |found: &Value| {
        let verdict = found["verdict"].as_str().unwrap_or_default();
        let tone = if verdict == "pinned" { Tone::Bad } else { Tone::Plain };
        let width = found["width"].as_f64().map_or_else(|| "no bound".to_owned(), count);
        vec![labelled(&found["of"]).into(), width.into(), Cell::toned(tone, verdict)]
    };
    let table = Table {
        caption: format!("What can be told of {words}"),
        columns: vec![Column::words("number"), Column::numbers("width"), Column::words("verdict")],
        row_names: 1,
        rows: each.iter().copied().take(max_lines).map(row).collect(),
        left_out: left_out(each.len().min(max_lines), each.len()),
    };
    let bars: Vec<Bar> = each.iter().copied().take(MOST_DRAWN).map(bar).collect();
    let title = format!("How far apart the counts of {words} may be{}", drawn_of(each.len()));
    let chart = Bars { title, axis: "people between the largest and the least count that fits".to_owned(), bars };
    vec![Block::Note(tone, said), chart.into(), folded("Every one", table)]
}
