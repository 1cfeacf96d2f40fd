//! Clients that report, and a collector that estimates: they share a schema, as bytes, and
//! reports, as bytes.
//!
//! ```sh
//! cargo run -p ldp-pmdh --example client_and_collector
//! ```
#![allow(clippy::print_stdout, reason = "a program that prints")]

use ldp_pmdh::estimate::{Estimator, column_sets};
use ldp_pmdh::{
    Aggregator, BitNoise, Client, Feature, MemoizedResponse, Protocol, ReportsHeader, Schema, State, StateDetail,
};
use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};
use privacy_core::rng;

type AnyError = Box<dyn std::error::Error>;

const PEOPLE: u32 = 5_000;

fn main() -> Result<(), AnyError> {
    // The collector writes down what is asked; everybody can check what an answer costs.
    let schema = questions()?;
    println!("epsilon of one report: {:.3}", schema.epsilon_per_report());
    let published = schema.to_bytes();

    // Each device draws its own randomness from the operating system, and sends one report.
    let mut stream = ReportsHeader::new(&schema, PEOPLE.into()).to_bytes().to_vec();
    for person in 0..PEOPLE {
        stream.extend(report_of(&published, &[person % 2, person % 3, u32::from(person % 2 == 0) + person % 2 * 2])?);
    }

    // Two halves are counted on two machines, and their states are added.
    let state = count(&schema, &stream)?;
    let mut merged = State::from_bytes(&state.to_bytes(), &schema)?;
    merged.merge(&state)?;
    println!("{} reports in one state, {} in two", state.tally().reports(), merged.tally().reports());

    let estimator = Estimator::new(&schema, &state);
    for set in column_sets(&schema, 2, 100)? {
        let names: Vec<String> = set.iter().map(|&column| schema.column_name(column)).collect();
        let estimate = estimator.estimate(&set)?;
        println!("{:<28} {:>7.0} ± {:.0}", names.join(" and "), estimate.count, estimate.se_super_population);
    }
    memoised()
}

fn questions() -> Result<Schema, AnyError> {
    let bit = BitNoise::symmetric(Epsilon::new(2.0)?)?;
    let smokes = Feature::new(Attribute::new("smokes", ["no", "yes"])?, Protocol::RandomisedResponse(bit))?;
    let city = Attribute::new("city", ["Aarhus", "Odense", "Ribe"])?;
    let city = Feature::new(city, Protocol::generalised_response(Epsilon::new(3.0)?, 3)?)?;
    let transport = Attribute::new("transport", ["bus", "bicycle", "train"])?;
    let unary = BitNoise::optimised_unary(Epsilon::new(3.0)?)?;
    let transport = Feature::new(transport, Protocol::UnaryEncoding(unary))?;
    Ok(Schema::new(vec![smokes, city, transport])?)
}

/// What runs on a device: only its result leaves.
fn report_of(schema: &[u8], row: &[u32]) -> Result<Vec<u8>, AnyError> {
    let client = Client::new(Schema::from_bytes(schema)?);
    Ok(client.randomise(row, &mut rng::system()?)?)
}

/// What runs at the collector: it sees reports and nothing else.
fn count(schema: &Schema, mut stream: &[u8]) -> Result<State, AnyError> {
    let mut aggregator = Aggregator::new(schema.clone(), StateDetail::UpTo(2), 1e9)?;
    aggregator.push_stream(&mut stream)?;
    Ok(aggregator.finish()?)
}

/// A device that reports every day keeps the permanent stage of RAPPOR: all days together cost
/// one epsilon.
fn memoised() -> Result<(), AnyError> {
    let permanent = BitNoise::symmetric_unary(Epsilon::new(2.0)?)?;
    let instantaneous = BitNoise::new(Probability::new(0.5)?, Probability::new(0.75)?)?;
    let browser = Attribute::new("browser", ["Firefox", "Chrome", "Safari"])?;
    let feature = Feature::new(browser, Protocol::Rappor { permanent, instantaneous })?;
    println!("epsilon of all reports: {:.3}", feature.epsilon_forever().unwrap_or(f64::INFINITY));
    let client = Client::new(Schema::new(vec![feature])?);
    let stored = client.memoize(&[1], &mut rng::system()?)?.to_bytes();
    for _ in 0..3 {
        // A later run of the program reads it again.
        let memoized = MemoizedResponse::from_bytes(&stored, &client)?;
        let report = client.report(&memoized, &mut rng::system()?)?;
        println!("a report of {} byte(s)", report.len());
    }
    Ok(())
}
