//! The number beside a group, as a scenario writes it.

use disclosure::lcf::{GroupNumber, NumberNoise};

use crate::prelude::*;

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Number {
    /// Rounded at random to multiples of this.
    Rounded(u32),
    /// With discrete Laplace noise of a scale, and rounded, in query mode.
    Noisy { scale: f64, base: u32 },
    /// With discrete Laplace noise of this scale, in publish mode.
    Published(f64),
}

impl Number {
    pub(crate) fn number(self, blueprint: &Blueprint<'_>) -> Result<GroupNumber, Error> {
        let number = match self {
            Self::Rounded(base) => NumberNoise::rounding(base).map(GroupNumber::Rounded),
            Self::Noisy { scale, base } => {
                NumberNoise::laplace(scale).and_then(|noise| noise.rounded_to(base)).map(GroupNumber::Noisy)
            }
            Self::Published(scale) => NumberNoise::laplace(scale).map(GroupNumber::Noisy),
        };
        number.map_err(|error| blueprint.refuse(error))
    }
}
