//! A law of the threshold from the words of the command.

use std::num::NonZeroU32;

use clap::ValueEnum;
use disclosure::core::param::{Delta, Epsilon, ParamError, StdDev};
use disclosure::lcf::{ClampedNormal, Elm, HardThreshold, LawError, OptimalSelection, ThinUniform, ThresholdLaw};

use super::args::{LawArgs, LawName};
use crate::error::Failure;

/// A parameter out of its range.
pub(super) fn out_of_range(error: ParamError) -> Failure {
    Failure::new("E0277", error.to_string())
}

impl LawArgs {
    /// The law that the words describe: each takes its own, and no other.
    pub(super) fn law(&self, groups_per_entity: NonZeroU32) -> Result<ThresholdLaw, Failure> {
        self.check_words()?;
        let sd = || StdDev::new(self.needed(self.sd, "sd")?).map_err(out_of_range);
        let least = || self.needed(self.at_least, "at-least");
        Ok(match self.law {
            LawName::ClampedNormal => {
                ClampedNormal::new(self.needed(self.mean, "mean")?, sd()?, self.needed(self.floor, "floor")?)?.into()
            }
            LawName::ThinUniform => ThinUniform::at_least(least()?)?.into(),
            LawName::Elm => Elm::new(least()?, self.needed(self.gap, "gap")?, sd()?)?.into(),
            LawName::OptimalSelection => {
                let epsilon = Epsilon::new(self.needed(self.epsilon, "epsilon")?).map_err(out_of_range)?;
                let delta = Delta::new(self.needed(self.delta, "delta")?).map_err(out_of_range)?;
                OptimalSelection::new(epsilon, delta, groups_per_entity, least()?)?.into()
            }
            LawName::Hard => HardThreshold::at_least(least()?)?.into(),
        })
    }

    fn needed<T>(&self, given: Option<T>, word: &str) -> Result<T, Failure> {
        given.ok_or_else(|| Failure::new("E0276", format!("--law {} takes --{word}", self.name())))
    }

    /// Refuses words of another law: they would silently do nothing.
    fn check_words(&self) -> Result<(), Failure> {
        use LawName::{ClampedNormal, Elm, Hard, OptimalSelection, ThinUniform};
        let words = [
            ("mean", self.mean.is_some(), &[ClampedNormal][..]),
            ("sd", self.sd.is_some(), &[ClampedNormal, Elm]),
            ("floor", self.floor.is_some(), &[ClampedNormal]),
            ("at-least", self.at_least.is_some(), &[ThinUniform, Elm, OptimalSelection, Hard]),
            ("gap", self.gap.is_some(), &[Elm]),
            ("epsilon", self.epsilon.is_some(), &[OptimalSelection]),
            ("delta", self.delta.is_some(), &[OptimalSelection]),
        ];
        match words.iter().find(|(_, given, laws)| *given && !laws.contains(&self.law)) {
            Some((word, ..)) => Err(Failure::new("E0276", format!("--law {} does not take --{word}", self.name()))),
            None => Ok(()),
        }
    }

    fn name(&self) -> String {
        self.law.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}
