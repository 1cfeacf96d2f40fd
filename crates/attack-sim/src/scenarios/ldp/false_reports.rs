//! `false-reports`: some of the reports were made by nobody's client. The attacker knows the schema
//! and chooses their bits and what they cover, to move the count of a set as far as it goes.
//!
//! Measured is how far the estimate is from the truth, in people, as a share of what
//! [`Influence`] says: 1 if it says neither more nor less than what can be done.

use disclosure::ldp::estimate::Influence;
use disclosure::ldp::{Channel, Client, Protocol, Schema};

use super::collected::Collected;
use super::schema::SchemaSpec;
use crate::prelude::*;
use crate::wire::write;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// Features of two values, `rr` or `parity`.
    schema: SchemaSpec,
    /// Features of the set.
    set: Vec<usize>,
    /// Reports, and how many of them are false.
    reports: u32,
    false_reports: u32,
    /// Whether everybody has the whole set, so that it goes down; else nobody has any of it.
    everybody: bool,
    /// The ends of the share that is claimed.
    share: [f64; 2],
}

/// A fault of what is stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Statement {
    /// The product of `(1 - p) / (q - p)` for each report, whatever share of reports covers the
    /// set, and with no regard to reports of 0.
    ProductOfReadings,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let schema = spec.schema.build(blueprint)?;
    let is_bit = |protocol| matches!(protocol, Protocol::RandomisedResponse(_) | Protocol::Parity { .. });
    let is_sound = schema.features().iter().all(|feature| is_bit(feature.protocol()))
        && spec.set.iter().all(|&feature| feature < schema.features().len())
        && (1..=schema.features_per_person()).contains(&spec.set.len())
        && spec.false_reports < spec.reports;
    if !is_sound {
        return Err(blueprint.refuse("a set of features of two values that a report can cover, and honest reports"));
    }
    let [low, high] = spec.share;
    let (attack, blind) = (Attack::new(&schema, &spec), Client::new(schema.clone()));
    let (row, false_reports) = (vec![u32::from(spec.everybody); schema.features().len()], spec.false_reports as usize);
    let rows = row.repeat(false_reports);
    blueprint.trials(
        vec![Quantity::mean("people moved, of those stated", Claim::between(low, high)?)],
        |statement| collected(&schema, &spec, statement),
        move |&(), _| attack.report().repeat(false_reports),
        // Reports of a client, which move nothing.
        move |&(), rng| blind.randomise_rows(&rows, &mut release_rng(rng)).unwrap_or_default(),
    )
}

/// The estimate of the set, and what is said of it.
fn collected(schema: &Schema, spec: &Spec, statement: Option<Statement>) -> Result<Collected, Error> {
    let stated = match statement {
        None => Influence::new(schema, &spec.set)?.of_many(spec.false_reports.into(), spec.reports.into()),
        Some(Statement::ProductOfReadings) => {
            let channels = spec.set.iter().map(|&column| schema.columns()[column].channel);
            f64::from(spec.false_reports) * channels.map(|channel: Channel| channel.reading(true)).product::<f64>()
        }
    };
    Ok(Collected {
        client: Client::new(schema.clone()),
        sets: vec![spec.set.clone()],
        honest: spec.reports - spec.false_reports,
        row: vec![u32::from(spec.everybody); schema.features().len()],
        truth: if spec.everybody { f64::from(spec.reports) } else { 0.0 },
        stated,
    })
}

/// Knows the schema and the set.
#[derive(Clone, Debug)]
struct Attack {
    set: Vec<usize>,
    features: usize,
    /// The features that a report says it covers, if they are sampled.
    covered: Option<Vec<usize>>,
    bytes: usize,
    bit: bool,
    /// The question of parities that a report is about, and in how many bits it is written.
    question: Option<(usize, usize)>,
}

impl Attack {
    fn new(schema: &Schema, spec: &Spec) -> Self {
        let features = schema.features().len();
        let others = (0..features).filter(|feature| !spec.set.contains(feature));
        let covered = spec.set.iter().copied().chain(others).take(schema.features_per_person());
        Self {
            set: spec.set.clone(),
            features,
            covered: schema.is_sampled().then(|| covered.collect()),
            bytes: Client::new(schema.clone()).report_bytes(),
            bit: !spec.everybody,
            question: question_of(schema, &spec.set),
        }
    }

    /// The set where nobody has it, and none of it where everybody has: of one column, the report
    /// whose reading is farthest from the truth.
    fn report(&self) -> Vec<u8> {
        let mut report = vec![0; self.bytes];
        if let Some((question, width)) = self.question {
            // Of a pair its parity is asked about least: a yes moves the pair down.
            let answer = self.bit != (self.set.len() > 1);
            write(&mut report, 0, width, question as u64);
            write(&mut report, width, 1, u64::from(answer));
            return report;
        }
        self.set.iter().for_each(|&feature| write(&mut report, feature, 1, u64::from(self.bit)));
        self.covered.iter().flatten().for_each(|&feature| write(&mut report, self.features + feature, 1, 1));
        report
    }
}

/// Features are numbered first, then pairs, and the number has as few bits as hold all of them.
fn question_of(schema: &Schema, set: &[usize]) -> Option<(usize, usize)> {
    let parities = schema.parities()?;
    let width = parities.questions().next_power_of_two().trailing_zeros();
    Some((parities.question(set)?, width as usize))
}
