//! In which form a count is published, and what its readers then know.
//!
//! For a base `b`, the count `n` is published as
//!
//! ```text
//! rounded    r = b floor((n + floor(b / 2)) / b):    r - floor(b / 2)  <=  n  <=  r + b - 1 - floor(b / 2)
//! interval   k = b floor(n / b):                     k  <=  n  <=  k + b - 1
//! ```
//!
//! Every count within these ends is published alike, and no other count is: the range is all that
//! readers know.

use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::NO_CAPACITY;

/// The largest base: no count is larger than 2^53.
const LARGEST: u64 = NO_CAPACITY.unsigned_abs();

/// In which form a count is published.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum PublishedForm {
    /// As it is.
    Exact,
    /// Rounded to the nearest multiple of this base, up at the half.
    Rounded(u64),
    /// As the interval of this many counts that it falls into, which start at the multiples of
    /// it.
    Interval(u64),
}

impl PublishedForm {
    /// The least and the largest count that are published like this one.
    ///
    /// # Errors
    /// [`Error::Base`] unless the base is from 1 to 2^53.
    ///
    /// # Panics
    /// If the count is above 2^53.
    pub fn range(self, count: u64) -> Result<(u64, u64), Error> {
        assert!(count <= LARGEST, "counts are at most 2^53");
        let (base, half) = match self {
            Self::Exact => (1, 0),
            Self::Rounded(base) => (base, base / 2),
            Self::Interval(base) => (base, 0),
        };
        if !(1..=LARGEST).contains(&base) {
            return Err(Error::Base);
        }
        let multiple = (count + half) / base * base;
        Ok((multiple.saturating_sub(half), (multiple + base - 1 - half).min(LARGEST)))
    }
}

impl Knowledge {
    /// Adds a count over a region that is published in some form: what a reader of it knows.
    ///
    /// # Errors
    /// [`Error::Base`]; as [`Knowledge::publish_range`].
    ///
    /// # Panics
    /// If the count is above 2^53.
    pub fn publish_in_form(
        &mut self,
        name: impl Into<String>,
        region: &Region,
        count: u64,
        form: PublishedForm,
    ) -> Result<(), Error> {
        let (lower, upper) = form.range(count)?;
        self.publish_range(name, region, lower, upper)
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::Domain;

    use super::*;
    use crate::engine::linear_program::Limits;
    use crate::solver::Solver;
    use crate::table::class::Class;

    #[test]
    fn a_range_holds_its_count_and_every_count_that_is_published_alike() {
        for base in [1, 2, 3, 5, 10] {
            for form in [PublishedForm::Rounded(base), PublishedForm::Interval(base)] {
                for count in 0..40 {
                    let range = form.range(count).unwrap();
                    let alike: Vec<u64> = (0..100).filter(|&other| form.range(other).unwrap() == range).collect();
                    assert!(range.0 <= count && count <= range.1);
                    assert_eq!((alike[0], alike[alike.len() - 1]), range, "{form:?}, count {count}");
                }
            }
        }
        assert_eq!(PublishedForm::Rounded(5).range(7), Ok((3, 7)));
        assert_eq!(PublishedForm::Interval(10).range(12), Ok((10, 19)));
        assert_eq!(PublishedForm::Exact.range(7), Ok((7, 7)));
    }

    #[test]
    fn impossible_bases_are_refused() {
        assert_eq!(PublishedForm::Rounded(0).range(1), Err(Error::Base));
        assert_eq!(PublishedForm::Interval(u64::MAX).range(1), Err(Error::Base));
        assert_eq!(PublishedForm::Rounded(LARGEST).range(LARGEST), Ok((LARGEST - LARGEST / 2, LARGEST)));
    }

    #[test]
    fn rounded_parts_bound_a_cell_by_what_their_readers_know() {
        // Of 20 people in two cells, 7 and 13, both rounded to fives: the first is 3..=7 by
        // itself, and 13 is 13..=17.
        let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[2]).unwrap()).unwrap();
        knowledge.publish_count("total", &Region::everything(), 20).unwrap();
        for (cell, count) in [(0, 7), (1, 13)] {
            let region = Region::everything().with(0, [cell]);
            knowledge.publish_in_form(format!("cell {cell}"), &region, count, PublishedForm::Rounded(5)).unwrap();
        }
        let mut solver = Solver::new(knowledge, Limits::default()).unwrap();
        let first = solver.interval(&Class::cell([0])).unwrap();
        assert_eq!((first.lower.value, first.upper.value), (3, 7));
    }
}
