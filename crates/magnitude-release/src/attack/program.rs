//! How far a cell can be from the truth: a linear program over shifts, in exact integers.
//!
//! `d_j` in `[low_j, high_j]`, `low_j <= 0 <= high_j`, with the relations of [`Tableau`]. The
//! truth, `d = 0`, is always possible, so there is no first phase. The program is
//!
//! ```text
//! (5)  maximise  M s d_c - sum of w_j |d_j|,   s d_c <= most
//! ```
//!
//! `s = 1` asks how large cell `c` can be, `s = -1` how small. With all weights 0 it is the
//! attacker's program; with weights on the published cells it asks for the cheapest cells to
//! withhold. A cell at 0 may move either way, at its own cost on each side: it is one column and
//! two variables, `d = d_+ - d_-`.
//!
//! Basic cells take their value from (4), with the common denominator `D`. Pricing takes the
//! largest gain (Dantzig), and after [`DEGENERATE`] steps without progress the first one of both
//! kinds (Bland), which cannot cycle.

use privacy_core::stop::StopFlag;

use crate::attack::tableau::{Place, Tableau};
use crate::error::Error;
use crate::table::additive::UNBOUNDED;

/// Steps without progress before Bland's rule.
const DEGENERATE: usize = 400;

/// Upper or lower end of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// How small the cell can be.
    Lower,
    /// How large.
    Upper,
}

impl End {
    /// Both ends.
    pub(crate) const BOTH: [Self; 2] = [Self::Upper, Self::Lower];

    pub(crate) fn sign(self) -> i64 {
        match self {
            Self::Lower => -1,
            Self::Upper => 1,
        }
    }
}

/// Shifts that satisfy all relations: a second table that an attacker thinks possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shift {
    /// Cells that move, and by how much times the denominator.
    pub(crate) moves: Vec<(usize, i128)>,
    pub(crate) denominator: i128,
}

impl Shift {
    /// Nothing moves.
    pub(crate) fn none() -> Self {
        Self { moves: Vec::new(), denominator: 1 }
    }

    /// How far a cell moves, times the denominator.
    pub(crate) fn of(&self, cell: usize) -> i128 {
        self.moves.iter().find(|own| own.0 == cell).map_or(0, |own| own.1)
    }
}

/// What (5) asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Question<'a> {
    pub(crate) cell: usize,
    pub(crate) end: End,
    /// No shift beyond this is asked for.
    pub(crate) most: i64,
    /// `w_j`, empty for none.
    pub(crate) weights: &'a [i64],
    /// `M`.
    pub(crate) gain: i64,
}

/// Ranges of shifts, and the state of the simplex method.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) tableau: Tableau,
    /// Least and largest shift of each cell.
    ranges: Vec<(i64, i64)>,
    /// Shifts of free cells.
    at: Vec<i64>,
    /// The side, 1 or -1, on which each basic cell lies.
    side: Vec<i64>,
    steps: u64,
    stop: StopFlag,
}

impl Program {
    /// All cells at the truth, where none may move. `steps` limits every question by itself.
    pub(crate) fn new(tableau: Tableau, steps: u64, stop: StopFlag) -> Self {
        let cells = tableau.cells;
        Self { tableau, ranges: vec![(0, 0); cells], at: vec![0; cells], side: vec![1; cells], steps, stop }
    }

    /// Between which shifts a cell may move: `low <= 0 <= high`.
    pub(crate) fn set_range(&mut self, cell: usize, range: (i64, i64)) {
        debug_assert!(range.0 <= 0 && range.1 >= 0);
        self.ranges[cell] = range;
    }

    /// One more cell, the sum of others.
    pub(crate) fn push_sum_of(&mut self, parts: &[usize], range: (i64, i64)) -> Result<usize, Error> {
        let cell = self.tableau.push_sum_of(parts)?;
        self.ranges.push(range);
        self.at.push(0);
        self.side.push(1);
        Ok(cell)
    }

    /// The best shift of (5), from the truth.
    pub(crate) fn solve(&mut self, question: Question<'_>) -> Result<Shift, Error> {
        let end = self.ranges[question.cell];
        let capped = match question.end {
            End::Upper => (end.0, end.1.min(question.most)),
            End::Lower => (end.0.max(-question.most), end.1),
        };
        self.ranges[question.cell] = capped;
        let outcome = self.walk(question);
        self.ranges[question.cell] = end;
        outcome
    }

    fn walk(&mut self, question: Question<'_>) -> Result<Shift, Error> {
        self.at.fill(0);
        self.side.fill(1);
        let mut price = self.prices(question)?;
        let mut values = vec![0_i128; self.tableau.rows.len()];
        let mut idle = 0;
        for step in 0..self.steps {
            if step % 16 == 0 && self.stop.is_set() {
                return Err(Error::Stopped);
            }
            let Some((cell, direction)) = self.entering(question, &price, idle > DEGENERATE) else {
                return Ok(self.shift(&values));
            };
            let has_moved = self.advance(question, (cell, direction), &mut price, &mut values, idle > DEGENERATE)?;
            idle = if has_moved { 0 } else { idle + 1 };
        }
        Err(Error::Limit)
    }

    /// The gain of a unit of net shift of a cell on a side.
    fn net(&self, question: Question<'_>, cell: usize, side: i64) -> i128 {
        let weight = question.weights.get(cell).copied().unwrap_or(0);
        let own = if cell == question.cell { question.gain * question.end.sign() } else { 0 };
        i128::from(own) - i128::from(side) * i128::from(weight)
    }

    /// For each column, the gains of the basic cells times their entries.
    fn prices(&self, question: Question<'_>) -> Result<Vec<i128>, Error> {
        let mut price = vec![0_i128; self.tableau.cells];
        for (row, &basic) in self.tableau.rows.iter().zip(&self.tableau.basic) {
            let net = self.net(question, basic, self.side[basic]);
            if net != 0 {
                for (price, &entry) in price.iter_mut().zip(row).filter(|(_, entry)| **entry != 0) {
                    *price = price.checked_add(net * i128::from(entry)).ok_or(Error::Limit)?;
                }
            }
        }
        Ok(price)
    }

    /// A free cell whose move gains, and its direction.
    fn entering(&self, question: Question<'_>, price: &[i128], takes_first: bool) -> Option<(usize, i64)> {
        let denominator = i128::from(self.tableau.denominator);
        let mut best: Option<(i128, usize, i64)> = None;
        for (cell, price) in price.iter().enumerate() {
            let (low, high) = self.ranges[cell];
            if self.tableau.place[cell] != Place::Free || low == high {
                continue;
            }
            // Back from an end, or either way from the truth; the side says whose cost it is.
            let ways: &[(i64, i64)] = match self.at[cell] {
                0 => &[(1, 1), (-1, -1)],
                at if at > 0 => &[(-1, 1)],
                _ => &[(1, -1)],
            };
            for &(direction, side) in ways {
                if self.at[cell] == 0 && (if direction > 0 { high } else { low }) == 0 {
                    continue;
                }
                let gain = i128::from(direction) * (denominator * self.net(question, cell, side) - price);
                if gain > 0 && best.is_none_or(|best| gain > best.0) {
                    best = Some((gain, cell, direction));
                    if takes_first {
                        return Some((cell, direction));
                    }
                }
            }
        }
        best.map(|(_, cell, direction)| (cell, direction))
    }

    /// Moves a free cell as far as it goes; whether it moved at all.
    fn advance(
        &mut self,
        question: Question<'_>,
        (cell, direction): (usize, i64),
        price: &mut [i128],
        values: &mut Vec<i128>,
        takes_first: bool,
    ) -> Result<bool, Error> {
        let side = if self.at[cell] == 0 { direction } else { self.at[cell].signum() };
        let far = if self.at[cell] != 0 {
            0
        } else if direction > 0 {
            self.ranges[cell].1
        } else {
            self.ranges[cell].0
        };
        let own = i128::from((far - self.at[cell]).abs());
        let Some((row, room, end)) = self.leaving(cell, direction, values, (own, takes_first)) else {
            // The cell reaches its own end before any basic one does.
            self.at[cell] = far;
            self.refresh(values);
            return Ok(own > 0);
        };
        let (before, leaving) = (i128::from(self.tableau.denominator), self.tableau.basic[row]);
        let gain = before * self.net(question, cell, side) - price[cell];
        self.tableau.pivot(row, cell)?;
        // The price of every column after the pivot, in the new denominator.
        let pivot = i128::from(self.tableau.denominator);
        for (price, &entry) in price.iter_mut().zip(&self.tableau.rows[row]) {
            if entry != 0 || pivot != before {
                let scaled = price.checked_mul(pivot).zip(gain.checked_mul(i128::from(entry)));
                *price = scaled.and_then(|(price, change)| price.checked_add(change)).ok_or(Error::Limit)? / before;
            }
        }
        self.side[cell] = side;
        self.at[leaving] = end;
        self.at[cell] = 0;
        self.refresh(values);
        Ok(room > 0)
    }

    /// The row of the basic cell that first reaches an end of its side, how far the entering cell
    /// moves until then (a fraction's numerator), and that end. `None` if the entering cell's own
    /// room is less.
    fn leaving(
        &self,
        cell: usize,
        direction: i64,
        values: &[i128],
        (own, takes_first): (i128, bool),
    ) -> Option<(usize, i128, i64)> {
        let denominator = i128::from(self.tableau.denominator);
        let mut best: Option<(i128, i128, usize, i64)> = None;
        for (row, &basic) in self.tableau.basic.iter().enumerate() {
            let entry = i128::from(self.tableau.rows[row][cell]) * i128::from(direction);
            if entry == 0 {
                continue;
            }
            let (low, high) = match self.side[basic] {
                1 => (0, self.ranges[basic].1),
                _ => (self.ranges[basic].0, 0),
            };
            // The basic cell falls by `entry / D` for a unit of the entering one.
            let end = if entry > 0 { low } else { high };
            let room = (values[row] - i128::from(end) * denominator).abs();
            let size = entry.abs();
            // `room / size` against the best: fractions are compared by their products.
            let is_nearer =
                best.is_none_or(|(other, its_size, other_row, _)| match (room * its_size).cmp(&(other * size)) {
                    std::cmp::Ordering::Less => true,
                    std::cmp::Ordering::Equal if takes_first => basic < self.tableau.basic[other_row],
                    // Smaller pivots keep the denominator small.
                    std::cmp::Ordering::Equal => size < its_size,
                    std::cmp::Ordering::Greater => false,
                });
            if is_nearer {
                best = Some((room, size, row, end));
            }
        }
        best.filter(|&(room, size, ..)| room < own * size).map(|(room, _, row, end)| (row, room, end))
    }

    /// Values of the basic cells, times the denominator, from the free ones.
    fn refresh(&self, values: &mut Vec<i128>) {
        let moved: Vec<(usize, i128)> = (0..self.tableau.cells)
            .filter(|&cell: &usize| self.tableau.place[cell] == Place::Free && self.at[cell] != 0)
            .map(|cell| (cell, i128::from(self.at[cell])))
            .collect();
        values.clear();
        let rows = self.tableau.rows.iter();
        values.extend(rows.map(|row| moved.iter().map(|&(cell, at)| -i128::from(row[cell]) * at).sum::<i128>()));
    }

    fn shift(&self, values: &[i128]) -> Shift {
        let denominator = i128::from(self.tableau.denominator);
        let moves = self.tableau.place.iter().enumerate().map(|(cell, place)| match *place {
            Place::Basic(row) => (cell, values[row]),
            Place::Free => (cell, i128::from(self.at[cell]) * denominator),
        });
        Shift { moves: moves.filter(|own| own.1 != 0).collect(), denominator }
    }

    /// After a question without weights: the gains `D, a_cj` of all cells, and multipliers of the
    /// relations, that bound the cell from this end. The first is `D`.
    pub(crate) fn multipliers(&self, cell: usize) -> (i64, Vec<i64>) {
        let relations = self.tableau.rows.first().map_or(0, Vec::len).saturating_sub(self.tableau.cells);
        match self.tableau.place[cell] {
            Place::Basic(row) => (self.tableau.denominator, self.tableau.rows[row][self.tableau.cells..].to_vec()),
            Place::Free => (1, vec![0; relations]),
        }
    }

    /// Whether a shift is so far that nothing bounds it.
    pub(crate) fn is_unbounded(shift: i128, denominator: i128) -> bool {
        shift.abs() >= denominator * i128::from(UNBOUNDED / 4)
    }
}
