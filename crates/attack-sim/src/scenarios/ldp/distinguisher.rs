//! `distinguisher`: reports that the client made, read byte by byte by somebody who knows the
//! schema and has two answers in mind.
//!
//! The attacker adds up `ln P(report | with) / P(report | without)` over features and reports,
//! and says "with" where the sum reaches a share of the largest that there is: with all of it, on
//! the reports that tell most, whose odds are `e^epsilon`. Of a joint symbol only the reports that
//! show one of the two answers as they are tell anything.

use std::num::NonZeroU32;

use disclosure::ldp::{Feature, Protocol, Schema};

use super::device::Device;
use super::laws::epsilon_forever;
use super::schema::{SchemaSpec, check_row};
use crate::prelude::*;
use crate::wire::{Said, Wire};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    schema: SchemaSpec,
    /// The answers on either side.
    with: Vec<u32>,
    without: Vec<u32>,
    /// Reports about the person, 1 if left out.
    reports: Option<NonZeroU32>,
    /// Whether RAPPOR's permanent stage is kept between them.
    #[serde(default)]
    remembers: bool,
    /// The share of the largest sum at which the attacker says "with", all of it if left out.
    share: Option<f64>,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let (schema, reports) = (spec.schema.build(blueprint)?, spec.reports.map_or(1, NonZeroU32::get));
    check_row(&spec.with, &schema, blueprint)?;
    check_row(&spec.without, &schema, blueprint)?;
    let epsilon = match spec.remembers {
        true => epsilon_forever(&schema).ok_or_else(|| blueprint.refuse("only RAPPOR remembers"))?,
        false => f64::from(reports) * schema.epsilon_per_report(),
    };
    let share = spec.share.unwrap_or(1.0);
    let distinguisher = Distinguisher::new(&schema, &spec.without, &spec.with, reports, share);
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon, delta: 0.0 },
        |flaw, has_person| {
            let device = Device::new(&schema, spec.remembers, flaw)?;
            let with = if has_person { &spec.with } else { &spec.without }.clone();
            Ok(Reports { device, wire: Wire::of(&schema), with, without: spec.without.clone(), reports })
        },
        move |view, _| distinguisher.says_with(view),
    )
}

/// Reports of a person who has one of two rows.
#[derive(Clone, Debug)]
struct Reports {
    device: Device,
    wire: Wire,
    with: Vec<u32>,
    without: Vec<u32>,
    reports: u32,
}

impl NeighbouringInputs for Reports {
    type View = Vec<Said>;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Vec<Said>, Error> {
        let row = match side {
            Side::With => &self.with,
            Side::Without => &self.without,
        };
        let reports = self.device.reports(row, self.reports as usize, rng)?;
        Ok(reports.chunks(self.wire.bytes()).map(|report| self.wire.read(report)).collect())
    }
}

/// Knows the schema and the two rows.
#[derive(Clone, Debug)]
struct Distinguisher {
    odds: RowOdds,
    least: f64,
}

/// What reports tell about a row.
#[derive(Clone, Debug)]
enum RowOdds {
    /// Features are randomised by themselves.
    Each(Vec<Odds>),
    /// Features are answered together: the values of both rows, for each feature how many values
    /// there are.
    Together { with: Vec<u32>, without: Vec<u32>, values: Vec<usize> },
    /// Of parities: for each question whether the answer is yes, of both rows.
    Questions(Vec<[bool; 2]>),
}

/// Log-odds of what a report says about a feature.
#[derive(Clone, Copy, Debug, Default)]
struct Odds {
    with: u32,
    without: u32,
    /// Of a report that supports the value, and of one that does not.
    supports: f64,
    misses: f64,
    /// Randomised response has a bit for the second of two values only.
    is_bit: bool,
}

impl Distinguisher {
    fn new(schema: &Schema, without: &[u32], with: &[u32], reports: u32, share: f64) -> Self {
        if schema.parities().is_some() {
            let pairs = (0..with.len()).flat_map(|j| (0..j).map(move |i| vec![i, j]));
            let questions = (0..with.len()).map(|i| vec![i]).chain(pairs);
            let answer = |row: &[u32], question: &[usize]| question.iter().map(|&i| row[i]).sum::<u32>() % 2 == 1;
            let odds = questions.map(|question| [with, without].map(|row| answer(row, &question)));
            return Self { odds: RowOdds::Questions(odds.collect()), least: share * f64::from(reports) };
        }
        if schema.joint_keep().is_some() {
            let values = schema.features().iter().map(|feature| feature.attribute().cardinality()).collect();
            let odds = RowOdds::Together { with: with.to_vec(), without: without.to_vec(), values };
            return Self { odds, least: share * f64::from(reports) };
        }
        let odds = |((feature, &without), &with)| Odds::new(feature, without, with);
        let features: Vec<Odds> = schema.features().iter().zip(without).zip(with).map(odds).collect();
        let mut most: Vec<f64> = features.iter().map(Odds::most).collect();
        most.sort_by(|a, b| b.total_cmp(a));
        let most: f64 = most[..schema.features_per_person()].iter().sum();
        // Sums over features in another order differ in their last digits.
        Self { odds: RowOdds::Each(features), least: share * f64::from(reports) * most * (1.0 - 1e-9) }
    }
}

impl Odds {
    fn new(feature: &Feature, without: u32, with: u32) -> Self {
        let (p, q) = match feature.protocol() {
            // Of the bucket that is shown, given the seed.
            Protocol::LocalHashing { buckets, truth } => {
                (truth.complement().to_f64() / f64::from(buckets - 1), truth.to_f64())
            }
            _ => (feature.channel().p(), feature.channel().q()),
        };
        let (p, q) = match feature.protocol() {
            // A set with the one value and without the other.
            Protocol::SubsetSelection { .. } => (1.0, feature.epsilon().exp()),
            _ => (p, q),
        };
        let is_symbol = matches!(
            feature.protocol(),
            Protocol::GeneralisedResponse { .. } | Protocol::LocalHashing { .. } | Protocol::SubsetSelection { .. }
        );
        // Not to show the symbol of a value says nothing that the symbol shown does not say; of sets
        // the logarithms of both values are `epsilon` apart where one is named and 0 where both are.
        let misses = if is_symbol { 0.0 } else { ((1.0 - q) / (1.0 - p)).ln() };
        let is_bit = matches!(feature.protocol(), Protocol::RandomisedResponse(_));
        Self { with, without, supports: (q / p).ln(), misses, is_bit }
    }

    fn of(&self, said: u64) -> f64 {
        self.evidence_for(self.with, said) - self.evidence_for(self.without, said)
    }

    /// The logarithm of how much likelier a value makes the report than no support does.
    fn evidence_for(&self, value: u32, said: u64) -> f64 {
        match (self.is_bit && value == 0, said >> value & 1) {
            (true, _) => 0.0,
            (false, 1) => self.supports,
            (false, _) => self.misses,
        }
    }

    fn most(&self) -> f64 {
        (0..1_u64 << 2).map(|case| self.of((case & 1) << self.with | (case >> 1) << self.without)).fold(0.0, f64::max)
    }
}

impl Distinguisher {
    fn says_with(&self, view: &[Said]) -> bool {
        view.iter().map(|said| self.odds.of(said)).sum::<f64>() >= self.least
    }
}

impl RowOdds {
    fn of(&self, said: &Said) -> f64 {
        let of_feature = |(odds, said): (&Odds, &Option<u64>)| said.map_or(0.0, |said| odds.of(said));
        match self {
            Self::Each(features) => features.iter().zip(said).map(of_feature).sum(),
            Self::Questions(answers) => {
                // Where both rows answer alike, a report tells nothing.
                let score = |([with, without], said): (&[bool; 2], &Option<u64>)| match said {
                    Some(said) if with != without => {
                        if (*said == 2) == *with {
                            1.0
                        } else {
                            -1.0
                        }
                    }
                    _ => 0.0,
                };
                answers.iter().zip(said).map(score).sum()
            }
            Self::Together { with, without, values } => {
                let [with, without] = [with, without].map(|row| f64::from(u8::from(shows(said, row, values))));
                with - without
            }
        }
    }
}

/// Whether a report shows a row as it is, as far as it is about it.
fn shows(said: &Said, row: &[u32], values: &[usize]) -> bool {
    said.iter().zip(row).zip(values).all(|((said, &value), &values)| match said {
        None => true,
        // A bit, that of the second value.
        Some(said) if values == 2 => *said == u64::from(value) << 1,
        Some(said) => *said == 1 << value,
    })
}
