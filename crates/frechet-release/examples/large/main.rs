//! How long large linked and hierarchical tables take, and what is left undecided.
//!
//! ```sh
//! cargo run --release -p frechet-release --example large -- linked-3000 audit
//! cargo run --release -p frechet-release --example large -- linked-3000 plan 1
//! cargo run --release -p frechet-release --example large -- linked-3000 robust
//! cargo run --release -p frechet-release --example large -- linked-3000 private
//! cargo run --release -p frechet-release --example large -- hierarchy
//! cargo run --release -p frechet-release --example large -- linked-10000 bounds 200 > bounds.json
//! ```
//!
//! `audit` judges all cells under all two-way margins, and `plan` decides on the counts which
//! numbers of these margins leave (minimum frequency 3), then audits what is published and says
//! what a reader learns who knows the planner; `robust` does so for a robust plan. `private` draws
//! patterns at several epsilons. The number is the minimum width, 0 without it. `bounds` writes the
//! rows and sharp bounds of that many cells, for `benches/highs.py`. The tables come from the seeds
//! below; the first known table is the owner's.
#![allow(clippy::print_stdout, reason = "an example shows its result")]

mod hierarchy;
mod linked;

use frechet_release::DecisionData;

/// Seeds of the tables, by name.
const CASES: [Case; 4] = [
    Case { name: "linked-3000", sizes: &[9, 7, 6, 5, 2], people: 3_000, seed: 12_345 },
    Case { name: "linked-10000", sizes: &[9, 7, 6, 5, 2], people: 10_000, seed: 12_345 },
    Case { name: "cube-20", sizes: &[20, 20, 20], people: 40_000, seed: 12_345 },
    Case { name: "cube-50", sizes: &[50, 50, 20], people: 200_000, seed: 12_345 },
];

/// A random table.
struct Case {
    name: &'static str,
    sizes: &'static [usize],
    people: u64,
    seed: u64,
}

/// A linear congruential generator's high bits: the same people in any language.
struct Draws(u64);

impl Draws {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }

    /// The smaller of two uniform levels: some are common, others rare.
    fn level(&mut self, size: usize) -> usize {
        let (a, b) = (self.below(size), self.below(size));
        a.min(b)
    }
}

/// CPU seconds of this process so far; 0 where the system does not say.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name in brackets: user and system time are the 12th and 13th fields, in 1/100 s.
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |place: usize| fields.get(place).and_then(|own| own.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument = |place: usize| arguments.get(place).map_or("", String::as_str);
    if argument(0) == "hierarchy" {
        return hierarchy::measure();
    }
    let Some(case) = CASES.iter().find(|case| case.name == argument(0)) else {
        let names: Vec<&str> = CASES.iter().map(|case| case.name).collect();
        return Err(format!("a case: hierarchy, {}", names.join(", ")).into());
    };
    let number = argument(2).parse().unwrap_or(0);
    match argument(1) {
        "plan" => linked::plan_release(case, DecisionData::Counts, number),
        "robust" => linked::plan_release(case, DecisionData::Robust, number),
        "private" => linked::draw_patterns(case, number),
        "bounds" => linked::bounds(case, number),
        _ => linked::audit_margins(case, number),
    }
}
