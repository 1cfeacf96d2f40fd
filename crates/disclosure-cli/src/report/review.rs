//! Documents that stay where the data are, each by its schema: predictions, audits, attacks.

use disclosure_report::{
    Amount, Audience, Bar, Bars, Block, Cell, Column, Interval, Intervals, Mark, Section, Table, Tone,
};
use serde_json::Value;

use super::directory::{Directory, Entry, parse};
use super::error::ReportError;
use super::record::PromiseRecord;
use crate::display::{count, short, with_error};

/// Things that are drawn under each other.
const MOST_DRAWN: usize = 40;

/// The section of a document, for the owner of the data; none of a file that is no document.
pub(super) fn section(directory: &Directory, entry: &Entry, bytes: &[u8]) -> Result<Option<Section>, ReportError> {
    if !entry.path.ends_with(".json") {
        return Ok(None);
    }
    let document: Value = parse(&entry.path, bytes)?;
    let schema = document["schema"].as_str().unwrap_or_default();
    let (heading, mut blocks) = match schema {
        "disclosure.frechet-audit/1" => ("Audit of the exact tables", audit(&document, directory.max_lines)),
        "disclosure.screen-table/1" | "disclosure.screen/1" => ("Prediction for a solver", screen(&document)),
        "disclosure.screen-simulate/1" => ("Attack on the labels", labels(&document)),
        "disclosure.run-attack/1" => ("Attack on what leaves", attack(&document, directory.max_lines)),
        "disclosure.lcf-audit/1" => ("Audit of the filter", filter(&document, directory.max_lines)),
        "disclosure.frechet-plan/1" => ("Plan of the exact tables", Vec::new()),
        _ => ("Document", Vec::new()),
    };
    blocks.splice(0..0, promise(&document));
    blocks.push(Block::Folded {
        summary: format!("{}: {schema}", entry.path),
        is_open: false,
        blocks: vec![Block::Facts(scalars(&document))],
    });
    Ok(Some(Section { heading: heading.to_owned(), audience: Audience::Owner, blocks, sections: Vec::new() }))
}

fn promise(document: &Value) -> Option<Block> {
    let record: PromiseRecord = serde_json::from_value(document.get("promise")?.clone()).ok()?;
    Some(record.promise(None, Vec::new()).into())
}

/// Every number, word and truth at the top of a document, and how long its lists are.
fn scalars(document: &Value) -> Vec<(String, Cell)> {
    let shown = |value: &Value| match value {
        Value::Number(number) => {
            number.as_f64().map(|number| if number.fract() == 0.0 { count(number) } else { short(number) })
        }
        Value::String(text) => Some(text.clone()),
        Value::Bool(truth) => Some(if *truth { "yes" } else { "no" }.to_owned()),
        Value::Array(list) => Some(format!("{} entries", count(list.len() as f64))),
        Value::Null | Value::Object(_) => None,
    };
    let fields = document.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.replace('_', " "), shown(value)?.into()))).collect()
}

/// Labels by their attributes, as an audit writes a class.
fn labelled(class: &Value) -> String {
    let parts = class.as_object().into_iter().flatten();
    let parts: Vec<String> = parts.map(|(axis, label)| format!("{axis} {}", label.as_str().unwrap_or("?"))).collect();
    if parts.is_empty() { "everybody".to_owned() } else { parts.join(", ") }
}

fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

/// What is not shown of a long list.
fn left_out(shown: usize, all: usize) -> Option<String> {
    let [first, whole] = [shown, all].map(|number| count(number as f64));
    (shown < all).then(|| format!("The first {first} of {whole}; the file has all."))
}

/// The bounds of every class, with the limits of the policy.
fn audit(document: &Value, max_lines: usize) -> Vec<Block> {
    let verdicts = ["certified", "ambiguous", "disclosed", "unknown", "empty"];
    let facts =
        verdicts.map(|name| (name.to_owned(), Cell::from(document[name].as_f64().map_or_else(String::new, count))));
    let classes = list(document, "classes");
    let has_rates = classes.iter().any(|class| class["posterior"].is_array());
    let beta = document["policy"]["beta"].as_f64().filter(|_| has_rates);
    let ends = |class: &Value| match has_rates {
        true => Some([class["posterior"][0].as_f64()?, class["posterior"][1].as_f64()?]),
        false => Some([class["lower"].as_f64()?, class["upper"].as_f64()?]),
    };
    let words = |[low, high]: [f64; 2]| match has_rates {
        true => format!("{} to {} %", with_error(low * 100.0, 10.0), with_error(high * 100.0, 10.0)),
        false => format!("{} to {}", count(low), count(high)),
    };
    let interval = |class: &Value| {
        let [low, high] = ends(class)?;
        let is_bad = class["verdict"] == "disclosed";
        Some(Interval { label: labelled(&class["class"]), low, high, shown: words([low, high]), is_bad })
    };
    let chart = Intervals {
        title: "What an attacker can tell of each class".to_owned(),
        axis: if has_rates { "rate that stays possible" } else { "people who may be there" }.to_owned(),
        intervals: classes.iter().filter_map(interval).take(MOST_DRAWN).collect(),
        marks: beta.iter().flat_map(|&beta| [beta, 1.0 - beta]).map(|at| Mark { at, label: short(at) }).collect(),
    };
    let mut blocks = vec![Block::Facts(facts.into())];
    blocks.extend((!chart.intervals.is_empty()).then(|| chart.into()));
    blocks.push(folded("Every class", class_table(classes, max_lines, &|class| ends(class).map(words))));
    blocks
}

fn class_table(classes: &[Value], max_lines: usize, bounds: &dyn Fn(&Value) -> Option<String>) -> Table {
    let row = |class: &Value| {
        let verdict = class["verdict"].as_str().unwrap_or_default();
        let tone = if verdict == "disclosed" { Tone::Bad } else { Tone::Plain };
        let why = class["why"].as_str().unwrap_or_default();
        vec![
            labelled(&class["class"]).into(),
            bounds(class).unwrap_or_default().into(),
            Cell::toned(tone, verdict),
            why.into(),
        ]
    };
    Table {
        caption: "Bounds and verdict of each class".to_owned(),
        columns: vec![
            Column::words("class"),
            Column::numbers("between"),
            Column::words("verdict"),
            Column::words("why"),
        ],
        row_names: 1,
        rows: classes.iter().take(max_lines).map(row).collect(),
        left_out: left_out(classes.len().min(max_lines), classes.len()),
    }
}

fn folded(summary: &str, table: Table) -> Block {
    let summary = format!("{summary}: {}", count(table.rows.len() as f64));
    Block::Folded { summary, is_open: false, blocks: vec![table.into()] }
}

/// Guessing, what a solver is expected to get right, and the most that it can.
fn screen(document: &Value) -> Vec<Block> {
    let mut bars = Vec::new();
    for (estimate, about) in [(&document["estimate"], "the model"), (&document["realised"]["estimate"], "this table")] {
        for (field, words) in [("floor", "guessing"), ("accuracy", "expected of a solver"), ("ceiling", "ceiling")] {
            bars.extend(estimate[field].as_f64().map(|share| share_bar(format!("{words}, {about}"), share, None)));
        }
    }
    let title = "Labels that are got right".to_owned();
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
fn labels(document: &Value) -> Vec<Block> {
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
fn attack(document: &Value, max_lines: usize) -> Vec<Block> {
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
    let each = list(found, "each");
    if each.is_empty() {
        return Vec::new();
    }
    let number = |name: &str| found[name].as_f64().unwrap_or(0.0);
    let pinned = number("pinned");
    let tone = if pinned > 0.0 { Tone::Bad } else { Tone::Good };
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
        rows: each.iter().take(max_lines).map(row).collect(),
        left_out: left_out(each.len().min(max_lines), each.len()),
    };
    let bars: Vec<Bar> = each.iter().take(MOST_DRAWN).map(bar).collect();
    let title = format!("How far apart the counts of {words} may be");
    let chart = Bars { title, axis: "people between the largest and the least count that fits".to_owned(), bars };
    vec![Block::Note(tone, said), chart.into(), folded("Every one", table)]
}

/// What the filter did with every group.
fn filter(document: &Value, max_lines: usize) -> Vec<Block> {
    let groups = list(document, "groups");
    let text = |group: &Value, name: &str| group[name].as_str().unwrap_or_default().replace('-', " ");
    let row = |group: &Value| {
        let shown = if group["reported"] == true { "shown" } else { "withheld" };
        vec![
            labelled(&group["group"]).into(),
            shown.into(),
            text(group, "reason").into(),
            text(group, "entities").into(),
        ]
    };
    let table = Table {
        caption: "What became of each group, and why".to_owned(),
        columns: ["group", "", "why", "entities"].map(Column::words).into(),
        row_names: 1,
        rows: groups.iter().take(max_lines).map(row).collect(),
        left_out: left_out(groups.len().min(max_lines), groups.len()),
    };
    vec![folded("Every group", table)]
}
