//! All 3-way marginals of a table of Adult's shape (20.9 million cells): seconds and peak memory
//! of one run.
//!
//! `cargo run --release -p benches --bin resplan_adult [continuous] [prefix]`;
//! `RAYON_NUM_THREADS` sets the threads.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::time::Instant;

use benches::{ADULT, ADULT_ROWS, SEED, domain, peak_memory, skewed_rows};
use privacy_core::accounting::PrivacyCost;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use resplan::{Measured, Plan, PlanLimits, PlanSpec, QueryBasis, Workload};

/// Age, weight, capital gain, capital loss, hours a week.
const PREFIX: [usize; 5] = [0, 2, 9, 10, 11];

fn main() {
    let rows = skewed_rows(&ADULT, ADULT_ROWS);
    let start = Instant::now();
    let cost = PrivacyCost::new(1.0).expect("1 is a cost");
    let mut spec = PlanSpec::new(domain(&ADULT), Workload::Exactly(3), cost);
    if std::env::args().any(|word| word == "prefix") {
        PREFIX.iter().for_each(|&attribute| spec.bases[attribute] = QueryBasis::Prefix);
    }
    let plan = Plan::new(spec, &PlanLimits::default()).expect("a plan within limits");
    report("select", start);
    let start = Instant::now();
    if std::env::args().any(|word| word == "continuous") {
        let measured = plan.simulate(&rows, 1, 0).expect("simulated");
        report("measure, continuous noise", start);
        reconstruct(&measured);
    } else {
        let measured = plan.measure(&rows, &mut ChaCha20Rng::from_seed(SEED)).expect("measured");
        report("measure, exact noise", start);
        reconstruct(&measured);
    }
}

fn reconstruct<Origin>(measured: &Measured<Origin>) {
    let start = Instant::now();
    let answers = measured.marginals();
    report("reconstruct", start);
    println!("cells                      {}", answers.iter().map(|m| m.values.len()).sum::<usize>());
    println!("peak memory                {}", peak_memory());
}

fn report(what: &str, start: Instant) {
    println!("{what:<26} {:.3} s", start.elapsed().as_secs_f64());
}
