//! Which rows of a person are counted, where a person may have more than the cost allows for.
//!
//! `k` the number of rows that are counted of each person, `H` a keyed function
//! ([`EntityHasher`]), `p` the person's name, `r` a row as it is counted, `i` its place among the
//! person's rows that are equal to it, from 0.
//!
//! ```text
//! kept(p)  = the k rows of p with the smallest (H(p | i | r), r, i)
//! ```
//!
//! The rows that are kept of a person, as a multiset, are a function of the key and of the rows of
//! that person: neither other people's rows nor the order of the file has a part in it. So tables
//! that differ in one person, with all of their rows, are at most `k` rows apart after the choice.
//! Proof: `docs/math/accounting.md`, section 8.

use std::collections::BTreeMap;

use privacy_core::prf::{EntityHasher, Secret};

/// Chooses at most some rows of each person.
///
/// # Guarantee
/// Tables before the choice that differ in all rows of one person differ in at most
/// `rows_per_person` rows after it, whatever the key is. A mechanism that is private for persons
/// with at most `rows_per_person` rows, applied after the choice, is as private for persons with
/// any number of rows. Unit: a person.
///
/// The key keeps people from arranging which of their rows are counted, and the choice from
/// favouring rows for what they say.
///
/// ```
/// use privacy_core::prf::Secret;
/// use resplan::ContributionBound;
///
/// let bound = ContributionBound::new(1, &Secret::new(&[7; 32])?);
/// // Two rows of Ann, one of Ben.
/// let kept = bound.kept(&[0, 1, 0], &["Ann", "Ben"], |row, content| content.push([0, 0, 1][row]));
/// assert_eq!(kept.iter().filter(|is_kept| **is_kept).count(), 2);
/// assert!(kept[1] && kept[0] != kept[2]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ContributionBound {
    rows_per_person: u32,
    hasher: EntityHasher,
}

impl ContributionBound {
    /// The choice of at most `rows_per_person` rows under a key. A key of the caller's generator,
    /// made for one release and forgotten, will do.
    #[must_use]
    pub fn new(rows_per_person: u32, key: &Secret) -> Self {
        Self { rows_per_person, hasher: key.entity_hasher("rows of a person") }
    }

    /// Which rows are kept. Row `r` belongs to the person whose name is `names[persons[r]]`; names
    /// differ. `content` adds what is counted of a row to a buffer: rows that it tells apart are
    /// different rows.
    ///
    /// Takes memory for the rows of people with too many, at one time for the contents of one
    /// person, and time for sorting these.
    ///
    /// # Panics
    /// If a person has no name.
    #[must_use]
    pub fn kept<N: AsRef<str>>(
        &self,
        persons: &[u32],
        names: &[N],
        mut content: impl FnMut(usize, &mut Vec<u8>),
    ) -> Vec<bool> {
        let mut is_kept = vec![true; persons.len()];
        for (person, rows) in self.rows_of_excess(persons, names.len()) {
            let contents = rows.iter().map(|&row| {
                let mut bytes = Vec::new();
                content(row, &mut bytes);
                (bytes, row)
            });
            let contents = contents.collect();
            for row in self.left_out(names[person].as_ref(), contents) {
                is_kept[row] = false;
            }
        }
        is_kept
    }

    /// The rows of every person who has too many.
    fn rows_of_excess(&self, persons: &[u32], people: usize) -> BTreeMap<usize, Vec<usize>> {
        let counts = row_counts(persons, people);
        let mut rows = BTreeMap::new();
        for (row, &person) in persons.iter().enumerate() {
            if counts[person as usize] > self.rows_per_person {
                rows.entry(person as usize).or_insert_with(Vec::new).push(row);
            }
        }
        rows
    }

    /// The rows of a person that are not counted.
    fn left_out(&self, name: &str, mut contents: Vec<(Vec<u8>, usize)>) -> Vec<usize> {
        contents.sort_unstable();
        let mut ranked = Vec::with_capacity(contents.len());
        let mut place = 0_u64;
        for (index, (bytes, row)) in contents.iter().enumerate() {
            place = if index > 0 && contents[index - 1].0 == *bytes { place + 1 } else { 0 };
            ranked.push((self.rank(name, place, bytes), bytes, place, *row));
        }
        // Equal ranks of different rows are decided by the rows themselves, so that no key makes
        // the choice depend on the order of the file.
        ranked.sort_unstable_by(|a, b| (a.0, a.1, a.2).cmp(&(b.0, b.1, b.2)));
        ranked.into_iter().skip(self.rows_per_person as usize).map(|(_, _, _, row)| row).collect()
    }

    fn rank(&self, name: &str, place: u64, content: &[u8]) -> u64 {
        let length = (name.len() as u64).to_le_bytes();
        self.hasher.hash_bytes(&[&length[..], name.as_bytes(), &place.to_le_bytes(), content].concat())
    }
}

/// Shows no key.
impl std::fmt::Debug for ContributionBound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContributionBound").field("rows_per_person", &self.rows_per_person).finish_non_exhaustive()
    }
}

/// How many rows each of the people has.
fn row_counts(persons: &[u32], people: usize) -> Vec<u32> {
    let mut counts = vec![0_u32; people];
    persons.iter().for_each(|&person| counts[person as usize] = counts[person as usize].saturating_add(1));
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Row = (u8, u8);

    fn kept(key: u8, limit: u32, rows: &[Row]) -> Vec<Row> {
        let bound = ContributionBound::new(limit, &Secret::new(&[key; 32]).unwrap());
        // People are numbered as they come, as a reader of a file would.
        let mut names: Vec<String> = Vec::new();
        let mut persons = Vec::new();
        for (person, _) in rows {
            let name = person.to_string();
            let place = names.iter().position(|own| *own == name).unwrap_or_else(|| {
                names.push(name);
                names.len() - 1
            });
            persons.push(place as u32);
        }
        let is_kept = bound.kept(&persons, &names, |row, content| content.push(rows[row].1));
        let mut kept: Vec<Row> =
            rows.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept).map(|(row, _)| *row).collect();
        kept.sort_unstable();
        kept
    }

    fn of(person: u8, rows: &[Row]) -> Vec<Row> {
        rows.iter().copied().filter(|row| row.0 == person).collect()
    }

    proptest! {
        #[test]
        fn what_is_kept_of_a_person_follows_from_their_rows_alone(
            rows in prop::collection::vec((0_u8..4, 0_u8..3), 0..40),
            (key, limit, shift) in (0_u8..4, 1_u32..5, 0_usize..40),
        ) {
            let all = kept(key, limit, &rows);
            for person in 0..4 {
                let own = of(person, &rows);
                // The same alone, in any order, as among the others.
                prop_assert_eq!(of(person, &all), kept(key, limit, &own));
                let mut turned = own.clone();
                turned.rotate_left(shift % own.len().max(1));
                prop_assert_eq!(of(person, &all), kept(key, limit, &turned));
                prop_assert_eq!(of(person, &all).len(), own.len().min(limit as usize));
            }
        }
    }

    /// A rank is that of the row and its place among rows that are equal to it, whatever others are
    /// there: rows that are not counted may as well be missing.
    #[test]
    fn rows_that_are_left_out_have_no_part_in_the_choice() {
        for (key, limit) in (0..20).flat_map(|key| (1..5).map(move |limit| (key, limit))) {
            let rows: Vec<Row> = [5, 0, 3, 3, 1, 5, 2, 5, 0, 4].map(|content| (1, content)).to_vec();
            let all = kept(key, limit, &rows);
            // Of equal rows the last is missing then, which is another than the one left out unless
            // none of them is counted.
            for row in rows.iter().filter(|row| !all.contains(row)) {
                let mut fewer = rows.clone();
                fewer.remove(fewer.iter().position(|other| other == row).unwrap());
                assert_eq!(kept(key, limit, &fewer), all, "{key} {limit} {row:?}");
            }
        }
    }

    /// Of nine rows that say 0 and one that says 1, the one is chosen in a tenth of all keys.
    #[test]
    fn every_row_of_a_person_is_chosen_equally_often() {
        let rows: Vec<Row> = (0..10).map(|row| (1, u8::from(row == 7))).collect();
        let trials = 4_000_u32;
        let mut ones = 0;
        for trial in 0..trials {
            let mut key = [0; 32];
            key[..4].copy_from_slice(&trial.to_le_bytes());
            let bound = ContributionBound::new(1, &Secret::new(&key).unwrap());
            let is_kept = bound.kept(&[0; 10], &["p"], |row, content| content.push(rows[row].1));
            ones += u32::from(is_kept[7]);
        }
        // Six standard deviations of Binomial(4000, 0.1): 114. By contents alone it would be half.
        assert!(ones.abs_diff(trials / 10) < 114, "{ones}");
    }

    #[test]
    fn people_with_few_rows_keep_them_and_a_key_shows_nowhere() {
        let bound = ContributionBound::new(3, &Secret::new(&[1; 32]).unwrap());
        assert_eq!(bound.kept(&[0, 0, 0, 1], &["a", "b"], |_, _| {}), [true; 4]);
        assert_eq!(format!("{bound:?}"), "ContributionBound { rows_per_person: 3, .. }");
    }
}
