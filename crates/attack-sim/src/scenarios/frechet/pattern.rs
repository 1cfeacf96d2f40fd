//! Which numbers of an exact release are published, and which are withheld: does that alone tell
//! whether a person is there?
//!
//! The attacker knows every row but those of one person and looks at one number: whether it is
//! published. Values are not shown. A **guarantee** of the pattern's epsilon and delta.

use disclosure::frechet::{
    CellStatus, DisclosureRule, MarginAction, PatternBudget, PrivatePattern, ReleaseProblem, Scope, plan,
};
use disclosure::privacy_core::ContingencyTable;
use disclosure::privacy_core::accounting::Neighbours;
use disclosure::privacy_core::param::Delta;

use super::electorate::{Composition, Electorate, signed};
use crate::prelude::*;

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    shape: Vec<usize>,
    /// Counts by cell, without the person.
    counts: Vec<u64>,
    margins: Vec<Vec<usize>>,
    kappa: u64,
    epsilon: f64,
    delta: f64,
    /// The cell of the person.
    person: usize,
    /// How many rows the person has.
    rows: u32,
    /// The cell of the last margin that the attacker looks at.
    watched: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The counts themselves are compared with the threshold.
    ThresholdWithoutNoise,
    /// Numbers below the threshold are withheld, and the complementary cells are those of which
    /// the counts are the smallest: what every tool of the field does.
    ComplementOnCounts,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let cells = spec.shape.iter().product::<usize>();
    if spec.counts.len() != cells || spec.person >= cells || spec.margins.is_empty() {
        return Err(blueprint.refuse("a cell has no count, the person is in no cell, or no margin is requested"));
    }
    let (epsilon, delta) = (spec.epsilon, spec.delta);
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon, delta },
        move |fault: Option<Fault>, has_person| {
            // In the order of `Side`; the person may be in the data of the one side.
            let patterns = [Pattern::new(&spec, false, fault)?, Pattern::new(&spec, has_person, fault)?];
            Ok(Patterns { patterns, watched: spec.watched })
        },
        |view: &View, _| view.is_published,
    )
}

struct Patterns {
    patterns: [Pattern; 2],
    watched: usize,
}

/// Whether the number is published.
struct View {
    is_published: bool,
}

impl NeighbouringInputs for Patterns {
    type View = View;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<View, Error> {
        let is_published = |actions: &[MarginAction]| {
            let last = actions.last().expect("a margin is requested");
            last.statuses.get(self.watched) == Some(&CellStatus::Exact)
        };
        let is_published = match &self.patterns[usize::from(side == Side::With)] {
            Pattern::Drawn { pattern, table } => is_published(pattern.draw(table, &mut release_rng(rng))?.actions()),
            Pattern::Fixed(actions) => is_published(actions),
        };
        Ok(View { is_published })
    }
}

/// The pattern of one side. What does not depend on noise is done once, as for any number of
/// releases of one job.
enum Pattern {
    /// Drawn anew for every release.
    Drawn { pattern: Box<PrivatePattern>, table: ContingencyTable },
    /// A fault: it follows from the counts.
    Fixed(Vec<MarginAction>),
}

impl Pattern {
    fn new(spec: &Spec, has_person: bool, fault: Option<Fault>) -> Result<Self, Error> {
        let electorate = spec.electorate(has_person);
        let pattern = PrivatePattern::new(&spec.problem(&electorate, spec.kappa)?, &spec.budget()?)?;
        let table = electorate.table();
        Ok(match fault {
            None => Self::Drawn { pattern: Box::new(pattern), table },
            Some(Fault::ThresholdWithoutNoise) => {
                let counts: Vec<i64> = electorate.counts.iter().map(|&count| signed(count)).collect();
                Self::Fixed(pattern.of_noisy_counts(0, &counts)?.actions().to_vec())
            }
            Some(Fault::ComplementOnCounts) => {
                // Cells far from the threshold are on the same side of it with noise as without.
                let problem = spec.problem(&electorate, pattern.threshold().unsigned_abs())?;
                Self::Fixed(plan(&problem.decide_on_counts(&table)?)?.actions().to_vec())
            }
        })
    }
}

impl Spec {
    fn electorate(&self, has_person: bool) -> Electorate {
        let mut counts = self.counts.clone();
        counts[self.person] += if has_person { u64::from(self.rows) } else { 0 };
        let margins = self.margins.iter().map(|axes| axes.iter().copied().collect()).collect();
        Electorate { shape: self.shape.clone(), composition: Composition::Unknown, counts, margins }
    }

    fn problem(&self, electorate: &Electorate, kappa: u64) -> Result<ReleaseProblem, Error> {
        Ok(electorate.problem(DisclosureRule::new(0, 0.05, kappa, Scope::All)?)?.allow_suppression())
    }

    fn budget(&self) -> Result<PatternBudget, Error> {
        pattern_budget(self.epsilon, self.delta, self.rows)
    }
}

/// The budget of a pattern: a person with some rows is there or not.
pub(super) fn pattern_budget(epsilon: f64, delta: f64, rows_per_person: u32) -> Result<PatternBudget, Error> {
    let epsilon = Epsilon::new(epsilon).map_err(|_| Error::BadClaim { name: "epsilon" })?;
    let delta = Delta::new(delta).map_err(|_| Error::BadClaim { name: "delta" })?;
    Ok(PatternBudget { epsilon, delta, neighbours: Neighbours::AddRemove, rows_per_person })
}
