//! All marginals of at most 3 of 100 attributes of 10 categories (166,751 tables, 162 million
//! cells): seconds and peak memory of planning, measuring, and answering every table once.
//!
//! `cargo run --release -p benches --bin resplan_synth [continuous] [ROWS]`; `RAYON_NUM_THREADS`
//! sets the threads.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::time::Instant;

use benches::{SEED, domain, peak_memory, skewed_rows};
use privacy_core::accounting::PrivacyCost;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use resplan::{Measured, Plan, PlanLimits, PlanSpec, Workload};

const SIZES: [usize; 100] = [10; 100];

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let rows = words.iter().find_map(|word| word.parse().ok()).unwrap_or(1_000);
    let rows = skewed_rows(&SIZES, rows);
    let start = Instant::now();
    let spec = PlanSpec::new(domain(&SIZES), Workload::UpTo(3), PrivacyCost::new(1.0).expect("1 is a cost"));
    let predicted = spec.workload.footprint(&spec.domain, &spec.bases).bytes();
    let plan = Plan::new(spec, &PlanLimits::default()).expect("a plan within limits");
    report("select", start);
    println!("memory predicted           {:.0} MB", predicted / 1e6);
    let start = Instant::now();
    if words.iter().any(|word| word == "continuous") {
        let measured = plan.simulate(&rows, 1, 0).expect("simulated");
        report("measure, continuous noise", start);
        reconstruct(&measured);
    } else {
        let measured = plan.measure(&rows, &mut ChaCha20Rng::from_seed(SEED)).expect("measured");
        report("measure, exact noise", start);
        reconstruct(&measured);
    }
    println!("peak memory                {}", peak_memory());
}

/// Every table once, none of them kept.
fn reconstruct<Origin>(measured: &Measured<Origin>) {
    let start = Instant::now();
    let cells = measured.for_each_marginal(|marginal| marginal.values.len());
    report("reconstruct", start);
    println!("cells                      {}", cells.into_iter().sum::<usize>());
}

fn report(what: &str, start: Instant) {
    println!("{what:<26} {:.3} s", start.elapsed().as_secs_f64());
}
