//! Scenarios of `hetero-screen`: is the accuracy that is predicted the accuracy that attackers measure?
//!
//! A trial is one world, its release and one attack. It succeeds when the measured accuracy is within a margin of the
//! prediction. The claim is that a share of trials succeeds: a trial is one verdict, however many rows it has, so that
//! intervals are exact though rows of one world depend on each other.

use disclosure::core::rng::SimRng;
use disclosure::screen::{self, Classes, Column, Noise, ScreenSpec, Targets, screen};
use rand::RngExt;

use super::Attackers;
use crate::error::Error;
use crate::game::{About, Attacker, Claim, Game, Quantity, Scenario};
use crate::limits::Limits;
use crate::{Evidence, LabelGuess, LabelRelease, LabelView, LabelWorld, Population, attack_labels};

pub(super) const ATTACKERS: Attackers = &[];

/// Predicts the accuracy of an attacker on a release.
pub type Predictor = fn(&ScreenSpec) -> Result<f64, Error>;

/// The estimate by state evolution.
///
/// # Errors
/// [`Error::Screen`] for a model that is too large.
pub fn estimated(spec: &ScreenSpec) -> Result<f64, Error> {
    Ok(screen(spec, &Targets::default(), &screen::Limits::default())?.estimate.accuracy)
}

/// The expected accuracy of the source's analysis, `1 - p_row`.
///
/// # Errors
/// As [`estimated`].
pub fn source_proxy(spec: &ScreenSpec) -> Result<f64, Error> {
    Ok(screen(spec, &Targets::default(), &screen::Limits::default())?.proxy.expected_accuracy)
}

/// The estimate of a screen that ignores suppression: a broken twin.
///
/// # Errors
/// As [`estimated`].
pub fn ignoring_suppression(spec: &ScreenSpec) -> Result<f64, Error> {
    estimated(&spec.clone().with_threshold(0)?)
}

/// Draws settings as varied as those that the estimate was calibrated on: 50 to 300 rows, 2 to 7 columns, 2 to 4 classes,
/// thresholds of 1 to 8, noise of 0 to 12.
///
/// # Errors
/// Never in these ranges; the types of the spec say so, not this function.
pub fn random_setting(rng: &mut SimRng) -> Result<ScreenSpec, Error> {
    let rows = [50, 80, 100, 120, 150, 200, 300][rng.random_range(0..7)];
    let columns: Vec<Column> = (0..rng.random_range(2..=7))
        .map(|_| Column::uniform([2, 3, 4, 5, 6, 8, 10][rng.random_range(0..7)]))
        .collect::<Result<_, _>>()?;
    let classes = Classes::equal(rng.random_range(2..=4))?;
    let suppression = screen::Suppression::ClassCount(rng.random_range(1..=8));
    let noise = Noise::uniform([0, 1, 2, 4, 8, 12][rng.random_range(0..6)]);
    Ok(ScreenSpec::new(rows, columns, classes, suppression, noise)?)
}

/// A world with what is predicted of it.
#[derive(Clone, Debug)]
pub struct PredictedWorld {
    world: LabelWorld,
    release: LabelRelease,
    predicted: f64,
}

/// Trials over random settings: a setting is drawn, predicted, made up, released and attacked.
#[derive(Clone, Debug)]
pub struct SettingsGame {
    /// What predicts.
    pub predictor: Predictor,
    /// How far off a prediction may be.
    pub margin: f64,
    /// The share of trials in which it must not be farther.
    pub agreement: Quantity,
    /// What a release may take.
    pub limits: Limits,
}

/// A share of trials in which a prediction is near what is measured.
///
/// # Errors
/// [`Error::BadClaim`] unless it is a share.
pub fn agreement(share: f64) -> Result<Quantity, Error> {
    Quantity::share("predictions within the margin", Claim::at_least(share)?)
}

impl Game for SettingsGame {
    type World = PredictedWorld;
    type View = LabelView;
    type Answer = LabelGuess;

    fn quantities(&self) -> Vec<Quantity> {
        vec![self.agreement.clone()]
    }

    fn world(&self, rng: &mut SimRng) -> Result<PredictedWorld, Error> {
        let spec = random_setting(rng)?;
        let world = LabelWorld::draw(&Population::of_screen(&spec)?, rng);
        Ok(PredictedWorld { world, release: LabelRelease::of_screen(&spec)?, predicted: (self.predictor)(&spec)? })
    }

    fn view(&self, world: &PredictedWorld, rng: &mut SimRng) -> Result<LabelView, Error> {
        LabelView::of(&world.world, &world.release, &self.limits, rng)
    }

    fn control(&self, world: &PredictedWorld, rng: &mut SimRng) -> PredictedWorld {
        PredictedWorld { world: world.world.redrawn(rng), ..world.clone() }
    }

    fn measure(&self, world: &PredictedWorld, guess: &LabelGuess, _: &mut SimRng, measured: &mut [Option<f64>]) {
        let is_near = (world.world.accuracy(&guess.labels) - world.predicted).abs() <= self.margin;
        measured[0] = Some(f64::from(is_near));
    }
}

/// Trials on one real table: only the noise is drawn anew.
#[derive(Clone, Debug)]
pub struct TableGame {
    /// The table.
    pub world: LabelWorld,
    /// Its release.
    pub release: LabelRelease,
    /// The predicted accuracy.
    pub predicted: f64,
    /// How far off the prediction may be.
    pub margin: f64,
    /// The share of trials in which it must not be farther.
    pub agreement: Quantity,
    /// What a release may take.
    pub limits: Limits,
}

impl Game for TableGame {
    type World = LabelWorld;
    type View = LabelView;
    type Answer = LabelGuess;

    fn quantities(&self) -> Vec<Quantity> {
        vec![self.agreement.clone()]
    }

    fn world(&self, _: &mut SimRng) -> Result<LabelWorld, Error> {
        Ok(self.world.clone())
    }

    fn view(&self, world: &LabelWorld, rng: &mut SimRng) -> Result<LabelView, Error> {
        LabelView::of(world, &self.release, &self.limits, rng)
    }

    fn control(&self, world: &LabelWorld, rng: &mut SimRng) -> LabelWorld {
        world.redrawn(rng)
    }

    fn measure(&self, world: &LabelWorld, guess: &LabelGuess, _: &mut SimRng, measured: &mut [Option<f64>]) {
        let is_near = (world.accuracy(&guess.labels) - self.predicted).abs() <= self.margin;
        measured[0] = Some(f64::from(is_near));
    }
}

/// The portfolio on released counts.
#[derive(Clone, Copy, Debug)]
pub struct PortfolioAttacker {
    limits: Limits,
}

impl PortfolioAttacker {
    /// The portfolio within these limits.
    #[must_use]
    pub const fn new(limits: Limits) -> Self {
        Self { limits }
    }
}

impl Attacker<LabelView> for PortfolioAttacker {
    type Answer = LabelGuess;

    fn answer(&self, view: &LabelView, rng: &mut SimRng) -> LabelGuess {
        attack_labels(view, Evidence::Released, &self.limits, rng).guess
    }
}

/// The commonest class for everybody.
#[derive(Clone, Copy, Debug)]
pub struct BlindAttacker;

impl Attacker<LabelView> for BlindAttacker {
    type Answer = LabelGuess;

    fn answer(&self, view: &LabelView, _: &mut SimRng) -> LabelGuess {
        LabelGuess::blind(view.features().rows(), view.class_shares())
    }
}

/// The estimate against attackers on random settings; the twin ignores suppression.
///
/// # Errors
/// [`Error::BadClaim`] unless `share` is a share.
pub fn estimate_on_random_settings(
    about: About,
    share: f64,
    margin: f64,
    limits: Limits,
) -> Result<Scenario<SettingsGame, PortfolioAttacker, BlindAttacker>, Error> {
    let agreement = agreement(share)?;
    let game = |predictor| SettingsGame { predictor, margin, agreement: agreement.clone(), limits };
    Ok(Scenario {
        about,
        game: game(estimated as Predictor),
        broken: game(ignoring_suppression as Predictor),
        attacker: PortfolioAttacker::new(limits),
        blind: BlindAttacker,
    })
}

/// A prediction for a real table against attackers; the twin is what another model predicts of it.
#[must_use]
pub fn prediction_on_table(
    about: About,
    game: TableGame,
    predicted_by_twin: f64,
) -> Scenario<TableGame, PortfolioAttacker, BlindAttacker> {
    let limits = game.limits;
    Scenario {
        about,
        broken: TableGame { predicted: predicted_by_twin, ..game.clone() },
        game,
        attacker: PortfolioAttacker::new(limits),
        blind: BlindAttacker,
    }
}
