//! The pattern is drawn, its promise is verified on the counts, and the exact numbers leave.

use privacy_core::{AttrSet, ContingencyTable};
use rand_core::CryptoRng;

use crate::planner::action::{CellStatus, MarginAction, Treatment};
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::plan::ReleasePlan;
use crate::planner::private::coarsening::{Coarsening, candidates, draw};
use crate::planner::private::complement::LargeCells;
use crate::planner::private::cost::{PatternBudget, PatternCost, PatternNoise};
use crate::planner::problem::{DecisionData, ReleaseProblem};
use crate::planner::release::Published;
use crate::table::error::Error;

/// A request whose pattern is drawn by a noisy threshold: nothing was drawn yet, and no count was
/// looked at.
#[derive(Clone, Debug)]
pub struct PrivatePattern {
    problem: ReleaseProblem,
    candidates: Vec<Coarsening>,
    noise: PatternNoise,
}

/// The finest table of the request in one coarsening.
struct FinestTable {
    margin: RecodedMargin,
    /// Axes with two or more groups, as positions in the margin.
    wide: Vec<usize>,
    shape: Vec<usize>,
}

/// A pattern that was drawn, to be carried out on its table.
#[derive(Clone, Debug)]
pub struct DrawnPattern {
    plan: ReleasePlan,
    finest: RecodedMargin,
    is_large: Vec<bool>,
    floor: u64,
}

impl PrivatePattern {
    /// Checks a request and divides the budget. What is requested, the attributes with their
    /// levels and the hierarchies must not depend on the rows.
    ///
    /// # Errors
    /// [`Error::PatternBackground`] where numbers of people, facts or published numbers are known
    /// already; [`Error::PatternNoise`] where noise may be used; [`Error::Noise`] and
    /// [`Error::Rule`] for a budget that no noise has.
    pub fn new(problem: &ReleaseProblem, budget: &PatternBudget) -> Result<Self, Error> {
        let background = &problem.background;
        if background.response_axis().is_some()
            || !background.system().rows().is_empty()
            || background.people(AttrSet::EMPTY).is_some()
        {
            return Err(Error::PatternBackground);
        }
        if problem.noise.is_some() {
            return Err(Error::PatternNoise);
        }
        let problem = ReleaseProblem { basis: DecisionData::Private, counts: None, ..problem.clone() };
        let candidates = candidates(&problem);
        let rule = problem.rule;
        let floor = rule.min_frequency().max(rule.min_interval_width().saturating_add(1));
        let noise = PatternNoise::new(budget, candidates.len() > 1, floor)?;
        Ok(Self { problem, candidates, noise })
    }

    /// What the pattern costs one person.
    #[must_use]
    pub fn cost(&self) -> &PatternCost {
        &self.noise.cost
    }

    /// Among how many coarsenings one is drawn.
    #[must_use]
    pub fn coarsenings(&self) -> usize {
        self.candidates.len()
    }

    /// The least count with noise of a cell that may be published, in the finest coarsening.
    #[must_use]
    pub fn threshold(&self) -> i64 {
        self.noise.least_large(self.finest(0).margin.cells())
    }

    /// The least count that a published number has, but for a refusal.
    #[must_use]
    pub fn floor(&self) -> u64 {
        self.noise.floor
    }

    /// Draws the pattern for a table.
    ///
    /// # Guarantee
    /// [`cost`](Self::cost): epsilon-differential privacy of the pattern, that is, of the
    /// coarsening and of which numbers would be published. Neighbours: one person, with all of
    /// their rows, added, removed or replaced, as the budget says. Unit: a person.
    ///
    /// # Errors
    /// [`Error::Shape`] for another table; [`Error::Stopped`].
    pub fn draw<R: CryptoRng + ?Sized>(&self, table: &ContingencyTable, rng: &mut R) -> Result<DrawnPattern, Error> {
        self.problem.checked(table)?;
        let place = self.drawn_coarsening(table, rng)?;
        let counts = self.finest(place).margin.counts(self.problem.background.domain(), table)?;
        let noisy = counts.iter().map(|&count| {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            count.saturating_add(self.noise.threshold.sample(&mut *rng))
        });
        let noisy: Vec<i64> = noisy.collect();
        let mut drawn = self.of_noisy_counts(place, &noisy)?;
        drawn.plan.problem.counts = Some(table.clone());
        Ok(drawn)
    }

    /// The pattern of a table of noisy counts: the finest table of the request, row-major, in the
    /// coarsening at a position. A function of which counts reach the threshold.
    ///
    /// # Errors
    /// [`Error::Shape`] for another number of counts or no such coarsening; [`Error::Stopped`].
    pub fn of_noisy_counts(&self, coarsening: usize, noisy: &[i64]) -> Result<DrawnPattern, Error> {
        let shape = |expected| Error::Shape { expected, got: vec![noisy.len()] };
        if coarsening >= self.candidates.len() {
            return Err(shape(vec![self.candidates.len()]));
        }
        let finest = self.finest(coarsening);
        if noisy.len() != finest.margin.cells() {
            return Err(shape(vec![finest.margin.cells()]));
        }
        let least = self.noise.least_large(noisy.len());
        let is_large: Vec<bool> = noisy.iter().map(|&count| count >= least).collect();
        let margins: Vec<AttrSet> =
            self.problem.requested.iter().map(|requested| finest.positions(requested.axes)).collect();
        let rule = LargeCells {
            shape: &finest.shape,
            margins: &margins,
            is_large: &is_large,
            floor: self.noise.floor,
            width: self.problem.rule.min_interval_width(),
        };
        let shown = rule.shown(&self.problem.limits)?;
        let actions = self.actions(coarsening, &shown);
        let plan = ReleasePlan::drawn(self.problem.clone(), actions);
        Ok(DrawnPattern { plan, finest: finest.margin, is_large, floor: self.noise.floor })
    }

    fn drawn_coarsening<R: CryptoRng + ?Sized>(&self, table: &ContingencyTable, rng: &mut R) -> Result<usize, Error> {
        if self.candidates.len() == 1 {
            return Ok(0);
        }
        let scores = (0..self.candidates.len()).map(|place| self.score(place, table)).collect::<Result<Vec<_>, _>>()?;
        draw(&scores, self.noise.cost.coarsening_row_epsilon, self.problem.requested.len(), rng)
    }

    /// Twice the cells that reach the threshold without noise, less all cells, over the margins.
    fn score(&self, place: usize, table: &ContingencyTable) -> Result<i64, Error> {
        let least = self.noise.least_large(self.finest(place).margin.cells()).unsigned_abs();
        let mut score = 0;
        for requested in &self.problem.requested {
            let counts = self.margin(place, requested.axes).counts(self.problem.background.domain(), table)?;
            let large = counts.iter().filter(|&&count| count >= least).count();
            score += 2 * large as i64 - counts.len() as i64;
        }
        Ok(score)
    }

    fn margin(&self, place: usize, axes: AttrSet) -> RecodedMargin {
        let recodings = axes.iter().map(|axis| self.candidates[place][axis].clone()).collect();
        RecodedMargin { axes: axes.iter().collect(), recodings }
    }

    /// The table over all requested axes.
    fn finest(&self, place: usize) -> FinestTable {
        let all = self.problem.requested.iter().fold(AttrSet::EMPTY, |all, requested| all.union(requested.axes));
        let margin = self.margin(place, all);
        let sizes: Vec<usize> = margin.recodings.iter().map(|recoding| recoding.groups().len()).collect();
        let wide: Vec<usize> = (0..sizes.len()).filter(|&axis| sizes[axis] > 1).collect();
        let shape = wide.iter().map(|&axis| sizes[axis]).collect();
        FinestTable { margin, wide, shape }
    }

    fn actions(&self, place: usize, shown: &[Vec<bool>]) -> Vec<MarginAction> {
        let parts = self.problem.requested.iter().zip(shown);
        parts
            .map(|(requested, shown)| {
                let margin = self.margin(place, requested.axes);
                if !shown.contains(&true) || !self.problem.suppress && shown.contains(&false) {
                    let reason = "its noisy counts do not reach the threshold, or no suppression protects them";
                    return MarginAction::withheld(requested, reason.to_owned());
                }
                if !shown.contains(&false) {
                    return MarginAction::exact(requested, margin, "no number has to be withheld".to_owned());
                }
                let withheld = shown.iter().filter(|&&shown| !shown).count();
                MarginAction {
                    axes: requested.axes.iter().collect(),
                    treatment: Treatment::Suppressed,
                    margin: Some(margin),
                    statuses: shown.iter().map(CellStatus::of_shown).collect(),
                    reasons: vec![format!(
                        "{withheld} of {} cells are withheld, by a noisy threshold and a rule that does not use the \
                         counts",
                        shown.len()
                    )],
                    weight: requested.weight,
                }
            })
            .collect()
    }
}

impl FinestTable {
    /// Axes of the domain as positions among the axes with two or more groups.
    fn positions(&self, axes: AttrSet) -> AttrSet {
        let is_own = |&&axis: &&usize| axes.contains(self.margin.axes[axis]);
        self.wide.iter().enumerate().filter(|(_, axis)| is_own(axis)).map(|(position, _)| position).collect()
    }
}

impl DrawnPattern {
    /// What happens to each margin, in the order of the requests.
    #[must_use]
    pub fn actions(&self) -> &[MarginAction] {
        self.plan.actions()
    }

    /// The pattern as a plan.
    #[must_use]
    pub fn plan(&self) -> &ReleasePlan {
        &self.plan
    }

    /// Whether every cell that the noise called large has the least count of one. Then every number
    /// and class keeps its interval: equation (22). Where not, which has at most the probability
    /// of a refusal, an attacker who knows the exact numbers alone is asked.
    fn is_proved(&self, table: &ContingencyTable) -> Result<bool, Error> {
        let counts = self.finest.counts(self.plan.problem.background.domain(), table)?;
        Ok(counts.iter().zip(&self.is_large).all(|(&count, &is_large)| !is_large || count >= self.floor))
    }

    /// Publishes the exact numbers of the pattern. The pattern is consumed: it is published once.
    ///
    /// # Guarantee
    /// As [`ReleasePlan::release`](crate::ReleasePlan::release) for the exact numbers, which have
    /// no differential privacy. Whether they leave depends on nothing but them, unless a limit of
    /// the solver is reached.
    ///
    /// # Errors
    /// [`Error::TargetMissed`], and nothing is released: for every table, over the noise of the
    /// pattern, with at most the probability that [`PatternCost`] states. [`Error::OtherTable`].
    pub fn release(self, table: &ContingencyTable) -> Result<Published, Error> {
        if self.plan.problem.counts.as_ref().is_some_and(|counts| counts != table) {
            return Err(Error::OtherTable);
        }
        if !self.is_proved(table)? {
            let _ = self.plan.check(table)?;
        }
        self.plan.published_exactly(table)
    }
}
