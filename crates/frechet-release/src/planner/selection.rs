//! The selection of margins that keeps the most and that an attacker cannot use: Problem 1.
//!
//! Publishing more only shrinks the fiber, so a class that is disclosed stays so. The proofs of
//! its bounds name rows, hence margins: every selection that keeps all of them discloses it as
//! well, unless the class is narrow and another margin would publish it outright. That is a
//! clause. With few candidates, the lightest set to drop under all clauses found so far is
//! attacked, until nothing is found: the optimum. With many, candidates are added one by one by
//! utility, then one is exchanged as long as that helps; clauses save attacks.

use privacy_core::{AttrSet, ContingencyTable};

use crate::audit::classes::AuditDetail;
use crate::planner::attack::{self, DisclosedMargin, Subject, Violation};
use crate::planner::candidate_recodings::{options, thinned, utility};
use crate::planner::clauses::{Clause, lightest};
use crate::planner::margin::recoded_margin::RecodedMargin;
use crate::planner::problem::{ReleaseProblem, truth};
use crate::table::class::Class;
use crate::table::error::Error;
use frechet_certificate::SparseTable;

/// Up to this many candidates, the selection is optimal.
const FEW: usize = 25;
/// Recodings of one margin among the candidates.
const CUTS_OF_A_MARGIN: usize = 6;
/// Attacks of the exact search; then the stepwise one takes over.
const MOST_ROUNDS: usize = 2_000;

/// A recoded margin that may be published.
pub(crate) struct Candidate {
    /// Position of the requested margin.
    pub(crate) requested: usize,
    pub(crate) margin: RecodedMargin,
    pub(crate) counts: Vec<u64>,
    utility: f64,
}

/// Which candidates to publish.
pub(crate) struct Selection {
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) kept: Vec<usize>,
    pub(crate) is_optimal: bool,
}

pub(crate) fn select(problem: &ReleaseProblem, table: &ContingencyTable) -> Result<Selection, Error> {
    let mut candidates = Vec::new();
    for (place, requested) in problem.requested.iter().enumerate() {
        for margin in thinned(options(problem, requested)?, CUTS_OF_A_MARGIN) {
            let counts = margin.counts(problem.background.domain(), table)?;
            let utility = utility(requested.weight, margin.cells());
            candidates.push(Candidate { requested: place, margin, counts, utility });
        }
    }
    let tables = vec![SparseTable::from_dense(&truth(table))];
    let mut search = MarginSelection {
        problem,
        candidates,
        clauses: Vec::new(),
        tables,
        last: Subject::Class(Class::new(AttrSet::EMPTY, [])),
    };
    search.clauses = search.own_clauses();
    let exact = if search.candidates.len() <= FEW { search.exact()? } else { None };
    let (kept, is_optimal) = match exact {
        Some(found) => found,
        None => (search.stepwise()?, false),
    };
    if !search.is_safe(&kept)? {
        return Err(unprotectable(problem, &search.last));
    }
    Ok(Selection { candidates: search.candidates, kept, is_optimal })
}

/// Why nothing protects a class: a group within `tau` is narrow before anything is published.
pub(crate) fn unprotectable(problem: &ReleaseProblem, subject: &Subject) -> Error {
    let class = match subject {
        Subject::Class(class) => class,
        Subject::Difference(number) => return Error::UnprotectableNumber { number: number.clone() },
    };
    let response_axis = problem.background.response_axis();
    let fixed = class.axes.iter().zip(class.levels.iter().copied()).filter(|&(axis, _)| Some(axis) != response_axis);
    let (axes, levels): (Vec<usize>, Vec<usize>) = fixed.unzip();
    let set: AttrSet = axes.iter().copied().collect();
    let people = problem.background.people(set);
    let people = people.map(|people| people[problem.background.grid.class_index(set, &levels)]);
    if people.is_some_and(|people| people.unsigned_abs() <= problem.rule.min_interval_width()) {
        return Error::GroupWithinIntervalWidth { axes, levels };
    }
    Error::Unprotectable { axes: class.axes.iter().collect(), levels: class.levels.clone() }
}

struct MarginSelection<'a> {
    problem: &'a ReleaseProblem,
    candidates: Vec<Candidate>,
    clauses: Vec<Clause>,
    tables: Vec<SparseTable>,
    /// What the last violation was about.
    last: Subject,
}

impl MarginSelection<'_> {
    /// Clauses that need no attack: candidates with a primary cell, and two recodings of one
    /// margin.
    fn own_clauses(&self) -> Vec<Clause> {
        let mut clauses = Vec::new();
        for (place, candidate) in self.candidates.iter().enumerate() {
            let primary_reasons = attack::primary_reasons(self.problem, &candidate.margin, &candidate.counts);
            if primary_reasons.iter().any(Option::is_some) {
                clauses.push(Clause { drop: vec![place], keep: Vec::new() });
            }
            clauses.extend(
                (0..place)
                    .filter(|other: &usize| self.candidates[*other].requested == candidate.requested)
                    .map(|other| Clause { drop: vec![other, place], keep: Vec::new() }),
            );
        }
        clauses
    }

    fn exact(&mut self) -> Result<Option<(Vec<usize>, bool)>, Error> {
        let weights: Vec<f64> = self.candidates.iter().map(|candidate| candidate.utility).collect();
        for _ in 0..MOST_ROUNDS {
            let Some(choice) = lightest(&weights, &self.clauses, self.problem.limits.nodes, &self.problem.limits.stop)
            else {
                return Ok(None);
            };
            let kept: Vec<usize> = (0..weights.len()).filter(|&place| !choice.dropped[place]).collect();
            if self.is_safe(&kept)? {
                return Ok(Some((kept, choice.is_lightest)));
            }
        }
        Ok(None)
    }

    fn stepwise(&mut self) -> Result<Vec<usize>, Error> {
        let mut kept = self.filled(Vec::new(), None)?;
        let total =
            |kept: &[usize], candidates: &[Candidate]| -> f64 { kept.iter().map(|&k| candidates[k].utility).sum() };
        'again: loop {
            for place in 0..kept.len() {
                let mut fewer = kept.clone();
                let without = fewer.remove(place);
                let other = self.filled(fewer, Some(without))?;
                if total(&other, &self.candidates) > total(&kept, &self.candidates) * (1.0 + 1e-12) {
                    kept = other;
                    continue 'again;
                }
            }
            kept.sort_unstable();
            return Ok(kept);
        }
    }

    /// Adds candidates, those of the largest utility first, as long as nothing is disclosed.
    fn filled(&mut self, mut kept: Vec<usize>, without: Option<usize>) -> Result<Vec<usize>, Error> {
        let mut order: Vec<usize> = (0..self.candidates.len()).filter(|place| Some(*place) != without).collect();
        order.sort_by(|&a, &b| self.candidates[b].utility.total_cmp(&self.candidates[a].utility));
        for place in order {
            if kept.contains(&place) {
                continue;
            }
            kept.push(place);
            if !self.is_safe(&kept)? {
                kept.pop();
            }
        }
        Ok(kept)
    }

    /// Whether the attacker finds nothing; what it finds becomes clauses.
    fn is_safe(&mut self, kept: &[usize]) -> Result<bool, Error> {
        self.problem.limits.check_stop()?;
        // A selection that breaks a clause is disclosed for a reason that is known: no attack is
        // needed.
        let dropped: Vec<bool> = (0..self.candidates.len()).map(|place| !kept.contains(&place)).collect();
        if !self.clauses.iter().all(|clause| clause.holds(&dropped)) {
            return Ok(false);
        }
        let disclosed: Vec<DisclosedMargin<'_>> =
            kept.iter().map(|&place| self.candidates[place].disclosed()).collect();
        let attacked = attack::attack(self.problem, &disclosed, &self.tables, AuditDetail::Status)?;
        self.tables.extend(attacked.tables);
        self.tables.sort_by(|a, b| a.counts().cmp(b.counts()));
        self.tables.dedup();
        for violation in &attacked.violations {
            let clause = self.clause(kept, &attacked.rows, violation);
            self.last = violation.subject.clone();
            if clause.drop.is_empty() && clause.keep.is_empty() {
                return Err(unprotectable(self.problem, &violation.subject));
            }
            if !self.clauses.contains(&clause) {
                self.clauses.push(clause);
            }
        }
        Ok(attacked.violations.is_empty())
    }

    fn clause(&self, kept: &[usize], rows: &[std::ops::Range<usize>], violation: &Violation) -> Clause {
        let others = (0..self.candidates.len()).filter(|place| !kept.contains(place));
        let Some(proof) = &violation.rows else {
            return Clause { drop: kept.to_vec(), keep: others.collect() };
        };
        // Publishing more only shrinks the fiber, so every selection that keeps the margins whose
        // rows the proof names discloses the class as well: one of them must go, or, where the
        // class is narrow, be published itself.
        let names = |range: &std::ops::Range<usize>| proof.range(range.clone()).next().is_some();
        let drop = kept.iter().zip(rows).filter(|(_, range)| names(range)).map(|(&place, _)| place).collect();
        let keep = match &violation.subject {
            Subject::Class(class) if violation.is_narrow => others
                .filter(|place: &usize| class.axes.is_subset_of(self.candidates[*place].margin.axis_set()))
                .collect(),
            _ => Vec::new(),
        };
        Clause { drop, keep }
    }
}

impl Candidate {
    pub(crate) fn disclosed(&self) -> DisclosedMargin<'_> {
        DisclosedMargin { margin: &self.margin, counts: &self.counts, is_published: &|_| true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DisclosureRule, DisclosureTarget, Knowledge, Limits, Scope};
    use privacy_core::Domain;
    use proptest::prelude::*;

    fn problem(people: Vec<u64>, min_interval_width: u64, min_frequency: u64) -> ReleaseProblem {
        let domain = Domain::of_cardinalities(&[2, 2, 2]).unwrap();
        let people = ContingencyTable::from_cells(&domain, domain.all(), people).unwrap();
        let background = Knowledge::with_population(domain, &people).unwrap();
        let rule = DisclosureRule::new(min_interval_width, 0.1, min_frequency, Scope::All).unwrap();
        let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
        let request_margin = |problem: ReleaseProblem, axes: &[usize]| {
            problem.request_margin(axes.iter().copied().collect(), 1.0).unwrap()
        };
        [&[0, 1][..], &[1, 2], &[2]].into_iter().fold(problem, request_margin)
    }

    fn table(counts: &[u64]) -> ContingencyTable {
        let domain = Domain::of_cardinalities(&[2, 2, 2]).unwrap();
        ContingencyTable::from_cells(&domain, AttrSet::first(3), counts.to_vec()).unwrap()
    }

    /// The most that any selection keeps without a violation, by attacking every one.
    fn brute_force(problem: &ReleaseProblem, candidates: &[Candidate]) -> f64 {
        let is_allowed = |kept: &[usize]| {
            let margins: std::collections::BTreeSet<usize> =
                kept.iter().map(|&place| candidates[place].requested).collect();
            let disclosed: Vec<DisclosedMargin<'_>> = kept.iter().map(|&place| candidates[place].disclosed()).collect();
            margins.len() == kept.len()
                && kept.iter().all(|&place: &usize| {
                    let primary_reasons =
                        attack::primary_reasons(problem, &candidates[place].margin, &candidates[place].counts);
                    primary_reasons.iter().all(Option::is_none)
                })
                && attack::attack(problem, &disclosed, &[], AuditDetail::Sharp).unwrap().violations.is_empty()
        };
        let mut selections: Vec<(f64, Vec<usize>)> = (0_u32..1 << candidates.len())
            .map(|mask| -> Vec<usize> { (0..candidates.len()).filter(|&place| mask >> place & 1 == 1).collect() })
            .map(|kept| (kept.iter().map(|&place| candidates[place].utility).sum(), kept))
            .collect();
        // The first one that is allowed is the best: most are worse, and are not attacked.
        selections.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        selections.iter().find(|(_, kept)| is_allowed(kept)).map_or(f64::NEG_INFINITY, |&(utility, _)| utility)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_selection_of_candidates_keeps_more(
            cells in proptest::collection::vec((1_u64..40, 0.0_f64..1.0), 8), min_interval_width in 0_u64..3, min_frequency in 1_u64..25,
        ) {
            let people: Vec<u64> = cells.iter().map(|&(people, _)| people).collect();
            let counts: Vec<u64> = cells.iter().map(|&(people, rate)| (people as f64 * rate).round() as u64).collect();
            let (problem, table) = (problem(people, min_interval_width, min_frequency), table(&counts));
            let Ok(selection) = select(&problem, &table) else { return Ok(()) };
            prop_assert!(selection.is_optimal);
            let kept: f64 = selection.kept.iter().map(|&place| selection.candidates[place].utility).sum();
            let best = brute_force(&problem, &selection.candidates);
            prop_assert!((kept - best).abs() < 1e-9, "{kept} of {best}");
        }

        #[test]
        fn the_stepwise_search_is_safe_and_never_above_the_optimum(
            cells in proptest::collection::vec((1_u64..40, 0.0_f64..1.0), 8), min_frequency in 1_u64..25,
        ) {
            let people: Vec<u64> = cells.iter().map(|&(people, _)| people).collect();
            let counts: Vec<u64> = cells.iter().map(|&(people, rate)| (people as f64 * rate).round() as u64).collect();
            let (problem, table) = (problem(people, 0, min_frequency), table(&counts));
            let Ok(best) = select(&problem, &table) else { return Ok(()) };
            let tables = vec![SparseTable::from_dense(&truth(&table))];
            let mut search = MarginSelection { problem: &problem, candidates: best.candidates, clauses: Vec::new(), tables, last: Subject::Class(Class::new(AttrSet::EMPTY, [])) };
            search.clauses = search.own_clauses();
            let kept = search.stepwise().unwrap();
            let utility = |kept: &[usize]| -> f64 { kept.iter().map(|&place| search.candidates[place].utility).sum() };
            prop_assert!(utility(&kept) <= utility(&best.kept) + 1e-9);
            let disclosed: Vec<DisclosedMargin<'_>> = kept.iter().map(|&place| search.candidates[place].disclosed()).collect();
            prop_assert!(attack::attack(&problem, &disclosed, &[], AuditDetail::Sharp).unwrap().violations.is_empty());
        }
    }
}
