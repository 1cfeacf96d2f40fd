//! Screening as a part of a job that releases other things: what a solver would make of tables under this rule.

use std::rc::Rc;

use disclosure::screen::{Estimate, Limits, Records, ScreenSpec};
use label_attack::LabelSource;
use privacy_data::Microdata;
use serde::Serialize;

use super::attacks::{Effort, attack};
use super::columns::Data;
use super::report::PROXY;
use super::simulate::{MEASURED, Predicted, SimulateReport, world};
use super::spec::SpecFile;
use super::table::{report, screened};
use crate::error::Failure;

/// The attack of a job: the noise of so many releases is drawn under this seed.
const EFFORT: Effort = Effort { trials: 3, seed: 1, max_entries: 20_000_000 };

/// A rule for tables of counts, for the rows of a job.
pub(crate) struct ScreenPart {
    file: SpecFile,
    title: String,
    data: Data,
    records: Records,
    spec: ScreenSpec,
}

/// What is expected of a solver, and the whole report for the owner of the data.
pub(crate) struct Prediction<T> {
    pub(crate) estimate: Estimate,
    source: f64,
    pub(crate) document: T,
}

/// What the attackers got right.
pub(crate) struct LabelAttack<T> {
    /// The mean of the more accurate one.
    pub(crate) accuracy: f64,
    pub(crate) blind: f64,
    pub(crate) ceiling: f64,
    pub(crate) trials: u64,
    pub(crate) document: T,
}

impl ScreenPart {
    /// Checks a section of a job.
    pub(crate) fn new(file: SpecFile, title: &str, rows: Rc<Microdata>) -> Result<Self, Failure> {
        file.check_is_part()?;
        file.targets()?;
        file.target_accuracy()?;
        let data = Data::of(&file, rows)?;
        let records = data.records()?;
        let spec = file.of_records(&records)?;
        Ok(Self { file, title: title.to_owned(), data, records, spec })
    }

    /// The label that is attacked.
    pub(crate) fn target(&self) -> &str {
        self.data.name(self.data.target)
    }

    /// The most that a solver may get right.
    pub(crate) fn target_accuracy(&self) -> Option<f64> {
        self.file.target_accuracy().ok().flatten().map(|target| target.get())
    }

    /// The rule, in words.
    pub(crate) fn rule(&self) -> String {
        let (below, noise) = (self.spec.suppression().below(), self.spec.noise().half_width);
        let order = self.spec.max_order();
        format!(
            "all counts over at most {order} known columns, those below {below} withheld, noise from −{noise} to {noise}"
        )
    }

    /// What a solver is expected to reconstruct: a proxy.
    pub(crate) fn predict(&self) -> Result<Prediction<impl Serialize>, Failure> {
        let (model, screened) =
            screened(&self.file, self.title.clone(), &self.records, &self.spec, &Limits::default())?;
        let source = model.proxy.expected_accuracy;
        let ranked = screened.ranked();
        let document = report(&self.data, model, &screened, &ranked);
        Ok(Prediction { estimate: screened.estimate, source, document })
    }

    /// Releases under the rule and attacks: what is measured holds for these attackers.
    pub(crate) fn attack<T>(&self, predicted: &Prediction<T>) -> Result<LabelAttack<impl Serialize>, Failure> {
        let source = LabelSource::Table(world(&self.data, &self.spec, EFFORT.max_entries)?);
        let attacks = attack(&source, &self.spec, EFFORT)?;
        let (accuracy, trials) = (attacks.strongest().mean, attacks.trials);
        let (blind, ceiling) = (attacks.blind_accuracy.mean, attacks.ceiling_accuracy.mean);
        let predicted = Predicted { estimate: predicted.estimate, source: predicted.source };
        let document =
            SimulateReport::of(self.title.clone(), &self.spec, (predicted, attacks), self.target_accuracy(), true);
        Ok(LabelAttack { accuracy, blind, ceiling, trials, document })
    }

    /// Both kinds of statement, with whom they are about.
    pub(crate) fn promises() -> [(&'static str, &'static str, &'static str); 2] {
        [PROXY, MEASURED].map(|promise| (promise.kind, promise.statement, promise.against))
    }
}
