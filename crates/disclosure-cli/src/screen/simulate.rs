//! `disclosure screen simulate`: data, release, solver; measured accuracy beside the prediction.

use std::path::Path;

use disclosure::screen::{Estimate, Limits, ScreenSpec, TableScreen, Targets, screen};
use label_attack::{FeatureTable, LabelSource, LabelWorld};
use serde::Serialize;

use super::args::SimulateArgs;
use super::attacks::{Attacks, Effort, attack, attack_model};
use super::columns::Data;
use super::report::{Promise, Release};
use super::show_attack::show_simulation;
use super::spec::SpecFile;
use crate::error::Failure;
use crate::files::{print, print_json, say};
use crate::progress;
use disclosure_jobs::screening::of_table;

pub(super) const MEASURED: Promise = Promise {
    kind: "measured",
    statement: "what these attackers got right on simulated releases: an attacker may do better, and nothing here says that a \
                release is safe",
    against: "solvers that know every known column of everybody and the shares of the classes; one uses released counts alone, one \
              also that withheld counts are small",
};

/// Measured beside predicted.
#[derive(Debug, Serialize)]
pub(super) struct SimulateReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) release: Release,
    /// Said of an actual table.
    pub(super) computed_from: Option<&'static str>,
    /// The prediction by state evolution: a proxy.
    pub(super) estimate: Estimate,
    /// The source's prediction: a proxy.
    pub(super) expected_accuracy: f64,
    #[serde(flatten)]
    pub(super) attacks: Attacks,
    pub(super) target_accuracy: Option<f64>,
    /// Whether the strongest attacker's mean accuracy is at most `target_accuracy`.
    pub(super) keeps_target_accuracy: Option<bool>,
}

pub(super) fn run(args: &SimulateArgs) -> Result<(), Failure> {
    let within = |failure: Failure| failure.within(&args.spec);
    let file = SpecFile::read(&args.spec)?;
    let target = file.target_accuracy().map_err(within)?.map(|target| target.get());
    let limits = args.limits.limits();
    let effort = Effort { trials: args.trials, seed: args.seed, max_entries: args.attack.max_entries };
    let (spec, predicted, attacks) = match &args.data {
        None => of_model(&file, &limits, effort).map_err(within)?,
        Some(data) => of_data(&file, args, data, &limits, effort)?,
    };
    let strongest = attacks.strongest().mean;
    let report = SimulateReport::of(file.title(&args.spec), &spec, (predicted, attacks), target, args.data.is_some());
    match args.json {
        true => print_json(&report)?,
        false => print(show_simulation(&report).as_bytes())?,
    }
    match target {
        Some(target) if strongest > target => {
            Err(Failure::new("E0415", format!("a simulated attack exceeds target_accuracy = {target}")))
        }
        _ => Ok(()),
    }
}

impl SimulateReport {
    pub(super) fn of(
        title: String,
        spec: &ScreenSpec,
        (predicted, attacks): (Predicted, Attacks),
        target: Option<f64>,
        is_of_table: bool,
    ) -> Self {
        let strongest = attacks.strongest().mean;
        Self {
            schema: "disclosure.screen-simulate/1",
            title,
            promise: MEASURED,
            release: Release::of(spec),
            computed_from: is_of_table.then_some("computed from the table: keep this where the data are"),
            estimate: predicted.estimate,
            expected_accuracy: predicted.source,
            attacks,
            target_accuracy: target,
            keeps_target_accuracy: target.map(|target| strongest <= target),
        }
    }
}

type Outcome = (ScreenSpec, Predicted, Attacks);

/// What is said before any attack.
pub(super) struct Predicted {
    pub(super) estimate: Estimate,
    /// The accuracy that the source's analysis expects.
    pub(super) source: f64,
}

fn of_model(file: &SpecFile, limits: &Limits, effort: Effort) -> Result<Outcome, Failure> {
    let spec = file.model()?;
    let model = screen(&spec, &Targets::default(), limits)?;
    let predicted = Predicted { estimate: model.estimate, source: model.proxy.expected_accuracy };
    let attacks = progress::during("attacking", || attack_model(&spec, effort))?;
    Ok((spec, predicted, attacks))
}

fn of_data(
    file: &SpecFile,
    args: &SimulateArgs,
    path: &Path,
    limits: &Limits,
    effort: Effort,
) -> Result<Outcome, Failure> {
    let within = |failure: Failure| failure.within(&args.spec);
    file.noise().map_err(within)?;
    if file.is_described() {
        say("rows, cardinalities and classes of the spec are not used: a table has its own.");
    }
    let data = Data::read(file, args.spec.parent().unwrap_or(Path::new("")), path)?;
    let records = data.records().map_err(|failure| failure.within(path))?;
    let spec = file.of_records(&records).map_err(within)?;
    let estimate = TableScreen::of(&records, &spec, limits).map_err(of_table)?.estimate;
    let model = screen(&spec, &Targets::default(), limits).map_err(|error| within(error.into()))?;
    let world = world(&data, &spec, effort.max_entries).map_err(|failure| failure.within(path))?;
    let source = LabelSource::Table(world);
    let attacks = progress::during("attacking", || attack(&source, &spec, effort))?;
    Ok((spec, Predicted { estimate, source: model.proxy.expected_accuracy }, attacks))
}

/// The table as a world: a line that stands for several people is so many rows.
pub(super) fn world(data: &Data, spec: &ScreenSpec, max_entries: u64) -> Result<LabelWorld, Failure> {
    let people = spec.rows();
    if people.saturating_mul(data.known.len() as u64) > max_entries {
        let message = format!("the people of the table times its known columns are above the limit of {max_entries}");
        return Err(Failure::new("E0635", message));
    }
    let times = |row: usize| data.rows.weights().map_or(1, |weights| weights[row]) as usize;
    let expanded = |attribute: usize| -> Vec<u32> {
        let codes = data.rows.codes(attribute).enumerate();
        codes.flat_map(|(row, code)| std::iter::repeat_n(code, times(row))).collect()
    };
    let unusable = |error: label_attack::Error| Failure::new("E0257", error.to_string());
    let features = FeatureTable::new(data.known.iter().map(|&known| expanded(known)).collect()).map_err(unusable)?;
    LabelWorld::of_table(features, expanded(data.target), spec.classes().shares()).map_err(unusable)
}
