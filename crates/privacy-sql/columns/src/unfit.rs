//! Rows that a schema does not take: how many, a column at a time. None is left out of a count.

use disclosure_jobs::JobError;

/// Rows of one column that have no category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unfit {
    /// NULL or an empty field, where the schema has no category for them.
    pub missing: u64,
    /// Another value that is no category.
    pub unknown: u64,
}

impl Unfit {
    /// Adds the rows of another batch; what does not fit 64 bits stays at the largest number.
    pub fn add(&mut self, other: Self) {
        self.missing = self.missing.saturating_add(other.missing);
        self.unknown = self.unknown.saturating_add(other.unknown);
    }

    /// Whether every row has a category.
    #[must_use]
    pub fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// Refuses rows that do not fit, of the first column that has some; the last entry of `unfit` is
/// that of the count column, if there is one.
///
/// # Errors
/// E0336 with the column and the number of its rows.
pub fn check(unfit: &[Unfit], columns: &[String], count_column: Option<&str>) -> Result<(), JobError> {
    let names = columns.iter().map(String::as_str).chain(count_column);
    let mut unfit = unfit.iter().zip(names).enumerate();
    let Some((place, (unfit, name))) = unfit.find(|(_, (unfit, _))| !unfit.is_none()) else { return Ok(()) };
    let rows = unfit.missing.saturating_add(unfit.unknown);
    let (noun, have) = if rows == 1 { ("row", "has") } else { ("rows", "have") };
    if place == columns.len() {
        let message = format!("column {name:?}: {rows} {noun} {have} a count that is not a non-negative integer");
        return Err(JobError::new("E0336", message));
    }
    let missing = match unfit.missing {
        0 => String::new(),
        missing if missing == rows => ": NULL or an empty text".to_owned(),
        missing => format!(", {missing} of them NULL or an empty text"),
    };
    let message = format!("column {name:?}: {rows} {noun} {have} a value outside the domain{missing}");
    Err(JobError::new("E0336", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_and_the_number_of_its_rows_are_said() {
        let columns = ["a".to_owned(), "b".to_owned()];
        let none = Unfit::default();
        let of = |unfit: &[Unfit]| check(unfit, &columns, Some("n")).map_err(|error| error.message().to_owned());
        assert_eq!(of(&[none; 3]), Ok(()));
        let some = |missing, unknown| Unfit { missing, unknown };
        assert_eq!(
            of(&[none, some(2, 3), none]).unwrap_err(),
            "column \"b\": 5 rows have a value outside the domain, 2 of them NULL or an empty text"
        );
        assert!(
            of(&[some(1, 0), none, none])
                .unwrap_err()
                .ends_with("1 row has a value outside the domain: NULL or an empty text")
        );
        assert!(of(&[none, none, some(0, 1)]).unwrap_err().starts_with("column \"n\""));
    }
}
