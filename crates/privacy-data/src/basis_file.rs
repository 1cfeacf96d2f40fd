//! Files with the queries about an attribute: a table of numbers, or a tree of names.
//!
//! Both are CSV, read as strictly as data, and belong to a schema: their errors have a line and a
//! field, and never show what stands there.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use privacy_core::labels::Labels;

use crate::coder::decimal;
use crate::dialect::Dialect;
use crate::error::{DataError, Defect};
use crate::limits::MAX_CATEGORIES;
use crate::read::{CsvOptions, other_separator};
use crate::record::Record;
use crate::records::Records;

/// The column of a file of queries that names them, if it is the first.
const NAMES: &str = "query";

/// Queries about an attribute.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryFile {
    /// A name for each, all different.
    pub names: Vec<String>,
    /// What each category counts in each, in the order of the categories.
    pub rows: Vec<Vec<f64>>,
}

/// Nodes of a tree, from the top: a name, and the positions of the categories below it.
pub type TreeNodes = Vec<(String, Vec<usize>)>;

/// Files with this separator, and no other.
fn options(separator: u8) -> CsvOptions {
    let dialect = Dialect { separator: Some(separator), ..Dialect::STANDARD };
    CsvOptions { dialect, max_columns: MAX_CATEGORIES + 1, ..CsvOptions::default() }
}

fn text_of(record: &Record, field: usize) -> String {
    std::str::from_utf8(record.field(field)).expect("records are UTF-8 once they were read").to_owned()
}

/// Positions of labels, for texts of a file.
fn positions(labels: &Labels) -> BTreeMap<&[u8], usize> {
    labels.iter().enumerate().map(|(position, label)| (label.as_bytes(), position)).collect()
}

/// Reads a file of queries: a header with every category once, in any order, and a line of
/// numbers a query. A first column `query` beside the categories gives names; without it they are
/// `query 1`, `query 2`, ...
///
/// # Errors
/// [`DataError`]: what is wrong with the form of the file, a category that is not one of
/// `labels`, given twice or left
/// out, a field that is not a finite decimal number, a name that is empty or given twice.
pub fn read_queries(text: &[u8], labels: &Labels) -> Result<QueryFile, DataError> {
    let mut records = Records::new(Box::new(text), &options(b','))?;
    if !records.advance()? {
        return Err(DataError::at_line(1, Defect::EmptyFile));
    }
    let (named, order) = categories(records.record(), labels)?;
    let width = records.record().len();
    let mut queries = QueryFile { names: Vec::new(), rows: Vec::new() };
    let mut lines = BTreeMap::new();
    while records.advance()? {
        let record = records.record();
        if record.len() != width {
            return Err(DataError::at_line(record.line(), Defect::FieldCount { expected: width, got: record.len() }));
        }
        let name = if named { text_of(record, 0) } else { format!("query {}", queries.names.len() + 1) };
        if name.is_empty() {
            return Err(record.error(0, Defect::NoName));
        }
        if let Some(first) = lines.insert(name.clone(), record.line()) {
            return Err(record.error(0, Defect::NameTwice { first }));
        }
        let mut row = vec![0.0; labels.len()];
        for (&category, field) in order.iter().zip(usize::from(named)..) {
            row[category] = decimal(record.field(field)).ok_or_else(|| record.error(field, Defect::NotANumber))?;
        }
        queries.names.push(name);
        queries.rows.push(row);
    }
    if queries.rows.is_empty() { Err(DataError::at_line(1, Defect::NoRows)) } else { Ok(queries) }
}

/// Whether a header begins with the column of names, and which category each other column is.
fn categories(record: &Record, labels: &Labels) -> Result<(bool, Vec<usize>), DataError> {
    if labels.len() > 1 && other_separator(record) {
        return Err(DataError::at_line(1, Defect::Separator));
    }
    let known = positions(labels);
    let named =
        record.field(0) == NAMES.as_bytes() && (record.len() > labels.len() || !known.contains_key(NAMES.as_bytes()));
    let mut order = Vec::with_capacity(labels.len());
    let mut seen: BTreeMap<usize, usize> = BTreeMap::new();
    for field in usize::from(named)..record.len() {
        let category = known.get(record.field(field)).ok_or_else(|| record.error(field, Defect::NotACategory))?;
        if let Some(first) = seen.insert(*category, field) {
            return Err(record.error(field, Defect::DuplicateColumn { first: first + 1 }));
        }
        order.push(*category);
    }
    match (0..labels.len()).find(|category| !seen.contains_key(category)) {
        Some(left_out) => Err(DataError::at_line(1, Defect::CategoryLeftOut { position: left_out + 1 })),
        None => Ok((named, order)),
    }
}

/// Reads a hierarchy: a line a category, `category;parent;grandparent` up to the root, without a
/// header. Lines may have different lengths, and stand in any order; a name that repeats the one
/// before it adds nothing.
///
/// The nodes come level by level from the top, each level in the order of its categories. Two
/// nodes that hold the same categories are one, under the upper name.
///
/// ```
/// use privacy_data::read_hierarchy;
///
/// let wards = ["a1", "a2", "b1", "b2"].into_iter().collect();
/// let tree = read_hierarchy(b"a1;north;all\na2;north;all\nb1;south;all\nb2;south;all\n", &wards)?;
/// let names: Vec<&str> = tree.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names, ["all", "north", "south", "a1", "a2", "b1", "b2"]);
/// assert_eq!(tree[1].1, [0, 1]);
/// # Ok::<(), privacy_data::DataError>(())
/// ```
///
/// # Errors
/// [`DataError`]: what is wrong with the form of the file, a category that is not one of
/// `labels`, given twice or left out,
/// an empty name, a name that stands for two nodes.
pub fn read_hierarchy(text: &[u8], labels: &Labels) -> Result<TreeNodes, DataError> {
    let known = positions(labels);
    let mut paths: Vec<Option<(u64, Vec<String>)>> = vec![None; labels.len()];
    let mut parents: BTreeMap<String, (Option<String>, u64)> = BTreeMap::new();
    let mut records = Records::new(Box::new(text), &options(b';'))?;
    let mut last = 1;
    while records.advance()? {
        let record = records.record();
        last = record.line();
        let path = path(record, &known)?;
        for (at, (field, name)) in path.iter().enumerate() {
            let parent = path.get(at + 1).map(|(_, parent)| parent.clone());
            match parents.entry(name.clone()) {
                Entry::Occupied(entry) if entry.get().0 != parent && at > 0 => {
                    return Err(record.error(*field, Defect::OtherParent { first: entry.get().1 }));
                }
                Entry::Occupied(_) => {}
                Entry::Vacant(entry) => {
                    entry.insert((parent, record.line()));
                }
            }
        }
        let category = known[path[0].1.as_bytes()];
        if let Some((first, _)) = &paths[category] {
            return Err(record.error(0, Defect::CategoryTwice { first: *first }));
        }
        paths[category] = Some((record.line(), path.into_iter().map(|(_, name)| name).collect()));
    }
    let left_out = |position| DataError::at_line(last, Defect::CategoryLeftOut { position: position + 1 });
    let path = |(position, path): (usize, Option<(u64, Vec<String>)>)| Ok(path.ok_or_else(|| left_out(position))?.1);
    Ok(nodes(&paths.into_iter().enumerate().map(path).collect::<Result<Vec<_>, DataError>>()?))
}

/// The names of a line from the category to the root, each with its field; names that repeat the
/// one before are left out.
fn path(record: &Record, known: &BTreeMap<&[u8], usize>) -> Result<Vec<(usize, String)>, DataError> {
    let mut path: Vec<(usize, String)> = Vec::with_capacity(record.len());
    for field in 0..record.len() {
        let name = text_of(record, field);
        if field == 0 && !known.contains_key(name.as_bytes()) {
            return Err(record.error(field, Defect::NotACategory));
        }
        if path.last().is_some_and(|(_, before)| *before == name) {
            continue;
        }
        if field > 0 && name.is_empty() {
            return Err(record.error(field, Defect::NoName));
        }
        if field > 0 && known.contains_key(name.as_bytes()) {
            return Err(record.error(field, Defect::CategoryAsParent));
        }
        path.push((field, name));
    }
    Ok(path)
}

/// The nodes of paths whose names stand for one node each.
fn nodes(paths: &[Vec<String>]) -> TreeNodes {
    let depth = paths.iter().map(Vec::len).max().unwrap_or(0);
    let mut seen = BTreeSet::new();
    let mut nodes = TreeNodes::new();
    for level in 0..depth {
        let first = nodes.len();
        let mut at: BTreeMap<&str, usize> = BTreeMap::new();
        for (category, path) in paths.iter().enumerate() {
            let Some(name) = path.iter().rev().nth(level) else { continue };
            let place = *at.entry(name).or_insert_with(|| {
                nodes.push((name.clone(), Vec::new()));
                nodes.len() - 1
            });
            nodes[place].1.push(category);
        }
        let new = nodes.split_off(first);
        nodes.extend(new.into_iter().filter(|(_, categories)| seen.insert(categories.clone())));
    }
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(labels: &[&str]) -> Labels {
        labels.iter().collect()
    }

    /// Line, field and code.
    fn place(error: &DataError) -> (u64, Option<usize>, &'static str) {
        assert!(!error.to_string().contains("CANARY"), "{error}");
        (error.line(), error.column(), error.code())
    }

    #[test]
    fn queries_are_read_in_the_order_of_the_categories() {
        let abc = labels(&["a", "b, c", "query"]);
        let plain = read_queries("\u{feff}query,a,\"b, c\"\r\n1,0,-2.5\r\n0,1e3,0".as_bytes(), &abc).unwrap();
        assert_eq!(plain.rows, [[0.0, -2.5, 1.0], [1000.0, 0.0, 0.0]]);
        assert_eq!(plain.names, ["query 1", "query 2"]);
        let named = read_queries(b"query,a,query,\"b, c\"\nall,1,1,1\n", &abc).unwrap();
        assert_eq!((named.names, named.rows), (vec!["all".to_owned()], vec![vec![1.0; 3]]));
        let one = read_queries(b"a;b\n2\n", &labels(&["a;b"])).unwrap();
        assert_eq!(one.rows, [[2.0]]);
    }

    #[test]
    fn queries_that_make_no_sense_are_refused_at_their_place() {
        let ab = labels(&["a", "b"]);
        let cases: [(&str, u64, Option<usize>, &str); 17] = [
            ("", 1, None, "E0301"),
            ("a,b\n", 1, None, "E0302"),
            ("a,b\n1,2,3\n", 2, None, "E0303"),
            ("a,b\n1\n", 2, None, "E0303"),
            ("a,a\n1,2\n", 1, Some(2), "E0307"),
            ("query,a,b,a\nx,1,2,3\n", 1, Some(4), "E0307"),
            ("query,a,b,query\nx,1,2,3\n", 1, Some(4), "E0341"),
            ("a;b\n1;2\n", 1, None, "E0309"),
            ("a,CANARY\n1,2\n", 1, Some(2), "E0341"),
            ("query,a\nCANARY,1\n", 1, None, "E0343"),
            ("a,b\n1,NaN\n", 2, Some(2), "E0319"),
            ("a,b\n1,\n", 2, Some(2), "E0319"),
            ("a,b\n1,0\ninf,0\n", 3, Some(1), "E0319"),
            ("a,b\n1, 2CANARY\n", 2, Some(2), "E0319"),
            ("query,a,b\n,1,2\n", 2, Some(1), "E0344"),
            ("query,a,b\nCANARY,1,2\nCANARY,1,3\n", 3, Some(1), "E0345"),
            ("a,b\n\n1,2\n", 2, None, "E0314"),
        ];
        for (text, line, field, code) in cases {
            assert_eq!(place(&read_queries(text.as_bytes(), &ab).unwrap_err()), (line, field, code), "{text:?}");
        }
    }

    #[test]
    fn a_hierarchy_becomes_its_nodes_from_the_top() {
        let cities = labels(&["n1", "n2", "s, 1", "s2", "far"]);
        let text = "s2;south;all\nn1;west;north;all\r\nn2;n2;west;north;north;all\ns, 1;south;all\nfar;all";
        let got = read_hierarchy(text.as_bytes(), &cities).unwrap();
        let want: [(&str, &[usize]); 8] = [
            ("all", &[0, 1, 2, 3, 4]),
            ("north", &[0, 1]),
            ("south", &[2, 3]),
            ("far", &[4]),
            ("n1", &[0]),
            ("n2", &[1]),
            ("s, 1", &[2]),
            ("s2", &[3]),
        ];
        // "west" holds what "north" holds.
        let got: BTreeMap<&str, &[usize]> = got.iter().map(|(name, node)| (name.as_str(), node.as_slice())).collect();
        assert_eq!(got, want.into_iter().collect());
        let flat = read_hierarchy(b"b\na\n", &labels(&["a", "b"])).unwrap();
        assert_eq!(flat, [("a".to_owned(), vec![0]), ("b".to_owned(), vec![1])]);
    }

    #[test]
    fn hierarchies_that_make_no_sense_are_refused_at_their_place() {
        let ab = labels(&["a", "b"]);
        let cases: [(&str, u64, Option<usize>, &str); 11] = [
            ("", 1, None, "E0343"),
            ("a;x\n", 1, None, "E0343"),
            ("a;x\nb;x\nCANARY;x\n", 3, Some(1), "E0341"),
            ("a,x\nb,x\n", 1, Some(1), "E0341"),
            ("a;x\nb;x\na;x\n", 3, Some(1), "E0342"),
            ("a;\nb;x\n", 1, Some(2), "E0344"),
            ("a;CANARY;y\nb;CANARY;z\n", 2, Some(2), "E0346"),
            ("a;CANARY;y\nb;CANARY\n", 2, Some(2), "E0346"),
            ("a;x;y;x\nb;x\n", 1, Some(4), "E0346"),
            ("a;b;x\nb;x\n", 1, Some(2), "E0347"),
            ("a;\"x\nb;x\n", 1, Some(2), "E0310"),
        ];
        for (text, line, field, code) in cases {
            assert_eq!(place(&read_hierarchy(text.as_bytes(), &ab).unwrap_err()), (line, field, code), "{text:?}");
        }
    }
}
