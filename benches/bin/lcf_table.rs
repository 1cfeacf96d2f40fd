//! Ten million rows, a million entities: CPU seconds of a plain count(*) by group, of the same
//! groups with the filter's state, and with all decisions. Single thread; the fastest of the
//! given number of runs. First with keys at hand, then from CSV in memory.
//!
//! `cargo run --release -p benches --bin lcf_table [RUNS] [ROWS]`
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;

use benches::{LcfRows, lcf_filter, lcf_rows, peak_memory};
use lcf::{GroupLimits, Groups, Identifier, LabelledGroups, LowCountFilter, RowGroup, RowQueue, TableOptions};
use privacy_data::{CsvOptions, TextRows};
use rustc_hash::FxHashMap;

const COLUMNS: [&str; 3] = ["region", "age", "code"];

fn main() {
    let mut words = std::env::args().skip(1);
    let runs = words.next().and_then(|word| word.parse().ok()).unwrap_or(5);
    let (rows, filter) =
        (lcf_rows(words.next().and_then(|word| word.parse().ok()).unwrap_or(10_000_000)), lcf_filter());
    println!(
        "{:<20} {:>8} {:>9} {:>9} {:>6} {:>9} {:>9}",
        "", "groups", "count(*)", "state", "ratio", "decided", "reported"
    );
    for (name, key) in
        [("keys, two columns", LcfRows::two as fn(&LcfRows, usize) -> u64), ("keys, three", LcfRows::three)]
    {
        let plain = least(runs, || plain(&rows, key));
        let state = least(runs, || grouped(&rows, key, &filter).len());
        show(name, plain, state, least(runs, || decided(grouped(&rows, key, &filter), &filter)));
    }
    let csv = csv(&rows);
    drop(rows);
    for (name, columns) in [("CSV, two columns", &COLUMNS[..2]), ("CSV, three", &COLUMNS)] {
        let plain = least(runs, || plain_csv(&csv, columns));
        let state = least(runs, || grouped_csv(&csv, columns, &filter).into_table().len());
        show(name, plain, state, least(runs, || decided_csv(grouped_csv(&csv, columns, &filter), &filter)));
    }
    println!("{:.0} MB of CSV; peak memory {}", csv.len() as f64 / 1e6, peak_memory());
}

fn show(name: &str, (plain, groups): (f64, usize), (state, _): (f64, usize), (decided, reported): (f64, usize)) {
    let ratio = state / plain;
    println!("{name:<20} {groups:>8} {plain:>7.3} s {state:>7.3} s {ratio:>6.2} {decided:>7.3} s {reported:>9}");
}

/// Seconds that this thread has run, so that others on the machine do not count; Linux alone
/// says.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|word| word.parse().ok()).map_or(f64::NAN, |nanoseconds: f64| nanoseconds * 1e-9)
}

fn least(runs: usize, mut work: impl FnMut() -> usize) -> (f64, usize) {
    let mut best = (f64::INFINITY, 0);
    for _ in 0..runs.max(1) {
        let start = cpu_seconds();
        let result = black_box(work());
        best = (best.0.min(cpu_seconds() - start), result);
    }
    best
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
    let hasher = filter.hasher(0).expect("the filter has this column");
    let keys = (0..rows.people.len()).map(|row| key(rows, row));
    let identify = |row: usize, group: &mut RowGroup<'_>| group.insert_with(0, || hasher.hash_i64(rows.people[row]));
    groups.extend(keys, identify).expect("within the limits");
    groups
}

fn decided(groups: Groups<u64>, filter: &LowCountFilter) -> usize {
    let decisions = groups.into_groups().into_iter().map(|group| filter.decide(&group.sets, None));
    decisions.filter(|decision| decision.as_ref().is_ok_and(|decision| decision.is_reported())).count()
}

fn csv(rows: &LcfRows) -> String {
    let mut text = String::from("user,region,age,code\n");
    for row in 0..rows.people.len() {
        let [region, age, code] = [0, 1, 2].map(|column| rows.labels[column][row]);
        writeln!(text, "{},region {region},{age},{code}", rows.people[row]).expect("writing to a string does not fail");
    }
    text
}

/// Reads the same columns, numbers labels and pairs of them in the same way, and counts.
fn plain_csv(csv: &str, columns: &[&str]) -> usize {
    let mut rows = TextRows::new(csv.as_bytes(), columns.iter().copied().chain(["user"]), &CsvOptions::default())
        .expect("a header");
    let mut numbers: Vec<HashMap<String, u64>> = vec![HashMap::new(); columns.len()];
    let mut pairs: FxHashMap<u64, u64> = FxHashMap::default();
    let mut counts: FxHashMap<u64, u64> = FxHashMap::default();
    while let Some(row) = rows.advance().expect("rows that were written here") {
        let mut key = 0;
        for (column, numbers) in numbers.iter_mut().enumerate() {
            let (label, next) = (row.field(column), numbers.len() as u64);
            let number =
                numbers.get(label).copied().unwrap_or_else(|| *numbers.entry(label.to_owned()).or_insert(next));
            if column >= 2 {
                let next = pairs.len() as u64;
                key = *pairs.entry(key).or_insert(next);
            }
            key = key << 32 | number;
        }
        *counts.entry(key).or_insert(0) += 1;
        black_box(row.field(columns.len()));
    }
    counts.len()
}

fn grouped_csv(csv: &str, columns: &[&str], filter: &LowCountFilter) -> LabelledGroups {
    let mut rows = TextRows::new(csv.as_bytes(), columns.iter().copied().chain(["user"]), &CsvOptions::default())
        .expect("a header");
    let mut groups = LabelledGroups::new(columns.iter().copied(), filter, GroupLimits::default());
    let hasher = filter.hasher(0).expect("the filter has this column");
    let mut queue = RowQueue::default();
    while let Some(row) = rows.advance().expect("rows that were written here") {
        if groups.are_many() {
            let labels = (0..columns.len()).map(|column| row.field(column));
            groups.queue(&mut queue, labels).expect("within the limits");
            queue.insert(0, Identifier::of_text(row.field(columns.len())).hash(hasher));
            continue;
        }
        let mut group = groups.row((0..columns.len()).map(|column| row.field(column))).expect("within the limits");
        group
            .insert_with(0, || Identifier::of_text(row.field(columns.len())).hash(hasher))
            .expect("the filter has this column");
    }
    groups.count_queue(&mut queue).expect("within the limits");
    groups
}

fn decided_csv(groups: LabelledGroups, filter: &LowCountFilter) -> usize {
    filter.apply(groups.into_table(), TableOptions::default()).expect("groups of this filter").reported().count()
}
