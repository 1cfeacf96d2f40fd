//! Prints the best design for all pairs of `d` binary features, on a grid of `d` and epsilon, at
//! shares of 0.3 and pairs of 0.09: the table of `docs/benchmarks.md`.
//!
//! ```sh
//! cargo run -q -p ldp-pmdh --example plan_grid
//! ```
#![allow(clippy::print_stdout, reason = "a program that prints")]

use ldp_pmdh::planner::{Budget, Design, FrequencyPrior, PlanError, compare};

fn main() -> Result<(), PlanError> {
    let epsilons = [0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0, 12.0];
    let prior = FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 };
    let heads: Vec<String> = epsilons.iter().map(|epsilon| format!("epsilon {epsilon}")).collect();
    println!("| d | {} |", heads.join(" | "));
    println!("| ---{} |", " | ---".repeat(epsilons.len()));
    for features in [3, 4, 6, 8, 12, 16, 24, 32, 48, 64] {
        let mut row = vec![features.to_string()];
        for epsilon in epsilons {
            let best = compare(features, Budget::Total(epsilon), prior)?.designs[0];
            row.push(format!("{} {}", digits(best.variance), word(best.design)));
        }
        println!("| {} |", row.join(" | "));
    }
    Ok(())
}

/// Four digits.
fn digits(value: f64) -> String {
    let whole = value.log10().floor() as i32;
    format!("{value:.*}", usize::try_from(3 - whole).unwrap_or(0))
}

/// `joint 4` asks four features together, `parity` one or two, `subset 2` names two of all cells.
fn word(design: Design) -> String {
    match design {
        Design::JointSymbol { per_person } => format!("joint {per_person}"),
        Design::Parity { .. } => "parity".to_owned(),
        Design::JointSubset { size } => format!("subset {size}"),
        other => format!("{other:?}"),
    }
}
