//! `disclosure frechet audit`: which classes are disclosed, why, and to whom.

use std::path::Path;

use disclosure::frechet::{
    Class, Closeness, DisclosureMode, DisclosureStatus, DisclosureTarget, Finding, MaxEntropy, PrimaryReason, Solver,
    Unanimity, audit,
};
use serde::Serialize;

use super::args::AuditArgs;
use super::attackers::Weaker;
use super::certificates;
use super::jj;
use super::job::Job;
use super::problem::Attacker;
use super::reasons::why;
use super::report::{Found, Labels, PolicyReport, Promise, attacker_name, class_of};
use super::sampled::{Sampled, Sampling, sample};
use super::show::show_audit;
use super::slack;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

/// When the maximum-entropy attacker is content, relative to the numbers, and how often they go over them.
const FIT: (f64, u32) = (1e-9, 10_000);

/// The classes in scope, with what is proved about each.
#[derive(Debug, Serialize)]
pub(super) struct AuditReport<'a> {
    pub(super) schema: &'static str,
    pub(super) title: &'a str,
    pub(super) promise: Promise,
    pub(super) policy: PolicyReport,
    pub(super) target_met: bool,
    /// People whose vote is known for sure. Null without the composition, or when full profiles are not looked at.
    pub(super) exposed_people: Option<i64>,
    pub(super) certified: usize,
    pub(super) ambiguous: usize,
    pub(super) disclosed: usize,
    pub(super) unknown: usize,
    pub(super) empty: usize,
    /// Published numbers that are none to publish by themselves.
    pub(super) unfit: Vec<UnfitReport>,
    pub(super) expectations: Expectations,
    /// How tables were drawn, if that was asked for.
    pub(super) sampling: Option<Sampling>,
    pub(super) classes: Vec<ClassReport<'a>>,
}

/// A published number, and what is wrong with it.
#[derive(Debug, Serialize)]
pub(super) struct UnfitReport {
    pub(super) name: String,
    pub(super) why: PrimaryReason,
}

/// Where `expected` comes from.
#[derive(Debug, Serialize)]
pub(super) struct Expectations {
    pub(super) kind: &'static str,
    pub(super) prior: &'static str,
    pub(super) residual: f64,
    pub(super) sweeps: u32,
}

#[derive(Debug, Serialize)]
pub(super) struct ClassReport<'a> {
    pub(super) class: Labels<'a>,
    #[serde(flatten)]
    pub(super) found: Found,
    pub(super) mode: Option<DisclosureMode>,
    pub(super) unanimity: Option<Unanimity>,
    pub(super) closeness: Option<Closeness>,
    /// What the maximum-entropy attacker expects: a count, and a rate where there are rates.
    pub(super) expected: f64,
    pub(super) expected_rate: Option<f64>,
    /// Where the draws lie, if any were asked for.
    pub(super) sampled: Option<Sampled>,
    /// The largest probability that some prior gives to the vote of a member.
    pub(super) worst_case: Option<f64>,
    pub(super) why: String,
    /// The weakest attacker to whom it is disclosed, if it is.
    #[serde(serialize_with = "to_whom")]
    pub(super) to: Option<Attacker>,
}

fn to_whom<S: serde::Serializer>(to: &Option<Attacker>, serializer: S) -> Result<S::Ok, S::Error> {
    to.map(attacker_name).serialize(serializer)
}

/// Judges every class in scope; a missed target is a failure, after everything was said.
pub(super) fn run(args: &AuditArgs) -> Result<(), Failure> {
    match (&args.jj, &args.spec) {
        (Some(pattern), _) => jj::run(args, pattern),
        (None, Some(spec)) => run_job(args, spec),
        (None, None) => Err(Failure::new("E0200", "give a spec, or a suppression pattern with --jj")),
    }
}

fn run_job(args: &AuditArgs, spec: &Path) -> Result<(), Failure> {
    let (job, file) = (Job::read(spec)?, args.certificates.as_deref());
    let within = |failure: Failure| failure.within(spec);
    let report = progress::during("auditing", || report(&job, file, args.draws))
        .map_err(|failure| within(slack::meter(failure, &job, args.json, args.slack, job.policy.scope())))?;
    match args.json {
        true => print_json(&report)?,
        false => print(show_audit(&report).as_bytes())?,
    }
    if let Some(file) = file {
        certificates::say_written(file);
    }
    if report.target_met { Ok(()) } else { Err(within(missed(job.target))) }
}

pub(super) fn report<'a>(
    job: &'a Job,
    certificates: Option<&Path>,
    draws: Option<u64>,
) -> Result<AuditReport<'a>, Failure> {
    job.check_classes(job.policy.scope())?;
    let mut solver = job.solver()?;
    let found = audit(&mut solver, &job.policy)?;
    let classes: Vec<Class> = found.findings.iter().map(|finding| class_of(finding, job.problem.candidates)).collect();
    if let Some(file) = certificates {
        certificates::write(file, &mut solver, &classes)?;
    }
    let drawn = draws.map(|draws| sample(&mut solver, &classes, &found.findings, draws)).transpose()?;
    let (sampling, sampled) = drawn.map_or((None, None), |(sampling, sampled)| (Some(sampling), Some(sampled)));
    let expected = MaxEntropy::fit(solver.knowledge(), FIT.0, FIT.1);
    let mut weaker = Weaker::new(job);
    let classes = found.findings.iter().enumerate().map(|(place, finding)| {
        let sampled = sampled.as_ref().map(|sampled| sampled[place]);
        Ok(ClassReport { sampled, ..class_report(job, finding, &expected, &mut weaker)? })
    });
    Ok(AuditReport {
        schema: "disclosure.frechet-audit/1",
        title: &job.title,
        promise: Promise::of(job),
        policy: PolicyReport::of(job),
        target_met: found.meets(job.target),
        exposed_people: found.exposed_people,
        certified: found.count(DisclosureStatus::Certified),
        ambiguous: found.count(DisclosureStatus::Ambiguous),
        disclosed: found.count(DisclosureStatus::Disclosed),
        unknown: found.count(DisclosureStatus::Unknown),
        empty: found.empty_classes,
        unfit: found.primary_cells.iter().cloned().map(|(name, why)| UnfitReport { name, why }).collect(),
        expectations: Expectations {
            kind: "proxy",
            prior: "maximum entropy: people are alike beyond what is published",
            residual: expected.residual(),
            sweeps: expected.sweeps(),
        },
        sampling,
        classes: classes.collect::<Result<_, Failure>>()?,
    })
}

fn class_report<'a>(
    job: &'a Job,
    finding: &Finding,
    expected: &MaxEntropy,
    weaker: &mut Weaker<'_>,
) -> Result<ClassReport<'a>, Failure> {
    let class = class_of(finding, job.problem.candidates);
    // A fit that has not settled may be beyond what is proved, and this attacker knows what is proved.
    let mean = expected.mean(&class)?.clamp(finding.lower as f64, finding.upper as f64);
    let is_disclosed = finding.status == DisclosureStatus::Disclosed;
    Ok(ClassReport {
        class: Labels::of(&job.problem.domain, &class),
        found: Found::of(finding),
        mode: finding.mode,
        unanimity: finding.unanimity,
        closeness: finding.closeness,
        expected: mean,
        expected_rate: finding.people.map(|people| mean / people as f64),
        sampled: None,
        worst_case: finding.worst_case(),
        why: why(finding, &job.policy),
        to: is_disclosed.then(|| weaker.weakest(&class, finding)).transpose()?,
    })
}

/// The refusal of a release that misses its target.
pub(super) fn missed(target: DisclosureTarget) -> Failure {
    let words = match target {
        DisclosureTarget::Certified => {
            "not every class is certified, or a published number is of too few people or nearly unanimous"
        }
        DisclosureTarget::Undisclosed => {
            "a class is disclosed or not decided, or a published number is of too few people or nearly unanimous"
        }
    };
    let next = "disclosure frechet audit says which groups, why, and to whom; disclosure frechet plan what may go out";
    Failure::new("E0411", format!("the target is missed: {words}")).next(next)
}

impl Job {
    /// A solver with all that is said to be known. Facts that are not true of the data are refused.
    pub(super) fn solver(&self) -> Result<Solver, Failure> {
        let attackers = self.problem.attackers(&self.told);
        let strongest = *attackers.last().expect("somebody reads the release");
        let solver = Solver::new(self.problem.knowledge(&self.told, strongest)?, self.limits)?;
        if let Some(table) = &self.problem.table {
            let counts = table.cells().iter().map(|&count| i64::try_from(count).expect("a total is at most 2^53"));
            solver.knowledge().system().check(&counts.collect::<Vec<_>>())?;
        }
        Ok(solver)
    }
}
