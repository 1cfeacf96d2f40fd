//! Evidence in an actual table: the counts that its queries release, and what they tell about
//! each row.

use crate::cube::{Gather, Group};
use crate::evidence::precision;
use crate::evolution::{Cell, Evidence};
use crate::records::Records;
use crate::spec::{ScreenSpec, Suppression, UniformNoise};

/// Sizes up to this have a place of their own; larger ones share places, this number for each
/// e-fold.
const OWN_PLACE: u64 = 64;
const PLACES_PER_FOLD: f64 = 32.0;

fn place_of(size: u64) -> usize {
    if size < OWN_PLACE {
        size as usize
    } else {
        OWN_PLACE as usize + (libm::log(size as f64 / OWN_PLACE as f64) * PLACES_PER_FOLD) as usize
    }
}

/// What both passes need to know of a release.
#[derive(Clone, Copy)]
pub(crate) struct Rules<'a> {
    pub(crate) records: &'a Records,
    pub(crate) suppression: Suppression,
    pub(crate) noise: UniformNoise,
    /// Share of each class.
    pub(crate) shares: &'a [f64],
    /// The two classes that occur, if there are no more.
    pub(crate) pair: Option<[usize; 2]>,
}

impl<'a> Rules<'a> {
    pub(crate) fn of(records: &'a Records, spec: &'a ScreenSpec) -> Self {
        let shares = spec.classes().shares();
        let occurring: Vec<usize> = (0..shares.len()).filter(|&class| shares[class] > 0.0).collect();
        let pair = <[usize; 2]>::try_from(occurring).ok();
        Self { records, suppression: spec.suppression(), noise: spec.noise(), shares, pair }
    }

    fn occurring(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.shares.len()).filter(|&class| self.shares[class] > 0.0)
    }

    /// How telling the count of a class is to one of its own rows, and to a row of another class;
    /// 0 if it is withheld.
    fn precisions(&self, class: usize, group: &Group<'_>) -> (f64, f64) {
        let count = group.counts[class];
        if self.suppression.releases(count, group.size) {
            (precision(self.noise, count.saturating_sub(1)), precision(self.noise, count))
        } else {
            (0.0, 0.0)
        }
    }
}

/// Counts over groups of about one size.
#[derive(Clone, Copy, Default)]
struct Place {
    queries: f64,
    others: f64,
    precision: f64,
}

/// Counts by the size of their group.
#[derive(Clone, Default)]
struct Places(Vec<Place>);

impl Places {
    fn add(&mut self, queries: f64, others: u64, precision: f64) {
        let place = place_of(others);
        if self.0.len() <= place {
            self.0.resize(place + 1, Place::default());
        }
        let place = &mut self.0[place];
        place.queries += queries;
        place.others += queries * others as f64;
        place.precision += queries * precision;
    }

    fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), Place::default());
        }
        for (sum, more) in self.0.iter_mut().zip(&other.0) {
            sum.queries += more.queries;
            sum.others += more.others;
            sum.precision += more.precision;
        }
    }

    fn cells(&self) -> impl Iterator<Item = Cell> + '_ {
        let held = self.0.iter().filter(|place| place.queries > 0.0);
        held.map(|place| Cell {
            queries: place.queries,
            others: place.others / place.queries,
            noise: place.queries / place.precision,
        })
    }
}

/// First pass: how many counts there are, by class and size, for a row drawn at random.
pub(crate) struct Tally<'a> {
    rules: Rules<'a>,
    own: Vec<Places>,
    other: Vec<Places>,
    /// Two classes: both counts of a query, and one of them alone.
    both: Places,
    single: Places,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(rules: Rules<'a>) -> Self {
        let none = vec![Places::default(); rules.shares.len()];
        Self { rules, own: none.clone(), other: none, both: Places::default(), single: Places::default() }
    }

    pub(crate) fn merge(mut self, more: &Self) -> Self {
        self.own.iter_mut().zip(&more.own).for_each(|(sum, more)| sum.merge(more));
        self.other.iter_mut().zip(&more.other).for_each(|(sum, more)| sum.merge(more));
        self.both.merge(&more.both);
        self.single.merge(&more.single);
        self
    }

    /// The evidence of a row drawn at random.
    pub(crate) fn evidence(&self) -> Evidence {
        let classes: Vec<usize> = self.rules.occurring().collect();
        let mut evidence = Evidence::empty(classes.iter().map(|&class| self.rules.shares[class]).collect());
        for (i, &class) in classes.iter().enumerate() {
            evidence.own[i].extend(self.own[class].cells());
            evidence.other[i].extend(self.other[class].cells());
        }
        evidence.both.extend(self.both.cells().chain(self.single.cells()));
        evidence
    }
}

impl Gather for Tally<'_> {
    fn group(&mut self, group: &Group<'_>) {
        let (rules, others) = (self.rules, group.size - 1);
        let queries = group.queries as f64 / rules.records.people() as f64;
        if let Some(pair) = rules.pair {
            for [r, s] in [pair, [pair[1], pair[0]]] {
                let ((own, _), (_, other)) = (rules.precisions(r, group), rules.precisions(s, group));
                let places = if own > 0.0 && other > 0.0 { &mut self.both } else { &mut self.single };
                if own + other > 0.0 && group.counts[r] > 0 {
                    places.add(queries * group.counts[r] as f64, others, own + other);
                }
            }
            return;
        }
        let outside = |class: usize| group.counts[class] as f64 / (1.0 - rules.shares[class]);
        let everybody: f64 = rules.occurring().map(outside).sum();
        for class in rules.occurring() {
            let (own, other) = rules.precisions(class, group);
            if own > 0.0 && group.counts[class] > 0 {
                self.own[class].add(queries * group.counts[class] as f64, others, own);
            }
            let met = rules.shares[class] * (everybody - outside(class));
            if other > 0.0 && met > 0.0 {
                self.other[class].add(queries * met, others, other);
            }
        }
    }
}

/// Second pass: the evidence about each entry, when `left` is what is unknown of each class.
pub(crate) struct ByEntry<'a> {
    rules: Rules<'a>,
    left: &'a [f64],
    pub(crate) evidence: Vec<f64>,
    /// What a group tells about a row of each class.
    of_class: Vec<f64>,
}

impl<'a> ByEntry<'a> {
    pub(crate) fn new(rules: Rules<'a>, left: &'a [f64]) -> Self {
        let evidence = vec![0.0; rules.records.entries()];
        Self { rules, left, evidence, of_class: vec![0.0; rules.shares.len()] }
    }

    fn tell(&mut self, group: &Group<'_>) {
        let (rules, others) = (self.rules, (group.size - 1) as f64);
        let telling = |class: usize, precision: f64| match precision > 0.0 {
            true => 1.0 / (others * self.left[class] + 1.0 / precision),
            false => 0.0,
        };
        if let Some(pair) = rules.pair {
            for [r, s] in [pair, [pair[1], pair[0]]] {
                let ((own, _), (_, other)) = (rules.precisions(r, group), rules.precisions(s, group));
                self.of_class[r] = telling(r, own + other);
            }
            return;
        }
        let mut sum = 0.0;
        for class in rules.occurring() {
            sum += rules.shares[class] * telling(class, rules.precisions(class, group).1);
        }
        for class in rules.occurring() {
            let (own, other) = rules.precisions(class, group);
            let share = rules.shares[class];
            self.of_class[class] = telling(class, own) + (sum - share * telling(class, other)) / (1.0 - share);
        }
    }
}

impl Gather for ByEntry<'_> {
    fn group(&mut self, group: &Group<'_>) {
        self.tell(group);
        let labels = self.rules.records.labels();
        for &entry in group.entries {
            let evidence = self.of_class[labels[entry as usize] as usize];
            self.evidence[entry as usize] += group.queries as f64 * evidence;
        }
    }
}
