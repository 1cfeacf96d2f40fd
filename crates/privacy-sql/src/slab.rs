//! The rows and the entities of many groups, side by side: a line of the cache for each group and
//! column of identifiers, and sets of their own for the groups with more entities than it holds.
//!
//! A query with a million groups reads them in no order, and waits for memory each time. In one
//! line a row waits once, where a count, a set and its members in three places would have it wait
//! three times.

use lcf::{EntityCount, EntitySet, Error, GroupState, LowCountFilter};

/// Entities that a line holds, in its 64 bytes.
const IN_LINE: usize = 6;
/// The state of a line whose entities reached the cap.
const SATURATED: u64 = u64::MAX;
/// Memory of a member of a larger set: vectors are up to half empty.
const BYTES_A_MEMBER: usize = 16;

/// The entities of a group in one column of identifiers.
#[derive(Clone)]
#[repr(align(64))]
struct Line {
    /// Rows of the group, in the line of its first column.
    rows: u64,
    /// How many entities stand here; above [`IN_LINE`], the place of their set; or [`SATURATED`].
    state: u64,
    hashes: [u64; IN_LINE],
}

/// Where the entities of a line are.
enum Kept {
    Here(usize),
    /// In a larger set, at this place.
    There(usize),
    Saturated,
}

impl Line {
    const EMPTY: Self = Self { rows: 0, state: 0, hashes: [0; IN_LINE] };

    fn kept(&self) -> Kept {
        const MOST: u64 = IN_LINE as u64;
        match self.state {
            SATURATED => Kept::Saturated,
            here @ ..=MOST => Kept::Here(here as usize),
            place => Kept::There((place - MOST - 1) as usize),
        }
    }
}

/// Groups by their numbers.
pub(crate) struct Slab {
    cap: u32,
    columns: usize,
    /// The lines of a group stand together, one for each column of identifiers.
    lines: Vec<Line>,
    larger: Vec<EntitySet>,
    /// Members of all larger sets that were added.
    members: usize,
}

impl Slab {
    /// No group yet; their sets saturate at `cap` entities.
    ///
    /// # Panics
    /// Without a column of identifiers.
    pub(crate) fn new(cap: u32, columns: usize) -> Self {
        assert!(columns > 0, "groups of a query have identifiers");
        Self { cap, columns, lines: Vec::new(), larger: Vec::new(), members: 0 }
    }

    /// Adds groups without rows until there are `groups`.
    pub(crate) fn grow(&mut self, groups: usize) {
        self.lines.resize(groups * self.columns, Line::EMPTY);
    }

    pub(crate) fn add_rows(&mut self, group: usize, rows: u64) {
        let sum = &mut self.lines[group * self.columns].rows;
        *sum = sum.saturating_add(rows);
    }

    /// Reads a line of each of these groups, one without waiting for another, so that they are in
    /// the cache afterwards: for what treats them one after the other.
    pub(crate) fn fetch(&self, groups: &[usize]) {
        let lines = groups.iter().map(|&group| self.lines[group * self.columns].state);
        std::hint::black_box(lines.fold(0, |sum, state| sum ^ state));
    }

    /// Whether the entities of a group in a column reached the cap: no other changes anything.
    pub(crate) fn is_saturated(&self, group: usize, column: usize) -> bool {
        let line = &self.lines[group * self.columns + column];
        match line.kept() {
            Kept::Here(_) => false,
            Kept::There(place) => self.larger[place].is_saturated(),
            Kept::Saturated => true,
        }
    }

    /// Adds an entity of a group in a column.
    pub(crate) fn insert(&mut self, group: usize, column: usize, hash: u64) {
        let line = &mut self.lines[group * self.columns + column];
        match line.kept() {
            Kept::Saturated => {}
            Kept::Here(many) if line.hashes[..many].contains(&hash) => {}
            Kept::Here(many) if many + 1 >= self.cap as usize => line.state = SATURATED,
            Kept::Here(many) if many < IN_LINE => {
                line.hashes[many] = hash;
                line.state += 1;
            }
            Kept::Here(many) => {
                let mut set = EntitySet::new(self.cap);
                set.extend(line.hashes.into_iter().chain([hash]));
                self.members += many + 1;
                self.larger.push(set);
                line.state = (IN_LINE + self.larger.len()) as u64;
            }
            Kept::There(place) => {
                let set = &mut self.larger[place];
                let before = set.distinct();
                set.insert(hash);
                self.members += usize::from(set.distinct() != before);
            }
        }
    }

    /// Adds what was counted of a part of a group's rows.
    ///
    /// # Errors
    /// [`Error::OtherCap`] for a state of another filter.
    pub(crate) fn merge(&mut self, group: usize, state: &GroupState) -> Result<(), Error> {
        self.add_rows(group, state.rows);
        for (column, set) in state.sets.iter().enumerate() {
            match set.distinct() {
                _ if set.cap() != self.cap => return Err(Error::OtherCap { expected: self.cap, got: set.cap() }),
                EntityCount::AtLeast(_) => self.saturate(group, column),
                EntityCount::Exactly(_) => set.for_each_member(|hash| self.insert(group, column, hash)),
            }
        }
        Ok(())
    }

    fn saturate(&mut self, group: usize, column: usize) {
        let line = &mut self.lines[group * self.columns + column];
        if let Kept::There(place) = line.kept() {
            self.larger[place] = EntitySet::new(self.cap);
        }
        line.state = SATURATED;
    }

    /// The states of the first groups, which are forgotten; `None` for a group without a row.
    ///
    /// # Errors
    /// None where the filter is the one of the sets.
    pub(crate) fn take(
        &mut self,
        groups: usize,
        filter: &LowCountFilter,
        mut each: impl FnMut(Option<Vec<u8>>),
    ) -> Result<(), Error> {
        let groups = groups.min(self.lines.len() / self.columns);
        let mut sets = Vec::with_capacity(self.columns);
        for group in 0..groups {
            let first = group * self.columns;
            let rows = self.lines[first].rows;
            sets.clear();
            (first..first + self.columns).for_each(|line| sets.push(self.take_set(line)));
            each(if rows == 0 { None } else { Some(GroupState::bytes_of(rows, &sets, filter)?) });
        }
        self.lines.drain(..groups * self.columns);
        if self.lines.is_empty() {
            *self = Self::new(self.cap, self.columns);
        }
        Ok(())
    }

    fn take_set(&mut self, line: usize) -> EntitySet {
        let line = &self.lines[line];
        let mut set = EntitySet::new(self.cap);
        match line.kept() {
            Kept::Here(many) => set.extend(line.hashes[..many].iter().copied()),
            Kept::There(place) => std::mem::swap(&mut set, &mut self.larger[place]),
            Kept::Saturated => set = EntitySet::saturated(self.cap),
        }
        set
    }

    /// Memory, at most.
    pub(crate) fn bytes(&self) -> usize {
        self.lines.capacity() * size_of::<Line>()
            + self.larger.capacity() * size_of::<EntitySet>()
            + self.members * BYTES_A_MEMBER
    }
}

#[cfg(test)]
mod tests;
