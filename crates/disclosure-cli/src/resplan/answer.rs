//! `disclosure resplan answer`: marginals from a stored measurement, one at a time.

use std::fs::File;

use disclosure::core::AttrSet;
use disclosure::resplan::{Error, Plan, PlannedMarginal, StoredError, StoredMeasurement, StoredOrigin};
use privacy_data::OutputDir;
use serde::Serialize;

use super::asked::Asked;
use super::mbi;
use super::names::AnswerNames;
use super::outputs::{FileRecord, Intervals, write_marginal};
use super::report::{MarginalReport, Promise};
use super::show::{marginal_table, name_of, show_answers};
use super::table::{Answers, Line, Status, check_columns};
use crate::args::AnswerArgs;
use crate::display::short_up;
use crate::error::Failure;
use crate::files::{file_name, json_of, named, print, print_json, say};

/// Most answers of a marginal that are shown.
const MOST_ANSWERS: usize = 40;

/// `answers.json`, and what `--json` prints beside `-o`.
#[derive(Debug, Serialize)]
struct AnswerRecord {
    schema: &'static str,
    #[serde(flatten)]
    head: Head,
    files: Vec<FileRecord>,
}

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct AnswerReport<'a> {
    schema: &'static str,
    #[serde(flatten)]
    head: Head,
    marginals: Vec<MarginalAnswers<'a>>,
}

/// What all answers of a measurement have in common.
#[derive(Clone, Debug, Serialize)]
struct Head {
    origin: StoredOrigin,
    /// `null` for a simulation, which promises nothing.
    promise: Option<Promise>,
    rho: f64,
    intervals: Intervals,
}

#[derive(Debug, Serialize)]
struct MarginalAnswers<'a> {
    attributes: Vec<String>,
    answers: Vec<Line<'a>>,
}

pub(super) fn run(args: &AnswerArgs) -> Result<(), Failure> {
    let path = named(&args.measurement)?;
    let within = |failure: Failure| failure.within(path);
    let file = File::open(path).map_err(|source| Failure::reading(path, &source))?;
    let mut stored = StoredMeasurement::open(file, &args.limits.limits()).map_err(|e| within(e.into()))?;
    if let Some(target) = &args.export_mbi {
        return mbi::export(&mut stored, named(target)?, args.limits.limits().bytes).map_err(within);
    }
    check_columns(stored.plan().domain()).map_err(within)?;
    // The plan is needed while its file is read further.
    let plan = stored.plan().clone();
    let names = AnswerNames::of(&plan, &[]).map_err(within)?;
    let head = Head::of(stored.origin(), &plan);
    let asked = Asked::of(args, &plan, &names)?;
    let mut answers = |set: AttrSet| {
        let marginal = stored.marginal(set).map_err(|error| within(not_measured(error, &plan, set)))?;
        Answers::new(&plan, &names, marginal, status(head.origin))
    };
    match (&args.output, args.json) {
        (Some(output), json) => {
            let record = write(OutputDir::create(named(output)?)?, &plan, &head, &asked, answers)?;
            say(&format!("Wrote {} files to {}.", record.files.len() + 1, output.display()));
            if json { print_json(&record) } else { Ok(()) }
        }
        (None, true) => {
            let all = asked.iter().map(|asked| answers(asked.set)).collect::<Result<Vec<_>, _>>()?;
            let marginals = all.iter().zip(&asked).map(|(answers, asked)| MarginalAnswers {
                attributes: attributes(&plan, asked.set),
                answers: answers.lines_at(asked.place).collect(),
            });
            let marginals = marginals.collect();
            print_json(&AnswerReport { schema: "disclosure.resplan-answers/1", head: head.clone(), marginals })
        }
        (None, false) if args.marginal.is_empty() && args.query.is_empty() => print(contents(&head, &plan).as_bytes()),
        (None, false) => asked.iter().try_for_each(|asked| {
            let title = format!("\n  {}: {}\n\n", name_of(&attributes(&plan, asked.set)), head.words());
            print((title + &show_answers(&plan, &answers(asked.set)?, asked.place, MOST_ANSWERS)).as_bytes())
        }),
    }
}

fn attributes(plan: &Plan, set: AttrSet) -> Vec<String> {
    plan.domain().names(set).map(str::to_owned).collect()
}

impl Head {
    fn of(origin: StoredOrigin, plan: &Plan) -> Self {
        let released = origin == StoredOrigin::Release;
        Self {
            origin,
            promise: released.then(|| Promise::of_file(plan)),
            rho: plan.pcost() / 2.0,
            intervals: Intervals::of_noise(),
        }
    }

    fn words(&self) -> String {
        match &self.promise {
            Some(promise) => format!("released under {}; the file says so, which proves nothing", promise.statement),
            None => "simulated noise, nothing here may be published".to_owned(),
        }
    }
}

fn status(origin: StoredOrigin) -> Status {
    if origin == StoredOrigin::Release { Status::Noised } else { Status::Simulated }
}

fn not_measured(error: StoredError, plan: &Plan, set: AttrSet) -> Failure {
    match error {
        StoredError::Plan(Error::NotMeasured { .. }) => {
            let names: Vec<&str> = plan.domain().names(set).collect();
            Failure::new("E0227", format!("the marginal {names:?} is not a subset of any planned marginal"))
        }
        error => error.into(),
    }
}

/// Writes every marginal and the record of them.
fn write<'a>(
    mut directory: OutputDir,
    plan: &Plan,
    head: &Head,
    asked: &[Asked],
    mut answers: impl FnMut(AttrSet) -> Result<Answers<'a>, Failure>,
) -> Result<AnswerRecord, Failure> {
    let mut files = Vec::with_capacity(asked.len());
    for (number, &Asked { set, .. }) in asked.iter().enumerate() {
        let name = file_name(number, asked.len(), &attributes(plan, set));
        files.push(write_marginal(&mut directory, plan.domain(), &answers(set)?, name)?);
    }
    let record = AnswerRecord { schema: "disclosure.resplan-answer/1", head: head.clone(), files };
    directory.write("answers.json", &json_of(&record))?;
    directory.commit()?;
    Ok(record)
}

/// What a measurement holds.
fn contents(head: &Head, plan: &Plan) -> String {
    let marginals: Vec<MarginalReport> =
        plan.marginals().map(|marginal: PlannedMarginal| MarginalReport::of(plan, &marginal)).collect();
    format!(
        "\n  a measurement of {} tables and every table within them: {} (rho {})\n\n{}\n  ask with --marginal \"NAME,NAME\", or --query \"NAME=ANSWER,NAME=ANSWER\"\n",
        marginals.len(),
        head.words(),
        short_up(head.rho),
        marginal_table(&marginals, None)
    )
}
