//! `repeated-worlds`: the same people report again and again, and what is estimated is held
//! against the truth.
//!
//! `t_J` truth, `x_J` its estimate, `V_JK` its estimated covariance, `s_J` its true error by the
//! formulas (a scale, no claim). Over rounds, of all sets `J`, `K`:
//!
//! ```text
//! bias         mean of (x_J - t_J) / s_J                                    0
//! covariance   mean of ((x_J - t_J) (x_K - t_K) - V_JK) / (s_J s_K)         0, for J = K too
//! coverage     share of rounds whose interval holds t_J                     as claimed
//! ```
//!
//! If nobody or everybody is in a set, its interval ends at the truth and can miss on one side
//! only: the claimed coverage is then higher by 2.5 %.

use disclosure::ldp::estimate::Population;
use disclosure::ldp::{Aggregator, Parities, ReportReader, Schema, StateDetail};

use super::device::Device;
use super::flaw::Flaw;
use super::released::{Analyst, Released, Slip};
use super::schema::{SchemaSpec, check_row};
use crate::prelude::*;

/// How often a two-sided interval at 95 % misses on one side.
const ONE_SIDED_MISS: f64 = 0.025;
/// Memory for the counts of a round.
const MOST_BYTES: f64 = 1e8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    schema: SchemaSpec,
    people: Vec<People>,
    /// Each set a list of features with a value.
    sets: Vec<Vec<(usize, usize)>>,
    population: Of,
    /// Ends of the share of intervals that hold the truth.
    coverage: [f64; 2],
    /// Whether biases and covariances are left out: their intervals take estimates whose squares
    /// have light tails.
    #[serde(default)]
    only_coverage: bool,
}

/// People with the same answers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct People {
    answers: Vec<u32>,
    count: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Of {
    /// The people who report are those of the file.
    Fixed,
    /// Every round draws as many from them, with replacement.
    Super,
}

/// A fault of either end.
#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "no fault of a client or of an analyst")]
enum Fault {
    Client(Flaw),
    Analyst(Slip),
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let schema = spec.schema.build(blueprint)?;
    for people in &spec.people {
        check_row(&people.answers, &schema, blueprint)?;
    }
    if spec.people.iter().all(|people| people.count == 0) {
        return Err(blueprint.refuse("there are no people"));
    }
    let sets: Option<Vec<_>> = spec.sets.iter().map(|set| columns_of(&schema, set)).collect();
    let sets = sets.ok_or_else(|| blueprint.refuse("a set names a value that has no column"))?;
    let setting = Setting::new(schema, &spec, sets)?;
    let uniform = Released::certain(setting.uniform());
    blueprint.trials(
        setting.quantities.clone(),
        |fault| setting.clone().audit(fault),
        |released, _| released.clone(),
        move |_, _| uniform.clone(),
    )
}

/// The columns of some values of features; `None` where there is no such column.
fn columns_of(schema: &Schema, set: &[(usize, usize)]) -> Option<Vec<usize>> {
    let columns = set
        .iter()
        .map(|&(feature, value)| schema.features().get(feature).and_then(|_| schema.column_of(feature, value)));
    columns.collect()
}

/// Everything but who gets what wrong.
#[derive(Clone, Debug)]
struct Setting {
    schema: Schema,
    /// All rows, one after the other, and their number.
    rows: Vec<u32>,
    n: usize,
    sets: Vec<Vec<usize>>,
    truth: Vec<f64>,
    scales: Vec<f64>,
    population: Population,
    quantities: Vec<Quantity>,
    has_moments: bool,
}

impl Setting {
    fn new(schema: Schema, spec: &Spec, sets: Vec<Vec<usize>>) -> Result<Self, Error> {
        let rows: Vec<u32> =
            spec.people.iter().flat_map(|people| people.answers.repeat(people.count as usize)).collect();
        let population = if spec.population == Of::Fixed { Population::Fixed } else { Population::Super };
        let has_moments = !spec.only_coverage;
        let n = rows.len() / schema.features().len();
        let truth: Vec<f64> = sets.iter().map(|set| true_count(&schema, &rows, set)).collect();
        let coverages = truth.iter().map(|&count| claimed_coverage(spec.coverage, count == 0.0 || count == n as f64));
        let coverages = coverages.collect::<Result<Vec<_>, _>>()?;
        let mut setting = Self {
            n,
            truth,
            quantities: quantities(&schema, &sets, &coverages, has_moments)?,
            scales: Vec::new(),
            schema,
            rows,
            sets,
            population,
            has_moments,
        };
        setting.scales = setting.sets.iter().map(|set| setting.scale(set)).collect();
        Ok(setting)
    }

    fn audit(self, fault: Option<Fault>) -> Result<Worlds, Error> {
        let (flaw, slip) = match fault {
            Some(Fault::Client(flaw)) => (Some(flaw), None),
            Some(Fault::Analyst(slip)) => (None, Some(slip)),
            None => (None, None),
        };
        let device = Device::new(&self.schema, false, flaw)?;
        let analyst = Analyst::new(&self.schema, self.population, slip)?;
        Ok(Worlds { device, analyst, setting: self })
    }

    /// The error of an estimate, by the truth: `alpha x + beta` for each column, all reports
    /// alike.
    fn scale(&self, set: &[usize]) -> f64 {
        if let Some(parities) = self.schema.parities() {
            return parity_scale(parities, set.len(), self.n as f64);
        }
        let columns = self.schema.columns();
        let moments = self.rows.chunks(self.schema.features().len()).map(|row| -> f64 {
            let factors = set.iter().map(|&column| {
                let column = columns[column];
                let x = f64::from(row[column.feature] as usize == column.value);
                column.channel.alpha() * x + column.channel.beta()
            });
            factors.product()
        });
        let moments: f64 = moments.sum();
        let (features, asked) = (self.schema.features().len() as f64, self.schema.features_per_person() as f64);
        let covered: f64 = (0..set.len()).map(|i| (asked - i as f64) / (features - i as f64)).product();
        let truth = true_count(&self.schema, &self.rows, set);
        let of_people = if self.population == Population::Fixed { truth } else { truth * truth / self.n as f64 };
        (moments / covered - of_people).sqrt()
    }

    /// Counts if all answers were alike.
    fn uniform(&self) -> Vec<f64> {
        let counts = self.sets.iter().map(|set| {
            let shares = set.iter().map(|&column| {
                let feature = self.schema.columns()[column].feature;
                1.0 / self.schema.features()[feature].attribute().cardinality() as f64
            });
            self.n as f64 * shares.product::<f64>()
        });
        counts.collect()
    }

    /// As many people as there are, drawn from them.
    fn drawn(&self, rng: &mut SimRng) -> Vec<u32> {
        let features = self.schema.features().len();
        let people = (0..self.n).map(|_| rng.random_range(0..self.n));
        people.flat_map(|person| &self.rows[person * features..][..features]).copied().collect()
    }
}

/// The error of an estimate of one column or two where every answer is as uncertain as it can be.
fn parity_scale(parities: Parities, columns: usize, people: f64) -> f64 {
    let channel = parities.channel();
    let of_answer = channel.beta() + 0.5 * channel.alpha() - 0.25;
    let [one, pair] = [1, 2].map(|size| of_answer / parities.chance(size));
    (people * if columns < 2 { one } else { 0.25 * (2.0 * one + pair) }).sqrt()
}

fn true_count(schema: &Schema, rows: &[u32], set: &[usize]) -> f64 {
    let rows = rows.chunks(schema.features().len()).filter(|row| {
        set.iter().all(|&column| {
            let column = schema.columns()[column];
            row[column.feature] as usize == column.value
        })
    });
    rows.count() as f64
}

/// The claim on the coverage of one set, from the ends of the spec.
fn claimed_coverage([low, high]: [f64; 2], is_at_an_end: bool) -> Result<Claim, Error> {
    let more = if is_at_an_end { ONE_SIDED_MISS } else { 0.0 };
    Claim::between(low + more, (high + more).min(1.0))
}

/// For every set its coverage; with moments its bias too, and its covariance with itself and all
/// sets before.
fn quantities(
    schema: &Schema,
    sets: &[Vec<usize>],
    coverages: &[Claim],
    has_moments: bool,
) -> Result<Vec<Quantity>, Error> {
    let names: Vec<String> = sets.iter().map(|set| name_of(schema, set)).collect();
    let mut quantities = Vec::new();
    for (name, &coverage) in names.iter().zip(coverages) {
        quantities.push(Quantity::share(format!("coverage of {name}"), coverage)?);
    }
    if has_moments {
        let zero = Claim::exactly(0.0)?;
        quantities.extend(names.iter().map(|name| Quantity::mean(format!("bias of {name}"), zero)));
        for (place, name) in names.iter().enumerate() {
            let earlier = names[..=place].iter();
            quantities.extend(earlier.map(|other| Quantity::mean(format!("covariance of {name} and {other}"), zero)));
        }
    }
    Ok(quantities)
}

/// `{feature=value feature=value}`.
fn name_of(schema: &Schema, set: &[usize]) -> String {
    let columns = set.iter().map(|&column| schema.columns()[column]);
    let names: Vec<String> = columns.map(|column| format!("{}={}", column.feature, column.value)).collect();
    format!("{{{}}}", names.join(" "))
}

/// Rounds of reports.
#[derive(Clone, Debug)]
struct Worlds {
    setting: Setting,
    device: Device,
    analyst: Analyst,
}

/// People who report, and what is true of them.
struct World {
    rows: Vec<u32>,
    truth: Vec<f64>,
}

impl Audit for Worlds {
    type World = World;
    type View = Released;
    type Answer = Released;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let rows = match self.setting.population {
            Population::Fixed => self.setting.rows.clone(),
            Population::Super => self.setting.drawn(rng),
        };
        Ok(World { rows, truth: self.setting.truth.clone() })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<Released, Error> {
        let reports = self.device.reports_of(&world.rows, rng)?;
        let mut aggregator = Aggregator::new(self.setting.schema.clone(), StateDetail::Full, MOST_BYTES)?;
        let width = ReportReader::new(&self.setting.schema).report_bytes();
        reports.chunks(width).try_for_each(|report| aggregator.push(report))?;
        self.analyst.release(&aggregator.finish()?, &self.setting.sets)
    }

    /// The truth of other people, whose answers are all as likely.
    fn outsiders(&self, _: &World, rng: &mut SimRng) -> World {
        let cardinalities = self.setting.schema.features().iter().map(|feature| feature.attribute().cardinality());
        let values: Vec<u32> = cardinalities.map(|values| values as u32).collect();
        let rows: Vec<u32> =
            (0..self.setting.n).flat_map(|_| &values).map(|&values| rng.random_range(0..values)).collect();
        let truth = self.setting.sets.iter().map(|set| true_count(&self.setting.schema, &rows, set));
        World { truth: truth.collect(), rows }
    }

    fn measure(&self, world: &World, released: &Released, measured: &mut [Option<f64>]) {
        let sets = self.setting.sets.len();
        let mut numbers: Vec<f64> =
            released.intervals.iter().zip(&world.truth).map(|(held, &truth)| f64::from(held.contains(truth))).collect();
        if self.setting.has_moments {
            let scales = &self.setting.scales;
            let errors: Vec<f64> =
                (0..sets).map(|set| (released.counts[set] - world.truth[set]) / scales[set]).collect();
            numbers.extend(&errors);
            let mut covariances = released.covariances.iter();
            for set in 0..sets {
                for (other, covariance) in (0..=set).zip(&mut covariances) {
                    numbers.push(errors[set] * errors[other] - covariance / (scales[set] * scales[other]));
                }
            }
        }
        measured.iter_mut().zip(numbers).for_each(|(measured, number)| *measured = Some(number));
    }
}
