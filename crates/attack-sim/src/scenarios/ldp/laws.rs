//! `likelihood-ratio`: the law of every report about every answer, from the integers that clients
//! compare with.
//!
//! `P_x(o)`: probability of report `o` about answers `x`. Of one feature: bits of a block
//! independently; a symbol; with local hashing all functions from values to buckets, as likely as
//! each other, with each bucket; RAPPOR through both stages, for several reports from one permanent
//! stage the sum over what it may be. Features multiply; sampled features are a sum over who is
//! asked what. Features of a joint symbol are all kept or all uniform. Of parities every question
//! has its chance, whatever the answers, and one noisy bit.

use std::num::NonZeroU32;

use disclosure::ldp::{BitNoise, Feature, FixedProbability, Parities, Protocol, Schema};

use super::flaw::Flaw;
use super::schema::SchemaSpec;
use crate::prelude::*;

/// Most probabilities that are enumerated.
const MOST: usize = 1 << 23;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    schema: SchemaSpec,
    /// Reports about one person, 1 if left out.
    reports: Option<NonZeroU32>,
    /// Whether RAPPOR's permanent stage is kept between them; a schema of RAPPOR features only.
    #[serde(default)]
    remembers: bool,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let (schema, reports) = (spec.schema.build(blueprint)?, spec.reports.map_or(1, NonZeroU32::get));
    if schema.is_sampled() && reports > 1 {
        return Err(blueprint.refuse("several reports of sampled features are not enumerated"));
    }
    let epsilon = match spec.remembers {
        true => epsilon_forever(&schema).ok_or_else(|| blueprint.refuse("only RAPPOR remembers"))?,
        false => f64::from(reports) * schema.epsilon_per_report(),
    };
    let laws = |flaw: Option<Flaw>| -> Result<ReportLaws, Error> {
        let asks_by_answer = flaw == Some(Flaw::AskedByAnswer);
        if asks_by_answer && schema.parities().is_none() {
            return Err(blueprint.refuse("questions are drawn for parities"));
        }
        if matches!(flaw, Some(Flaw::SameCoins | Flaw::PAndQSwapped | Flaw::HashSeedFixed)) {
            return Err(blueprint.refuse("a fault of clients, not of thresholds"));
        }
        let schema = flaw.map_or_else(|| Ok(schema.clone()), |flaw| flaw.schema(&schema))?;
        let remembers = spec.remembers && flaw != Some(Flaw::FreshPermanentStage);
        let laws = ReportLaws { schema, reports, remembers, asks_by_answer };
        let is_small = laws.size() <= MOST as f64;
        if is_small { Ok(laws) } else { Err(blueprint.refuse("too many reports to enumerate")) }
    };
    let [promise, fault] = blueprint.faults()?;
    let (mechanism, negative_control) = (laws(promise)?, laws(fault)?);
    Ok(Box::new(EnumeratedScenario { about: blueprint.about(), epsilon, mechanism, negative_control }))
}

/// What all reports from one permanent stage tell, by the crate's own words; `None` unless every
/// feature has one.
pub(super) fn epsilon_forever(schema: &Schema) -> Option<f64> {
    schema.features().iter().map(Feature::epsilon_forever).sum()
}

/// Reports of a schema about every row that can be.
#[derive(Clone, Debug)]
struct ReportLaws {
    schema: Schema,
    reports: u32,
    remembers: bool,
    asks_by_answer: bool,
}

/// `law[x][o]`.
type Laws = Vec<Vec<f64>>;

impl ReportLaws {
    /// How many probabilities there are, for rows of all features.
    fn size(&self) -> f64 {
        let inputs: f64 =
            self.schema.features().iter().map(|feature| feature.attribute().cardinality() as f64).product();
        let outcomes: f64 =
            self.schema.features().iter().map(|feature| outcomes(feature).powi(self.reports as i32)).product();
        let asked = (1_u64 << self.schema.features().len().min(32)) as f64;
        inputs * outcomes * if self.schema.is_sampled() { asked } else { 1.0 }
    }

    fn of_feature(&self, feature: &Feature) -> Laws {
        match feature.protocol() {
            Protocol::Rappor { permanent, instantaneous } if self.remembers => {
                memoized(permanent, instantaneous, feature.attribute().cardinality(), self.reports)
            }
            _ => {
                let once = of_feature(feature);
                (1..self.reports).fold(once.clone(), |laws, _| pairwise(&laws, &once))
            }
        }
    }
}

impl Enumerable for ReportLaws {
    fn laws(&self) -> Result<Laws, Error> {
        if let Some(parities) = self.schema.parities() {
            return Ok(parity_laws(&self.schema, parities, self.asks_by_answer));
        }
        let features: Vec<Laws> = self.schema.features().iter().map(|feature| self.of_feature(feature)).collect();
        let asked = self.schema.features_per_person() as u32;
        let sets: Vec<u32> = (0..1_u32 << features.len()).filter(|set| set.count_ones() == asked).collect();
        let rows = features.iter().map(Vec::len).product();
        let mut laws = vec![Vec::new(); rows];
        for &set in &sets {
            // Of a feature that is not asked, nothing is seen, whatever the answer.
            let seen = features.iter().enumerate().map(|(place, laws)| match set >> place & 1 == 1 {
                true => laws.clone(),
                false => vec![vec![1.0]; laws.len()],
            });
            let joint = seen.reduce(|joint, laws| crossed(&joint, &laws)).unwrap_or_default();
            let joint = match self.schema.joint_keep() {
                Some(keep) => joint.iter().map(|law| kept_or_uniform(keep, law)).collect(),
                None => joint,
            };
            for (law, part) in laws.iter_mut().zip(joint) {
                law.extend(part.into_iter().map(|probability| probability / sets.len() as f64));
            }
        }
        Ok(laws)
    }
}

/// How many different reports there are about a feature.
fn outcomes(feature: &Feature) -> f64 {
    let values = feature.attribute().cardinality();
    match feature.protocol() {
        Protocol::RandomisedResponse(_) => 2.0,
        Protocol::GeneralisedResponse { .. } | Protocol::JointSymbol { .. } => values as f64,
        Protocol::LocalHashing { buckets, .. } => f64::from(buckets).powi(values as i32 + 1),
        _ => 2.0_f64.powi(values as i32),
    }
}

/// The laws of one report about one feature.
fn of_feature(feature: &Feature) -> Laws {
    let values = feature.attribute().cardinality();
    match feature.protocol() {
        Protocol::RandomisedResponse(noise) => [noise.p(), noise.q()].map(|one| both(one).to_vec()).to_vec(),
        Protocol::UnaryEncoding(noise) => (0..values).map(|value| block(noise, 1 << value, values)).collect(),
        Protocol::GeneralisedResponse { truth } => (0..values).map(|value| symbol(truth, value, values)).collect(),
        Protocol::SubsetSelection { size, truth } => {
            (0..values).map(|value| subset(truth, size, value, values)).collect()
        }
        // As it is kept: one coin decides for all features.
        Protocol::JointSymbol { .. } => {
            (0..values).map(|value| symbol(FixedProbability::ALWAYS, value, values)).collect()
        }
        Protocol::LocalHashing { buckets, truth } => hashed(buckets as usize, truth, values),
        Protocol::Rappor { permanent, instantaneous } => memoized(permanent, instantaneous, values, 1),
        _ => Vec::new(),
    }
}

/// Every question with every answer, for every row.
fn parity_laws(schema: &Schema, parities: Parities, asks_by_answer: bool) -> Laws {
    let Protocol::Parity { noise, .. } = schema.features()[0].protocol() else { return Vec::new() };
    let features = schema.features().len();
    let pairs = (0..features).flat_map(|j| (0..j).map(move |i| vec![i, j]));
    let questions: Vec<Vec<usize>> = (0..features).map(|i| vec![i]).chain(pairs).collect();
    let of_row = |row: usize| -> Vec<f64> {
        let truth = |question: &[usize]| question.iter().filter(|&&feature| row >> feature & 1 == 1).count() % 2;
        // With the flaw twice as likely where the answer is yes, and the rest to the others.
        let weight = |question: &[usize]| {
            parities.chance(question.len()) * if asks_by_answer && truth(question) == 1 { 2.0 } else { 1.0 }
        };
        let all: f64 = questions.iter().map(|question| weight(question)).sum();
        let answers_to = |question: &Vec<usize>| {
            let one = if truth(question) == 1 { noise.q() } else { noise.p() };
            both(one).map(|answer| weight(question) / all * answer)
        };
        questions.iter().flat_map(answers_to).collect()
    };
    (0..1_usize << features).map(of_row).collect()
}

/// With this chance what is seen of the truth, else everything alike.
fn kept_or_uniform(keep: FixedProbability, law: &[f64]) -> Vec<f64> {
    let uniform = keep.complement().to_f64() / law.len() as f64;
    law.iter().map(|probability| keep.to_f64() * probability + uniform).collect()
}

/// Of 0 and 1.
fn both(one: FixedProbability) -> [f64; 2] {
    [one.complement().to_f64(), one.to_f64()]
}

/// Every block that noise makes of a block of bits.
fn block(noise: BitNoise, bits: usize, values: usize) -> Vec<f64> {
    let of_bit = |value: usize, shown: usize| {
        both(if bits >> value & 1 == 1 { noise.q() } else { noise.p() })[shown >> value & 1]
    };
    (0..1_usize << values).map(|shown| (0..values).map(|value| of_bit(value, shown)).product()).collect()
}

/// Every symbol that is shown for one of `symbols`.
fn symbol(truth: FixedProbability, own: usize, symbols: usize) -> Vec<f64> {
    let other = truth.complement().to_f64() / (symbols - 1) as f64;
    (0..symbols).map(|shown| if shown == own { truth.to_f64() } else { other }).collect()
}

/// Every set of values: those of the size with the true value alike, and those without.
fn subset(truth: FixedProbability, size: u32, own: usize, values: usize) -> Vec<f64> {
    let is_shown = |set: &usize, has_truth: bool| set.count_ones() == size && (set >> own & 1 == 1) == has_truth;
    let count = |has_truth: bool| (0..1_usize << values).filter(|set| is_shown(set, has_truth)).count() as f64;
    let each = [truth.complement().to_f64() / count(false), truth.to_f64() / count(true)];
    let shown_as = |set: usize| [false, true].into_iter().zip(each).find(|(has, _)| is_shown(&set, *has));
    (0..1_usize << values).map(|set| shown_as(set).map_or(0.0, |(_, probability)| probability)).collect()
}

/// All functions to buckets, each with every bucket.
fn hashed(buckets: usize, truth: FixedProbability, values: usize) -> Laws {
    let functions = buckets.pow(values as u32);
    (0..values)
        .map(|value: usize| {
            let own = |function: usize| function / buckets.pow(value as u32) % buckets;
            (0..functions)
                .flat_map(|function| symbol(truth, own(function), buckets))
                .map(|probability| probability / functions as f64)
                .collect()
        })
        .collect()
}

/// Some reports from one permanent stage: the sum over all blocks that it may be.
fn memoized(permanent: BitNoise, instantaneous: BitNoise, values: usize, reports: u32) -> Laws {
    let shown: Laws = (0..1 << values).map(|kept| block(instantaneous, kept, values)).collect();
    let shown = (1..reports).fold(shown.clone(), |laws, _| pairwise(&laws, &shown));
    (0..values)
        .map(|value: usize| {
            let kept = block(permanent, 1 << value, values);
            (0..shown[0].len())
                .map(|outcome: usize| kept.iter().zip(&shown).map(|(kept, shown)| kept * shown[outcome]).sum())
                .collect()
        })
        .collect()
}

/// Two views of the same input.
fn pairwise(first: &Laws, second: &Laws) -> Laws {
    first.iter().zip(second).map(|(first, second)| product(first, second)).collect()
}

/// Views of two inputs, for all pairs of them.
fn crossed(first: &Laws, second: &Laws) -> Laws {
    first.iter().flat_map(|one| second.iter().map(move |other| product(one, other))).collect()
}

fn product(first: &[f64], second: &[f64]) -> Vec<f64> {
    first.iter().flat_map(|one| second.iter().map(move |other| one * other)).collect()
}
