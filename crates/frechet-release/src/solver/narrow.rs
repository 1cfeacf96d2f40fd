//! The classes of a large table that are not shown to be wide, with what proves that they are not.

use std::collections::BTreeSet;

use super::{AT_ONCE, Solver};
use crate::engine::query::Need;
use crate::table::class::Class;
use crate::table::error::Error;

/// A class whose interval is not shown to be as wide as asked.
pub(crate) struct NarrowClass {
    /// Its position among those asked about.
    pub(crate) place: usize,
    /// Rows that prove its bounds.
    pub(crate) rows: BTreeSet<usize>,
    /// Whether these bounds are as narrow as that; if not, neither is shown.
    pub(crate) is_proved: bool,
}

impl Solver {
    /// The classes whose interval no known table shows to be wider than `width`. Known tables and
    /// moves come first, long walks as well where the search is thorough, then a linear program
    /// for each end, and no cases: what is open then stays open.
    ///
    /// # Errors
    /// As [`Solver::interval`].
    pub(crate) fn narrow_classes(
        &mut self,
        classes: &[Class],
        width: i64,
        is_thorough: bool,
    ) -> Result<Vec<NarrowClass>, Error> {
        let need = Need::LinearlyWiderThan(width);
        if is_thorough {
            self.spread_far(classes, width)?;
        } else {
            self.spread(classes, need)?;
        }
        let mut open: Vec<usize> = Vec::new();
        for (place, class) in classes.iter().enumerate() {
            class.checked(&self.knowledge.grid)?;
            let range = self.split_range(class);
            let range = if range.is_none() { self.known_range(class, need)? } else { range };
            if range.is_none_or(|range| range.attained.1 - range.attained.0 <= width) {
                open.push(place);
            }
        }
        self.limits.check_stop()?;
        let mut narrow = Vec::new();
        for batch in open.chunks(AT_ONCE) {
            let asked: Vec<Class> = batch.iter().map(|&place| classes[place].clone()).collect();
            for (&place, found) in batch.iter().zip(self.needed_intervals(&asked, need)?) {
                let attained = (found.lower.witness.value, found.upper.witness.value);
                if attained.1 - attained.0 <= width {
                    let mut rows = found.lower.proof.rows();
                    rows.extend(found.upper.proof.rows());
                    narrow.push(NarrowClass { place, rows, is_proved: found.width() <= width });
                }
            }
        }
        Ok(narrow)
    }

    /// What known tables show of a class where the general engine answers.
    fn known_range(&mut self, class: &Class, need: Need) -> Result<Option<crate::CountRange>, Error> {
        if matches!(self.structure, super::Structure::General) { self.shown_range(class, need) } else { Ok(None) }
    }
}
