//! `disclosure screen model`: closed forms for a release that is described.

use disclosure::screen::screen;

use super::args::ModelArgs;
use super::report::{ModelReport, judge};
use super::show::show_model;
use super::spec::SpecFile;
use crate::error::Failure;
use crate::files::{print, print_json};
use crate::progress;

pub(super) fn run(args: &ModelArgs) -> Result<(), Failure> {
    let within = |failure: Failure| failure.within(&args.spec);
    let file = SpecFile::read(&args.spec)?;
    let (spec, targets) = (file.model().map_err(within)?, file.targets().map_err(within)?);
    let target = file.target_accuracy().map_err(within)?;
    let report = progress::during("screening", || screen(&spec, &targets, &args.limits.limits()));
    let report = report.map_err(|error| within(error.into()))?;
    let report = ModelReport::of(file.title(&args.spec), &spec, report, target);
    match args.json {
        true => print_json(&report)?,
        false => print(show_model(&report).as_bytes())?,
    }
    judge(report.estimate, target)
}
