//! Which sets of columns are asked for.

use disclosure::ldp::{Schema, StateDetail};

use crate::error::Failure;

/// Most sets that are estimated at once.
const MOST_SETS: usize = 100_000;

/// The sets of `--sets` or of `--order`; without either, all pairs and single columns.
pub(super) fn sets(
    schema: &Schema,
    keep: StateDetail,
    listed: Option<&str>,
    order: Option<usize>,
) -> Result<Vec<Vec<usize>>, Failure> {
    if let Some(listed) = listed {
        return listed.split(';').map(|set| named(schema, set)).collect();
    }
    let kept = match keep {
        StateDetail::UpTo(order) => order,
        _ => schema.features().len(),
    };
    up_to(schema, order.unwrap_or(2.min(kept)).min(schema.features().len()))
}

/// Columns by name, `feature` or `feature=value`, or by number, `#1`.
fn named(schema: &Schema, set: &str) -> Result<Vec<usize>, Failure> {
    let mut columns = set.split(',').map(|word| column(schema, word.trim())).collect::<Result<Vec<_>, _>>()?;
    columns.sort_unstable();
    Ok(columns)
}

fn column(schema: &Schema, word: &str) -> Result<usize, Failure> {
    let count = schema.columns().len();
    if let Some(number) = word.strip_prefix('#').and_then(|number| number.parse::<usize>().ok()) {
        return match number {
            1.. if number <= count => Ok(number - 1),
            _ => Err(unknown(schema, word)),
        };
    }
    if let Some(found) = (0..count).find(|&column| schema.column_name(column) == word) {
        return Ok(found);
    }
    // The second value of a binary feature is its one column, by whichever name.
    let second = schema.columns().iter().position(|column| {
        let attribute = schema.features()[column.feature].attribute();
        word.strip_prefix(attribute.name()).and_then(|rest| rest.strip_prefix('='))
            == Some(&attribute.labels()[column.value])
    });
    second.ok_or_else(|| unknown(schema, word))
}

fn unknown(schema: &Schema, word: &str) -> Failure {
    let names: Vec<String> = (0..schema.columns().len().min(6)).map(|column| schema.column_name(column)).collect();
    let more = if schema.columns().len() > names.len() { ", ..." } else { "" };
    Failure::new("E0266", format!("there is no column {word:?}"))
        .next(format!("columns are {}{more}", names.join(", ")))
}

/// All sets of one to `order` columns, at most one a feature, smaller ones first.
fn up_to(schema: &Schema, order: usize) -> Result<Vec<Vec<usize>>, Failure> {
    let columns = schema.columns();
    let (mut all, mut last): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), vec![Vec::new()]);
    for _ in 0..order {
        let mut next = Vec::new();
        for set in &last {
            let from = set.last().map_or(0, |&column: &usize| schema.columns_of(columns[column].feature).end);
            for column in from..columns.len() {
                let mut longer = set.clone();
                longer.push(column);
                next.push(longer);
                if all.len() + next.len() > MOST_SETS {
                    let message = format!("more than {MOST_SETS} sets of up to {order} columns");
                    return Err(Failure::new("E0645", message));
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    Ok(all)
}
