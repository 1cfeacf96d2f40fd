//! Ten million rows, a million entities: CPU seconds of a plain count(*) by group, of the same groups with the filter's state,
//! and of everything up to the last decision. Single thread; the least of so many runs.
//!
//! `cargo run --release -p benches --bin lcf_table [RUNS]`
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::hint::black_box;

use benches::{LcfRows, lcf_filter, lcf_rows, peak_memory};
use lcf::{GroupLimits, Groups, LowCountFilter, RowGroup};
use rustc_hash::FxHashMap;

const ROWS: usize = 10_000_000;

fn main() {
    let runs = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(5);
    let (rows, filter) = (lcf_rows(ROWS), lcf_filter());
    println!(
        "{:<12} {:>8} {:>9} {:>9} {:>6} {:>9} {:>9}",
        "group by", "groups", "count(*)", "state", "ratio", "decided", "reported"
    );
    for (name, key) in [("two columns", LcfRows::two as fn(&LcfRows, usize) -> u64), ("three", LcfRows::three)] {
        let (plain, groups) = least(runs, || plain(&rows, key));
        let (state, _) = least(runs, || grouped(&rows, key, &filter).len());
        let (decided, reported) = least(runs, || decided(grouped(&rows, key, &filter), &filter));
        let ratio = state / plain;
        println!("{name:<12} {groups:>8} {plain:>7.3} s {state:>7.3} s {ratio:>6.2} {decided:>7.3} s {reported:>9}");
    }
    println!("peak memory {}", peak_memory());
}

/// Seconds that this thread has run, so that others on the machine do not count; Linux alone says.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).map_or(f64::NAN, |nanoseconds: f64| nanoseconds * 1e-9)
}

fn least<T>(runs: usize, mut work: impl FnMut() -> T) -> (f64, T) {
    let mut best = f64::INFINITY;
    loop {
        let mut result = None;
        for _ in 0..runs.max(1) {
            let start = cpu_seconds();
            result = Some(black_box(work()));
            best = best.min(cpu_seconds() - start);
        }
        if let Some(result) = result {
            return (best, result);
        }
    }
}

/// What any program does that counts rows by group.
fn plain(rows: &LcfRows, key: fn(&LcfRows, usize) -> u64) -> usize {
    let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
    for row in 0..rows.people.len() {
        *counts.entry(key(rows, row)).or_insert(0) += 1;
    }
    counts.len()
}

fn grouped(rows: &LcfRows, key: fn(&LcfRows, usize) -> u64, filter: &LowCountFilter) -> Groups<u64> {
    let mut groups = Groups::new(filter, GroupLimits::default());
    let hasher = filter.hasher(0);
    let keys = (0..rows.people.len()).map(|row| key(rows, row));
    let identify = |row: usize, group: &mut RowGroup<'_>| group.insert_with(0, || hasher.hash_i64(rows.people[row]));
    groups.extend(keys, identify).expect("within the limits");
    groups
}

fn decided(groups: Groups<u64>, filter: &LowCountFilter) -> usize {
    let decisions = groups.into_groups().into_iter().map(|group| filter.decide(&group.sets, None));
    decisions.filter(|decision| decision.as_ref().is_ok_and(|decision| decision.is_reported())).count()
}
