//! `false-groups`: features of two values are reported in groups, as a plan recommends, and some of
//! the reports were made by nobody's client. The attacker looks at every pair of features and
//! every report for the count that goes furthest.
//!
//! Measured is how far the estimate of that pair is from the truth, in people, as a share of what
//! the plan says of the pair that is moved most: 1 if it says neither more nor less than what can
//! be done.

use disclosure::ldp::estimate::Influence;
use disclosure::ldp::planner::{Budget, Design, FrequencyPrior, PlannedDesign, compare};
use disclosure::ldp::{Client, Feature, Protocol, Schema};
use disclosure::privacy_core::Attribute;

use super::collected::Collected;
use crate::prelude::*;
use crate::wire::{width, write};

/// The frequencies by which the plan ranks its designs.
const PRIOR: FrequencyPrior = FrequencyPrior { frequency: 0.3, pair_frequency: 0.09 };
/// Features: groups of them are words.
const MOST_FEATURES: usize = 10;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// How many features there are, and epsilon of a whole report.
    features: usize,
    epsilon: f64,
    /// Reports, and how many of them are false.
    reports: u32,
    false_reports: u32,
    /// The ends of the share that is claimed.
    share: [f64; 2],
}

/// A fault of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Flaw {
    /// Pairs of features that are both in the last group are left out of what is stated.
    LastGroupForgotten,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    if !(3..=MOST_FEATURES).contains(&spec.features) || spec.false_reports >= spec.reports {
        return Err(blueprint.refuse(format!("3 to {MOST_FEATURES} features, and honest reports")));
    }
    let groups = Groups::planned(&spec, blueprint)?;
    let attack = groups.best_attack(|_| true);
    let schema = groups.schema().map_err(|error| blueprint.refuse(error))?;
    let (report, blind) = (attack.report(&schema), Client::new(schema.clone()));
    let false_reports = spec.false_reports as usize;
    let rows = attack.row(&groups).repeat(false_reports);
    let [low, high] = spec.share;
    blueprint.trials(
        vec![Quantity::mean("people moved, of those stated", Claim::between(low, high)?)],
        |flaw: Option<Flaw>| Ok(collected(&groups, &schema, &attack, &spec, flaw)),
        move |&(), _| report.repeat(false_reports),
        // Reports of a client, which move nothing.
        move |&(), rng| blind.randomise_rows(&rows, &mut release_rng(rng)).unwrap_or_default(),
    )
}

/// Features in groups, one symbol each.
#[derive(Clone, Debug)]
struct Groups {
    /// How many features each group has, and epsilon of its symbol.
    sizes: Vec<usize>,
    epsilons: Vec<f64>,
    /// What the plan says of false reports.
    stated: Influence,
}

impl Groups {
    /// The groups that the plan recommends, were it to recommend groups.
    fn planned(spec: &Spec, blueprint: &Blueprint<'_>) -> Result<Self, Error> {
        let plan =
            compare(spec.features, Budget::Total(spec.epsilon), PRIOR).map_err(|error| blueprint.refuse(error))?;
        let groups = |planned: &PlannedDesign| match planned.design {
            Design::SuperFeatures { bits } => Some((bits, planned.influence)),
            _ => None,
        };
        let (bits, stated) =
            plan.designs.iter().find_map(groups).ok_or_else(|| blueprint.refuse("the plan has no groups"))?;
        let sizes: Vec<usize> = (0..spec.features).step_by(bits).map(|first| bits.min(spec.features - first)).collect();
        let epsilons = sizes.iter().map(|&size| spec.epsilon * size as f64 / spec.features as f64).collect();
        Ok(Self { sizes, epsilons, stated })
    }

    fn schema(&self) -> Result<Schema, Box<dyn std::error::Error>> {
        let groups = self.sizes.iter().zip(&self.epsilons).enumerate();
        let features = groups.map(|(place, (&size, &epsilon))| {
            let attribute = Attribute::codes(place.to_string(), 1 << size)?;
            let protocol = Protocol::generalised_response(Epsilon::new(epsilon)?, 1 << size)?;
            Ok(Feature::new(attribute, protocol)?)
        });
        Ok(Schema::new(features.collect::<Result<_, Box<dyn std::error::Error>>>()?)?)
    }

    /// The columns of the symbols of a group that hold all of these answers.
    fn columns(&self, group: usize, answers: usize) -> Vec<usize> {
        let before: usize = self.sizes[..group].iter().map(|size| 1 << size).sum();
        let symbols = 0..1_usize << self.sizes[group];
        symbols.filter(|symbol| symbol & answers == answers).map(|symbol| before + symbol).collect()
    }

    /// The group of a feature, and its place in it.
    fn place(&self, feature: usize) -> [usize; 2] {
        let mut first = 0;
        for (group, size) in self.sizes.iter().enumerate() {
            if feature < first + size {
                return [group, feature - first];
            }
            first += size;
        }
        unreachable!("a feature is in a group")
    }

    /// What a report counts for, of people who say yes to some features of a group: from the
    /// definition of generalised response.
    fn reading(&self, group: usize, features: u32, says_yes: bool) -> f64 {
        let (symbols, ratio) = (f64::from(1_u32 << self.sizes[group]), self.epsilons[group].exp());
        let wanted = symbols / f64::from(1_u32 << features);
        let (truth, other) = (ratio / (ratio + symbols - 1.0), 1.0 / (ratio + symbols - 1.0));
        (f64::from(u8::from(says_yes)) - wanted * other) / (truth - other)
    }

    /// What a report counts for, of people who say yes to both features of a pair, by its answers
    /// to them.
    fn of_pair(&self, pair: [usize; 2], answers: [bool; 2]) -> f64 {
        let [[one, _], [other, _]] = pair.map(|feature| self.place(feature));
        match one == other {
            true => self.reading(one, 2, answers == [true; 2]),
            false => self.reading(one, 1, answers[0]) * self.reading(other, 1, answers[1]),
        }
    }

    /// The pair and the report that move a count furthest, of the pairs with a property; all other
    /// answers of a report count for nothing.
    fn best_attack(&self, is_looked_at: impl Fn([usize; 2]) -> bool) -> Attack {
        let features: usize = self.sizes.iter().sum();
        let pairs = (0..features).flat_map(|first| (first + 1..features).map(move |second| [first, second]));
        let mut best: Option<Attack> = None;
        for pair in pairs.filter(|&pair| is_looked_at(pair)) {
            for answers in [[false, false], [false, true], [true, false], [true, true]] {
                for is_up in [false, true] {
                    let reading = self.of_pair(pair, answers);
                    let moved = if is_up { reading } else { 1.0 - reading };
                    if best.as_ref().is_none_or(|best| moved > best.moved) {
                        let places = pair.map(|feature| self.place(feature));
                        best = Some(Attack { places, answers, is_up, moved });
                    }
                }
            }
        }
        best.expect("there are two features")
    }
}

/// A pair of features, and what reports say of it that no client made.
#[derive(Clone, Debug)]
struct Attack {
    /// Of each feature, its group and its place there.
    places: [[usize; 2]; 2],
    answers: [bool; 2],
    /// Whether nobody says yes to both, so that the count goes up; else everybody does.
    is_up: bool,
    /// By how many people a report moves the count.
    moved: f64,
}

impl Attack {
    fn report(&self, schema: &Schema) -> Vec<u8> {
        let mut report = vec![0; Client::new(schema.clone()).report_bytes()];
        let mut first = 0;
        for (group, feature) in schema.features().iter().enumerate() {
            let width = width(feature.protocol(), feature.attribute().cardinality());
            let answers =
                self.places.iter().zip(self.answers).filter(|&(place, says_yes)| place[0] == group && says_yes);
            let symbol: u64 = answers.map(|(place, _)| 1 << place[1]).sum();
            write(&mut report, first, width, symbol);
            first += width;
        }
        report
    }

    /// What honest people answer: all no, or all yes.
    fn row(&self, groups: &Groups) -> Vec<u32> {
        groups.sizes.iter().map(|&size| if self.is_up { 0 } else { (1 << size) - 1 }).collect()
    }

    /// The sets of columns that together are the people who say yes to both.
    fn sets(&self, groups: &Groups) -> Vec<Vec<usize>> {
        let [[one, first], [other, second]] = self.places;
        if one == other {
            let both = groups.columns(one, 1 << first | 1 << second);
            return both.into_iter().map(|column| vec![column]).collect();
        }
        let (of_one, of_other) = (groups.columns(one, 1 << first), groups.columns(other, 1 << second));
        of_one.iter().flat_map(|&column| of_other.iter().map(move |&next| vec![column, next])).collect()
    }
}

/// The estimate of the pair, and what is said of it.
fn collected(groups: &Groups, schema: &Schema, attack: &Attack, spec: &Spec, flaw: Option<Flaw>) -> Collected {
    let last = groups.sizes.len() - 1;
    let stated = match flaw {
        None => groups.stated.of_many(spec.false_reports.into(), spec.reports.into()),
        Some(Flaw::LastGroupForgotten) => {
            let is_stated = |pair: [usize; 2]| pair.map(|feature| groups.place(feature)[0]) != [last; 2];
            f64::from(spec.false_reports) * groups.best_attack(is_stated).moved
        }
    };
    Collected {
        client: Client::new(schema.clone()),
        sets: attack.sets(groups),
        honest: spec.reports - spec.false_reports,
        row: attack.row(groups),
        truth: if attack.is_up { 0.0 } else { spec.reports.into() },
        stated,
    }
}
