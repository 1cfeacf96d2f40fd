//! The number beside a group, as a specification asks for it.

use disclosure::lcf::{Counted, DrawMode, GroupNumber, NumberNoise, ThresholdLaw};
use disclosure::privacy_core::round::div_up;
use serde::{Deserialize, Serialize};

use crate::error::JobError;

/// Base of rounding where none is given: the number of a pair of groups that differ by one entity
/// then differs with probability 1/10, less often than the decision about either.
const BASE: u32 = 10;
/// Scale of sticky noise where none is given, in entities.
const SCALE: f64 = 2.0;

/// `counts` as it is written: a word, or a table.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(from = "Written")]
pub struct CountsSpec {
    kind: CountsKind,
    base: Option<u32>,
    scale: Option<f64>,
    of: Option<Counted>,
}

/// What is shown beside a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CountsKind {
    /// No number.
    #[default]
    Hidden,
    /// The number of entities, rounded at random.
    Rounded,
    /// The number of entities with noise.
    Noisy,
    /// The exact number of rows, or of entities.
    Exact,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected \"hidden\", \"rounded\", \"noisy\" or \"exact\", or {kind = \"rounded\", base = 10}"
)]
enum Written {
    Kind(CountsKind),
    Table(Fields),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    kind: CountsKind,
    base: Option<u32>,
    scale: Option<f64>,
    of: Option<Counted>,
}

impl From<Written> for CountsSpec {
    fn from(written: Written) -> Self {
        match written {
            Written::Kind(kind) => Self { kind, ..Self::default() },
            Written::Table(Fields { kind, base, scale, of }) => Self { kind, base, scale, of },
        }
    }
}

/// The number beside groups, as documents say it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountsReport {
    /// What is shown.
    pub kind: CountsKind,
    /// What it counts; null where it is hidden.
    pub of: Option<Counted>,
    /// The base of rounding; null without.
    pub base: Option<u32>,
    /// The scale of discrete Laplace noise; null without.
    pub scale: Option<f64>,
}

impl CountsReport {
    /// The report on a number.
    #[must_use]
    pub fn new(number: &GroupNumber) -> Self {
        let kind = match number {
            GroupNumber::Rounded(_) => CountsKind::Rounded,
            GroupNumber::Noisy(_) => CountsKind::Noisy,
            GroupNumber::Exact(_) => CountsKind::Exact,
            _ => CountsKind::Hidden,
        };
        let base = number.noise().map(NumberNoise::base).filter(|&base| base > 1);
        Self { kind, of: number.counted(), base, scale: number.noise().and_then(NumberNoise::scale) }
    }
}

impl CountsSpec {
    /// What is shown, with base and scale where they are not the default ones.
    #[must_use]
    pub const fn new(kind: CountsKind, base: Option<u32>, scale: Option<f64>) -> Self {
        Self { kind, base, scale, of: None }
    }

    /// As it is published: without rounding, and with the scale of sticky noise under a law that
    /// has no epsilon of its own.
    pub(super) fn published(self, law: &ThresholdLaw) -> Self {
        let own = matches!(law, ThresholdLaw::OptimalSelection(_));
        Self { base: None, scale: self.scale.or((!own).then_some(SCALE)), ..self }
    }

    /// What is shown.
    #[must_use]
    pub const fn kind(&self) -> CountsKind {
        self.kind
    }

    /// What a number counts.
    pub(super) fn counted(&self) -> Counted {
        match self.kind {
            CountsKind::Exact => self.of.unwrap_or_default(),
            CountsKind::Hidden | CountsKind::Rounded | CountsKind::Noisy => Counted::Entities,
        }
    }

    /// The number of a filter under this law.
    ///
    /// # Errors
    /// E0283 for fields that do not go together, or are out of range.
    pub fn number(&self, mode: DrawMode, law: &ThresholdLaw) -> Result<GroupNumber, JobError> {
        let Self { kind, base, scale, of } = *self;
        if of.is_some() && kind != CountsKind::Exact {
            return Err(refused("of is only used with exact counts: rounded and noisy counts are numbers of entities"));
        }
        if base.is_some() && !matches!(kind, CountsKind::Rounded | CountsKind::Noisy) {
            return Err(refused("base is only used with rounded and noisy counts"));
        }
        if scale.is_some() && kind != CountsKind::Noisy {
            return Err(refused("scale is only used with noisy counts"));
        }
        Ok(match kind {
            CountsKind::Hidden => GroupNumber::Hidden,
            CountsKind::Exact => GroupNumber::Exact(of.unwrap_or_default()),
            CountsKind::Rounded => GroupNumber::Rounded(NumberNoise::rounding(base.unwrap_or(BASE))?),
            CountsKind::Noisy if mode == DrawMode::Publish => {
                if base.is_some() {
                    return Err(refused(
                        "draws = \"publish\" allows noisy counts only without base, because rounding has no epsilon",
                    ));
                }
                GroupNumber::Noisy(NumberNoise::laplace(publication_scale(scale, law)?)?)
            }
            CountsKind::Noisy => {
                GroupNumber::Noisy(NumberNoise::laplace(scale.unwrap_or(SCALE))?.rounded_to(base.unwrap_or(BASE))?)
            }
        })
    }
}

/// The scale of noise in publish mode: as given, or half of the epsilon of an optimal selection.
fn publication_scale(scale: Option<f64>, law: &ThresholdLaw) -> Result<f64, JobError> {
    match (scale, law) {
        (Some(scale), _) => Ok(scale),
        (None, ThresholdLaw::OptimalSelection(law)) => {
            let groups = f64::from(law.groups_per_entity().get());
            Ok(div_up(2.0 * groups, law.epsilon().get()).max(0.5))
        }
        (None, _) => {
            Err(refused("noisy counts with draws = \"publish\" require a scale: {kind = \"noisy\", scale = 4}"))
        }
    }
}

fn refused(message: &str) -> JobError {
    JobError::new("E0283", format!("counts: {message}"))
}
