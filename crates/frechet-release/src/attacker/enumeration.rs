//! Every table of a small fiber, by depth-first search with propagation of the rows.
//!
//! The number of tables is context, not a measure of safety: a fiber of any size may agree on a
//! cell.

use std::collections::VecDeque;

use privacy_core::stop::StopFlag;

use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::System;

/// Search steps allowed for each table of the limit, and at least.
const STEPS_PER_TABLE: u64 = 64;
const LEAST_STEPS: u64 = 100_000;
/// Rows propagated for each step. Where boxes are wide, most values that are tried leave no table,
/// which is known after a few rows, and the search is not a step deeper.
const ROWS_PER_STEP: u64 = 32;

/// How many tables an enumeration may visit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumerationLimits {
    /// The most tables; a fiber that has more is refused.
    pub tables: u64,
    /// Ends the enumeration with [`Error::Stopped`]. Never set by default.
    pub stop: StopFlag,
}

impl EnumerationLimits {
    /// Limits of this many tables, with a flag that is never set.
    #[must_use]
    pub fn tables(tables: u64) -> Self {
        Self { tables, stop: StopFlag::never() }
    }
}

/// How many tables agree with what is known.
///
/// # Errors
/// [`Error::FiberTooLarge`] above the limit, or when the search takes too many steps for so few
/// tables.
pub fn count_tables(knowledge: &Knowledge, limits: &EnumerationLimits) -> Result<u64, Error> {
    let mut count = 0;
    visit_tables(knowledge, limits, |_| count += 1)?;
    Ok(count)
}

/// Calls `visit` with every table, row-major, in lexicographic order of the cells as they are
/// branched on.
///
/// # Errors
/// As [`count_tables`]; tables seen before the limit have been visited.
pub fn visit_tables(
    knowledge: &Knowledge,
    limits: &EnumerationLimits,
    mut visit: impl FnMut(&[i64]),
) -> Result<(), Error> {
    let steps = limits.tables.saturating_mul(STEPS_PER_TABLE).max(LEAST_STEPS);
    let mut search = Enumeration::new(&knowledge.system, limits, steps);
    let is_possible = search.start();
    search.check_rows()?;
    if is_possible { search.descend(&mut visit) } else { Ok(()) }
}

/// How many cells are not determined by propagation of the rows alone; none where it shows that
/// there is no table.
pub(crate) fn open_cells(knowledge: &Knowledge) -> usize {
    let limits = EnumerationLimits::tables(1);
    let mut search = Enumeration::new(&knowledge.system, &limits, LEAST_STEPS);
    if !search.start() {
        return 0;
    }
    search.boxes.iter().filter(|(lower, upper)| lower < upper).count()
}

struct Enumeration<'a> {
    system: &'a System,
    rows_of: Vec<Vec<u32>>,
    boxes: Vec<(i64, i64)>,
    /// Boxes as they were before, last change last.
    trail: Vec<(u32, (i64, i64))>,
    limits: &'a EnumerationLimits,
    tables_left: u64,
    steps_left: u64,
    rows_left: u64,
}

impl<'a> Enumeration<'a> {
    fn new(system: &'a System, limits: &'a EnumerationLimits, steps: u64) -> Self {
        Self {
            system,
            rows_of: system.rows_by_cell(0..system.rows.len()),
            boxes: system.capacity.iter().map(|&most| (0, most)).collect(),
            trail: Vec::new(),
            limits,
            tables_left: limits.tables,
            steps_left: steps,
            rows_left: steps.saturating_mul(ROWS_PER_STEP),
        }
    }

    /// Propagates all rows once.
    fn start(&mut self) -> bool {
        let rows = 0..self.system.rows.len();
        let all: Vec<u32> = rows.map(|row| u32::try_from(row).expect("rows are counted in 32 bits")).collect();
        self.propagate(&all)
    }

    fn descend(&mut self, visit: &mut impl FnMut(&[i64])) -> Result<(), Error> {
        if self.limits.stop.is_set() {
            return Err(Error::Stopped);
        }
        if self.steps_left == 0 {
            return Err(Error::FiberTooLarge { limit: self.limits.tables });
        }
        self.steps_left -= 1;
        let open = (0..self.boxes.len()).filter(|&cell| self.boxes[cell].0 < self.boxes[cell].1);
        let Some(cell) = open.min_by_key(|&cell| self.boxes[cell].1 - self.boxes[cell].0) else {
            let table: Vec<i64> = self.boxes.iter().map(|&(count, _)| count).collect();
            if !self.system.admits(&table) {
                return Ok(());
            }
            self.tables_left =
                self.tables_left.checked_sub(1).ok_or(Error::FiberTooLarge { limit: self.limits.tables })?;
            visit(&table);
            return Ok(());
        };
        let (lower, upper) = self.boxes[cell];
        for value in lower..=upper {
            let mark = self.trail.len();
            self.set(cell, (value, value));
            let rows = self.rows_of[cell].clone();
            let outcome = if self.propagate(&rows) { self.descend(visit) } else { self.check_rows() };
            self.undo(mark);
            outcome?;
        }
        Ok(())
    }

    fn check_rows(&self) -> Result<(), Error> {
        if self.rows_left == 0 { Err(Error::FiberTooLarge { limit: self.limits.tables }) } else { Ok(()) }
    }

    fn set(&mut self, cell: usize, interval: (i64, i64)) {
        self.trail.push((u32::try_from(cell).expect("at most 2^24 cells"), self.boxes[cell]));
        self.boxes[cell] = interval;
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            let (cell, before) = self.trail.pop().expect("longer than the mark");
            self.boxes[cell as usize] = before;
        }
    }

    /// Narrows boxes until no row does so any more; `false` when a box would be empty, and when no
    /// rows are left.
    fn propagate(&mut self, first: &[u32]) -> bool {
        let mut queue: VecDeque<u32> = first.iter().copied().collect();
        let mut waiting = vec![false; self.system.rows.len()];
        first.iter().for_each(|&row| waiting[row as usize] = true);
        while let Some(number) = queue.pop_front() {
            waiting[number as usize] = false;
            self.rows_left = self.rows_left.saturating_sub(1);
            if self.rows_left == 0 {
                return false;
            }
            let row = &self.system.rows[number as usize];
            let (least, most) = row.cells().iter().fold((0_i128, 0_i128), |(least, most), &cell| {
                let (lower, upper) = self.boxes[cell as usize];
                (least + i128::from(lower), most + i128::from(upper))
            });
            let (room_up, room_down) = (i128::from(row.upper()) - least, most - i128::from(row.lower()));
            if room_up < 0 || room_down < 0 {
                return false;
            }
            for &cell in row.cells() {
                let (lower, upper) = self.boxes[cell as usize];
                let narrower = |room: i128| i64::try_from(room.min(i128::from(upper - lower))).expect("within a box");
                let next = (upper - narrower(room_down), lower + narrower(room_up));
                if next != (lower, upper) {
                    self.set(cell as usize, next);
                    for &other in &self.rows_of[cell as usize] {
                        if !std::mem::replace(&mut waiting[other as usize], true) {
                            queue.push_back(other);
                        }
                    }
                }
            }
        }
        true
    }
}
