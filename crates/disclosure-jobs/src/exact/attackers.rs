//! To whom a class is disclosed: the weakest attacker who can tell.

use disclosure::frechet::{Class, CountRange, Error, Finding, Solver};

use crate::error::JobError;
use crate::exact::job::LoadedJob;
use crate::exact::problem::Attacker;

/// Attackers who know less than everything that is disclosed or assumed, each with a solver once
/// it was needed.
pub(super) struct WeakerAttackers<'a> {
    job: &'a LoadedJob,
    attackers: Vec<(Attacker, Option<Option<Solver>>)>,
}

impl<'a> WeakerAttackers<'a> {
    pub(super) fn new(job: &'a LoadedJob) -> Self {
        let mut attackers = job.problem.attackers(&job.disclosed);
        attackers.pop();
        Self { job, attackers: attackers.into_iter().map(|attacker| (attacker, None)).collect() }
    }

    /// The interval of a class for an attacker who knows the published numbers alone; `None`
    /// where nothing bounds it, and where everybody knows the published numbers alone.
    pub(super) fn by_release_alone(&mut self, class: &Class) -> Result<Option<CountRange>, JobError> {
        match self.attackers.first_mut() {
            Some((attacker, solver)) => interval(self.job, *attacker, solver, class),
            None => Ok(None),
        }
    }

    /// The weakest attacker to whom a disclosed class is disclosed.
    pub(super) fn weakest(&mut self, class: &Class, finding: &Finding) -> Result<Attacker, JobError> {
        for (attacker, solver) in &mut self.attackers {
            let Some(interval) = interval(self.job, *attacker, solver, class)? else { continue };
            if discloses(self.job, *attacker, finding, &interval) {
                return Ok(*attacker);
            }
        }
        Ok(strongest(self.job))
    }
}

/// The attacker who knows everything that is disclosed or assumed.
pub(super) fn strongest(job: &LoadedJob) -> Attacker {
    let attackers = job.problem.attackers(&job.disclosed);
    *attackers.last().expect("somebody reads the release")
}

/// What an attacker can tell of a class; `None` where nothing bounds it or a limit is reached.
fn interval(
    job: &LoadedJob,
    attacker: Attacker,
    solver: &mut Option<Option<Solver>>,
    class: &Class,
) -> Result<Option<CountRange>, JobError> {
    let solver = match solver {
        Some(solver) => solver,
        None => {
            let knowledge = job.problem.knowledge(&job.disclosed, attacker);
            solver.insert(conclusive(knowledge.and_then(|known| Solver::new(known, job.limits.clone())))?)
        }
    };
    let Some(solver) = solver else { return Ok(None) };
    let ranges = conclusive(solver.ranges(std::slice::from_ref(class)))?;
    Ok(ranges.and_then(|ranges| ranges.first().copied()))
}

/// Weaker attackers are reported where they have an answer.
fn conclusive<T>(answer: Result<T, Error>) -> Result<Option<T>, JobError> {
    match answer {
        Err(error) if error.is_inconclusive() => Ok(None),
        answer => Ok(Some(answer?)),
    }
}

/// The rule for `disclosed` of an audit, with what this attacker knows.
fn discloses(job: &LoadedJob, attacker: Attacker, finding: &Finding, interval: &CountRange) -> bool {
    let people = finding.people.filter(|_| attacker >= Attacker::Composition);
    job.rule.discloses((interval.lower, interval.upper), people, finding.is_published)
}
