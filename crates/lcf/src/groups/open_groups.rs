//! Groups that are not settled yet: their rows and their sets, in slots that are reused.

use crate::entity::entity_set::EntitySet;
use crate::error::Error;

/// Where a group is stored: in a slot while some of its sets are open. Once all are saturated
/// only its number of rows matters, and the place holds that number itself.
#[derive(Clone, Copy)]
pub(crate) struct Place(u64);

/// The top bit marks a settled group.
const SETTLED: u64 = 1 << 63;

impl Place {
    pub(crate) fn settled(rows: u64) -> Self {
        Self(SETTLED | rows.min(SETTLED - 1))
    }

    /// Rows of a settled group, or the slot of an open one.
    pub(crate) fn get(self) -> Result<u64, usize> {
        if self.is_settled() { Ok(self.0 & !SETTLED) } else { Err(self.0 as usize) }
    }

    pub(crate) fn is_settled(self) -> bool {
        self.0 & SETTLED != 0
    }

    /// Counts a row of a settled group. 2^63 rows are not reached one by one.
    pub(crate) fn count(&mut self) {
        self.0 = self.0.saturating_add(1);
    }
}

#[derive(Clone, Copy)]
struct Slot {
    rows: u64,
    /// Columns whose set is not saturated.
    open: u32,
}

/// The slots.
#[derive(Clone)]
pub(crate) struct OpenGroups {
    slots: Vec<Slot>,
    /// One per slot and column, the columns of a slot side by side.
    sets: Vec<EntitySet>,
    free: Vec<usize>,
    columns: usize,
    cap: u32,
    /// Hashes held in all sets.
    held: u64,
}

impl OpenGroups {
    pub(crate) fn new(columns: usize, cap: u32) -> Self {
        Self { slots: Vec::new(), sets: Vec::new(), free: Vec::new(), columns, cap, held: 0 }
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn cap(&self) -> u32 {
        self.cap
    }

    pub(crate) fn held(&self) -> u64 {
        self.held
    }

    /// Reads what counting a row of a group reads: a number without a meaning.
    pub(crate) fn load(&self, place: Place) -> u64 {
        match place.get() {
            Ok(rows) => rows,
            Err(slot) => self.slots[slot].rows ^ self.sets[slot * self.columns].last_listed(),
        }
    }

    /// Bytes of the slots.
    pub(crate) fn bytes(&self) -> u64 {
        self.slots.len() as u64 * (size_of::<Slot>() + self.columns * size_of::<EntitySet>()) as u64
    }

    /// A slot for a group without rows.
    pub(crate) fn open(&mut self) -> Place {
        let fresh = Slot { rows: 0, open: self.columns as u32 };
        let slot = match self.free.pop() {
            Some(slot) => {
                self.slots[slot] = fresh;
                self.sets[slot * self.columns..][..self.columns].fill(EntitySet::new(self.cap));
                slot
            }
            None => {
                self.slots.push(fresh);
                self.sets.extend((0..self.columns).map(|_| EntitySet::new(self.cap)));
                self.slots.len() - 1
            }
        };
        Place(slot as u64)
    }

    /// Counts rows of any group.
    pub(crate) fn count(&mut self, place: &mut Place, rows: u64) {
        match place.get() {
            Ok(known) => *place = Place::settled(known.saturating_add(rows)),
            Err(slot) => self.slots[slot].rows = self.slots[slot].rows.saturating_add(rows),
        }
    }

    /// Adds an entity to a column of an open group. The hash is not asked for if it changes
    /// nothing.
    pub(crate) fn insert(&mut self, place: &mut Place, column: usize, hash: impl FnOnce() -> u64) {
        // What is generic is compiled by each caller, and so it is no more than this.
        if let Some(slot) = self.open_slot(*place, column) {
            self.insert_hash(place, slot, column, hash());
        }
    }

    fn insert_hash(&mut self, place: &mut Place, slot: usize, column: usize, hash: u64) {
        let added = self.change(place, slot, column, |set| {
            set.insert(hash);
            Ok(())
        });
        added.expect("inserting does not fail");
    }

    /// Adds the entities of another part of the data to a column of any group.
    pub(crate) fn merge(&mut self, place: &mut Place, column: usize, other: &EntitySet) -> Result<(), Error> {
        let Some(slot) = self.open_slot(*place, column) else { return Ok(()) };
        self.change(place, slot, column, |set| set.merge(other))
    }

    /// The slot of a group whose set in this column is not saturated.
    fn open_slot(&self, place: Place, column: usize) -> Option<usize> {
        let slot = place.get().err()?;
        (!self.sets[slot * self.columns + column].is_saturated()).then_some(slot)
    }

    /// Changes a set that is not saturated, and settles the group when its last set is.
    fn change(
        &mut self,
        place: &mut Place,
        slot: usize,
        column: usize,
        change: impl FnOnce(&mut EntitySet) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let set = &mut self.sets[slot * self.columns + column];
        let before = set.held() as u64;
        change(set)?;
        self.held = self.held + set.held() as u64 - before;
        if set.is_saturated() {
            let slot_of = &mut self.slots[slot];
            slot_of.open -= 1;
            if slot_of.open == 0 {
                *place = Place::settled(slot_of.rows);
                self.free.push(slot);
            }
        }
        Ok(())
    }

    /// Removes a group: its rows, and its sets, which are appended.
    pub(crate) fn take(&mut self, place: Place, taken: &mut Vec<EntitySet>) -> u64 {
        match place.get() {
            Ok(rows) => {
                taken.extend((0..self.columns).map(|_| EntitySet::saturated(self.cap)));
                rows
            }
            Err(slot) => {
                let sets = self.sets[slot * self.columns..][..self.columns].iter_mut();
                taken.extend(sets.map(|set| std::mem::replace(set, EntitySet::new(self.cap))));
                self.slots[slot].rows
            }
        }
    }
}
