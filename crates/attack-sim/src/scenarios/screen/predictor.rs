//! What predicts an attacker's accuracy, and what may be wrong with it.

use disclosure::screen::{self, Column, ScreenSpec, ScreenTargets, screen};

use crate::prelude::*;

/// The prediction that is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Predictor {
    /// The estimate by state evolution.
    Estimate,
    /// `1 - p_row` of the source's analysis, from the evidence of all classes.
    ExpectedAccuracy,
    /// The same from the evidence of a row's own class.
    ExpectedAccuracyHet,
    /// The source's accuracy of the hardest row.
    HardRowAccuracy,
}

/// The fault of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Fault {
    /// The model of a release without suppression.
    IgnoresSuppression,
    /// The accuracy of guessing, whatever the release.
    OnlyGuesses,
    /// The error in place of the accuracy: `p` for `q`.
    ErrorForAccuracy,
    /// The accuracy that the source's analysis expects in place of the estimate.
    SourceProxy,
    /// The source's analysis of the model of independent, equally frequent values.
    UniformValues,
}

impl Predictor {
    /// The predicted accuracy of the portfolio of attackers, a share of the rows.
    ///
    /// # Errors
    /// [`Error::Screen`] for a model that is too large.
    pub fn predict(self, spec: &ScreenSpec, fault: Option<Fault>) -> Result<f64, Error> {
        match fault {
            None => self.of(spec),
            Some(Fault::IgnoresSuppression) => self.of(&spec.clone().with_threshold(0)?),
            Some(Fault::ErrorForAccuracy) => Ok(1.0 - self.of(spec)?),
            Some(Fault::OnlyGuesses) => Ok(report(spec)?.proxy.blind_accuracy),
            Some(Fault::SourceProxy) => Self::ExpectedAccuracy.of(spec),
            Some(Fault::UniformValues) => self.of(&with_uniform_values(spec)?),
        }
    }

    fn of(self, spec: &ScreenSpec) -> Result<f64, Error> {
        let report = report(spec)?;
        Ok(match self {
            Self::Estimate => report.estimate.accuracy,
            Self::ExpectedAccuracy => report.proxy.expected_accuracy,
            Self::ExpectedAccuracyHet => report.proxy.expected_accuracy_het,
            Self::HardRowAccuracy => report.proxy.hard_row_accuracy,
        })
    }
}

fn report(spec: &ScreenSpec) -> Result<screen::ScreenReport, Error> {
    Ok(screen(spec, &ScreenTargets::default(), &screen::ScreenLimits::default())?)
}

/// The same columns with values that are equally frequent.
fn with_uniform_values(spec: &ScreenSpec) -> Result<ScreenSpec, Error> {
    let columns = spec.columns().iter().map(|column| Column::uniform(column.cardinality()));
    let columns = columns.collect::<Result<_, _>>()?;
    Ok(ScreenSpec::new(spec.rows(), columns, spec.classes().clone(), spec.suppression(), spec.noise())?)
}
