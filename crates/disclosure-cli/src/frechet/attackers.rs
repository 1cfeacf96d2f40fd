//! To whom a class is disclosed: the weakest attacker who can tell.

use disclosure::frechet::{Class, CountInterval, Error, Finding, Solver};

use super::job::Job;
use super::problem::Attacker;
use crate::error::Failure;

/// Attackers who know less than all that is said, each with a solver once it was needed.
pub(super) struct Weaker<'a> {
    job: &'a Job,
    attackers: Vec<(Attacker, Option<Option<Solver>>)>,
}

impl<'a> Weaker<'a> {
    pub(super) fn new(job: &'a Job) -> Self {
        let mut attackers = job.problem.attackers(&job.told);
        attackers.pop();
        Self { job, attackers: attackers.into_iter().map(|attacker| (attacker, None)).collect() }
    }

    /// The interval of a class for whoever knows the published numbers alone; `None` when that leaves it open, or when
    /// they are all there is.
    pub(super) fn by_release_alone(&mut self, class: &Class) -> Result<Option<CountInterval>, Failure> {
        match self.attackers.first_mut() {
            Some((attacker, solver)) => interval(self.job, *attacker, solver, class),
            None => Ok(None),
        }
    }

    /// The weakest attacker to whom a disclosed class is disclosed.
    pub(super) fn weakest(&mut self, class: &Class, finding: &Finding) -> Result<Attacker, Failure> {
        for (attacker, solver) in &mut self.attackers {
            let Some(interval) = interval(self.job, *attacker, solver, class)? else { continue };
            if discloses(self.job, *attacker, finding, &interval) {
                return Ok(*attacker);
            }
        }
        let all = self.job.problem.attackers(&self.job.told);
        Ok(*all.last().expect("somebody reads the release"))
    }
}

/// What an attacker can tell of a class; `None` where nothing bounds it or a limit is reached.
fn interval(
    job: &Job,
    attacker: Attacker,
    solver: &mut Option<Option<Solver>>,
    class: &Class,
) -> Result<Option<CountInterval>, Failure> {
    let solver = match solver {
        Some(solver) => solver,
        None => {
            let made = job.problem.knowledge(&job.told, attacker).and_then(|known| Solver::new(known, job.limits));
            solver.insert(open_ended(made)?)
        }
    };
    let Some(solver) = solver else { return Ok(None) };
    open_ended(solver.interval(class))
}

/// Weaker attackers are told about where they have an answer.
fn open_ended<T>(answer: Result<T, Error>) -> Result<Option<T>, Failure> {
    match answer {
        Err(error) if error.is_inconclusive() => Ok(None),
        answer => Ok(Some(answer?)),
    }
}

/// The rule for `disclosed` of an audit, with what this attacker knows.
fn discloses(job: &Job, attacker: Attacker, finding: &Finding, interval: &CountInterval) -> bool {
    let people = finding.people.filter(|_| attacker >= Attacker::Composition);
    job.policy.discloses((interval.lower.value, interval.upper.value), people, finding.is_published)
}
