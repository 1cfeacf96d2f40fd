//! The first settings that keep a target, and grids of settings.

use std::io::{self, Write};

use disclosure::privacy_core::promise::Promise;
use disclosure::screen::{
    Estimate, GridPoint, ScreenLimits, ScreenSetting, ScreenSpec, ScreenTargets, grid, largest_order, screen,
    smallest_noise, smallest_threshold,
};
use label_attack::Evidence;
use privacy_data::{CsvField, CsvWriter};
use serde::{Deserialize, Serialize};

use super::attacks::{AttackEffort, MeanSummary, attack_model};
use super::document::{ReleaseRule, ScreeningSchema, predicted};
use super::job::{ScreeningJob, stopped_by};
use crate::error::JobError;
use crate::observer::{Observer, during};

/// The settings that keep the target, one setting changed at a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchDocument {
    /// Which document this is.
    pub schema: ScreeningSchema,
    /// The title of the screening.
    pub title: String,
    /// What the numbers rest on.
    pub promise: Promise,
    /// The release as the specification describes it.
    pub release: ReleaseRule,
    /// The largest share of labels that a solver may be expected to reconstruct.
    pub target_accuracy: f64,
    /// The prediction for the release as it is.
    pub estimate: Estimate,
    /// The source's prediction for the release as it is.
    pub expected_accuracy: f64,
    /// The smallest threshold that keeps the target; null where none does.
    pub smallest_suppress_below: Option<SafeSetting>,
    /// The smallest noise that keeps the target; null where none does.
    pub smallest_noise: Option<SafeSetting>,
    /// The largest order of queries that keeps the target; null where none does.
    pub largest_max_order: Option<SafeSetting>,
}

/// A value of one setting that keeps the target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SafeSetting {
    /// The value.
    pub value: u64,
    /// The prediction there.
    pub estimate: Estimate,
    /// The source's prediction there.
    pub expected_accuracy: f64,
    /// What simulated attacks got right there; null where none were asked for.
    pub confirmation: Option<Confirmation>,
}

/// Simulated attacks at a setting.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Confirmation {
    /// Releases that were attacked.
    pub trials: u64,
    /// The seed.
    pub seed: u64,
    /// Mean accuracy of the attacker who uses released counts.
    pub released: MeanSummary,
    /// Mean accuracy of the attacker who also uses that withheld counts are small.
    pub with_suppressed: MeanSummary,
    /// The best of all attackers and of guessing, release by release.
    pub strongest: MeanSummary,
    /// Whether the best attacker of each release, with twice the standard error, is not above the
    /// target.
    pub keeps_target_accuracy: bool,
}

impl SafeSetting {
    /// Whether the attacks that were asked for keep the target too.
    fn is_confirmed(&self) -> bool {
        self.confirmation.is_none_or(|confirmation| confirmation.keeps_target_accuracy)
    }
}

impl SearchDocument {
    /// Whether some setting keeps the target.
    ///
    /// # Errors
    /// E0415 when none does, or when attacks exceed the target at all of them.
    pub fn check_target(&self) -> Result<(), JobError> {
        let found = [&self.smallest_suppress_below, &self.smallest_noise, &self.largest_max_order];
        let mut found = found.into_iter().flatten().peekable();
        if found.peek().is_none() {
            let message = format!("no setting meets target_accuracy = {}", self.target_accuracy);
            return Err(JobError::new("E0415", message)
                .next("raise target_accuracy: guessing the most frequent class already exceeds it"));
        }
        if found.any(SafeSetting::is_confirmed) {
            return Ok(());
        }
        let target = self.target_accuracy;
        let message =
            format!("simulated attacks exceed target_accuracy = {target} at every setting whose estimate meets it");
        Err(JobError::new("E0415", message).next("lower target_accuracy, and search again for stronger settings"))
    }
}

impl ScreeningJob {
    /// Searches the settings that keep `target_accuracy`; `confirm` attacks each that is found.
    ///
    /// # Errors
    /// E0255 without `target_accuracy`, and as [`screen_model`](Self::screen_model) and
    /// [`simulate_model`](Self::simulate_model).
    pub fn search(
        &self,
        limits: &ScreenLimits,
        confirm: Option<AttackEffort>,
        observer: &dyn Observer,
    ) -> Result<SearchDocument, JobError> {
        let spec = self.within(self.spec.described_release())?;
        self.within(self.spec.grid())?;
        let limits = stopped_by(limits, observer);
        self.within(during(observer, "searching", || self.find(&spec, &limits, confirm, observer)))
    }

    /// The estimate at every threshold and noise of the specification's grid.
    ///
    /// # Errors
    /// E0256 for a grid that is too large, and as [`screen_model`](Self::screen_model).
    pub fn grid(&self, limits: &ScreenLimits, observer: &dyn Observer) -> Result<Vec<GridPoint>, JobError> {
        let spec = self.within(self.spec.described_release())?;
        let points = self.within(self.spec.grid())?;
        let limits = stopped_by(limits, observer);
        self.within(during(observer, "comparing", || grid(&spec, &points, &limits)))
    }

    fn find(
        &self,
        spec: &ScreenSpec,
        limits: &ScreenLimits,
        confirm: Option<AttackEffort>,
        observer: &dyn Observer,
    ) -> Result<SearchDocument, JobError> {
        let target = self.spec.target_accuracy()?;
        let target = target.ok_or_else(|| JobError::new("E0255", "the specification has no target_accuracy"))?;
        let now = screen(spec, &ScreenTargets::default(), limits)?;
        let threshold = smallest_threshold(spec, target, limits)?;
        let noise = smallest_noise(spec, target, limits)?;
        let order = largest_order(spec, target, limits)?;
        let confirmed = |found: Option<ScreenSetting>, value: fn(&ScreenSpec) -> u64| {
            let confirm = |setting: &ScreenSetting| {
                confirm.map(|effort| confirmation(&setting.spec, target.get(), effort, observer)).transpose()
            };
            let safe = |setting: ScreenSetting| -> Result<SafeSetting, JobError> {
                let (value, confirmation) = (value(&setting.spec), confirm(&setting)?);
                let expected_accuracy = setting.proxy_accuracy;
                Ok(SafeSetting { value, estimate: setting.estimate, expected_accuracy, confirmation })
            };
            found.map(safe).transpose()
        };
        Ok(SearchDocument {
            schema: ScreeningSchema::Search,
            title: self.title.clone(),
            promise: predicted(),
            release: ReleaseRule::of(spec),
            target_accuracy: target.get(),
            estimate: now.estimate,
            expected_accuracy: now.proxy.expected_accuracy,
            smallest_suppress_below: confirmed(threshold, |spec| spec.suppression().below())?,
            smallest_noise: confirmed(noise, |spec| spec.noise().half_width.into())?,
            largest_max_order: confirmed(order, |spec| spec.max_order() as u64)?,
        })
    }
}

/// Simulated attacks at a setting.
fn confirmation(
    spec: &ScreenSpec,
    target: f64,
    effort: AttackEffort,
    observer: &dyn Observer,
) -> Result<Confirmation, JobError> {
    let attacks = attack_model(spec, effort, observer)?;
    Ok(Confirmation {
        trials: effort.trials,
        seed: effort.seed,
        released: attacks.accuracy_with(Evidence::Released),
        with_suppressed: attacks.accuracy_with(Evidence::WithSuppressed),
        strongest: attacks.strongest.accuracy,
        keeps_target_accuracy: attacks.judged() <= target,
    })
}

/// Writes a grid as CSV.
///
/// # Errors
/// What `out` reports.
pub fn write_grid(points: &[GridPoint], out: impl Write) -> io::Result<()> {
    const COLUMNS: [&str; 6] =
        ["suppress_below", "noise", "estimated_accuracy", "blind_accuracy", "ceiling_accuracy", "expected_accuracy"];
    let mut csv = CsvWriter::new(out, COLUMNS)?;
    for point in points {
        let estimate = point.estimate;
        let reals = [estimate.accuracy, estimate.floor, estimate.ceiling, point.proxy_accuracy].map(CsvField::from);
        csv.line([point.suppress_below, point.noise.into()].map(CsvField::from).into_iter().chain(reals))?;
    }
    Ok(())
}
