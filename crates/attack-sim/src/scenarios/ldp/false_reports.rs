//! `false-reports`: some of the reports were made by nobody's client. The attacker knows the schema
//! and chooses their bits and what they cover, to move the count of a set as far as it goes.
//!
//! Measured is how far the estimate is from the truth, in people, as a share of what
//! [`Influence`] says: 1 if it says neither more nor less than what can be done.

use disclosure::ldp::estimate::{Estimator, Influence};
use disclosure::ldp::{Aggregator, Channel, Client, Protocol, Schema, StateDetail};

use super::schema::SchemaSpec;
use crate::prelude::*;
use crate::wire::write;

/// Memory for the counts.
const MOST_BYTES: f64 = 1e8;

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
        |statement| Estimates::new(&schema, &spec, statement),
        move |&(), _| attack.report().repeat(false_reports),
        // Reports of a client, which move nothing.
        move |&(), rng| blind.randomise_rows(&rows, &mut release_rng(rng)).unwrap_or_default(),
    )
}

/// An estimate of a set from honest and false reports.
#[derive(Clone, Debug)]
struct Estimates {
    client: Client,
    set: Vec<usize>,
    honest: u32,
    /// How many people have the set, the false ones among them where everybody has it.
    truth: f64,
    row: Vec<u32>,
    stated: f64,
}

impl Estimates {
    fn new(schema: &Schema, spec: &Spec, statement: Option<Statement>) -> Result<Self, Error> {
        let stated = match statement {
            None => Influence::new(schema, &spec.set)?.of_many(spec.false_reports.into(), spec.reports.into()),
            Some(Statement::ProductOfReadings) => {
                let channels = spec.set.iter().map(|&column| schema.columns()[column].channel);
                f64::from(spec.false_reports) * channels.map(|channel: Channel| channel.reading(true)).product::<f64>()
            }
        };
        Ok(Self {
            client: Client::new(schema.clone()),
            set: spec.set.clone(),
            honest: spec.reports - spec.false_reports,
            truth: if spec.everybody { f64::from(spec.reports) } else { 0.0 },
            row: vec![u32::from(spec.everybody); schema.features().len()],
            stated,
        })
    }

    /// How far false reports move the estimate from the truth.
    fn moved(&self, honest: &[u8], false_reports: &[u8]) -> Result<f64, Error> {
        let mut aggregator = Aggregator::new(self.client.schema().clone(), StateDetail::UpTo(2), MOST_BYTES)?;
        for report in honest.chunks(self.client.report_bytes()).chain(false_reports.chunks(self.client.report_bytes()))
        {
            aggregator.push(report)?;
        }
        let state = aggregator.finish()?;
        let estimate = Estimator::new(self.client.schema(), &state).estimate(&self.set)?;
        // Down where everybody has the set, up where nobody does.
        Ok(if self.truth > 0.0 { self.truth - estimate.count } else { estimate.count })
    }
}

/// Honest reports, and whether the false ones reach their collector.
struct World {
    honest: Vec<u8>,
    is_reached: bool,
}

impl Audit for Estimates {
    type World = World;
    type View = ();
    type Answer = Vec<u8>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let rows = self.row.repeat(self.honest as usize);
        let honest = self.client.randomise_rows(&rows, &mut release_rng(rng))?;
        Ok(World { honest, is_reached: true })
    }

    fn view(&self, _: &World, _: &mut SimRng) -> Result<(), Error> {
        Ok(())
    }

    /// The counts of another collector.
    fn outsiders(&self, world: &World, _: &mut SimRng) -> World {
        World { honest: world.honest.clone(), is_reached: false }
    }

    fn measure(&self, world: &World, answer: &Vec<u8>, measured: &mut [Option<f64>]) {
        let sent = if world.is_reached { answer.as_slice() } else { &[] };
        // A report that no client makes would be refused: then nothing is measured, and the run ends.
        measured[0] = Some(self.moved(&world.honest, sent).map_or(f64::NAN, |moved| moved / self.stated));
    }
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
