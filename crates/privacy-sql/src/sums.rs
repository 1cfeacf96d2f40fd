//! The sums over some rows: how many there are, which do not fit, and the cells of all tables.
//! As bytes they travel between threads and machines, and add up in any order.

use disclosure_jobs::JobError;
use privacy_sql_columns::Unfit;

use crate::error::EngineError;

/// The sums over some rows.
#[derive(Debug)]
pub(crate) struct Sums {
    pub(crate) rows: u64,
    /// A column an entry, and one for the count column.
    pub(crate) unfit: Vec<Unfit>,
    pub(crate) bins: Vec<u64>,
}

impl Sums {
    /// No rows, of this number of columns and cells.
    pub(crate) fn new(columns: usize, cells: usize) -> Self {
        Self { rows: 0, unfit: vec![Unfit::default(); columns + 1], bins: vec![0; cells] }
    }

    /// All numbers, eight bytes each, the lowest first.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let unfit = self.unfit.iter().flat_map(|unfit| [unfit.missing, unfit.unknown]);
        let words = [self.rows].into_iter().chain(unfit).chain(self.bins.iter().copied());
        words.flat_map(u64::to_le_bytes).collect()
    }

    /// Adds the sums over other rows.
    ///
    /// # Errors
    /// E0339 for bytes of another number of columns or cells.
    pub(crate) fn merge(&mut self, state: &[u8]) -> Result<(), EngineError> {
        let (words, rest) = state.as_chunks::<8>();
        let expected = 1 + 2 * self.unfit.len() + self.bins.len();
        if words.len() != expected || !rest.is_empty() {
            return Err(JobError::new("E0339", "the state belongs to another question").into());
        }
        let mut words = words.iter().map(|word| u64::from_le_bytes(*word));
        let mut next = || words.next().unwrap_or_default();
        self.rows = self.rows.saturating_add(next());
        for unfit in &mut self.unfit {
            unfit.add(Unfit { missing: next(), unknown: next() });
        }
        // What exceeds 2^53 is refused at the end.
        self.bins.iter_mut().for_each(|bin| *bin = bin.saturating_add(next()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_add_up_and_other_bytes_are_refused() {
        let mut sums = Sums::new(1, 2);
        (sums.rows, sums.bins) = (3, vec![1, 2]);
        let state = sums.to_bytes();
        sums.merge(&state).unwrap();
        assert_eq!((sums.rows, &sums.bins[..]), (6, &[2, 4][..]));
        for wrong in [&state[8..], &state[..state.len() - 1], &[], &[&state[..], &[0; 8]].concat()] {
            assert!(sums.merge(wrong).unwrap_err().to_job().has_code("E0339"));
        }
        assert_eq!(sums.rows, 6, "what is refused adds nothing");
    }

    #[test]
    fn numbers_end_at_the_largest_and_never_wrap() {
        let mut sums = Sums::new(0, 1);
        sums.bins[0] = u64::MAX;
        let state = sums.to_bytes();
        sums.merge(&state).unwrap();
        assert_eq!(sums.bins, [u64::MAX]);
    }
}
