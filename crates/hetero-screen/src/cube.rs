//! Every query that an actual table answers, and the rows in each: an iceberg cube.
//!
//! Rows are partitioned by one column after another (Beyer and Ramakrishnan 1999). A group in
//! which nothing is released releases nothing in any part of it, so its subtree is left out; a
//! group whose rows all have the same features is never divided further, so its subtree is a
//! number. Tasks are the subsets of the first columns: the same ones, added up in the same order,
//! whatever the number of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use privacy_core::parallel;
use privacy_core::stop::StopFlag;

use crate::error::Error;
use crate::limits::ScreenLimits;
use crate::records::Records;
use crate::spec::ScreenSpec;

/// The first columns, whose subsets are tasks.
const TASK_COLUMNS: usize = 4;
/// Visits that a task counts by itself before it reports them: some milliseconds, so that the
/// shared counter is not contended and a set flag is seen in time.
const REPORTED_AT: u64 = 1 << 16;

/// The rows that match a query, or many queries with the same rows.
pub(crate) struct Group<'a> {
    /// Entries of the records.
    pub(crate) entries: &'a [u32],
    /// People of each class.
    pub(crate) counts: &'a [u64],
    /// People.
    pub(crate) size: u64,
    /// How many queries have these rows.
    pub(crate) queries: u64,
}

/// What is gathered from the groups of a task.
pub(crate) trait Gather: Send {
    /// A group in which something is released.
    fn group(&mut self, group: &Group<'_>);
}

impl<A: Gather, B: Gather> Gather for (A, B) {
    fn group(&mut self, group: &Group<'_>) {
        self.0.group(group);
        self.1.group(group);
    }
}

/// Runs over all groups in which something is released, a gatherer a task; the gatherers in the
/// order of tasks.
pub(crate) fn gather<G: Gather>(
    records: &Records,
    spec: &ScreenSpec,
    limits: &ScreenLimits,
    new: impl Fn() -> G + Sync,
) -> Result<Vec<G>, Error> {
    let visits = AtomicU64::new(0);
    let most = limits.visits.clamp(0.0, 1e18) as u64;
    let fixed = records.columns().min(TASK_COLUMNS);
    // Which groups a task visits does not depend on the other tasks, so sums in the order of
    // tasks are the same at any number of threads.
    let subsets: Vec<usize> = (0..1 << fixed).collect();
    let gathered = parallel::map(&subsets, |&subset| {
        let mut walk = Walk::new(records, spec, Meter { visits: &visits, most, stop: &limits.stop }, new());
        walk.start(subset, fixed);
        visits.fetch_add(walk.unreported, Ordering::Relaxed);
        walk.gather
    });
    limits.check_stop()?;
    let visits = visits.into_inner();
    if visits > most {
        // How far a table goes is seen only on the way.
        return Err(Error::TooLarge { what: "visits to rows of the table", needed: visits as f64, limit: most as f64 });
    }
    Ok(gathered)
}

/// How many visits all tasks have made together, and what ends them early.
#[derive(Clone, Copy)]
struct Meter<'a> {
    visits: &'a AtomicU64,
    most: u64,
    stop: &'a StopFlag,
}

struct Walk<'a, G> {
    records: &'a Records,
    spec: &'a ScreenSpec,
    meter: Meter<'a>,
    /// Visits of this task that the meter does not know yet.
    unreported: u64,
    is_over: bool,
    counts: Vec<u64>,
    /// Where the codes of a column begin, while entries are sorted by it.
    starts: Vec<u32>,
    gather: G,
}

impl<'a, G: Gather> Walk<'a, G> {
    fn new(records: &'a Records, spec: &'a ScreenSpec, meter: Meter<'a>, gather: G) -> Self {
        let counts = vec![0; records.classes()];
        Self { records, spec, meter, unreported: 0, is_over: false, counts, starts: Vec::new(), gather }
    }

    /// The groups whose columns among the first `fixed` ones are those of `subset`.
    fn start(&mut self, subset: usize, fixed: usize) {
        if subset.count_ones() as usize > self.spec.max_order() {
            return;
        }
        let entries: Vec<u32> = (0..self.records.entries() as u32).collect();
        // One sorted copy of the entries for each level of the recursion, taken once: a level
        // needs its copy until its last part is done, and no more than one.
        let mut arena = vec![0; entries.len() * (self.records.columns().min(self.spec.max_order()) + 1)];
        self.descend(&entries, &mut arena, subset, (0, fixed), 0);
    }

    /// Divides by the columns of `subset` from `next` on, then goes on with all others.
    fn descend(
        &mut self,
        entries: &[u32],
        arena: &mut [u32],
        subset: usize,
        (next, fixed): (usize, usize),
        order: usize,
    ) {
        match (next..fixed).find(|column| subset >> column & 1 == 1) {
            None => self.group(entries, arena, fixed, order),
            Some(column) => {
                self.divide(entries, arena, column, |walk, part, arena| {
                    walk.descend(part, arena, subset, (column + 1, fixed), order + 1);
                });
            }
        }
    }

    /// One group, and its parts by every later column: in this order every set of columns is
    /// reached once.
    fn group(&mut self, entries: &[u32], arena: &mut [u32], next: usize, order: usize) {
        if !self.count(entries) {
            return;
        }
        let rest = self.records.columns() - next;
        let cells = self.records.cells();
        // Entries are sorted by their features, so a group is one set of identical features when
        // its ends are.
        let is_one_cell = cells[entries[0] as usize] == cells[entries[entries.len() - 1] as usize];
        // Fixing more columns of identical rows gives the same rows again: those queries are
        // counted, not visited.
        let deeper = if is_one_cell { rest.min(self.spec.max_order() - order) } else { 0 };
        let queries = queries(rest, deeper) - u64::from(!self.spec.answers_order(order));
        let size = self.counts.iter().sum();
        // Rows may stand for nobody.
        if queries > 0 && size > 0 {
            self.gather.group(&Group { entries, counts: &self.counts, size, queries });
        }
        // Zeroing what was touched costs the size of the group, not the number of classes.
        self.forget(entries);
        if is_one_cell || order == self.spec.max_order() {
            return;
        }
        for column in next..self.records.columns() {
            self.divide(entries, arena, column, |walk, part, arena| walk.group(part, arena, column + 1, order + 1));
        }
    }

    /// Counts the people of a group by class. Whether anything of it is released; if not, the
    /// counts are forgotten.
    fn count(&mut self, entries: &[u32]) -> bool {
        self.unreported += entries.len() as u64;
        if self.unreported >= REPORTED_AT {
            let before = self.meter.visits.fetch_add(self.unreported, Ordering::Relaxed);
            self.is_over = before.saturating_add(self.unreported) > self.meter.most || self.meter.stop.is_set();
            self.unreported = 0;
        }
        if self.is_over {
            return false;
        }
        let (labels, weights) = (self.records.labels(), self.records.weights());
        let mut size = 0;
        let mut largest = 0;
        for &entry in entries {
            let count = &mut self.counts[labels[entry as usize] as usize];
            *count += weights[entry as usize];
            size += weights[entry as usize];
            largest = largest.max(*count);
        }
        // Release is monotone: where not even the largest count passes, no part of the group
        // releases anything.
        let is_released = self.spec.suppression().releases(largest, size);
        if !is_released {
            self.forget(entries);
        }
        is_released
    }

    fn forget(&mut self, entries: &[u32]) {
        let labels = self.records.labels();
        entries.iter().for_each(|&entry| self.counts[labels[entry as usize] as usize] = 0);
    }

    /// Calls `f` with the entries of each code of a column, in their order.
    fn divide(&mut self, entries: &[u32], arena: &mut [u32], column: usize, f: impl Fn(&mut Self, &[u32], &mut [u32])) {
        let codes = self.records.codes(column);
        let (sorted, arena) = arena.split_at_mut(entries.len());
        // Counting costs the cardinality of the column: for a small group a comparison sort is
        // cheaper. Both are stable, so the order of entries, and with it every sum, is the same.
        if self.records.cardinality(column) > 4 * entries.len() {
            sorted.copy_from_slice(entries);
            sorted.sort_by_key(|&entry| codes[entry as usize]);
        } else {
            self.sort_by_counting(entries, sorted, column);
        }
        let mut rest: &[u32] = sorted;
        while let Some(&first) = rest.first() {
            let code = codes[first as usize];
            let length = rest.iter().position(|&entry| codes[entry as usize] != code).unwrap_or(rest.len());
            let (part, later) = rest.split_at(length);
            f(self, part, arena);
            rest = later;
        }
    }

    fn sort_by_counting(&mut self, entries: &[u32], sorted: &mut [u32], column: usize) {
        let codes = self.records.codes(column);
        self.starts.clear();
        self.starts.resize(self.records.cardinality(column) + 1, 0);
        entries.iter().for_each(|&entry| self.starts[codes[entry as usize] as usize + 1] += 1);
        for code in 1..self.starts.len() {
            self.starts[code] += self.starts[code - 1];
        }
        for &entry in entries {
            let place = &mut self.starts[codes[entry as usize] as usize];
            sorted[*place as usize] = entry;
            *place += 1;
        }
    }
}

/// Queries over at most `most` more of `rest` columns, none among them; saturating.
fn queries(rest: usize, most: usize) -> u64 {
    let mut subsets = 1.0_f64;
    let mut sum = 0.0;
    for order in 0..=most {
        sum += subsets;
        subsets *= (rest - order) as f64 / (order + 1) as f64;
    }
    sum.round() as u64
}
