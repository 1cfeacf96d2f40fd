//! Speed of `ldp-pmdh` on one core: all pairs of a thousand columns by every kernel, and from a
//! million rows to a joint table.
//!
//! `cargo run --release -p benches --bin ldp_speed` prints the tables of `docs/benchmarks.md`.
//! Times are the least of three rounds, in seconds of this thread on a processor: the machine may
//! be shared.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::hint::black_box;

use ldp_pmdh::estimate::cells_from_reports;
use ldp_pmdh::{Aggregator, BitNoise, Client, Counts, Feature, Kernel, Protocol, Schema, State, StateDetail};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

const SEED: [u8; 32] = [61; 32];
/// Columns and reports of the figure of all pairs.
const COLUMNS: usize = 1000;
const REPORTS: usize = 1 << 18;
/// Words of a bit string of one block.
const WORDS: usize = 512;
/// People of the figure of a joint table.
const PEOPLE: usize = 1_000_000;

/// Seconds of processor time of this thread, from the kernel's accounts; `None` where there are
/// none.
fn thread_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds * 1e-9)
}

/// Least time of three rounds, each long enough for clocks that tick every few milliseconds.
fn best<T>(mut work: impl FnMut() -> T) -> f64 {
    const LONG: f64 = 0.4;
    let mut round = || {
        let (wall, start) = (std::time::Instant::now(), thread_seconds());
        let passed = || match (start, thread_seconds()) {
            (Some(start), Some(now)) => now - start,
            _ => wall.elapsed().as_secs_f64(),
        };
        let mut runs = 0;
        while passed() < LONG {
            black_box(work());
            runs += 1;
        }
        passed() / f64::from(runs)
    };
    (0..3).map(|_| round()).fold(f64::INFINITY, f64::min)
}

fn words(count: usize) -> Vec<u64> {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    (0..count).map(|_| rng.next_u64()).collect()
}

fn epsilon(value: f64) -> Epsilon {
    Epsilon::new(value).expect("positive")
}

/// Binary features with this epsilon each.
fn binary(count: usize, each: f64) -> Schema {
    let noise = BitNoise::symmetric(epsilon(each)).expect("a moderate epsilon");
    let feature = |i: usize| {
        let attribute = Attribute::codes(format!("b{i}"), 2).expect("two values");
        Feature::new(attribute, Protocol::RandomisedResponse(noise)).expect("two values")
    };
    Schema::new((0..count).map(feature).collect()).expect("few features")
}

/// All combinations of `bits` binary answers as the values of one feature.
fn joint(bits: u32, total: f64) -> Schema {
    let values = 1 << bits;
    let protocol = Protocol::generalised_response(epsilon(total), values).expect("a moderate epsilon");
    let attribute = Attribute::codes("joint", values as usize).expect("values");
    Schema::new(vec![Feature::new(attribute, protocol).expect("values")]).expect("one feature")
}

/// Every kernel on blocks of 1,000 columns, and on 64 columns, which stay in the second-level
/// cache.
fn kernels() {
    let columns = words(COLUMNS * WORDS);
    let blocks = REPORTS / (64 * WORDS);
    let pairs = |n: usize| n * (n - 1) / 2;
    let mut counts = vec![0; pairs(COLUMNS)];
    println!(
        "all pairs of {COLUMNS} columns over {REPORTS} reports; Gword/s of AND and popcount, and the peak, within L2"
    );
    println!("{:>18} {:>9} {:>9} {:>9} {:>7}", "kernel", "ms", "Gword/s", "peak", "share");
    for kernel in Kernel::available() {
        let seconds = best(|| {
            (0..blocks).for_each(|_| kernel.add_pairs(&columns, &columns, WORDS, black_box(&mut counts)));
        });
        let small = &columns[..64 * WORDS];
        let mut few = vec![0; pairs(64)];
        let rounds = 100;
        let peak_seconds =
            best(|| (0..rounds).for_each(|_| kernel.add_pairs(small, small, WORDS, black_box(&mut few))));
        let rate = (pairs(COLUMNS) * WORDS * blocks) as f64 / seconds / 1e9;
        let peak = (pairs(64) * WORDS * rounds) as f64 / peak_seconds / 1e9;
        let share = 100.0 * rate / peak;
        println!("{:>18} {:>9.1} {rate:>9.2} {peak:>9.2} {share:>6.0}%", kernel.name(), 1e3 * seconds);
    }
}

/// Reports of 1,000 bits, counted by the aggregator, and by a loop over the pairs of bits of each
/// report.
fn reports() {
    let schema = binary(COLUMNS, 2.0);
    let client = Client::new(schema.clone());
    let mut rng = ChaCha20Rng::from_seed(SEED);
    // Three in ten answers are 1.
    let row: Vec<u32> = (0..COLUMNS).map(|i| u32::from(i % 10 < 3)).collect();
    let some = 1 << 12;
    let mut reports = Vec::new();
    (0..some).for_each(|_| client.randomise_into(&row, &mut reports, &mut rng).expect("the row fits"));
    let repeats = REPORTS / some;
    let bits: u32 = reports.iter().map(|byte| byte.count_ones()).sum();
    println!("\n{REPORTS} reports of {COLUMNS} bits, {:.0}% of them set, to counts of all pairs", {
        100.0 * f64::from(bits) / (some * COLUMNS) as f64
    });
    for kernel in Kernel::available() {
        let seconds = best(|| {
            let aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(2), 1e9).expect("500,500 counts");
            let mut aggregator = aggregator.with_kernel(kernel);
            (0..repeats).for_each(|_| aggregator.push_all(&reports).expect("reports of this client"));
            aggregator.finish().expect("few reports")
        });
        println!("{:>18} {:>9.1} ms", kernel.name(), 1e3 * seconds);
    }
    // A part of the reports, and times as many: the whole is slow.
    let seconds = repeats as f64 * best(|| one_by_one(&reports));
    println!("{:>18} {:>9.1} ms (from {some} reports)", "report by report", 1e3 * seconds);
}

/// Adds one to every pair of bits that a report has, report after report.
fn one_by_one(reports: &[u8]) -> Vec<u64> {
    let mut counts = vec![0_u64; COLUMNS * (COLUMNS - 1) / 2];
    let mut set = Vec::with_capacity(COLUMNS);
    for report in reports.chunks(COLUMNS / 8) {
        set.clear();
        set.extend((0..COLUMNS).filter(|i| report[i / 8] >> (i % 8) & 1 == 1));
        for (position, &j) in set.iter().enumerate() {
            let row = &mut counts[(j * j - j) / 2..];
            set[..position].iter().for_each(|&i| row[i] += 1);
        }
    }
    counts
}

/// Dependent answers: bit `i` agrees with bit `i - 1` three times in four.
fn people(bits: u32) -> Vec<u32> {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    let mut row = || {
        let noise = rng.next_u64();
        let mut last = u32::from(noise & 3 == 0);
        let bit = |i: u32| {
            last ^= u32::from(noise >> (2 * i + 2) & 3 == 0);
            last << i
        };
        (0..bits).map(bit).sum()
    };
    (0..PEOPLE).map(|_| row()).collect()
}

/// Total variation between an estimated table and the true one.
fn distance(cells: &[f64], rows: &[u32]) -> f64 {
    let mut truth = vec![0.0; cells.len()];
    rows.iter().for_each(|&row| truth[row as usize] += 1.0);
    cells.iter().zip(&truth).map(|(a, b)| (a - b).abs()).sum::<f64>() / (2.0 * PEOPLE as f64)
}

/// Rows to reports to counts to the joint table.
fn trip(schema: &Schema, rows: &[u32], keep: StateDetail, cells: impl Fn(&State) -> Vec<f64>) -> (f64, Vec<f64>) {
    let client = Client::new(schema.clone());
    let mut table = Vec::new();
    let seconds = best(|| {
        let mut rng = ChaCha20Rng::from_seed(SEED);
        let reports = client.randomise_rows(rows, &mut rng).expect("rows of this schema");
        let mut aggregator = Aggregator::new(schema.clone(), keep, 1e9).expect("few columns");
        aggregator.push_all(&reports).expect("reports of this client");
        table = cells(&aggregator.finish().expect("few reports"));
    });
    (seconds, table)
}

fn joint_tables() {
    println!("\n{PEOPLE} people, total epsilon 4: randomise, count, estimate the joint table of d binary answers");
    println!("{:>34} {:>3} {:>9} {:>10}", "protocol", "d", "ms", "TV to truth");
    for bits in [4, 8] {
        let values = people(bits);
        let show = |name: &str, (seconds, cells): (f64, Vec<f64>)| {
            println!("{name:>34} {bits:>3} {:>9.1} {:>10.4}", 1e3 * seconds, distance(&cells, &values));
        };
        let schema = binary(bits as usize, 4.0 / f64::from(bits));
        let channels: Vec<_> = schema.columns().iter().map(|column| column.channel).collect();
        let rows: Vec<u32> = values.iter().flat_map(|&value| (0..bits).map(move |i| value >> i & 1)).collect();
        let every_bit = trip(&schema, &rows, StateDetail::Full, |state| {
            let histogram = state.histogram().expect("a full table is kept");
            let mut cells: Vec<f64> = histogram.iter().map(|&count| count as f64).collect();
            cells_from_reports(&channels, &mut cells);
            cells
        });
        show("each bit by itself", every_bit);
        let schema = joint(bits, 4.0);
        let channel = schema.columns()[0].channel;
        let one_value = trip(&schema, &values, StateDetail::UpTo(1), |state| {
            let count = |column| state.count(&[column], &[]).expect("single columns are kept") as f64;
            (0..1 << bits).map(|column| (count(column) - channel.p() * PEOPLE as f64) / channel.gap()).collect()
        });
        show("all bits as one value (grr)", one_value);
    }
}

fn main() {
    kernels();
    reports();
    joint_tables();
}
