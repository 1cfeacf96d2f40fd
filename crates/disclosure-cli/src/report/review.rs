//! Documents that stay where the data are, each by its schema: predictions, audits, attacks.

use disclosure::core::param::StdDev;
use disclosure::lcf::{ClampedNormal, MembershipPosterior, ThresholdTable};
use disclosure_report::{
    Audience, Block, Cell, Column, IntervalBar, Intervals, Lines, Mark, Section, Series, Table, Tone,
};
use serde_json::Value;

use super::attacks::{attack, labels, screen};
use super::directory::{Directory, Entry, parse};
use super::error::ReportError;
use super::record::PromiseRecord;
use crate::display::{count, short};

/// Longest document whose contents are told: parsed, it takes some twenty times as much.
const MAX_DOCUMENT_BYTES: usize = 1 << 24;
/// Things that are drawn under each other.
pub(super) const MOST_DRAWN: usize = 40;

/// The section of a document, for the owner of the data; none of a file that is no document.
pub(super) fn section(directory: &Directory, entry: &Entry, bytes: &[u8]) -> Result<Option<Section>, ReportError> {
    if !entry.path.ends_with(".json") {
        return Ok(None);
    }
    if bytes.len() > MAX_DOCUMENT_BYTES {
        let words =
            format!("{} is larger than 16 MiB: it was compared with its digest, and is not told here.", entry.path);
        return Ok(Some(Section { audience: Audience::Owner, ..Section::new("Document").with(Block::Text(words)) }));
    }
    let document: Value = parse(&entry.path, bytes)?;
    let schema = document["schema"].as_str().unwrap_or_default();
    let (heading, mut blocks) = match schema {
        "disclosure.frechet-audit/1" => {
            ("Audit of the exact tables, as they were asked for", audit(&document, directory.max_lines))
        }
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
pub(super) fn labelled(class: &Value) -> String {
    let parts = class.as_object().into_iter().flatten();
    let parts: Vec<String> = parts.map(|(axis, label)| format!("{axis} {}", label.as_str().unwrap_or("?"))).collect();
    if parts.is_empty() { "everybody".to_owned() } else { parts.join(", ") }
}

pub(super) fn list<'a>(document: &'a Value, name: &str) -> &'a [Value] {
    document[name].as_array().map_or(&[], Vec::as_slice)
}

/// Said in the title of a picture of which not everything is drawn.
pub(super) fn drawn_of(all: usize) -> String {
    if all > MOST_DRAWN { format!(", the worst {MOST_DRAWN} of {}", count(all as f64)) } else { String::new() }
}

/// What is not shown of a long list.
pub(super) fn left_out(shown: usize, all: usize) -> Option<String> {
    let [first, whole] = [shown, all].map(|number| count(number as f64));
    (shown < all).then(|| format!("The first {first} of {whole}; the file has all."))
}

/// The bounds of every class, with the limits of the policy.
fn audit(document: &Value, max_lines: usize) -> Vec<Block> {
    let verdicts = ["certified", "ambiguous", "disclosed", "unknown", "empty"];
    let facts =
        verdicts.map(|name| (name.to_owned(), Cell::from(document[name].as_f64().map_or_else(String::new, count))));
    let mut classes: Vec<&Value> = list(document, "classes").iter().collect();
    classes.sort_by_key(|class| match class["verdict"].as_str() {
        Some("disclosed") => 0,
        Some("unknown") => 1,
        Some("ambiguous") => 2,
        _ => 3,
    });
    let has_rates = classes.iter().any(|class| class["posterior"].is_array());
    let beta = document["policy"]["beta"].as_f64().filter(|_| has_rates);
    let ends = |class: &Value| match has_rates {
        true => Some([class["posterior"][0].as_f64()?, class["posterior"][1].as_f64()?]),
        false => Some([class["lower"].as_f64()?, class["upper"].as_f64()?]),
    };
    let words = |[low, high]: [f64; 2]| match has_rates {
        // Outwards: no rate that stays possible is left out.
        true => format!("{} to {} %", (low * 1000.0).floor() / 10.0, (high * 1000.0).ceil() / 10.0),
        false => format!("{} to {}", count(low), count(high)),
    };
    let interval = |class: &Value| {
        let [low, high] = ends(class)?;
        let is_bad = class["verdict"] == "disclosed";
        Some(IntervalBar { label: labelled(&class["class"]), low, high, shown: words([low, high]), is_bad })
    };
    let chart = Intervals {
        title: format!("What an attacker can tell of each class{}", drawn_of(classes.len())),
        axis: if has_rates { "rate that stays possible" } else { "people who may be there" }.to_owned(),
        intervals: classes.iter().copied().filter_map(interval).take(MOST_DRAWN).collect(),
        marks: beta
            .iter()
            .flat_map(|&beta| [beta, 1.0 - beta])
            .map(|at| Mark { at, label: format!("{}", (at * 1e6).round() / 1e6) })
            .collect(),
    };
    let mut blocks = vec![Block::Facts(facts.into())];
    blocks.extend((!chart.intervals.is_empty()).then(|| chart.into()));
    blocks.push(folded("Every class", class_table(&classes, max_lines, &|class| ends(class).map(words))));
    blocks
}

fn class_table(classes: &[&Value], max_lines: usize, bounds: &dyn Fn(&Value) -> Option<String>) -> Table {
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
        rows: classes.iter().copied().take(max_lines).map(row).collect(),
        left_out: left_out(classes.len().min(max_lines), classes.len()),
    }
}

pub(super) fn folded(summary: &str, table: Table) -> Block {
    let summary = format!("{summary}: {}", count(table.rows.len() as f64));
    Block::Folded { summary, is_open: false, blocks: vec![table.into()] }
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
    let odds = list(document, "aid").iter().filter_map(odds);
    odds.map(Into::into).chain([folded("Every group", table)]).collect()
}

/// What one more person changes, for a threshold of a clamped normal law: whoever knows that there are N or N + 1, and sees
/// whether the group is shown.
fn odds(aid: &Value) -> Option<Lines> {
    let law = &aid["law"];
    if law["law"] != "clamped-normal" {
        return None;
    }
    let sd = StdDev::new(law["sd"].as_f64()?).ok()?;
    let law = ClampedNormal::new(law["mean"].as_f64()?, sd, law["always_suppress_upper_bound"].as_f64()?).ok()?;
    let cutoffs = ThresholdTable::new(law);
    let last = aid["certain"].as_u64()?.min(cutoffs.floor().saturating_add(200));
    let known: Vec<MembershipPosterior> =
        (cutoffs.floor().saturating_sub(1)..=last).map(|n| cutoffs.membership_posterior(n)).collect();
    let series = |name: &str, probability: fn(&MembershipPosterior) -> Option<f64>| Series {
        name: name.to_owned(),
        points: known.iter().filter_map(|known| Some((known.n as f64, probability(known)?))).collect(),
    };
    Some(Lines {
        title: format!("What one more of kind {} changes", aid["kind"].as_str().unwrap_or("?")),
        across: "N".to_owned(),
        up: "probability".to_owned(),
        is_logarithmic: false,
        series: vec![
            series("that there are N, once the group is withheld", |known| known.p_n_given_suppressed),
            series("that there are N + 1, once it is shown", |known| known.p_n1_given_reported),
            series("that it is shown", |known| Some(known.p_reported)),
        ],
    })
}
