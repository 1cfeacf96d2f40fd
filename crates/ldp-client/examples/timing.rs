//! Whether the time that a report takes tells anything: of two answers, and of reports that support
//! the answer and reports that do not (who knows which, and sees the report, knows the answer).
//! Welch's t of the durations of 100,000 reports in random order, cut at their 95th percentile
//! (interrupts). It fails where the constant shape has a t of 4.5 or more
//! ([`testkit::durations::BAR`]). `cargo run --release -p ldp-client --example timing`
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints what it measured")]

use std::process::ExitCode;
use std::time::Instant;

use ldp_client::{BitNoise, Client, Feature, Protocol, ReportReader, Schema, bits};
use privacy_core::Attribute;
use privacy_core::param::Epsilon;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use testkit::durations::{BAR, Durations};

const RUNS: usize = 100_000;
const VALUES: usize = 64;

fn main() -> ExitCode {
    let epsilon = Epsilon::new(1.0).unwrap();
    let unary = BitNoise::optimised_unary(epsilon).unwrap();
    let values = VALUES as u32;
    let protocols = [
        ("ue", Protocol::UnaryEncoding(unary)),
        ("grr", Protocol::generalised_response(epsilon, values).unwrap()),
        ("lh", Protocol::local_hashing(epsilon, None).unwrap()),
        ("ss", Protocol::subset_selection(epsilon, values, None).unwrap()),
    ];
    println!("{:6} {:16} {:>14} {:>18}", "", "", "t of answers", "t of kept answers");
    let mut is_silent = true;
    for (name, protocol) in protocols {
        let feature = Feature::new(Attribute::codes("feature", VALUES).unwrap(), protocol).unwrap();
        let client = Client::new(Schema::new(vec![feature]).unwrap());
        show(name, "as usual", &client);
        is_silent &= show(name, "constant shape", &client.in_constant_shape()) < BAR;
    }
    if is_silent { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Prints both statistics; the larger one, without its sign.
fn show(name: &str, shape: &str, client: &Client) -> f64 {
    let mut reader = ReportReader::new(client.schema());
    let (mut answers, mut kept) = (Durations::default(), Durations::default());
    let (mut order, mut rng) = (ChaCha20Rng::from_seed([1; 32]), ChaCha20Rng::from_seed([2; 32]));
    for run in 0..RUNS + RUNS / 10 {
        let is_last = order.next_u32() & 1 == 1;
        let row = [if is_last { VALUES as u32 - 1 } else { 0 }];
        let clock = Instant::now();
        let report = std::hint::black_box(client.randomise(std::hint::black_box(&row), &mut rng).unwrap());
        let nanoseconds = clock.elapsed().as_nanos() as f64;
        // The first tenth warms the machine up.
        if run >= RUNS / 10 {
            answers.push(is_last, nanoseconds);
            kept.push(supports(&mut reader, &report, row[0]), nanoseconds);
        }
    }
    let (answers, kept) = (answers.t(), kept.t());
    println!("{name:6} {shape:16} {answers:>14.1} {kept:>18.1}");
    answers.abs().max(kept.abs())
}

/// Whether a report supports the answer.
fn supports(reader: &mut ReportReader, report: &[u8], answer: u32) -> bool {
    let mut stored = [0; VALUES.div_ceil(64)];
    reader.read(report, &mut stored).unwrap();
    bits::bit(&stored, answer as usize)
}
