//! The audit: which classes are disclosed, why, and to whom.

use disclosure::frechet::certificate::Certificates;
use disclosure::frechet::{
    AuditDetail, Class, Closeness, Connectivity, DisclosureMode, DisclosureStatus, DisclosureTarget, EntropyOptions,
    Error, FiberSample, Finding, MaxEntropy, PrimaryReason, SampledCount, Solver, Unanimity, audit_in_detail,
    audited_intervals,
};
use disclosure::privacy_core::promise::{Promise, PromiseKind};
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::algorithm_aware::AlgorithmAwareDocument;
use crate::exact::attackers::{WeakerAttackers, strongest};
use crate::exact::certificates::certify;
use crate::exact::documents::{ClassBounds, ClassLabels, RuleDocument, class_of};
use crate::exact::job::LoadedJob;
use crate::exact::problem::Attacker;
use crate::exact::promises;
use crate::exact::reasons::why;
use crate::exact::schemas::AuditSchema;
use crate::observer::{Observer, during};

/// How many times as many tables an audit looks at as a plan.
const AUDIT_EFFORT: u64 = 10;
/// Relative tolerance and maximum number of sweeps of the maximum-entropy fit.
const FIT: (f64, u32) = (1e-9, 10_000);

/// What an audit does besides judging the classes.
#[derive(Clone, Copy, Debug, Default)]
pub struct AuditOptions {
    /// Also draws this many tables that satisfy what is known, and says where the count of each
    /// class lies.
    pub draws: Option<u64>,
    /// Also proves the bounds of every class.
    pub certificates: bool,
    /// Also plans the release, and says what a reader who knows this program learns from it.
    pub algorithm_aware: bool,
}

/// The classes in scope, with what is proved about each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AuditDocument {
    /// `disclosure.frechet-audit/1`.
    pub schema: AuditSchema,
    /// The title of the job.
    pub title: String,
    /// What the bounds promise.
    pub promise: Promise,
    /// When a class counts as disclosed.
    pub policy: RuleDocument,
    /// Whether the target is met.
    pub target_met: bool,
    /// People whose response is known for sure. Null without the population, or when full
    /// profiles are not looked at.
    pub exposed_people: Option<i64>,
    /// Number of certified classes.
    pub certified: usize,
    /// Number of ambiguous classes.
    pub ambiguous: usize,
    /// Number of disclosed classes.
    pub disclosed: usize,
    /// Number of classes for which a limit was reached.
    pub unknown: usize,
    /// Whether the seconds that the job allows were over: classes that were not decided by then are
    /// unknown.
    #[serde(default)]
    pub out_of_time: bool,
    /// Number of classes without people.
    pub empty: usize,
    /// Published numbers that violate the rule by themselves.
    pub unfit: Vec<PrimaryCellDocument>,
    /// Where `expected` of the classes comes from.
    pub expectations: Expectations,
    /// How tables were drawn, if draws were asked for.
    pub sampling: Option<Sampling>,
    /// What a reader who knows this program learns from the release that it plans; only if asked
    /// for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm_aware: Option<AlgorithmAwareDocument>,
    /// Where bounds of some class are not attained: how far they were looked for where the status
    /// of the class does not depend on them. All are proved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<AuditDetail>,
    /// The classes.
    pub classes: Vec<ClassDocument>,
}

/// A published number that violates the rule by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrimaryCellDocument {
    /// Its name.
    pub name: String,
    /// What is wrong with it.
    pub why: PrimaryReason,
}

/// Where the expected counts come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Expectations {
    /// A proxy.
    pub kind: PromiseKind,
    /// The attacker's prior, in words.
    pub prior: String,
    /// The largest relative error of the fit.
    pub residual: f64,
    /// Sweeps of the fit.
    pub sweeps: u32,
}

/// How tables were drawn from those that satisfy what is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// A proxy.
    pub kind: PromiseKind,
    /// The attacker's prior, in words.
    pub prior: String,
    /// The number of draws.
    pub draws: u64,
    /// Steps between two draws.
    pub thin: u64,
    /// Whether the walks are known to reach every table.
    pub connectivity: Connectivity,
    /// Whether two walks from far apart agree about every class: another question than whether
    /// they reach everything.
    pub settled: bool,
}

/// The count of a class over the draws.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampled {
    /// The mean.
    pub mean: f64,
    /// At most 5 % of the draws are below.
    pub p05: i64,
    /// At most 5 % of the draws are above.
    pub p95: i64,
    /// Whether the two walks agree about this class, and no class that is free to move stands
    /// still.
    pub settled: bool,
}

/// A class, and what is proved about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassDocument {
    /// The labels of the class.
    pub class: ClassLabels,
    /// What is proved.
    #[serde(flatten)]
    pub found: ClassBounds,
    /// How it is disclosed, if it is.
    pub mode: Option<DisclosureMode>,
    /// The side on which nearly everybody is.
    pub unanimity: Option<Unanimity>,
    /// How far the rate may be from that of everybody.
    pub closeness: Option<Closeness>,
    /// The count that an attacker with the maximum-entropy prior expects.
    pub expected: f64,
    /// The same as a rate, where there are rates.
    pub expected_rate: Option<f64>,
    /// Where the draws lie, if any were asked for.
    pub sampled: Option<Sampled>,
    /// The largest probability that some prior gives to the response of a member.
    pub worst_case: Option<f64>,
    /// Why it has its verdict, in words.
    pub why: String,
    /// The weakest attacker to whom it is disclosed, if it is.
    pub to: Option<Attacker>,
}

impl LoadedJob {
    /// Judges every class in scope against everything that is published and known; with the
    /// certificates of their bounds where the options ask for them.
    ///
    /// Documents and certificates show counts of the data: they are for the owner.
    ///
    /// # Errors
    /// E0371 for numbers that contradict each other, E0372 for known numbers that are not true of
    /// the data, E0621 above a limit.
    pub fn audit(
        &self,
        options: AuditOptions,
        observer: &dyn Observer,
    ) -> Result<(AuditDocument, Option<Certificates>), JobError> {
        let (mut document, certificates) = during(observer, "auditing", || self.audit_classes(options))?;
        if options.algorithm_aware {
            document.algorithm_aware = Some(if self.is_private() {
                self.clone().plan_privately()?.document().algorithm_aware
            } else {
                self.clone().plan_with_effort(AUDIT_EFFORT, observer)?.algorithm_aware
            });
        }
        Ok((document, certificates))
    }

    fn audit_classes(&self, options: AuditOptions) -> Result<(AuditDocument, Option<Certificates>), JobError> {
        self.check_classes(self.rule.scope())?;
        let mut solver = self.solver()?;
        self.limits.stop.begin(self.classes(self.rule.scope()));
        let detail = self.detail.unwrap_or_else(|| AuditDetail::of(solver.knowledge()));
        let found = audit_in_detail(&mut solver, &self.rule, detail)?;
        let class = |finding| class_of(finding, self.problem.response);
        let classes: Vec<Class> = found.findings.iter().map(class).collect();
        let mut findings = found.findings.iter();
        let audited = |solver: &mut Solver, batch: &[Class]| {
            let own: Vec<Finding> = findings.by_ref().take(batch.len()).cloned().collect();
            audited_intervals(solver, batch, &own, &self.rule)
        };
        let certificates = options.certificates.then(|| certify(&mut solver, &classes, audited)).transpose()?;
        let sample = options.draws.map(|draws| sample(&mut solver, &classes, &found.findings, draws)).transpose()?;
        let stop = self.limits.stop.clone();
        let fit = EntropyOptions { tolerance: FIT.0, max_sweeps: FIT.1, stop };
        let expected = MaxEntropy::fit(solver.knowledge(), &fit)?;
        let mut weaker = WeakerAttackers::new(self);
        let mut documents = Vec::with_capacity(classes.len());
        for (index, (class, finding)) in classes.iter().zip(&found.findings).enumerate() {
            let sampled = sample.as_ref().map(|sample| sample.counts[index].into());
            documents.push(self.class_document(class, finding, sampled, &expected, &mut weaker)?);
        }
        let document = AuditDocument {
            schema: AuditSchema::V1,
            title: self.title.clone(),
            promise: promises::of_bounds(self),
            policy: RuleDocument::of(self),
            target_met: found.meets(self.target),
            exposed_people: found.exposed_people,
            certified: found.count(DisclosureStatus::Certified),
            ambiguous: found.count(DisclosureStatus::Ambiguous),
            disclosed: found.count(DisclosureStatus::Disclosed),
            unknown: found.count(DisclosureStatus::Unknown),
            out_of_time: self.limits.deadline.is_set(),
            empty: found.empty_classes,
            unfit: found.primary_cells.into_iter().map(|(name, why)| PrimaryCellDocument { name, why }).collect(),
            expectations: Expectations {
                kind: PromiseKind::Proxy,
                prior: "maximum entropy: independence beyond what is published".to_owned(),
                residual: expected.residual(),
                sweeps: expected.sweeps(),
            },
            sampling: sample.as_ref().map(Sampling::of),
            algorithm_aware: None,
            bounds: documents.iter().any(|class: &ClassDocument| !class.found.is_sharp).then_some(detail),
            classes: documents,
        };
        Ok((document, certificates))
    }

    fn class_document(
        &self,
        class: &Class,
        finding: &Finding,
        sampled: Option<Sampled>,
        expected: &MaxEntropy,
        weaker: &mut WeakerAttackers<'_>,
    ) -> Result<ClassDocument, JobError> {
        // A fit that has not converged may lie outside what is proved, and this attacker knows
        // what is proved.
        let mean = expected.mean(class)?.clamp(finding.lower as f64, finding.upper as f64);
        let is_disclosed = finding.status == DisclosureStatus::Disclosed;
        Ok(ClassDocument {
            class: ClassLabels::of(&self.problem.domain, class),
            found: ClassBounds::of(finding),
            mode: finding.mode,
            unanimity: finding.unanimity,
            closeness: finding.closeness,
            expected: mean,
            expected_rate: finding.people.map(|people| mean / people as f64),
            sampled,
            worst_case: finding.worst_case(),
            why: why(finding, &self.rule),
            to: is_disclosed.then(|| weaker.weakest(class, finding)).transpose()?,
        })
    }

    /// A solver with everything that is disclosed or assumed. Facts that are not true of the data
    /// are refused.
    pub(super) fn solver(&self) -> Result<Solver, JobError> {
        let knowledge = self.problem.knowledge(&self.disclosed, strongest(self))?;
        let Some(table) = &self.problem.table else { return Ok(Solver::new(knowledge, self.limits.clone())?) };
        let counts = table.cells().iter().map(|&count| i64::try_from(count).expect("a total is at most 2^53"));
        // The owner's table is the first that fits, so that there is always an answer.
        match Solver::with_table(knowledge.clone(), self.limits.clone(), &counts.collect::<Vec<_>>()) {
            // Facts that contradict each other are the clearer mistake.
            Err(error @ Error::NotInFiber { .. }) => {
                Solver::new(knowledge, self.limits.clone())?;
                Err(error.into())
            }
            made => Ok(made?),
        }
    }
}

fn sample(solver: &mut Solver, classes: &[Class], findings: &[Finding], draws: u64) -> Result<FiberSample, JobError> {
    let is_pinned: Vec<bool> = findings.iter().map(|finding| finding.is_exactly_disclosed).collect();
    Ok(FiberSample::draw(solver, classes, &is_pinned, draws)?)
}

impl Sampling {
    fn of(sample: &FiberSample) -> Self {
        Self {
            kind: PromiseKind::Proxy,
            prior: "uniform over the assignments of people consistent with the release".to_owned(),
            draws: sample.draws,
            thin: sample.thin,
            connectivity: sample.connectivity,
            settled: sample.has_converged,
        }
    }
}

impl From<SampledCount> for Sampled {
    fn from(count: SampledCount) -> Self {
        Self { mean: count.mean, p05: count.p05, p95: count.p95, settled: count.has_converged }
    }
}

/// The refusal of a release from which a reader who knows this program learns what the policy
/// forbids.
#[must_use]
pub fn algorithm_aware_lost() -> JobError {
    let words = "a reader who runs this program on every table consistent with the release learns a withheld number";
    JobError::new("E0416", words)
        .next("write decide_on = \"robust\", which withholds more until this discloses nothing further")
}

/// The refusal of a release that misses its target.
#[must_use]
pub fn target_missed(target: DisclosureTarget) -> JobError {
    let words = match target {
        DisclosureTarget::Certified => {
            "not every class is certified, or a published number is about too few people or nearly unanimous"
        }
        DisclosureTarget::Undisclosed => {
            "a class is disclosed or undecided, or a published number is about too few people or nearly unanimous"
        }
    };
    let next = "disclosure frechet audit lists the groups, why, and to whom; disclosure frechet plan shows what can be published and which settings would pass";
    JobError::new("E0411", format!("the target is missed: {words}")).next(next)
}
