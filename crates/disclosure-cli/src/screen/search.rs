//! `disclosure screen search`: the first settings that keep a target.

use std::path::Path;

use disclosure::screen::{
    Estimate, GridPoint, Limits, ScreenSpec, Setting, Targets, grid, largest_order, screen, smallest_noise,
    smallest_threshold,
};
use privacy_data::{CsvField, CsvWriter, write_atomic_with};
use serde::Serialize;

use super::args::SearchArgs;
use super::attacks::{Effort, Mean, attack_model};
use super::report::{PROXY, Promise, Release};
use super::show::show_search;
use super::spec::SpecFile;
use crate::error::Failure;
use crate::files::{named, print, print_json, say};
use crate::progress;

/// What keeps the target, one setting changed at a time.
#[derive(Debug, Serialize)]
pub(super) struct SearchReport {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) promise: Promise,
    pub(super) release: Release,
    pub(super) target_accuracy: f64,
    /// As the spec is.
    pub(super) estimate: Estimate,
    pub(super) expected_accuracy: f64,
    /// Null where no value keeps the target.
    pub(super) smallest_suppress_below: Option<Found>,
    pub(super) smallest_noise: Option<Found>,
    pub(super) largest_max_order: Option<Found>,
}

/// A value that keeps the target.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Found {
    pub(super) value: u64,
    pub(super) estimate: Estimate,
    /// What the source's proxy expects there.
    pub(super) expected_accuracy: f64,
    /// What simulated attacks got right there; null without --confirm.
    pub(super) confirmation: Option<Confirmation>,
}

/// Simulated attacks at a value.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Confirmation {
    pub(super) trials: u64,
    pub(super) seed: u64,
    /// Mean accuracy of the attacker who uses released counts, and of the one who also uses that withheld counts are small.
    pub(super) released: Mean,
    pub(super) with_suppressed: Mean,
    /// Whether neither is above the target.
    pub(super) keeps_target_accuracy: bool,
}

impl Found {
    fn of(setting: &Setting, value: impl Fn(&ScreenSpec) -> u64) -> Self {
        let expected_accuracy = setting.proxy_accuracy;
        Self { value: value(&setting.spec), estimate: setting.estimate, expected_accuracy, confirmation: None }
    }

    /// Whether nothing speaks against it: attacks that were asked for keep the target.
    fn stands(&self) -> bool {
        self.confirmation.is_none_or(|confirmation| confirmation.keeps_target_accuracy)
    }
}

pub(super) fn run(args: &SearchArgs) -> Result<(), Failure> {
    let within = |failure: Failure| failure.within(&args.spec);
    if let Some(path) = &args.grid {
        named(path)?;
    }
    let file = SpecFile::read(&args.spec)?;
    let spec = file.model().map_err(within)?;
    let points = file.grid().map_err(within)?;
    let limits = args.limits.limits();
    let report = progress::during("searching", || find(&file, args, &spec, &limits)).map_err(within)?;
    if let Some(path) = &args.grid {
        let points = progress::during("comparing", || grid(&spec, &points, &limits));
        write_grid(path, &points.map_err(|error| within(error.into()))?)?;
    }
    match args.json {
        true => print_json(&report)?,
        false => print(show_search(&report).as_bytes())?,
    }
    let found = [&report.smallest_suppress_below, &report.smallest_noise, &report.largest_max_order];
    if found.iter().any(|found| found.as_ref().is_some_and(Found::stands)) {
        return Ok(());
    }
    if found.iter().any(|found| found.is_some()) {
        let message = format!(
            "simulated attacks exceed target_accuracy = {} wherever the estimate keeps it",
            report.target_accuracy
        );
        return Err(
            Failure::new("E0415", message).next("lower target_accuracy, and search again for stronger settings")
        );
    }
    Err(Failure::new("E0415", format!("no setting keeps target_accuracy = {}", report.target_accuracy))
        .next("raise target_accuracy: guessing the most frequent class alone reaches more"))
}

fn find(file: &SpecFile, args: &SearchArgs, spec: &ScreenSpec, limits: &Limits) -> Result<SearchReport, Failure> {
    let target = file.target_accuracy()?;
    let target = target.ok_or_else(|| Failure::new("E0255", "the spec has no target_accuracy to search for"))?;
    let now = screen(spec, &Targets::default(), limits)?;
    let threshold = smallest_threshold(spec, target, limits)?;
    let noise = smallest_noise(spec, target, limits)?;
    let order = largest_order(spec, target, limits)?;
    let confirmed = |found: Option<Setting>, value: fn(&ScreenSpec) -> u64| -> Result<Option<Found>, Failure> {
        let Some(setting) = found else { return Ok(None) };
        let confirmation = confirm(&setting.spec, target.get(), args)?;
        Ok(Some(Found { confirmation, ..Found::of(&setting, value) }))
    };
    Ok(SearchReport {
        schema: "disclosure.screen-search/1",
        title: file.title(&args.spec),
        promise: PROXY,
        release: Release::of(spec),
        target_accuracy: target.get(),
        estimate: now.estimate,
        expected_accuracy: now.proxy.expected_accuracy,
        smallest_suppress_below: confirmed(threshold, |spec| spec.suppression().below())?,
        smallest_noise: confirmed(noise, |spec| spec.noise().half_width.into())?,
        largest_max_order: confirmed(order, |spec| spec.max_order() as u64)?,
    })
}

/// Simulated attacks at a setting, when they are asked for.
fn confirm(spec: &ScreenSpec, target: f64, args: &SearchArgs) -> Result<Option<Confirmation>, Failure> {
    let (Some(trials), Some(seed)) = (args.confirm, args.seed) else { return Ok(None) };
    let attacks = attack_model(spec, Effort { trials, seed, max_entries: args.attack.max_entries })?;
    let accuracy = |evidence| {
        let of_evidence = attacks.attackers.iter().find(|attacker| attacker.evidence == evidence);
        of_evidence.map_or(attacks.blind_accuracy, |attacker| attacker.accuracy)
    };
    let keeps_target_accuracy = attacks.strongest().mean <= target;
    let (released, with_suppressed) = (accuracy("released"), accuracy("with-suppressed"));
    Ok(Some(Confirmation { trials, seed, released, with_suppressed, keeps_target_accuracy }))
}

fn write_grid(path: &Path, points: &[GridPoint]) -> Result<(), Failure> {
    const COLUMNS: [&str; 6] =
        ["suppress_below", "noise", "estimated_accuracy", "blind_accuracy", "ceiling_accuracy", "expected_accuracy"];
    write_atomic_with(path, |out| {
        let mut csv = CsvWriter::new(out, COLUMNS)?;
        for point in points {
            let estimate = point.estimate;
            let reals = [estimate.accuracy, estimate.floor, estimate.ceiling, point.proxy_accuracy].map(CsvField::from);
            csv.line([point.suppress_below, point.noise.into()].map(CsvField::from).into_iter().chain(reals))?;
        }
        Ok(())
    })?;
    say(&format!("Wrote the grid: {}", path.display()));
    Ok(())
}
