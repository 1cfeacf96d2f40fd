//! Tables of several attributes as cross tables: rows for all attributes but the last, a column for
//! each label of the last.

use disclosure_report::number::with_error;
use disclosure_report::{Cell, Column, Table, Tone};

use super::sheet::{Line, Sheet};
use super::tables::{digits, half_width, number_with_error};

/// Most columns of labels; a table with more is shown line by line.
const MOST_COLUMNS: usize = 24;
/// Most rows.
const MOST_ROWS: usize = 60;
/// Relative difference up to which errors are shown as one, in the caption.
const SAME: f64 = 0.005;

/// The table, if it has at least two attributes and is neither too wide nor too long. A line that
/// the file does not have, as a filter's small groups, is an empty place.
pub(super) fn cross_table(sheet: &Sheet, title: &str) -> Option<Table> {
    let last = sheet.names.len().checked_sub(1).filter(|&last| last > 0 && !sheet.is_truncated())?;
    let columns = distinct(sheet.lines.iter().map(|line| line.labels[last].as_str()));
    let rows = distinct(sheet.lines.iter().map(|line| &line.labels[..last]));
    let fits = (2..=MOST_COLUMNS).contains(&columns.len()) && (1..=MOST_ROWS).contains(&rows.len());
    if !fits || sheet.lines.len() > rows.len() * columns.len() {
        return None;
    }
    let columns = in_order(columns);
    let error = common_error(sheet);
    let largest = sheet.lines.iter().filter_map(|line| line.value).fold(0.0, f64::max);
    let mut table = Table::new(caption(sheet, title, error, rows.len() * columns.len()), heads(sheet, &columns));
    table.row_names = last;
    table.is_compact = true;
    for row in rows {
        let labels = row.iter().map(|label| Cell::from(label.as_str()));
        let cells = columns.iter().map(|column| {
            let mut lines = sheet.lines.iter();
            let line = lines.find(|line| line.labels[..last] == *row && line.labels[last] == *column);
            line.map_or_else(|| Cell::toned(Tone::Faint, "–"), |line| cell(line, error, largest))
        });
        table.rows.push(labels.chain(cells).collect());
    }
    Some(table)
}

/// The names of the attributes; that of the last one stands with its first label.
fn heads(sheet: &Sheet, columns: &[&str]) -> Vec<Column> {
    let (last, others) = sheet.names.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
    let labels = columns.iter().enumerate().map(|(index, label)| {
        Column::numbers(if index == 0 { format!("{last}: {label}") } else { (*label).to_owned() })
    });
    others.iter().map(Column::words).chain(labels).collect()
}

fn caption(sheet: &Sheet, title: &str, error: Option<f64>, places: usize) -> String {
    let has_intervals = sheet.lines.iter().any(|line| line.interval.is_some());
    let error = error.filter(|&error| error > 0.0).map(|error| {
        let what = if has_intervals { "95 % interval of each number" } else { "standard deviation of the noise" };
        let sign = if has_intervals { "± " } else { "" };
        format!("; {what}: {sign}{}", with_error(error, error))
    });
    let missing = if sheet.lines.len() < places { "; –: not shown" } else { "" };
    format!("{title}{}{missing}", error.unwrap_or_default())
}

/// The half-width, or else the standard deviation, that all numbers have.
fn common_error(sheet: &Sheet) -> Option<f64> {
    let mut errors = sheet.lines.iter().filter(|line| line.value.is_some()).map(|line| half_width(line).or(line.sd));
    let first = errors.next()??;
    errors.all(|error| error.is_some_and(|error| (error - first).abs() <= SAME * first)).then_some(first)
}

fn cell(line: &Line, error: Option<f64>, largest: f64) -> Cell {
    let Some(value) = line.value else {
        return Cell::toned(Tone::Faint, line.status.as_deref().unwrap_or("withheld"));
    };
    let text = if error.is_some() { digits(line, value) } else { number_with_error(line) };
    // A fifth of the largest number for each shade.
    Cell::from(text).shaded(if largest > 0.0 { (5.0 * value / largest).clamp(0.0, 5.0).round() as u8 } else { 0 })
}

/// The items without repeats, in the order in which they appear first.
fn distinct<T: PartialEq>(items: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for item in items {
        if !found.contains(&item) {
            found.push(item);
        }
    }
    found
}

/// Labels that are all numbers in their order: where lines are missing, that of the file is chance.
fn in_order(mut labels: Vec<&str>) -> Vec<&str> {
    if labels.iter().all(|label| label.parse::<f64>().is_ok_and(f64::is_finite)) {
        labels.sort_by(|a, b| a.parse().unwrap_or(0.0_f64).total_cmp(&b.parse().unwrap_or(0.0)));
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::super::sheet::PageLimits;
    use super::*;

    fn cross(text: &str) -> Option<Table> {
        let sheet = Sheet::parse("t.csv", text.as_bytes(), &mut PageLimits::default()).unwrap();
        cross_table(&sheet, "People")
    }

    fn texts(row: &[Cell]) -> Vec<&str> {
        row.iter().map(|cell| cell.text.as_str()).collect()
    }

    #[test]
    fn a_table_of_two_attributes_has_a_column_for_each_label_of_the_last() {
        let noisy =
            "sex,age,value,sd,ci95_low,ci95_high\nf,1,10,1,8,12\nf,2,20,1,18,22\nm,1,-0.5,1,-2.5,1.5\nm,2,4,1,2,6\n";
        let table = cross(noisy).unwrap();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["sex", "age: 1", "2"]);
        assert_eq!(table.caption, "People; 95 % interval of each number: ± 2.0");
        assert_eq!(
            table.rows.iter().map(|row| texts(row)).collect::<Vec<_>>(),
            [["f", "10.0", "20.0"], ["m", "−0.5", "4.0"]]
        );
        assert_eq!(table.rows[0][2].shade, 5);
    }

    #[test]
    fn errors_that_differ_stand_beside_their_numbers_and_gaps_say_what_they_are() {
        let table = cross("sex,age,value,sd,status\nf,10,7,0,exact\nf,9,5.5,1.5,noised\nm,10,,,suppressed\n").unwrap();
        assert_eq!(table.caption, "People; –: not shown");
        assert_eq!(texts(&table.rows[0]), ["f", "5.5 (sd 1.5)", "7"]);
        assert_eq!(texts(&table.rows[1]), ["m", "–", "suppressed"]);
    }

    #[test]
    fn tables_of_one_attribute_and_wide_ones_are_none() {
        assert!(cross("sex,value\nf,1\nm,2\n").is_none());
        let wide: String = (0..25).map(|age| format!("f,{age},1\n")).collect();
        assert!(cross(&format!("sex,age,value\n{wide}")).is_none());
    }
}
