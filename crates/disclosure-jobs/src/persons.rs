//! Persons by a column: at most some rows of each are counted.
//!
//! The rule, and why it makes all rows of a person the unit of the promise, is
//! [`disclosure::resplan::ContributionBound`]. How many rows are left out follows from the data
//! alone and has no noise: it is for their owner, and no file that leaves holds it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use disclosure::lcf::{IdentifierForm, Spellings};
use disclosure::privacy_core::prf::Secret;
use disclosure::resplan::ContributionBound;
use privacy_data::{CsvOptions, Defect, Microdata, TextRow};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::error::JobError;
use crate::input::{DataSource, TextColumns};

/// What becomes of the rows of a person beyond `rows_per_person`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExcessRows {
    /// They are left out; which ones, a keyed function of the person's rows says.
    #[default]
    Drop,
    /// The data are refused.
    Refuse,
}

/// The column that says who is the same person, and what becomes of too many rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PersonColumn {
    /// The column of the data; it need not be an attribute.
    pub column: String,
    /// What becomes of the rows of a person beyond `rows_per_person`.
    pub excess: ExcessRows,
}

/// How many rows were left out: for the owner of the data alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PersonsDocument {
    /// The column that says who is the same person.
    pub column: String,
    /// Most rows of a person that are counted.
    pub rows_per_person: u32,
    /// Number of persons.
    pub persons: u64,
    /// Number of persons who have more rows than are counted.
    pub persons_with_more: u64,
    /// Number of rows.
    pub rows: u64,
    /// Number of rows that are not counted.
    pub rows_left_out: u64,
}

impl PersonsDocument {
    /// What a release says: how many only to the owner, who asks for it by a dry run.
    #[must_use]
    pub fn words(&self, is_dry_run: bool) -> String {
        match is_dry_run {
            true => format!("For the owner of the data only: {}", self.sentence()),
            false => "How many rows of persons are not counted, --dry-run says, to the owner of the data only.".into(),
        }
    }

    /// The same in a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self { column, rows_per_person, persons, persons_with_more, rows, rows_left_out } = self;
        format!(
            "{persons_with_more} of {persons} persons (column {column:?}) have more than {rows_per_person} rows: \
             {rows_left_out} of {rows} rows are not counted."
        )
    }
}

impl PersonColumn {
    /// The column of a spec; `None` without one.
    ///
    /// # Errors
    /// E0248 for `excess_rows` without a person, and for a column of counts beside one.
    pub fn of_spec(
        person: Option<String>,
        excess: Option<ExcessRows>,
        count: Option<&str>,
    ) -> Result<Option<Self>, JobError> {
        match (person, excess, count) {
            (None, Some(_), _) => Err(JobError::new(
                "E0248",
                "excess_rows requires person, the column that identifies the person of a row",
            )),
            (Some(_), _, Some(_)) => Err(JobError::new(
                "E0248",
                "person cannot be combined with count, where a line stands for several rows",
            )),
            (person, excess, _) => Ok(person.map(|column| Self { column, excess: excess.unwrap_or_default() })),
        }
    }

    /// What tables of counted rows leave out.
    #[must_use]
    pub fn left_out(&self, rows_per_person: u32) -> String {
        format!("rows of a person beyond {rows_per_person}, which are not counted")
    }

    /// The unit that a promise protects.
    #[must_use]
    pub fn unit(&self, rows_per_person: u32) -> String {
        let column = &self.column;
        match (self.excess, rows_per_person) {
            (ExcessRows::Drop, 1) => {
                format!("a person (column {column:?}) with all of their rows, of which 1 is counted")
            }
            (ExcessRows::Drop, rows) => {
                format!("a person (column {column:?}) with all of their rows, of which at most {rows} are counted")
            }
            (ExcessRows::Refuse, rows) => {
                let rows = if rows == 1 { "1 row".to_owned() } else { format!("{rows} rows") };
                format!("a person (column {column:?}) with at most {rows}; the release discloses that no one has more")
            }
        }
    }
}

/// Who has which row of a table.
pub struct PersonRows {
    /// The index of the person of each row.
    persons: Vec<u32>,
    names: Vec<Box<str>>,
    excess: ExcessRows,
    document: PersonsDocument,
}

impl std::fmt::Debug for PersonRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PersonRows").field("column", &self.document.column).finish_non_exhaustive()
    }
}

impl PersonRows {
    /// Reads who has which row of a source.
    ///
    /// # Errors
    /// E0308 for a column that the data do not have, E0315 for a row of nobody, E0329 for
    /// persons who are spelled in several ways, E0330 where a person has too many rows and these
    /// are refused. Messages name places, never who it is.
    pub fn read(
        person: &PersonColumn,
        rows_per_person: u32,
        source: &dyn DataSource,
        options: &CsvOptions,
    ) -> Result<Self, JobError> {
        let mut reader = Reader::default();
        let columns = [person.column.as_str()];
        source.for_each_text_row(TextColumns::Named(&columns), options, &mut |row| reader.add(row))?;
        reader.check_spellings(&person.column)?;
        let persons_with_more = reader.counts.iter().filter(|&&rows| rows > rows_per_person);
        let rows_left_out: u64 = persons_with_more.clone().map(|rows| u64::from(rows - rows_per_person)).sum();
        if rows_left_out > 0 && person.excess == ExcessRows::Refuse {
            let message = format!("at least one person has more than rows_per_person = {rows_per_person} rows");
            return Err(JobError::new("E0330", message));
        }
        let document = PersonsDocument {
            column: person.column.clone(),
            rows_per_person,
            persons: reader.counts.len() as u64,
            persons_with_more: persons_with_more.count() as u64,
            rows: reader.persons.len() as u64,
            rows_left_out,
        };
        let mut names = vec![Box::default(); reader.indices.len()];
        // Each name goes to its own place, whatever the order.
        reader.indices.into_iter().for_each(|(name, index)| names[index as usize] = name);
        Ok(Self { persons: reader.persons, names, excess: person.excess, document })
    }

    /// How many rows are left out.
    #[must_use]
    pub fn document(&self) -> &PersonsDocument {
        &self.document
    }

    /// Whether every row is counted whatever the data: a person with too many is refused.
    #[must_use]
    pub fn leaves_nothing_out(&self) -> bool {
        self.excess == ExcessRows::Refuse
    }

    /// How many rows are counted.
    #[must_use]
    pub fn counted(&self) -> u64 {
        self.document.rows - self.document.rows_left_out
    }

    /// The rows that are counted, chosen under a key of this generator, which is forgotten.
    /// `rows` are those of the source that this was read from.
    ///
    /// # Errors
    /// E0329 when they are not: the source has changed in between.
    ///
    /// # Panics
    /// Never: a key has 32 bytes.
    pub fn counted_rows(&self, rows: &Microdata, rng: &mut dyn CryptoRng) -> Result<Microdata, JobError> {
        if rows.rows() != self.persons.len() {
            return Err(JobError::new("E0329", "the data changed between two readings: the number of rows differs"));
        }
        let mut key = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *key);
        let key = Secret::new(&*key).expect("a key has 32 bytes");
        let attributes = rows.domain().len();
        let bound = ContributionBound::new(self.document.rows_per_person, &key);
        let kept = bound.kept(&self.persons, &self.names, |row, content| {
            (0..attributes).for_each(|attribute| content.extend(rows.code(attribute, row).to_le_bytes()));
        });
        Ok(rows.kept(&kept))
    }
}

/// Numbers the persons of rows as they come.
#[derive(Default)]
struct Reader {
    persons: Vec<u32>,
    indices: HashMap<Box<str>, u32>,
    /// Rows of each person.
    counts: Vec<u32>,
    spellings: Spellings,
}

impl Reader {
    fn add(&mut self, row: &TextRow<'_>) -> Result<(), JobError> {
        let name = row.field(0).trim();
        if name.is_empty() {
            return Err(row.error(0, Defect::MissingValue).into());
        }
        let index = match self.indices.get(name) {
            Some(&index) => index,
            None => self.add_person(name)?,
        };
        self.counts[index as usize] = self.counts[index as usize].saturating_add(1);
        self.persons.push(index);
        Ok(())
    }

    fn add_person(&mut self, name: &str) -> Result<u32, JobError> {
        let many = || JobError::new("E0621", "the data have more than 2^32 persons");
        let index = u32::try_from(self.counts.len()).map_err(|_| many())?;
        if let Entry::Vacant(entry) = self.indices.entry(name.into()) {
            entry.insert(index);
            self.counts.push(0);
            self.spellings.count(name);
        }
        Ok(index)
    }

    fn check_spellings(&self, column: &str) -> Result<(), JobError> {
        check_spellings(&self.spellings, "person", column)
    }
}

/// Each spelling would be a person, or a respondent, by itself.
///
/// # Errors
/// E0329.
pub(crate) fn check_spellings(spellings: &Spellings, what: &str, column: &str) -> Result<(), JobError> {
    spellings.check(IdentifierForm::Auto).map_err(|_| {
        let message = format!(
            "{what} column {column:?}: identifiers are spelled in several ways, and each spelling would count as a {what}"
        );
        JobError::new("E0329", message).next("spell every identifier in the column in one way (7 or 07, Ann or ANN)")
    })
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;

    use super::*;
    use crate::input::CsvSource;

    fn read(excess: ExcessRows, limit: u32, rows: &'static str) -> Result<PersonRows, JobError> {
        let person = PersonColumn { column: "pid".to_owned(), excess };
        PersonRows::read(&person, limit, &CsvSource::bytes("t", rows.as_bytes()), &CsvOptions::default())
    }

    const VISITS: &str = "pid,ward\n1,a\n1,a\n1,b\n2,a\n";

    #[test]
    fn the_owner_hears_how_many_rows_are_left_out_and_nobody_who() {
        let read = read(ExcessRows::Drop, 2, VISITS).unwrap();
        let expected = "1 of 2 persons (column \"pid\") have more than 2 rows: 1 of 4 rows are not counted.";
        assert_eq!((read.document().sentence().as_str(), read.counted()), (expected, 3));
        assert_eq!(format!("{read:?}"), "PersonRows { column: \"pid\", .. }");
    }

    #[test]
    fn rows_beyond_the_limit_are_refused_where_that_was_asked_for() {
        let refused = read(ExcessRows::Refuse, 2, VISITS).unwrap_err();
        assert!(refused.has_code("E0330"), "{refused:?}");
        assert_eq!(read(ExcessRows::Refuse, 3, VISITS).unwrap().counted(), 4);
    }

    #[test]
    fn rows_of_nobody_and_persons_of_several_spellings_are_refused() {
        assert!(read(ExcessRows::Drop, 1, "pid,ward\n1,a\n,b\n").unwrap_err().has_code("E0315"));
        assert!(read(ExcessRows::Drop, 1, "pid,ward\n7,a\n07,b\n").unwrap_err().has_code("E0329"));
        assert!(read(ExcessRows::Drop, 1, "id,ward\n7,a\n").unwrap_err().has_code("E0308"));
    }

    #[test]
    fn at_most_so_many_rows_of_each_person_are_counted() {
        let rows = "pid,ward\n1,a\n1,b\n1,c\n2,c\n 2 ,c\n";
        let read = read(ExcessRows::Drop, 1, rows).unwrap();
        let domain = disclosure::privacy_core::Domain::of_cardinalities(&[3]).unwrap();
        let all = Microdata::from_codes(domain, vec![vec![0, 1, 2, 2, 2]]).unwrap();
        let mut rng = ChaCha20Rng::from_seed([7; 32]); // tests only
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..40 {
            let counted = read.counted_rows(&all, &mut rng).unwrap();
            let codes: Vec<u32> = counted.codes(0).collect();
            assert_eq!((codes.len(), codes[1]), (2, 2));
            seen.insert(codes[0]);
        }
        assert_eq!(seen.len(), 3, "under another key another row");
        let fewer = Microdata::from_codes(all.domain().clone(), vec![vec![0]]).unwrap();
        assert!(read.counted_rows(&fewer, &mut rng).unwrap_err().has_code("E0329"));
    }
}
