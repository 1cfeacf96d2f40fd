//! Screening an actual table: the coverage of its rows as it is, not as a model has it.

use crate::channel::AccuracyTable;
use crate::cube::{Gather, Group, gather};
use crate::error::Error;
use crate::evolution::{Estimate, NESTING};
use crate::limits::ScreenLimits;
use crate::majority::majority_floor;
use crate::realised::{ByEntry, Rules, Tally};
use crate::records::Records;
use crate::spec::{ScreenSpec, Suppression};

/// How many released counts touch each row of a table.
///
/// Kind: **exact** for this table and this rule of suppression. It is computed from the data:
/// keep it where they are.
#[derive(Clone)]
pub struct RealisedCoverage {
    own: Vec<u64>,
    all: Vec<u64>,
}

impl RealisedCoverage {
    /// Goes over every query that releases something.
    ///
    /// # Errors
    /// [`Error::TableShape`] if `spec` has another number of columns or classes;
    /// [`Error::TooLarge`] beyond `limits`.
    ///
    /// # Cost
    /// The rows of every query that releases something: 100,000 rows, 10 columns and a threshold
    /// of 5 in about a second.
    pub fn of(records: &Records, spec: &ScreenSpec, limits: &ScreenLimits) -> Result<Self, Error> {
        check(records, spec, limits)?;
        let tasks = gather(records, spec, limits, || Counter::new(records, spec.suppression()))?;
        Ok(Self::sum(records, tasks))
    }

    fn sum<'a>(records: &Records, tasks: impl IntoIterator<Item = Counter<'a>>) -> Self {
        let mut coverage = Self { own: vec![0; records.entries()], all: vec![0; records.entries()] };
        for task in tasks {
            coverage.own.iter_mut().zip(task.own).for_each(|(sum, more)| *sum = sum.saturating_add(more));
            coverage.all.iter_mut().zip(task.all).for_each(|(sum, more)| *sum = sum.saturating_add(more));
        }
        coverage
    }
}

/// Counts of the data stay out of logs.
impl std::fmt::Debug for RealisedCoverage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RealisedCoverage").finish_non_exhaustive()
    }
}

fn check(records: &Records, spec: &ScreenSpec, limits: &ScreenLimits) -> Result<(), Error> {
    if records.columns() != spec.columns().len() || records.classes() != spec.classes().len() {
        return Err(Error::TableShape { column: spec.columns().len(), rows: records.rows() });
    }
    let depth = records.columns().min(spec.max_order()) + 1;
    let each = 16.0 * (4.0 * depth as f64 + 24.0);
    ScreenLimits::check("bytes for the groups of a table", records.entries() as f64 * each, limits.bytes)
}

/// Coverage of the entries of a task.
struct Counter<'a> {
    records: &'a Records,
    suppression: Suppression,
    own: Vec<u64>,
    all: Vec<u64>,
}

impl<'a> Counter<'a> {
    fn new(records: &'a Records, suppression: Suppression) -> Self {
        let none = vec![0; records.entries()];
        Self { records, suppression, own: none.clone(), all: none }
    }
}

impl Gather for Counter<'_> {
    fn group(&mut self, group: &Group<'_>) {
        let released = group.counts.iter().filter(|&&count| self.suppression.releases(count, group.size)).count();
        let all = group.queries.saturating_mul(released as u64);
        for &entry in group.entries {
            let entry = entry as usize;
            let count = group.counts[self.records.labels()[entry] as usize];
            self.all[entry] = self.all[entry].saturating_add(all);
            if self.suppression.releases(count, group.size) {
                self.own[entry] = self.own[entry].saturating_add(group.queries);
            }
        }
    }
}

/// How a number is spread over people.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Spread {
    /// Mean.
    pub mean: f64,
    /// The least.
    pub least: u64,
    /// A tenth of the people have at most this.
    pub tenth: u64,
    /// Half of the people have at most this.
    pub median: u64,
    /// The most.
    pub most: u64,
}

/// The rows of one class, or all.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Covered {
    /// How many people.
    pub people: u64,
    /// Of them, how many no released count of their own class touches.
    pub uncovered: u64,
    /// Released counts of their own class; `None` if there is nobody.
    pub coverage: Option<Spread>,
    /// Mean probability that a solver has their label right.
    pub exposure: f64,
}

/// Rows that agree in all known columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct IdenticalFeatures {
    /// How many different sets of features there are.
    pub sets: u64,
    /// People whose features nobody else has.
    pub alone: u64,
    /// People who share their features with others, all of one label: knowing how many is knowing
    /// who.
    pub unanimous: u64,
    /// People in the largest set.
    pub largest: u64,
}

/// A row with what is known of its risk.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct RowRisk {
    /// Position of the row in the data, from 0.
    pub row: usize,
    /// Released counts of the row's own class.
    pub own: u64,
    /// Released counts of all classes.
    pub all: u64,
    /// Evidence about the row's label, before the part that nesting takes away.
    pub evidence: f64,
    /// Probability that a solver has the label right: a proxy, and at most the share of its label
    /// among the rows that have the same features.
    pub exposure: f64,
}

/// What a release of an actual table would disclose about its labels.
///
/// Kinds: coverage and identical features are **exact**; estimate and exposure are a **proxy**,
/// state evolution over the groups that the table has. All of it is computed from the data: keep
/// it where they are.
#[derive(Clone)]
#[non_exhaustive]
pub struct TableScreen {
    /// Proportion of the labels that a solver is expected to reconstruct.
    pub estimate: Estimate,
    /// All rows.
    pub everybody: Covered,
    /// The rows of each class.
    pub classes: Vec<Covered>,
    /// Rows that agree in all known columns.
    pub identical: IdenticalFeatures,
    coverage: RealisedCoverage,
    evidence: Vec<f64>,
    exposure: Vec<f64>,
    entry_of_row: Vec<u32>,
}

/// Counts of the data stay out of logs.
impl std::fmt::Debug for TableScreen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TableScreen").field("estimate", &self.estimate).finish_non_exhaustive()
    }
}

impl TableScreen {
    /// Screens a table; `spec` says what is released, and is best made by [`Records::model`].
    ///
    /// ```
    /// use hetero_screen::{CodedColumn, Records, ScreenLimits, Suppression, TableScreen, UniformNoise};
    ///
    /// let party = CodedColumn { codes: &[0, 0, 0, 1, 1, 1], cardinality: 2 };
    /// let response = CodedColumn { codes: &[0, 0, 1, 1, 1, 1], cardinality: 2 };
    /// let records = Records::new(&[party], response, None)?;
    /// let spec = records.model(Suppression::ClassCount(2), UniformNoise::uniform(0))?;
    /// let screen = TableScreen::of(&records, &spec, &ScreenLimits::default())?;
    /// // The third person's response is counted in the total of that response alone: 1 of 2 counts of
    /// // their own class, since the count within their party is withheld.
    /// assert_eq!(screen.row(2).map(|risk| risk.own), Some(1));
    /// # Ok::<(), hetero_screen::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`RealisedCoverage::of`].
    ///
    /// # Cost
    /// Some two to three times that of [`RealisedCoverage::of`].
    pub fn of(records: &Records, spec: &ScreenSpec, limits: &ScreenLimits) -> Result<Self, Error> {
        check(records, spec, limits)?;
        let rules = Rules::of(records, spec);
        let new = || (Counter::new(records, spec.suppression()), Tally::new(rules));
        let (counters, tallies): (Vec<_>, Vec<_>) = gather(records, spec, limits, new)?.into_iter().unzip();
        let coverage = RealisedCoverage::sum(records, counters);
        let tally = tallies.iter().fold(Tally::new(rules), Tally::merge);
        let cells = Cells::of(records);
        let occurring: Vec<usize> = (0..records.classes()).filter(|&class| rules.shares[class] > 0.0).collect();
        let shares: Vec<f64> = occurring.iter().map(|&class| rules.shares[class]).collect();
        let (floor, ceiling) = (majority_floor(records, spec, limits)?, cells.ceiling());
        let (lambda, evidence) = if shares.len() < 2 {
            (0.0, vec![0.0; records.entries()])
        } else {
            evidence(records, spec, &tally, &occurring, limits)?
        };
        let table = AccuracyTable::new(&shares);
        let place = |label: u32| occurring.iter().position(|&class| class == label as usize).unwrap_or(0);
        let right = evidence.iter().zip(records.labels()).map(|(&e, &label)| table.right(place(label), NESTING * e));
        let exposure: Vec<f64> = right.zip(&cells.share_of_label).map(|(right, &share)| right.min(share)).collect();
        let unbounded = table.accuracy(NESTING * lambda);
        let estimate =
            Estimate { accuracy: unbounded.min(ceiling).max(floor), floor, ceiling, unbounded, evidence: lambda };
        let classes = (0..records.classes()).map(|class| covered(records, &coverage.own, &exposure, Some(class)));
        Ok(Self {
            estimate,
            everybody: covered(records, &coverage.own, &exposure, None),
            classes: classes.collect(),
            identical: cells.identical,
            coverage,
            evidence,
            exposure,
            entry_of_row: records.entry_of_row().to_vec(),
        })
    }

    /// The risk of a row; `None` beyond the last.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<RowRisk> {
        let entry = *self.entry_of_row.get(row)? as usize;
        Some(RowRisk {
            row,
            own: self.coverage.own[entry],
            all: self.coverage.all[entry],
            evidence: self.evidence[entry],
            exposure: self.exposure[entry],
        })
    }

    /// Every row, the most exposed first; rows of equal exposure by their evidence, then in the
    /// order of the data.
    #[must_use]
    pub fn ranked(&self) -> Vec<RowRisk> {
        let mut rows: Vec<RowRisk> = (0..self.entry_of_row.len()).filter_map(|row| self.row(row)).collect();
        rows.sort_by(|a, b| b.exposure.total_cmp(&a.exposure).then(b.evidence.total_cmp(&a.evidence)));
        rows
    }
}

/// The evidence of a row drawn at random at the fixed point, and that about each entry.
fn evidence(
    records: &Records,
    spec: &ScreenSpec,
    tally: &Tally<'_>,
    occurring: &[usize],
    limits: &ScreenLimits,
) -> Result<(f64, Vec<f64>), Error> {
    let rules = Rules::of(records, spec);
    let (lambda, settled) = tally.evidence().settle();
    let mut left = vec![0.0; records.classes()];
    occurring.iter().zip(settled).for_each(|(&class, v)| left[class] = v);
    let mut evidence = vec![0.0; records.entries()];
    // In the order of tasks, so that sums are the same at any number of threads.
    for task in gather(records, spec, limits, || ByEntry::new(rules, &left))? {
        evidence.iter_mut().zip(task.evidence).for_each(|(sum, more)| *sum += more);
    }
    Ok((lambda, evidence))
}

/// Sets of rows with identical features.
struct Cells {
    identical: IdenticalFeatures,
    /// People whose label is the most frequent of their set.
    most_frequent: u64,
    people: u64,
    /// For each entry, the share of its label in its set.
    share_of_label: Vec<f64>,
}

impl Cells {
    fn of(records: &Records) -> Self {
        let mut cells = Self {
            identical: IdenticalFeatures { sets: 0, alone: 0, unanimous: 0, largest: 0 },
            most_frequent: 0,
            people: records.people(),
            share_of_label: Vec::with_capacity(records.entries()),
        };
        let mut rest = records.weights();
        for set in records.cells().chunk_by(|a, b| a == b) {
            let (weights, later) = rest.split_at(set.len());
            rest = later;
            let people: u64 = weights.iter().sum();
            let most = weights.iter().copied().max().unwrap_or(0);
            cells.most_frequent += most;
            cells.identical.sets += u64::from(people > 0);
            cells.identical.alone += u64::from(people == 1);
            cells.identical.unanimous += if most == people && people > 1 { people } else { 0 };
            cells.identical.largest = cells.identical.largest.max(people);
            cells.share_of_label.extend(weights.iter().map(|&weight| weight as f64 / people.max(1) as f64));
        }
        cells
    }

    fn ceiling(&self) -> f64 {
        self.most_frequent as f64 / self.people as f64
    }
}

fn covered(records: &Records, own: &[u64], exposure: &[f64], class: Option<usize>) -> Covered {
    let is_of = |entry: usize| class.is_none_or(|class| records.labels()[entry] as usize == class);
    let mut values: Vec<(u64, u64)> =
        (0..own.len()).filter(|&entry| is_of(entry)).map(|entry| (own[entry], records.weights()[entry])).collect();
    values.retain(|(_, weight)| *weight > 0);
    values.sort_unstable();
    let people: u64 = values.iter().map(|(_, weight)| weight).sum();
    let uncovered = values.iter().take_while(|(own, _)| *own == 0).map(|(_, weight)| weight).sum();
    let exposed: f64 = (0..own.len()).filter(|&e| is_of(e)).map(|e| exposure[e] * records.weights()[e] as f64).sum();
    let at = |rank: u64| {
        let mut before = 0;
        let found = values.iter().find(|(_, weight)| {
            before += weight;
            before > rank
        });
        found.map_or(0, |(own, _)| *own)
    };
    let coverage = (people > 0).then(|| Spread {
        mean: values.iter().map(|&(own, weight)| own as f64 * weight as f64).sum::<f64>() / people as f64,
        least: at(0),
        tenth: at((people - 1) / 10),
        median: at((people - 1) / 2),
        most: at(people - 1),
    });
    Covered { people, uncovered, coverage, exposure: if people > 0 { exposed / people as f64 } else { 0.0 } }
}
