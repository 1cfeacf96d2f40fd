//! The audit of exact tables as maps of cells: exposed, protected, published. For the owner.

use std::collections::BTreeMap;

use disclosure_jobs::amounts::{AmountsUnit, SuppressionStatus};
use disclosure_jobs::exact::{AuditDocument, ClassDocument, ClassStatus};
use disclosure_jobs::privacy_data::decimal_text;
use disclosure_report::{Block, Cell, Column, Table};

use crate::checked::AmountsFound;

/// Most tables that are drawn.
const MOST_MAPS: usize = 12;
/// Most rows and columns of a map.
const MOST_LEVELS: [usize; 2] = [60, 24];

/// A map of each class of attributes, those of one or two attributes.
pub(crate) fn maps(audit: &AuditDocument) -> Vec<Block> {
    let mut by_attributes: BTreeMap<Vec<&str>, Vec<&ClassDocument>> = BTreeMap::new();
    for class in &audit.classes {
        let attributes: Vec<&str> = class.class.0.iter().map(|(attribute, _)| attribute.as_str()).collect();
        by_attributes.entry(attributes).or_default().push(class);
    }
    let small = by_attributes.iter().filter(|(attributes, _)| matches!(attributes.len(), 1 | 2));
    small.take(MOST_MAPS).map(|(attributes, classes)| map(attributes, classes).into()).collect()
}

fn map(attributes: &[&str], classes: &[&ClassDocument]) -> Table {
    let rows = levels(classes, 0, MOST_LEVELS[0]);
    let columns = levels(classes, 1, MOST_LEVELS[1]);
    let mut named = vec![Column::words(attributes[0])];
    match attributes.get(1) {
        None => named.push(Column::words("cell")),
        Some(_) => named.extend(columns.iter().map(|level| Column::words(*level))),
    }
    let mut table = Table::new(attributes.join(" × "), named);
    table.row_names = 1;
    table.is_compact = attributes.len() == 2;
    table.rows = rows
        .iter()
        .map(|row| {
            let head = std::iter::once(Cell::from(*row));
            match attributes.len() {
                1 => head.chain([at(classes, row, None)]).collect(),
                _ => head.chain(columns.iter().map(|column| at(classes, row, Some(column)))).collect(),
            }
        })
        .collect();
    table
}

/// The cell of the class with these labels; an empty one where there is no class.
fn at(classes: &[&ClassDocument], row: &str, column: Option<&str>) -> Cell {
    let found = classes.iter().find(|class| {
        let labels = &class.class.0;
        labels[0].1 == row && labels.get(1).map(|(_, label)| label.as_str()) == column
    });
    found.map_or_else(Cell::default, |class| cell(class))
}

/// The labels along an attribute of a map, in the order of the classes.
fn levels<'a>(classes: &[&'a ClassDocument], place: usize, most: usize) -> Vec<&'a str> {
    let mut found: Vec<&str> = Vec::new();
    for (_, label) in classes.iter().filter_map(|class| class.class.0.get(place)) {
        if !found.contains(&label.as_str()) && found.len() < most {
            found.push(label);
        }
    }
    found
}

/// A cell: a word for what it is, the bounds that an attacker computes, and a shade that only
/// repeats the word.
fn cell(class: &ClassDocument) -> Cell {
    let found = &class.found;
    let (word, shade) = match found.verdict {
        ClassStatus::Disclosed => ("exposed", 5),
        ClassStatus::Unknown => ("undecided", 3),
        _ if found.is_published && found.is_small && found.upper > 0 => ("of too few people", 4),
        ClassStatus::Ambiguous | ClassStatus::Certified if found.is_published => ("published", 1),
        ClassStatus::Ambiguous | ClassStatus::Certified => ("protected", 0),
        ClassStatus::Empty => ("empty", 0),
    };
    let bounds = if found.lower == found.upper {
        found.lower.to_string()
    } else {
        format!("{} to {}", found.lower, found.upper)
    };
    let mut cell = Cell::from(format!("{word}: {bounds}"));
    cell.shade = shade;
    cell
}

/// A map of the cells of a table of amounts over its first two columns: those of the totals of the
/// others. For the owner.
pub(crate) fn of_amounts(found: &AmountsFound) -> Table {
    let (axes, all) = (&found.published.axes, &found.published.cells);
    let totals: Vec<&str> = all.first().into_iter().flat_map(|cell| &cell.labels).map(String::as_str).collect();
    let shown = all.iter().filter(|cell| cell.labels.iter().zip(&totals).skip(2).all(|(own, total)| own == total));
    let mut rows: Vec<&str> = Vec::new();
    let mut columns: Vec<&str> = Vec::new();
    let mut cells: BTreeMap<[&str; 2], Cell> = BTreeMap::new();
    for cell in shown {
        let row = cell.labels.first().map_or("", String::as_str);
        let column = cell.labels.get(1).map_or("amount", String::as_str);
        for (label, known, most) in [(row, &mut rows, MOST_LEVELS[0]), (column, &mut columns, MOST_LEVELS[1])] {
            if !known.contains(&label) && known.len() < most {
                known.push(label);
            }
        }
        cells.insert([row, column], of_amount(found, &cell.labels, cell.amount));
    }
    let named = axes.first().map(|name| Column::words(name.as_str()));
    let named = named.into_iter().chain(columns.iter().map(|column| Column::words(*column)));
    let mut table = Table::new(axes.iter().take(2).cloned().collect::<Vec<_>>().join(" × "), named);
    table.row_names = 1;
    table.is_compact = axes.len() > 1;
    table.rows = rows
        .iter()
        .map(|row| {
            let line = columns.iter().map(|column| cells.remove(&[*row, *column]).unwrap_or_default());
            std::iter::once(Cell::from(*row)).chain(line).collect()
        })
        .collect();
    table
}

/// An amount with as many decimals as amounts have.
pub(crate) fn as_written(unit: &AmountsUnit, amount: f64) -> String {
    format!("{amount:.*}", usize::from(unit.decimals))
}

/// A cell of amounts: a word for what it is, its amount, and a shade that only repeats the word.
fn of_amount(found: &AmountsFound, labels: &[String], amount: Option<i64>) -> Cell {
    let (unit, withheld) = (&found.plan.unit, found.plan.cells.iter().find(|cell| cell.labels == labels));
    let (word, amount, shade) = match (withheld, amount) {
        (Some(cell), _) if cell.status == SuppressionStatus::Primary => ("sensitive", as_written(unit, cell.amount), 5),
        (Some(cell), _) => ("protects others", as_written(unit, cell.amount), 3),
        (None, Some(amount)) => ("published", decimal_text(amount, unit.decimals), 1),
        (None, None) => ("withheld", String::new(), 3),
    };
    let mut cell = Cell::from(format!("{word}: {amount}"));
    cell.shade = shade;
    cell
}
