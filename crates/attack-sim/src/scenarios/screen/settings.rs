//! Settings drawn at random: is the accuracy that is predicted the accuracy that attackers
//! measure, and are releases in the right order?
//!
//! A trial is two settings, their worlds, releases and attacks. It agrees when the measured
//! accuracy of the first is within a margin of its prediction, and is in order when the one that
//! is predicted to be safer is safer, where attackers see a difference. A trial is one verdict,
//! however many rows it has, so that intervals are exact though rows of one world depend on each
//! other.

use disclosure::screen::{Classes, Column, ScreenSpec, Suppression, UniformNoise};
use label_attack::{AttackLimits, LabelGuess, LabelRelease, LabelView, LabelWorld, Population};

use super::players::{PortfolioAttacker, blind, limits};
use super::predictor::{Fault, Predictor};
use crate::audit::Attacker;
use crate::prelude::*;

/// Below this difference of two measured accuracies, their order is chance.
const NO_DIFFERENCE: f64 = 0.05;

/// How large the settings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Sizes {
    /// 50 to 300 rows, 2 to 7 columns: an integer program can take part.
    Small,
    /// 1000 to 4000 rows, 3 to 5 columns: approximate attackers only.
    Large,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    predictor: Predictor,
    sizes: Sizes,
    /// How near a prediction is to be, and in what share of settings; neither where it is claimed
    /// to be nowhere near.
    margin: Option<f64>,
    within: Option<f64>,
    in_order: f64,
}

/// Builds the scenario of a file's entry.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { predictor, sizes, margin, within, in_order } = blueprint.spec()?;
    let mut quantities = vec![Quantity::share("pairs in the predicted order", Claim::at_least(in_order)?)?];
    let margin = match (margin, within) {
        (Some(margin), Some(within)) => {
            quantities.push(Quantity::share("predictions within the margin", Claim::at_least(within)?)?);
            margin
        }
        (None, None) => 0.0,
        _ => return Err(blueprint.refuse("margin and within go together")),
    };
    let attacker = PortfolioAttacker::new(limits());
    blueprint.trials(
        quantities,
        |fault| Ok(SettingsAudit { predictor, fault, sizes, margin, limits: limits() }),
        move |[first, second], rng| [attacker.answer(first, rng), attacker.answer(second, rng)],
        |[first, second], _| [blind(first), blind(second)],
    )
}

/// Draws a setting as varied as those that the estimate was calibrated on: 2 to 4 classes,
/// thresholds of 1 to 8, noise of 0 to 12.
///
/// # Errors
/// Never in these ranges; the types of the spec say so, not this function.
pub fn random_setting(sizes: Sizes, rng: &mut SimRng) -> Result<ScreenSpec, Error> {
    let (rows, columns) = match sizes {
        Sizes::Small => ([50, 80, 100, 120, 150, 200, 250, 300][rng.random_range(0..8)], 2..=7),
        Sizes::Large => ([1000, 1500, 2000, 3000, 4000][rng.random_range(0..5)], 3..=5),
    };
    let columns: Vec<Column> = (0..rng.random_range(columns))
        .map(|_| Column::uniform([2, 3, 4, 5, 6, 8, 10][rng.random_range(0..7)]))
        .collect::<Result<_, _>>()?;
    let classes = Classes::equal(rng.random_range(2..=4))?;
    let suppression = Suppression::ClassCount(rng.random_range(1..=8));
    let noise = UniformNoise::uniform([0, 1, 2, 4, 8, 12][rng.random_range(0..6)]);
    Ok(ScreenSpec::new(rows, columns, classes, suppression, noise)?)
}

/// A world with what is predicted of it.
#[derive(Clone, Debug)]
struct PredictedWorld {
    world: LabelWorld,
    release: LabelRelease,
    predicted: f64,
}

/// Trials over random settings.
#[derive(Clone, Debug)]
struct SettingsAudit {
    predictor: Predictor,
    fault: Option<Fault>,
    sizes: Sizes,
    margin: f64,
    limits: AttackLimits,
}

impl SettingsAudit {
    fn predicted_world(&self, rng: &mut SimRng) -> Result<PredictedWorld, Error> {
        let spec = random_setting(self.sizes, rng)?;
        let world = LabelWorld::draw(&Population::of_screen(&spec)?, rng);
        let predicted = self.predictor.predict(&spec, self.fault)?;
        Ok(PredictedWorld { world, release: LabelRelease::of_screen(&spec)?, predicted })
    }
}

impl Audit for SettingsAudit {
    type World = [PredictedWorld; 2];
    type View = [LabelView; 2];
    type Answer = [LabelGuess; 2];

    fn world(&self, rng: &mut SimRng) -> Result<Self::World, Error> {
        Ok([self.predicted_world(rng)?, self.predicted_world(rng)?])
    }

    fn view(&self, worlds: &Self::World, rng: &mut SimRng) -> Result<Self::View, Error> {
        let [first, second] = worlds;
        Ok([
            LabelView::of(&first.world, &first.release, &self.limits, rng)?,
            LabelView::of(&second.world, &second.release, &self.limits, rng)?,
        ])
    }

    fn outsiders(&self, worlds: &Self::World, rng: &mut SimRng) -> Self::World {
        worlds.clone().map(|world| PredictedWorld { world: world.world.redrawn(rng), ..world })
    }

    fn measure(&self, worlds: &Self::World, guesses: &Self::Answer, measured: &mut [Option<f64>]) {
        let first = worlds[0].world.accuracy(&guesses[0].labels);
        let second = worlds[1].world.accuracy(&guesses[1].labels);
        let predicted = worlds[0].predicted - worlds[1].predicted;
        let is_in_order = (first - second) * predicted > 0.0;
        measured[0] = ((first - second).abs() > NO_DIFFERENCE).then_some(f64::from(is_in_order));
        if let Some(is_near) = measured.get_mut(1) {
            *is_near = Some(f64::from((first - worlds[0].predicted).abs() <= self.margin));
        }
    }
}
