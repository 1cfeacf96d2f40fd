#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod limits;

mod setting;

mod incidence;
mod world;

mod view;

mod guess;
mod problem;

mod annealing;
mod beliefs;
mod exact;
mod laws;
mod least_squares;
mod propagation;

mod attack;
mod exposed;

mod screened;
mod simulation;

mod prediction;

pub use attack::{LabelAttack, Method, attack_labels};
pub use error::Error;
pub use exact::ExactOutcome;
pub use exposed::{Exposed, ExposedRow, exposed_rows};
pub use guess::LabelGuess;
pub use limits::AttackLimits;
pub use prediction::{LabelPrediction, predict_labels};
pub use problem::{Evidence, LabelProblem};
pub use setting::{Features, LabelRelease, Population, Suppression, Values};
pub use simulation::{AttackScore, LabelSource, LabelTrial, MeanOverTrials, simulate_labels};
pub use view::LabelView;
pub use world::{FeatureTable, LabelWorld};
