//! What attackers say of a claim, and all that they found.

use super::claim::{Kind, Measurement};

/// What attackers say of a claim. None of these words is "proved".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The attacker did not contradict the claim, and did expose the fault of the negative
    /// control.
    NotContradicted,
    /// The measured interval and the claim have nothing in common; or a privacy loss was measured
    /// that no person can have caused ([`Runs::shows_loss_of_nobody`]).
    Contradicted,
    /// The attacker contradicted neither: with that number of trials, its silence means nothing.
    Underpowered,
}

impl Verdict {
    /// The verdict on a claim, from what was measured of it and of its negative control.
    #[must_use]
    pub fn of(attacker: &Measurement, negative_control: &Measurement) -> Self {
        match (attacker.contradicts(), negative_control.contradicts()) {
            (true, _) => Self::Contradicted,
            (false, true) => Self::NotContradicted,
            (false, false) => Self::Underpowered,
        }
    }

    /// As reports write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotContradicted => "NotContradicted",
            Self::Contradicted => "Contradicted",
            Self::Underpowered => "Underpowered",
        }
    }
}

/// What a scenario is about: identifier, claim, source, and the names of attacker and fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// A path such as `lcf/one-more/mean-8`; also tells its random streams apart.
    pub id: String,
    /// What is claimed, in words.
    pub claim: String,
    /// The kind of the promise.
    pub kind: Kind,
    /// Where the claim is made.
    pub source: String,
    /// The attacker's name.
    pub attacker: String,
    /// The fault of the negative control.
    pub fault: String,
}

impl About {
    /// The mechanism: the first part of the id.
    #[must_use]
    pub fn mechanism(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// The name of the random streams of a run.
    pub(super) fn stream(&self, run: &str) -> String {
        format!("{}: {run}", self.id)
    }
}

/// The four things that a scenario measured.
#[derive(Clone, Debug, PartialEq)]
pub struct Runs {
    /// The attacker against the promise.
    pub attacker: Measurement,
    /// The attacker against the promise with a fault.
    pub negative_control: Measurement,
    /// The attacker's answers compared with people outside the data. Judged where a privacy loss is
    /// measured: it is 0 there. What is right for a share or a mean depends on the scenario, and no
    /// number is claimed of it: reported, and not judged.
    pub outsiders: Measurement,
    /// An attacker who answers without looking at the release. Judged as `outsiders` are.
    pub blind: Measurement,
}

impl Runs {
    /// Of runs that measured a privacy loss: whether one was found that should be 0, about people
    /// outside the data or without a look at the release. Then the two inputs differ in more than
    /// the person, or the measurement is wrong.
    #[must_use]
    pub fn shows_loss_of_nobody(&self) -> bool {
        [&self.outsiders, &self.blind].iter().any(|run| run.measured[0] > 0.0 || run.measured[0].is_nan())
    }

    /// The share of a claimed loss that the attacker showed; `None` where no loss is claimed at
    /// all.
    fn reached(&self) -> Option<f64> {
        let ([low, _], [_, claimed]) = (self.attacker.measured, self.attacker.claimed);
        (claimed > 0.0).then(|| low / claimed)
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Finding {
    /// What the scenario is about.
    pub about: About,
    /// What is measured: `share`, `mean`, `epsilon`, `mu`, `rho`.
    pub unit: &'static str,
    /// What was measured.
    pub runs: Runs,
    /// What it says of the claim.
    pub verdict: Verdict,
    /// Trials of each run, or outcomes that were enumerated.
    pub trials: u64,
    /// Of a privacy loss above 0 that is claimed, the share that the attacker showed: the lower end
    /// over the claim. At 0 the attacker was silent, and only the negative control says that it
    /// could speak.
    pub reached: Option<f64>,
}

impl Finding {
    /// A finding about shares or means.
    pub(super) fn new(about: &About, unit: &'static str, runs: Runs, trials: u64) -> Self {
        let verdict = Verdict::of(&runs.attacker, &runs.negative_control);
        Self { about: about.clone(), unit, runs, verdict, trials, reached: None }
    }

    /// A finding about a privacy loss.
    pub(super) fn of_loss(about: &About, unit: &'static str, runs: Runs, trials: u64) -> Self {
        let reached = runs.reached();
        let is_of_nobody = runs.shows_loss_of_nobody();
        let finding = Self { reached, ..Self::new(about, unit, runs, trials) };
        if is_of_nobody { Self { verdict: Verdict::Contradicted, ..finding } } else { finding }
    }

    /// Whether the fault of the negative control was exposed.
    #[must_use]
    pub fn is_fault_exposed(&self) -> bool {
        self.runs.negative_control.contradicts()
    }
}

#[cfg(test)]
mod tests {
    use super::super::claim::Claim;
    use super::*;

    #[test]
    fn silence_counts_only_beside_an_exposed_fault() {
        let claim = Claim::at_least(0.8).unwrap();
        let measured = |ends| Measurement::new(claim, ends);
        let (far, near, wide) = (measured([0.1, 0.5]), measured([0.7, 0.95]), measured([0.3, 0.9]));
        assert_eq!(Verdict::of(&near, &far), Verdict::NotContradicted);
        assert_eq!(Verdict::of(&wide, &wide), Verdict::Underpowered);
        assert_eq!(Verdict::of(&far, &far), Verdict::Contradicted);
        let above = Measurement::new(Claim::at_most(0.2).unwrap(), [0.3, 0.4]);
        assert_eq!(Verdict::of(&above, &far), Verdict::Contradicted);
    }
}
