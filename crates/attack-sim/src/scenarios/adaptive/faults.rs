//! What can be wrong with a release, and the parameters with which the crate itself makes it so.
//!
//! With `n = a rho` for noise and `c = (1 - a) rho` for choices, a round has noise of parameter
//! `S2 T / (2 n)` and a choice of epsilon `sqrt(8 c / T)`, whose scores are divided by `2 Delta`,
//! a multiple of the rows of a person ((A4) and (A2) of docs/math/adaptive-marginals.md). A fault
//! of choices alone changes `c`, or the rows, and leaves the noise as it is.

use serde::Deserialize;

/// What is wrong with a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fault {
    /// The marginal of largest error is chosen, without noise and without cost.
    LargestErrorChosen,
    /// Every round has the whole budget.
    RoundsNotComposed,
    /// The number of rows is taken for public since persons are replaced, whatever number of rows
    /// each has.
    RowsTakenForPublic,
    /// Choices are made as if a person had half of their rows.
    ChoiceSensitivityHalved,
    /// The epsilon of a choice is twice what is charged.
    ChoiceEpsilonDoubled,
    /// Choices have the whole budget, and noise has it once more.
    NoiseShareIgnored,
}

/// The parameters of a plan that faults change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Parameters {
    pub(super) rho: f64,
    pub(super) noise_share: f64,
    pub(super) rows_per_person: u32,
}

impl Parameters {
    /// The parameters of a plan with this fault; the same for faults of what is published, and
    /// without any.
    pub(super) fn with(self, fault: Option<Fault>, rounds: u32) -> Self {
        let (noise, choices) = (self.rho * self.noise_share, self.rho * (1.0 - self.noise_share));
        match fault {
            None | Some(Fault::LargestErrorChosen | Fault::RowsTakenForPublic) => self,
            Some(Fault::RoundsNotComposed) => Self { rho: self.rho * f64::from(rounds), ..self },
            Some(Fault::ChoiceEpsilonDoubled) => self.divided(noise, 4.0 * choices),
            Some(Fault::NoiseShareIgnored) => self.divided(self.rho, self.rho),
            Some(Fault::ChoiceSensitivityHalved) => {
                let rows_per_person = (self.rows_per_person / 2).max(1);
                // S2 has the square of the rows: less of the budget gives the same noise.
                let times = f64::from(rows_per_person) / f64::from(self.rows_per_person);
                Self { rows_per_person, ..self }.divided(noise * times * times, choices)
            }
        }
    }

    /// With these parts of the budget for noise and for choices.
    fn divided(self, noise: f64, choices: f64) -> Self {
        Self { rho: noise + choices, noise_share: noise / (noise + choices), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: Parameters = Parameters { rho: 2.0, noise_share: 0.75, rows_per_person: 50 };

    /// `S2 / (2 sigma^2)` of ten rounds and `epsilon^2 / 8` of them, in units of the rows of the
    /// release without a fault.
    fn costs(fault: Option<Fault>) -> [f64; 2] {
        let faulty = RIGHT.with(fault, 10);
        let rows = f64::from(RIGHT.rows_per_person) / f64::from(faulty.rows_per_person);
        [faulty.rho * faulty.noise_share, faulty.rho * (1.0 - faulty.noise_share)].map(|part| part * rows * rows)
    }

    #[test]
    fn faults_of_choices_leave_the_noise_as_it_is_and_choices_cost_four_times_as_much() {
        let near = |fault, [noise, choices]: [f64; 2]| {
            let got = costs(fault);
            assert!((got[0] - noise).abs() < 1e-12 && (got[1] - choices).abs() < 1e-12, "{fault:?} {got:?}");
        };
        near(None, [1.5, 0.5]);
        near(Some(Fault::ChoiceEpsilonDoubled), [1.5, 2.0]);
        near(Some(Fault::ChoiceSensitivityHalved), [1.5, 2.0]);
        near(Some(Fault::NoiseShareIgnored), [2.0, 2.0]);
        near(Some(Fault::RoundsNotComposed), [15.0, 5.0]);
        near(Some(Fault::RowsTakenForPublic), [1.5, 0.5]);
    }
}
