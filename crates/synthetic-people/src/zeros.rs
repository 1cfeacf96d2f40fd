//! Combinations of categories that no person has.

use privacy_core::AttrSet;

use crate::cells::{Within, check_set, count};
use crate::error::Error;

/// Combinations of categories that no person has: a category for each attribute of a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StructuralZero {
    /// The attributes.
    pub set: AttrSet,
    /// A category of each of them, in increasing order of the attributes.
    pub categories: Vec<usize>,
}

/// Structural zeros as tables: which cells of a marginal somebody may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PossibleCells {
    sizes: Vec<usize>,
    /// For each set of attributes with a zero, whether somebody may have a cell, row-major.
    tables: Vec<(AttrSet, Vec<bool>)>,
}

impl PossibleCells {
    /// The tables of these zeros over attributes with `sizes` categories: a byte for each cell of
    /// each set that has one.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`]; [`Error::BadMeasurement`] for a zero that does not have one
    /// category of each of its attributes; [`Error::TooWide`] for a table of more than
    /// `most_cells`.
    pub fn new(sizes: &[usize], zeros: &[StructuralZero], most_cells: f64) -> Result<Self, Error> {
        let mut tables: Vec<(AttrSet, Vec<bool>)> = Vec::new();
        for StructuralZero { set, categories } in zeros {
            check_set(sizes, *set)?;
            let fits = categories.len() == set.len()
                && set.iter().zip(categories).all(|(attribute, &category)| category < sizes[attribute]);
            if !fits {
                return Err(Error::BadMeasurement {
                    set: *set,
                    what: "a structural zero has one category an attribute",
                });
            }
            let cells = count(sizes, *set);
            if cells > most_cells {
                return Err(Error::TooWide { clique: *set, cells, limit: most_cells });
            }
            let place = set.iter().zip(categories).fold(0, |place, (a, category)| place * sizes[a] + category);
            let table = match tables.iter().position(|(other, _)| other == set) {
                Some(table) => table,
                None => {
                    tables.push((*set, vec![true; cells as usize]));
                    tables.len() - 1
                }
            };
            tables[table].1[place] = false;
        }
        Ok(Self { sizes: sizes.to_vec(), tables })
    }

    /// The sets of attributes with a zero.
    pub fn sets(&self) -> impl ExactSizeIterator<Item = AttrSet> {
        self.tables.iter().map(|(set, _)| *set)
    }

    /// Which cells of the marginal over `set` somebody may have, row-major, as far as zeros within
    /// the set say. `None` where all are possible.
    #[must_use]
    pub fn within(&self, set: AttrSet) -> Option<Vec<bool>> {
        let mut possible: Option<Vec<bool>> = None;
        for (zeros, table) in self.tables.iter().filter(|(zeros, _)| zeros.is_subset_of(set)) {
            let cells = possible.get_or_insert_with(|| vec![true; count(&self.sizes, set) as usize]);
            let places = Within::new(&self.sizes, set, *zeros).places();
            cells.iter_mut().zip(places).for_each(|(cell, place)| *cell &= table[place as usize]);
        }
        possible
    }

    /// How many cells of the marginal over `set` somebody may have.
    #[must_use]
    pub fn count(&self, set: AttrSet) -> f64 {
        match self.within(set) {
            Some(cells) => cells.into_iter().filter(|&is_possible| is_possible).count() as f64,
            None => count(&self.sizes, set),
        }
    }

    /// Tables with the attributes of each set, and whether a cell is possible.
    pub(crate) fn tables(&self) -> &[(AttrSet, Vec<bool>)] {
        &self.tables
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zero(set: &[usize], categories: &[usize]) -> StructuralZero {
        StructuralZero { set: set.iter().copied().collect(), categories: categories.to_vec() }
    }

    #[test]
    fn a_cell_is_possible_unless_a_zero_within_its_attributes_says_otherwise() {
        let sizes = [2, 3, 2];
        let zeros = [zero(&[0, 1], &[0, 2]), zero(&[0, 1], &[1, 0]), zero(&[1, 2], &[1, 1])];
        let possible = PossibleCells::new(&sizes, &zeros, 1e6).unwrap();
        assert_eq!(possible.sets().len(), 2);
        assert_eq!(possible.within(AttrSet::single(0).with(2)), None);
        let pair = possible.within(AttrSet::first(2)).unwrap();
        assert_eq!(pair, [true, true, false, false, true, true]);
        let all = possible.within(AttrSet::first(3)).unwrap();
        for (cell, is_possible) in all.into_iter().enumerate() {
            let (a, b, c) = (cell / 6, cell / 2 % 3, cell % 2);
            let is_zero = (a, b) == (0, 2) || (a, b) == (1, 0) || (b, c) == (1, 1);
            assert_eq!(is_possible, !is_zero, "{a} {b} {c}");
        }
        assert_eq!((possible.count(AttrSet::first(3)), possible.count(AttrSet::single(1))), (6.0, 3.0));
    }

    #[test]
    fn zeros_that_do_not_fit_are_refused() {
        let refused = |zeros: &[StructuralZero]| PossibleCells::new(&[2, 3], zeros, 5.0).unwrap_err();
        assert!(matches!(refused(&[zero(&[0, 2], &[0, 0])]), Error::UnknownAttribute { .. }));
        assert!(matches!(refused(&[zero(&[0], &[2])]), Error::BadMeasurement { .. }));
        assert!(matches!(refused(&[zero(&[0], &[0, 0])]), Error::BadMeasurement { .. }));
        assert!(matches!(refused(&[zero(&[0, 1], &[0, 0])]), Error::TooWide { .. }));
    }
}
