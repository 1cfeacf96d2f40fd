//! Mutations of a file, and a second parser to compare with.

use privacy_data::Schema;

/// Bytes that mean something to a reader of CSV, or that a damaged file has.
const BYTES: &[u8] = b"\0\n\r\",;\t -+.e=0N\xff\xe9";

/// Neighbours of a file, 34 at every `step`-th byte: one byte inserted, replaced or removed, a
/// line doubled or removed, the end cut off. The positions step through the file, so the list is
/// always the same.
pub(crate) fn mutants(good: &[u8], step: usize) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for at in (0..good.len()).step_by(step) {
        for (shift, &byte) in BYTES.iter().enumerate() {
            let at = (at + shift) % good.len();
            let mut inserted = good.to_vec();
            inserted.insert(at, byte);
            let mut replaced = good.to_vec();
            replaced[at] = byte;
            all.extend([inserted, replaced]);
        }
        let mut removed = good.to_vec();
        removed.remove(at);
        all.extend([removed, good[..at].to_vec()]);
    }
    let lines: Vec<&[u8]> = good.split_inclusive(|&byte| byte == b'\n').collect();
    for at in 0..lines.len() {
        let mut doubled = lines.clone();
        doubled.insert(at, lines[at]);
        let mut removed = lines.clone();
        removed.remove(at);
        all.extend([doubled.concat(), removed.concat()]);
    }
    all
}

/// What the `csv` crate and the labels of the domain make of a file: the codes, column by column,
/// of a schema whose attributes have labels, codes or (the last one) the bins `[0, 1000)` and
/// `[1000, 5000]`.
pub(crate) fn second_opinion(bytes: &[u8], schema: &Schema) -> Option<Vec<Vec<u32>>> {
    let mut reader = csv::ReaderBuilder::new().flexible(false).from_reader(bytes);
    let header: Vec<String> = reader.headers().ok()?.iter().map(str::to_owned).collect();
    let fields = schema.columns().iter().map(|name| header.iter().position(|column| column == name));
    let fields: Vec<usize> = fields.collect::<Option<_>>()?;
    let mut columns = vec![Vec::new(); fields.len()];
    for record in reader.records() {
        let record = record.ok()?;
        for (attribute, &field) in fields.iter().enumerate() {
            let labels = schema.domain().attributes()[attribute].labels();
            let label = labels.iter().position(|label| label == &record[field]);
            let bin = || match record[field].parse::<f64>().ok()? {
                low if (0.0..1000.0).contains(&low) => Some(0),
                high if (1000.0..=5000.0).contains(&high) => Some(1),
                _ => None,
            };
            columns[attribute].push(label.or_else(bin)? as u32);
        }
    }
    Some(columns)
}
