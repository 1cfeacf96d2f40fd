//! The clean-up: complementary cells that later ones made needless are published again.
//!
//! Of the questions that the attackers ask, only those can fail by the publication of a cell whose
//! tables move that cell, and those about sums that the publication gives away. They are asked
//! again; the others keep their tables.
//!
//! Source: the clean-up of hypercube and network methods, Hundepool et al. (2012), section 4.4.

use std::collections::BTreeSet;

use crate::attack::coalitions::{Target, face_all};
use crate::attack::intervals::is_far_enough;
use crate::attack::program::{End, Question};
use crate::error::Error;
use crate::suppression::search::{Search, weights};

impl Search<'_> {
    /// Publishes complementary cells again, the dearest first, as long as every coalition is kept
    /// as far from every sensitive cell and sum as the rule asks.
    pub(super) fn publish_again(&mut self) -> Result<(), Error> {
        let (own_cells, costs) = (self.attacked.own_cells, weights(self.problem, &self.sensitive));
        let mut candidates: Vec<usize> = (0..own_cells).filter(|&cell| self.attacked.is_open[cell]).collect();
        candidates.retain(|cell| self.sensitive.binary_search(cell).is_err());
        candidates.sort_by_key(|&cell| (std::cmp::Reverse(costs[cell]), cell));
        // From here on, published cells stand still.
        self.attacked.set_ranges(&mut self.program);
        self.problem.limits.stop.extend(candidates.len() as u64);
        for cell in candidates {
            self.attacked.is_open[cell] = false;
            self.program.set_range(cell, (0, 0));
            if !self.holds_without(cell)? {
                self.attacked.is_open[cell] = true;
                self.program.set_range(cell, self.attacked.range(cell, &[]));
            }
            self.problem.limits.stop.advance(1);
        }
        Ok(())
    }

    /// Whether everything sensitive is protected after a cell was published.
    fn holds_without(&mut self, published: usize) -> Result<bool, Error> {
        let mut questions = self.sensitive.clone();
        for parts in self.derived_sums() {
            questions.extend(self.add_sum(parts)?);
        }
        questions.retain(|cell| self.moved.get(cell).is_none_or(|moved| moved.contains(&published)));
        for cell in questions {
            match self.tables_for(cell) {
                Ok(moved) => self.moved.insert(cell, moved),
                // No table, or none within the limit: the cell stays withheld.
                Err(Error::Unprotectable { .. } | Error::Limit) => return Ok(false),
                Err(error) => return Err(error),
            };
        }
        Ok(true)
    }

    /// Finds the tables that protect a sensitive cell in the present pattern; the cells that move
    /// in them.
    fn tables_for(&mut self, cell: usize) -> Result<BTreeSet<usize>, Error> {
        let Self { problem, attacked, program, found, .. } = self;
        let mut moved = BTreeSet::new();
        for end in End::BOTH {
            let target = Target { cell, end };
            face_all(attacked, problem.rule, target, &mut |coalition, need| {
                let known = attacked.known(found, target, coalition, need);
                let is_new = known.is_none();
                let question = Question { cell, end, most: need, weights: &[], gain: 1 };
                let shift = match known {
                    Some(shift) => shift,
                    None => attacked.with_coalition(program, coalition, |program| program.solve(question))?,
                };
                if !is_far_enough(&shift, cell, end, need) {
                    return Err(Error::Unprotectable { cell });
                }
                moved.extend(shift.moves.iter().map(|own| own.0));
                found.extend(is_new.then(|| shift.clone()));
                Ok(Some(shift))
            })?;
        }
        Ok(moved)
    }
}
