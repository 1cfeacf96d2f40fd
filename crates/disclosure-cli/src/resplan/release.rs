//! `disclosure resplan release`: the noise is drawn once, the budget is spent first, the outputs appear together.

use std::io;

use disclosure::resplan::{ExactNoise, Measured, NonnegativeSpec, Plan};
use privacy_data::OutputDir;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::job::Job;
use super::names::AnswerNames;
use super::outputs::{FileRecord, ReleaseRecord, write_file, write_marginal};
use super::report::PlanReport;
use super::show::{show_one_way, show_plan};
use super::spec::{NoiseKind, continuous};
use super::table::{Answers, Status};
use crate::args::ReleaseArgs;
use crate::error::Failure;
use crate::files::{file_name, json_of, named, print, print_json, say};
use crate::ledger::{Ledger, Promise};
use crate::progress;

/// A release in the making: what it says of itself, besides its numbers.
pub(super) struct Release {
    pub(super) job: Job,
    pub(super) names: AnswerNames,
    pub(super) report: PlanReport,
}

pub(super) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    let (job, plan) = Job::read(&args.spec, &args.limits)?;
    if job.terms.noise == NoiseKind::Continuous {
        return Err(continuous().within(&args.spec));
    }
    plan.check_domain(job.columns.schema.domain()).map_err(|error| Failure::from(error).within(&args.spec))?;
    let release = Release::of(job, &plan)?;
    let promise = Promise { neighbours: plan.neighbours(), rows_per_person: plan.rows_per_person() };
    let rho = release.report.rho;
    // Everything that can be wrong with the ledger, the directory or the data is found before anything is spent.
    if let Some(ledger) = &args.ledger {
        Ledger::check_writable(ledger)?;
        Ledger::read(ledger)?.check(rho, promise)?;
    }
    let directory = OutputDir::create(named(&args.output)?)?;
    let rows = progress::during("reading", || release.job.rows(&args.data))?;
    plan.check_total(rows.total()).map_err(|error| Failure::from(error).within(&args.data))?;
    if args.dry_run {
        drop(directory);
        return release.show_dry_run(args);
    }
    let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let spec_sha256 = &release.job.spec_sha256;
    let ledger_hash =
        args.ledger.as_ref().map(|ledger| Ledger::spend_now(ledger, rho, spec_sha256, promise)).transpose()?;
    let written = progress::during("measuring and writing", || {
        let measured = plan.measure(&rows, &mut rng)?;
        let record = release.write_all(directory, &measured, ledger_hash)?;
        Ok((measured, record))
    });
    let paid = |failure: Failure| match &args.ledger {
        Some(ledger) => failure.after_spending(rho, ledger),
        None => failure,
    };
    let (measured, record) = written.map_err(paid)?;
    release.show(args, &measured, &record).map_err(|failure| {
        failure.next(format!("nothing: the release is complete in {}, and paid for", args.output.display()))
    })
}

impl Release {
    pub(super) fn of(job: Job, plan: &Plan) -> Result<Self, Failure> {
        let (names, report) = (job.answer_names(plan)?, PlanReport::of(&job, plan));
        Ok(Self { job, names, report })
    }

    /// Writes every file and makes the directory appear.
    fn write_all(
        &self,
        mut directory: OutputDir,
        measured: &Measured<ExactNoise>,
        ledger_hash: Option<String>,
    ) -> Result<ReleaseRecord, Failure> {
        let record = self.write(&mut directory, measured, ledger_hash)?;
        directory.write("release.json", &json_of(&record))?;
        directory.commit()?;
        Ok(record)
    }

    /// Writes every file but the record of it all.
    pub(super) fn write(
        &self,
        directory: &mut OutputDir,
        measured: &Measured<ExactNoise>,
        ledger_hash: Option<String>,
    ) -> Result<ReleaseRecord, Failure> {
        let (plan, report) = (measured.plan(), &self.report);
        let mut files = Vec::with_capacity(report.marginals.len() + 2);
        for (number, (marginal, planned)) in plan.marginals().zip(&report.marginals).enumerate() {
            let name = file_name(number, report.marginals.len(), &planned.attributes);
            // One marginal at a time: together they may be far larger than the residuals they are made from.
            let answer = measured.marginal(marginal.attributes)?;
            let answers = Answers::new(plan, &self.names, answer, Status::Noised)?;
            files.push(write_marginal(directory, plan.domain(), &answers, name)?);
        }
        files.push(write_file(directory, "plan.json".to_owned(), |out| out.write_all(&json_of(report)))?);
        files.push(write_file(directory, "measurement.bin".to_owned(), |mut out| {
            measured.write_to(&mut out).map_err(io::Error::other)
        })?);
        files.extend(self.write_after(directory, measured)?);
        Ok(ReleaseRecord::of(report, &self.job, ledger_hash, files))
    }

    /// What is made of the measurement besides. The unbiased tables are paid for: they do not wait for these.
    fn write_after(
        &self,
        directory: &mut OutputDir,
        measured: &Measured<ExactNoise>,
    ) -> Result<Vec<FileRecord>, Failure> {
        if self.job.after.is_empty() {
            return Ok(Vec::new());
        }
        let adjusted = match measured.nonnegative(NonnegativeSpec::default()) {
            Ok(adjusted) => adjusted,
            Err(error) => {
                say(&format!("The tables after the noise were left out: {error}"));
                return Ok(Vec::new());
            }
        };
        let files = self.job.after.iter().map(|after| after.write(directory, &self.names, &adjusted));
        Ok(files.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
    }

    fn show(&self, args: &ReleaseArgs, measured: &Measured<ExactNoise>, record: &ReleaseRecord) -> Result<(), Failure> {
        if args.quiet {
            return Ok(());
        }
        if args.json {
            return print_json(record);
        }
        let marginal = |set| Ok(measured.marginal(set)?);
        let values = show_one_way(measured.plan(), &self.names, Status::Noised, marginal)?;
        print((show_plan(&self.report, Some(&record.files)) + &values).as_bytes())?;
        say(&format!(
            "\nWrote {} files to {}. release.json says what was promised, at what cost, with the digest of every file.\n\
             measurement.bin answers any marginal within these later: disclosure resplan answer {1}/measurement.bin",
            record.files.len() + 1,
            args.output.display()
        ));
        if args.ledger.is_none() {
            say("Another release from the same data adds to the cost: count them with --ledger FILE.");
        }
        Ok(())
    }

    fn show_dry_run(&self, args: &ReleaseArgs) -> Result<(), Failure> {
        if args.quiet {
            return Ok(());
        }
        if args.json {
            return print_json(&self.report);
        }
        print(show_plan(&self.report, None).as_bytes())?;
        say("\nDry run: the data was read and checked, no noise was drawn, nothing was written or spent.");
        Ok(())
    }
}
