//! `disclosure screen search`: the first settings that keep a target.

use std::path::Path;

use disclosure::screen::{
    Estimate, GridPoint, Limits, ScreenSpec, Setting, Targets, grid, largest_order, screen, smallest_noise,
    smallest_threshold,
};
use privacy_data::{CsvField, CsvWriter, write_atomic_with};
use serde::Serialize;

use super::args::SearchArgs;
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
    /// What the seed's proxy expects there.
    pub(super) expected_accuracy: f64,
}

impl Found {
    fn of(setting: &Setting, value: impl Fn(&ScreenSpec) -> u64) -> Self {
        let expected_accuracy = setting.proxy_accuracy;
        Self { value: value(&setting.spec), estimate: setting.estimate, expected_accuracy }
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
    let report = progress::during("searching", || find(&file, &args.spec, &spec, &limits)).map_err(within)?;
    if let Some(path) = &args.grid {
        let points = progress::during("comparing", || grid(&spec, &points, &limits));
        write_grid(path, &points.map_err(|error| within(error.into()))?)?;
    }
    match args.json {
        true => print_json(&report)?,
        false => print(show_search(&report).as_bytes())?,
    }
    let found = [&report.smallest_suppress_below, &report.smallest_noise, &report.largest_max_order];
    if found.iter().any(|found| found.is_some()) {
        return Ok(());
    }
    Err(Failure::new("E0415", format!("no setting keeps target_accuracy = {}", report.target_accuracy))
        .next("raise target_accuracy: guessing the most frequent class alone reaches more"))
}

fn find(file: &SpecFile, path: &Path, spec: &ScreenSpec, limits: &Limits) -> Result<SearchReport, Failure> {
    let target = file.target_accuracy()?;
    let target = target.ok_or_else(|| Failure::new("E0255", "the spec has no target_accuracy to search for"))?;
    let now = screen(spec, &Targets::default(), limits)?;
    let threshold = smallest_threshold(spec, target, limits)?;
    let noise = smallest_noise(spec, target, limits)?;
    let order = largest_order(spec, target, limits)?;
    Ok(SearchReport {
        schema: "disclosure.screen-search/1",
        title: file.title(path),
        promise: PROXY,
        release: Release::of(spec),
        target_accuracy: target.get(),
        estimate: now.estimate,
        expected_accuracy: now.proxy.expected_accuracy,
        smallest_suppress_below: threshold.map(|found| Found::of(&found, |spec| spec.suppression().below())),
        smallest_noise: noise.map(|found| Found::of(&found, |spec| spec.noise().half_width.into())),
        largest_max_order: order.map(|found| Found::of(&found, |spec| spec.max_order() as u64)),
    })
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
