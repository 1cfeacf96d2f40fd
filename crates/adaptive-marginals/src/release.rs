//! The rounds: choose, measure, fit.

use privacy_core::accounting::Neighbours;
use privacy_core::noise::{DiscreteGaussian, Rational};
use privacy_core::param::Rho;
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain, domain::Provenance};
use rand_core::CryptoRng;
use synthetic_people::{Measurement, Model, PossibleCells, model_cells};

use crate::bounds::{Choice, Choices, Facts};
use crate::budget::{Budget, Step};
use crate::error::Error;
use crate::fitting::Measured;
use crate::plan::{AdaptivePlan, cells_of};
use crate::score::{Scale, UNITS, mean_noise};
use crate::select::choose;

/// A measurement, and what it cost to choose it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Round {
    /// The marginal.
    pub set: AttrSet,
    /// The parameter `sigma^2` of the discrete Gaussian noise of each cell, in counts squared.
    pub variance: f64,
    /// The epsilon of the choice; `None` for the attributes that are measured first.
    pub epsilon: Option<f64>,
}

/// What was released: choices, noised marginals, and the model of them.
#[derive(Clone, Debug)]
#[must_use]
pub struct AdaptiveRelease {
    rounds: Vec<Round>,
    measured: Measured,
    model: Model,
    spent: f64,
    facts: Facts,
}

impl AdaptiveRelease {
    /// The rounds, in order.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// The noised marginals: several measurements of one are their mean of least variance.
    #[must_use]
    pub fn measurements(&self) -> &[Measurement] {
        self.measured.all()
    }

    /// The model of them.
    #[must_use]
    pub fn model(&self) -> &Model {
        &self.model
    }

    pub(crate) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// What choices and noise have cost, rounded up: at most the budget.
    #[must_use]
    #[expect(clippy::missing_panics_doc, reason = "cannot happen: at least one marginal was measured")]
    pub fn spent(&self) -> Rho {
        Rho::new(self.spent).expect("a cost above 0 and within the budget")
    }
}

/// What was measured so far, and in which rounds.
struct SoFar<'a> {
    measured: Measured,
    rounds: Vec<Round>,
    possible: &'a PossibleCells,
}

impl SoFar<'_> {
    /// Measures a table whose noise is paid for.
    fn measure<R: CryptoRng + ?Sized>(
        &mut self,
        table: &ContingencyTable,
        sigma2: Rational,
        epsilon: Option<Rational>,
        rng: &mut R,
    ) -> Result<(), Error> {
        let (set, variance) = (table.attributes(), sigma2.to_f64());
        let mut values = noised(table, sigma2, rng)?;
        if let Some(possible) = self.possible.within(set) {
            // Nobody is there, so there is nothing to say.
            values.iter_mut().zip(possible).for_each(|(value, possible)| *value = if possible { *value } else { 0.0 });
        }
        self.measured.add(set, values, variance, self.possible);
        self.rounds.push(Round { set, variance, epsilon: epsilon.map(Rational::to_f64) });
        Ok(())
    }
}

/// A marginal that was chosen and paid for.
struct Next {
    /// Which candidate.
    place: usize,
    step: Step,
    /// What the round costs, as a share of the budget.
    share: f64,
    /// The candidates that it was chosen among.
    took_part: Vec<usize>,
}

/// A round anneals when its marginal moved by no more than this share of its noise. The source has
/// 1; a fit takes out a part of the noise, so that 1 halves sigma before the rounds of the larger
/// one are used up.
const ANNEAL: f64 = 0.6;

impl AdaptivePlan {
    /// Measures every attribute of the workload, then chooses and measures marginals until the
    /// budget is spent. The plan is used up.
    ///
    /// # Guarantee
    /// `spec().rho`-zCDP for `spec().neighbours`, where a person is up to `rows_per_person` rows:
    /// all choices, all noised marginals, and everything that is computed from them.
    ///
    /// # Errors
    /// [`Error::DomainMismatch`], [`Error::WrongTable`], [`Error::NoiseOutOfRange`],
    /// [`Error::ScoresTooLarge`], [`Error::Stopped`], and what the source or the fit reports.
    /// Nothing is returned on an error, but a caller who keeps a ledger counts the budget as spent.
    pub fn release<S, R>(self, source: &S, rng: &mut R) -> Result<AdaptiveRelease, Error>
    where
        S: CountSource + ?Sized,
        R: CryptoRng + ?Sized,
    {
        if source.domain().attributes() != self.domain.attributes() {
            return Err(Error::DomainMismatch);
        }
        if source.domain().provenance() == Provenance::LearntFromData {
            return Err(Error::DomainLearntFromData);
        }
        let tables = self.tables(source)?;
        // A person who is replaced may have more rows than before, unless everybody has one: only
        // then are two neighbours equally many rows.
        let total = match (self.spec.neighbours, self.spec.rows_per_person) {
            (Neighbours::Replace, 1) => tables.first().map(|table| table.total() as f64),
            _ => None,
        };
        let mut budget = self.budget.clone();
        let measured = Measured::new(self.sizes.clone(), self.spec.zeros.clone(), total);
        let mut so_far = SoFar { measured, rounds: Vec::new(), possible: &self.possible };
        for place in self.first_attributes() {
            self.check_stop()?;
            // There are as many rounds as attributes, and a round costs more than its noise.
            let Some(sigma2) = budget.take_noise() else { break };
            so_far.measure(&tables[place], sigma2, None, rng)?;
        }
        let mut model = so_far.measured.fit(None, self.spec.fit)?;
        let mut choices = Choices::new(self.sizes.clone(), self.spec.model_cells);
        while let Some(next) = self.next_choice(&mut budget, &so_far.measured, &model, &tables, rng)? {
            let (set, step) = (self.candidates[next.place].set, next.step);
            so_far.measure(&tables[next.place], step.sigma2, Some(step.epsilon), rng)?;
            let before = model.marginal(set, f64::INFINITY)?;
            let fitted = so_far.measured.fit(Some(&model), self.spec.fit)?;
            let after = fitted.marginal(set, f64::INFINITY)?;
            let moved: f64 = before.iter().zip(after).map(|(a, b)| (a - b).abs()).sum();
            if moved <= ANNEAL * mean_noise(step.sigma2, self.possible.count(set)) {
                // A variance that cannot be halved any more stays.
                let _ = budget.anneal();
            }
            let model = std::mem::replace(&mut model, fitted);
            choices.push(self.choice(next, so_far.rounds.len() - 1, model));
        }
        let model = so_far.measured.fit(Some(&model), self.spec.last_fit)?;
        let SoFar { measured, rounds, .. } = so_far;
        Ok(AdaptiveRelease { rounds, measured, model, spent: budget.used(), facts: self.facts(total, choices) })
    }

    /// What bounds on errors follow from: nothing that is not published.
    fn facts(self, public_total: Option<f64>, choices: Choices) -> Facts {
        Facts {
            first_variance: self.first_variance(),
            sensitivity: self.budget.sensitivity(),
            sizes: self.sizes,
            candidates: self.candidates,
            possible: self.possible,
            public_total,
            choices,
        }
    }

    /// A choice as bounds need it.
    fn choice(&self, next: Next, round: usize, model: Model) -> Choice {
        let sets = next.took_part.iter().map(|&place| self.candidates[place].set).collect();
        let chosen = self.candidates[next.place].set;
        Choice { round, chosen, step: next.step, share: next.share, took_part: next.took_part.len(), sets, model }
    }

    /// Ends where that is asked for.
    fn check_stop(&self) -> Result<(), Error> {
        if self.stop.is_set() { Err(Error::Stopped) } else { Ok(()) }
    }

    /// The exact marginals of all candidates.
    fn tables<S: CountSource + ?Sized>(&self, source: &S) -> Result<Vec<ContingencyTable>, Error> {
        let sets: Vec<AttrSet> = self.candidates().collect();
        let tables = source.marginals(&sets)?;
        for (place, &set) in sets.iter().enumerate() {
            if !tables.get(place).is_some_and(|table| is_table_over(&self.domain, set, table)) {
                return Err(Error::WrongTable { set });
            }
        }
        Ok(tables)
    }

    /// The next marginal, chosen and paid for. `None` when the budget is spent, or no candidate
    /// has room in the model.
    fn next_choice<R: CryptoRng + ?Sized>(
        &self,
        budget: &mut Budget,
        measured: &Measured,
        model: &Model,
        tables: &[ContingencyTable],
        rng: &mut R,
    ) -> Result<Option<Next>, Error> {
        self.check_stop()?;
        let before = budget.share_used();
        let room = self.least_cells + (self.spec.model_cells - self.least_cells) * budget.share_used();
        let fitting = self.with_room(&measured.sets(), room);
        if fitting.is_empty() {
            return Ok(None);
        }
        let rounds = self.most_rounds();
        let step = budget.take_round().map_err(|source| Error::Budget { rounds, source })?;
        let Some(step) = step else { return Ok(None) };
        // The largest of all candidates, not of those with room: it is fixed beforehand.
        let weight = self.candidates.iter().map(|candidate| candidate.weight).max().unwrap_or(1);
        let person = u128::from(budget.sensitivity().l1) * u128::from(weight) * UNITS as u128;
        let scales = fitting.iter().map(|&place| {
            let candidate = self.candidates[place];
            Scale::new(candidate.weight, self.possible.count(candidate.set), step.sigma2)
        });
        let scales: Vec<Scale> = scales.collect();
        let bounds =
            scales.iter().zip(&fitting).map(|(scale, &place)| scale.bound(tables[place].total(), model.total()));
        let bounds: Option<Vec<i128>> = bounds.collect();
        let score = |at: usize| {
            let (place, set) = (fitting[at], self.candidates[fitting[at]].set);
            let expected = model.marginal(set, f64::INFINITY)?;
            let possible = self.possible.within(set);
            scales[at].score(tables[place].cells(), &expected, possible.as_deref()).ok_or(Error::ScoresTooLarge)
        };
        let chosen = choose(&bounds.ok_or(Error::ScoresTooLarge)?, score, person, step.epsilon, rng)?;
        let share = budget.share_used() - before;
        Ok(Some(Next { place: fitting[chosen], step, share, took_part: fitting }))
    }

    /// The candidates with which the model keeps to this many cells, or does not grow: a function
    /// of earlier choices.
    fn with_room(&self, measured: &[AttrSet], room: f64) -> Vec<usize> {
        let sets: Vec<AttrSet> = measured.iter().copied().chain(self.possible.sets()).collect();
        let fits = |place: &usize| {
            let set = self.candidates[*place].set;
            if sets.iter().any(|other| set.is_subset_of(*other)) {
                return true;
            }
            let sets: Vec<AttrSet> = sets.iter().copied().chain([set]).collect();
            cells_of(&self.sizes, set) <= room && model_cells(&self.sizes, &sets) <= room
        };
        (0..self.candidates.len()).filter(fits).collect()
    }
}

fn is_table_over(domain: &Domain, set: AttrSet, table: &ContingencyTable) -> bool {
    table.attributes() == set && table.counts().shape() == domain.shape(set)
}

/// The counts with noise.
fn noised<R: CryptoRng + ?Sized>(table: &ContingencyTable, sigma2: Rational, rng: &mut R) -> Result<Vec<f64>, Error> {
    let set = table.attributes();
    // A table has at most 2^53 people: the cast loses nothing.
    let mut cells: Vec<i64> = table.cells().iter().map(|&count| count as i64).collect();
    let law = DiscreteGaussian::for_draws(sigma2, cells.len() as u64).map_err(|_| Error::NoiseOutOfRange { set })?;
    law.add_to(&mut cells, rng).map_err(|_| Error::NoiseOutOfRange { set })?;
    Ok(cells.into_iter().map(|cell| cell as f64).collect())
}
