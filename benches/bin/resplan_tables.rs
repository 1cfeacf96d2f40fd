//! The published tables of root mean square errors and largest variances, beside what this
//! project plans, at pcost 1.
//!
//! `cargo run --release -p benches --bin resplan_tables`. Published: Xiao, He, Zhang, Kifer
//! (NeurIPS 2023), tables 2 to 6, and the prefix tables of ResidualPlanner+, with HDMM's figures
//! as quoted there.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::time::Instant;

use benches::{ADULT, CPS, LOANS, domain};
use privacy_core::accounting::PrivacyCost;
use resplan::{Objective, Plan, PlanLimits, PlanSpec, QueryBasis, Strategy, Tilt, Workload};

const WORKLOADS: [(&str, Workload); 4] = [
    ("1-way", Workload::Exactly(1)),
    ("2-way", Workload::Exactly(2)),
    ("3-way", Workload::Exactly(3)),
    ("<=3-way", Workload::UpTo(3)),
];

/// Sizes, which attributes are asked for prefix sums, and what was published for each workload.
struct Table {
    name: &'static str,
    sizes: &'static [usize],
    prefix: &'static [usize],
    /// Root mean square error: of identity marginals, of prefix ones by HDMM and by
    /// ResidualPlanner+.
    identity: [f64; 4],
    hdmm: [f64; 4],
    rpplus: [f64; 4],
    /// Largest variance of identity marginals.
    largest: [f64; 4],
    /// Largest variance of prefix marginals, where published.
    largest_prefix: [Option<f64>; 4],
}

const TABLES: [Table; 3] = [
    Table {
        name: "Adult",
        sizes: &ADULT,
        prefix: &[0, 2, 9, 10, 11],
        identity: [3.047, 6.359, 10.515, 10.665],
        hdmm: [5.648, 21.111, 60.025, 61.613],
        rpplus: [5.081, 17.274, 45.223, 45.174],
        largest: [12.047, 67.802, 236.843, 253.605],
        largest_prefix: [None; 4],
    },
    Table {
        name: "CPS",
        sizes: &CPS,
        prefix: &[0, 1],
        identity: [1.744, 2.035, 2.048, 2.276],
        hdmm: [3.347, 6.625, 8.634, 8.623],
        rpplus: [3.081, 5.823, 7.302, 7.570],
        largest: [4.346, 7.897, 7.706, 13.216],
        largest_prefix: [Some(10.270), Some(38.04), None, None],
    },
    Table {
        name: "Loans",
        sizes: &LOANS,
        prefix: &[0, 1, 2, 3],
        identity: [2.875, 5.634, 8.702, 8.876],
        hdmm: [5.127, 17.149, 42.938, 44.338],
        rpplus: [4.681, 14.502, 34.168, 34.144],
        largest: [10.640, 52.217, 156.638, 180.817],
        largest_prefix: [None; 4],
    },
];

fn plan(table: &Table, prefix: bool, workload: Workload, objective: Objective, strategy: Strategy) -> Plan {
    let mut spec = PlanSpec {
        objective,
        strategy,
        ..PlanSpec::new(domain(table.sizes), workload, PrivacyCost::new(1.0).expect("1 is a cost"))
    };
    if prefix {
        table.prefix.iter().for_each(|&attribute| spec.bases[attribute] = QueryBasis::Prefix);
    }
    Plan::new(spec, &PlanLimits::unlimited()).expect("a plan")
}

fn main() {
    println!("| RMSE | published | resplan | prefix: HDMM | RP+ | orthogonal | tau = 0 | automatic |");
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for table in &TABLES {
        for (i, (name, workload)) in WORKLOADS.into_iter().enumerate() {
            let rmse =
                |prefix, strategy| plan(table, prefix, workload.clone(), Objective::SumVariance, strategy).rmse();
            let schur = Strategy::Tilted(Tilt::new(0.0).expect("0 is a tilt"));
            println!(
                "| {} {name} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | **{:.3}** |",
                table.name,
                table.identity[i],
                rmse(false, Strategy::Automatic),
                table.hdmm[i],
                table.rpplus[i],
                rmse(true, Strategy::Orthogonal),
                rmse(true, schur),
                rmse(true, Strategy::Automatic),
            );
        }
    }
    println!("\n| largest variance | published | resplan | prefix: published | resplan | gap | seconds |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for table in &TABLES {
        for (i, (name, workload)) in WORKLOADS.into_iter().enumerate() {
            let identity = plan(table, false, workload.clone(), Objective::MaxVariance, Strategy::Automatic);
            let start = Instant::now();
            let prefix = plan(table, true, workload, Objective::MaxVariance, Strategy::Automatic);
            let published = table.largest_prefix[i].map_or("-".to_owned(), |value| format!("{value:.3}"));
            println!(
                "| {} {name} | {:.3} | {:.3} | {published} | **{:.3}** | {:.0e} | {:.1} |",
                table.name,
                table.largest[i],
                identity.objective_value(),
                prefix.objective_value(),
                prefix.gap(),
                start.elapsed().as_secs_f64(),
            );
        }
    }
}
