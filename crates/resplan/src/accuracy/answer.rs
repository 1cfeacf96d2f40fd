//! Answers with their labels and intervals: what a reader of a table wants to see.

use privacy_core::AttrSet;
use privacy_core::param::Probability;

use crate::error::Error;
use crate::measurement::measured::NoisyMarginal;
use crate::planning::design::Design;

/// One noisy answer, with its error.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
#[must_use]
pub struct Answer {
    /// What it is an answer about: one label for each attribute of its marginal, in the order of
    /// the domain. See [`QueryBasis::labels`](crate::QueryBasis::labels).
    pub labels: Vec<String>,
    /// The noisy count: unbiased, possibly negative, not always whole.
    pub value: f64,
    /// Standard deviation of the noise, in counts.
    pub standard_deviation: f64,
    /// Lower end of an interval that holds the exact count in the stated share of releases.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

impl Design {
    /// What the answers about `set` are called, along each of its attributes.
    ///
    /// # Errors
    /// [`Error::NotMeasured`].
    pub fn labels(&self, set: AttrSet) -> Result<Vec<Vec<String>>, Error> {
        self.check_measured(set)?;
        let attributes = self.domain().attributes();
        Ok(set.iter().map(|attribute| self.axes().get(attribute).basis().labels(&attributes[attribute])).collect())
    }
}

impl NoisyMarginal {
    /// Every answer with its labels and an interval that holds the exact count in at least a
    /// share `level` of releases, each answer by itself; in row-major order. `design` is that of
    /// the measurement.
    ///
    /// # Errors
    /// [`Error::NotMeasured`] when the marginal is not one of `design`.
    ///
    /// # Example
    /// ```
    /// use privacy_core::accounting::PrivacyCost;
    /// use privacy_core::param::Probability;
    /// use privacy_core::table::TableSource;
    /// use privacy_core::{AttrSet, Attribute, Domain};
    /// use resplan::{Plan, PlanLimits, PlanSpec, Workload};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let domain = Domain::new(vec![Attribute::new("answer", ["yes", "no", "unsure"])?])?;
    /// let spec = PlanSpec::new(domain.clone(), Workload::UpTo(1), PrivacyCost::new(1.0)?);
    /// let plan = Plan::new(spec, &PlanLimits::default())?;
    /// let people = TableSource::new(domain, vec![30, 12, 8])?;
    /// let measured = plan.measure(&people, &mut privacy_core::rng::system()?)?;
    /// let table = measured.marginal(AttrSet::single(0))?;
    /// for answer in table.answers(measured.design(), Probability::new(0.95)?)? {
    ///     println!("{}: {:.0} ({:.0} to {:.0})", answer.labels.join(", "), answer.value, answer.low, answer.high);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn answers(&self, design: &Design, level: Probability) -> Result<Vec<Answer>, Error> {
        let margin = design.margin_of_error(self.attributes, level)?;
        let labels = design.labels(self.attributes)?;
        let shape: Vec<usize> = labels.iter().map(Vec::len).collect();
        if self.values.shape() != shape {
            return Err(Error::NotMeasured { set: self.attributes });
        }
        let answers = self.values.iter().enumerate().map(|(place, &value)| {
            let variance = self.variances.at(place);
            let half_width = margin.half_width(variance);
            Answer {
                labels: labels_at(&labels, place),
                value,
                standard_deviation: variance.sqrt(),
                low: value - half_width,
                high: value + half_width,
            }
        });
        Ok(answers.collect())
    }
}

/// The labels of the answer at a place in row-major order, the last attribute fastest.
fn labels_at(along: &[Vec<String>], mut place: usize) -> Vec<String> {
    let mut labels: Vec<String> = Vec::with_capacity(along.len());
    for labels_along in along.iter().rev() {
        labels.push(labels_along[place % labels_along.len()].clone());
        place /= labels_along.len();
    }
    labels.reverse();
    labels
}
