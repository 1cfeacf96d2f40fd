//! `disclosure resplan release`: the noise is drawn once, the budget is spent first, the outputs appear together.

use std::io;
use std::time::{SystemTime, UNIX_EPOCH};

use disclosure::resplan::{Measured, NonnegativeSpec, Release as Drawn};
use privacy_data::OutputDir;
use rand::rngs::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use super::job::Job;
use super::names::AnswerNames;
use super::outputs::{FileRecord, ReleaseRecord, write_file, write_marginal};
use super::report::PlanReport;
use super::show::{show_one_way, show_plan};
use super::spec::NoiseKind;
use super::table::{Answers, Status};
use crate::args::ReleaseArgs;
use crate::error::Failure;
use crate::files::{file_name, json_of, named, print, print_json, say};
use crate::ledger::{Ledger, Promise, Spend};
use crate::progress;

/// A release in the making: what it says of itself, besides its numbers.
struct Release<'a> {
    args: &'a ReleaseArgs,
    job: &'a Job,
    names: AnswerNames,
    report: PlanReport,
}

pub(super) fn run(args: &ReleaseArgs) -> Result<(), Failure> {
    let (job, plan) = Job::read(&args.spec, &args.limits)?;
    if job.terms.noise == NoiseKind::Continuous {
        let message = "a release draws exact integer noise; noise = \"continuous\" is for simulation";
        return Err(Failure::new("E0214", message).within(&args.spec));
    }
    plan.check_domain(job.columns.schema.domain()).map_err(|error| Failure::from(error).within(&args.spec))?;
    let names = job.answer_names(&plan)?;
    let release = Release { args, job: &job, names, report: PlanReport::of(&job, &plan) };
    let promise = Promise { neighbours: plan.neighbours(), rows_per_person: plan.rows_per_person() };
    let rho = release.report.rho;
    // Everything that can be wrong with the ledger, the directory or the data is found before anything is spent.
    if let Some(ledger) = &args.ledger {
        Ledger::check_writable(ledger)?;
        Ledger::read(ledger)?.check(rho, promise)?;
    }
    let directory = OutputDir::create(named(&args.output)?)?;
    let rows = progress::during("reading", || job.rows(&args.data))?;
    plan.check_total(rows.total()).map_err(|error| Failure::from(error).within(&args.data))?;
    if args.dry_run {
        drop(directory);
        return release.show_dry_run();
    }
    let mut rng = ChaCha20Rng::try_from_rng(&mut SysRng).map_err(|error| Failure::new("E0106", error.to_string()))?;
    let ledger_hash = spend(args, &job, rho, promise)?;
    let written = progress::during("measuring and writing", || {
        let measured = plan.measure(&rows, &mut rng)?;
        let record = release.write(directory, &measured, ledger_hash)?;
        Ok((measured, record))
    });
    let paid = |failure: Failure| match &args.ledger {
        Some(ledger) => failure.after_spending(rho, ledger),
        None => failure,
    };
    let (measured, record) = written.map_err(paid)?;
    release.show(&measured, &record).map_err(|failure| {
        failure.next(format!("nothing: the release is complete in {}, and paid for", args.output.display()))
    })
}

fn spend(args: &ReleaseArgs, job: &Job, rho: f64, promise: Promise) -> Result<Option<String>, Failure> {
    let Some(ledger) = &args.ledger else { return Ok(None) };
    let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_secs());
    Ok(Some(Ledger::spend(ledger, Spend { rho, spec_sha256: job.spec_sha256.clone(), time }, promise)?))
}

impl Release<'_> {
    /// Writes every file and makes the directory appear.
    fn write(
        &self,
        mut directory: OutputDir,
        measured: &Measured<Drawn>,
        ledger_hash: Option<String>,
    ) -> Result<ReleaseRecord, Failure> {
        let (plan, report) = (measured.plan(), &self.report);
        let mut files = Vec::with_capacity(report.marginals.len() + 2);
        for (number, (marginal, planned)) in plan.marginals().zip(&report.marginals).enumerate() {
            let name = file_name(number, report.marginals.len(), &planned.attributes);
            // One marginal at a time: together they may be far larger than the residuals they are made from.
            let answer = measured.marginal(marginal.attributes)?;
            let answers = Answers::new(plan, &self.names, answer, Status::Noised)?;
            files.push(write_marginal(&mut directory, plan.domain(), &answers, name)?);
        }
        files.push(write_file(&mut directory, "plan.json".to_owned(), |out| out.write_all(&json_of(report)))?);
        files.push(write_file(&mut directory, "measurement.bin".to_owned(), |mut out| {
            measured.write_to(&mut out).map_err(io::Error::other)
        })?);
        files.extend(self.write_after(&mut directory, measured)?);
        let record = ReleaseRecord::of(report, self.job, ledger_hash, files);
        directory.write("release.json", &json_of(&record))?;
        directory.commit()?;
        Ok(record)
    }

    /// What is made of the measurement besides. The unbiased tables are paid for: they do not wait for these.
    fn write_after(&self, directory: &mut OutputDir, measured: &Measured<Drawn>) -> Result<Vec<FileRecord>, Failure> {
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

    fn show(&self, measured: &Measured<Drawn>, record: &ReleaseRecord) -> Result<(), Failure> {
        if self.args.quiet {
            return Ok(());
        }
        if self.args.json {
            return print_json(record);
        }
        let marginal = |set| Ok(measured.marginal(set)?);
        let values = show_one_way(measured.plan(), &self.names, Status::Noised, marginal)?;
        print((show_plan(&self.report, Some(&record.files)) + &values).as_bytes())?;
        say(&format!(
            "\nWrote {} files to {}. release.json says what was promised, at what cost, with the digest of every file.\n\
             measurement.bin answers any marginal within these later: disclosure resplan answer {1}/measurement.bin",
            record.files.len() + 1,
            self.args.output.display()
        ));
        if self.args.ledger.is_none() {
            say("Another release from the same data adds to the cost: count them with --ledger FILE.");
        }
        Ok(())
    }

    fn show_dry_run(&self) -> Result<(), Failure> {
        if self.args.quiet {
            return Ok(());
        }
        if self.args.json {
            return print_json(&self.report);
        }
        print(show_plan(&self.report, None).as_bytes())?;
        say("\nDry run: the data was read and checked, no noise was drawn, nothing was written or spent.");
        Ok(())
    }
}
