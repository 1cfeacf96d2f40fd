//! Certificates of the bounds of classes, and their verification.

use disclosure::frechet::certificate::{Certificates, Collector, Flaw, MOST_BYTES, Summary};
use disclosure::frechet::{Class, CountInterval, Error, Side, Solver};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::documents::all_cells;
use crate::exact::schemas::VerifySchema;

/// The longest file of certificates that is read, in bytes.
pub const MAX_CERTIFICATE_BYTES: u64 = MOST_BYTES;

/// What a file of certificates proves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyDocument {
    /// `disclosure.frechet-verify/1`.
    pub schema: VerifySchema,
    /// The number of rows from which the bounds follow.
    pub rows: usize,
    /// The number of cells of the table.
    pub cells: usize,
    /// The number of tables that satisfy the rows.
    pub tables: usize,
    /// The number of bounds: all of them follow from the rows.
    pub bounds: usize,
    /// The number of bounds that a table attains, so that no better bound follows.
    pub attained: usize,
}

/// Verifies a file of certificates, from its text alone.
///
/// # Errors
/// E0373 for text that is no file of certificates; E0374 for one that proves less than it claims;
/// E0614 and E0621 for one that is too large to check.
pub fn verify(text: &str) -> Result<VerifyDocument, JobError> {
    let summary = Certificates::from_json(text.as_bytes()).and_then(|certificates| certificates.verify())?;
    let Summary { rows, cells, tables, bounds, attained } = summary;
    Ok(VerifyDocument { schema: VerifySchema::V1, rows, cells, tables, bounds, attained })
}

/// Classes whose intervals are held at once, each with two tables.
const AT_ONCE: usize = 64;

/// The certificates of the intervals of these classes, which `intervals` finds for some of them at
/// a time, in their order. Each is verified before it is added.
pub(super) fn certify(
    solver: &mut Solver,
    classes: &[Class],
    mut intervals: impl FnMut(&mut Solver, &[Class]) -> Result<Vec<CountInterval>, Error>,
) -> Result<Certificates, JobError> {
    let domain = solver.knowledge().domain();
    let shape = domain.shape(domain.all());
    let system = solver.knowledge().system().clone();
    let mut collector = Collector::new(system.capacity(), system.rows()).expect("the rows of a system are well-formed");
    let unproved = |flaw: Flaw| JobError::new("E0374", flaw.to_string());
    for batch in classes.chunks(AT_ONCE) {
        for (class, interval) in batch.iter().zip(intervals(solver, batch)?) {
            let cells = cells_of(&shape, class);
            collector.add(cells.clone(), Side::Lower, &interval.lower).map_err(unproved)?;
            collector.add(cells, Side::Upper, &interval.upper).map_err(unproved)?;
        }
    }
    Ok(collector.finish())
}

/// The cells of a class, in increasing order.
fn cells_of(shape: &[usize], class: &Class) -> Vec<u32> {
    let free = |(axis, &size): (usize, &usize)| if class.axes.contains(axis) { 1 } else { size };
    let free: Vec<usize> = shape.iter().enumerate().map(free).collect();
    let cells = all_cells(free).map(|mut levels| {
        class.axes.iter().zip(&class.levels).for_each(|(axis, &level)| levels[axis] = level);
        let cell = levels.iter().zip(shape).fold(0, |cell, (level, size)| cell * size + level);
        u32::try_from(cell).expect("at most 2^24 cells")
    });
    cells.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cells_of_a_class_are_those_with_its_levels() {
        let shape = [2, 3, 2];
        let class = |axes: &[usize], levels: &[usize]| Class::new(axes.iter().copied().collect(), levels);
        assert_eq!(cells_of(&shape, &class(&[1], &[2])), [4, 5, 10, 11]);
        assert_eq!(cells_of(&shape, &class(&[0, 2], &[1, 0])), [6, 8, 10]);
        assert_eq!(cells_of(&shape, &Class::cell([1, 0, 1])), [7]);
        assert_eq!(cells_of(&shape, &class(&[], &[])).len(), 12);
    }

    #[test]
    fn a_verified_file_is_read_back_as_it_was_written() {
        let text = r#"{"schema": "disclosure.frechet-certificates/1", "capacities": [1], "rows": [], "tables": [],
            "claims": []}"#;
        let document = verify(text).unwrap();
        let written = serde_json::to_string(&document).unwrap();
        assert!(written.starts_with(r#"{"schema":"disclosure.frechet-verify/1","rows":0,"cells":1,"#), "{written}");
        assert_eq!(serde_json::from_str::<VerifyDocument>(&written).unwrap(), document);
        assert!(serde_json::from_str::<VerifyDocument>(&written.replace("/1", "/2")).is_err());
        assert!(verify("{}").unwrap_err().has_code("E0373"));
    }
}
