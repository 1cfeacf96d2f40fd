//! What a result promises, in one type for the whole workspace.

use std::borrow::Cow;

use crate::accounting::Neighbours;

/// What a statement about a result rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum PromiseKind {
    /// Holds for every input: differential privacy, a Frechet bound.
    Guarantee,
    /// A law with known parameters: the odds of a low-count filter, the variance of an estimator.
    Calibration,
    /// A model's prediction, which no theorem bounds: a screening.
    Proxy,
    /// What simulated attackers achieved in trials: stronger attackers may achieve more.
    Measured,
    /// Nothing is promised: simulated noise.
    None,
}

impl PromiseKind {
    /// The word for it in documents and on pages.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Guarantee => "guarantee",
            Self::Calibration => "calibration",
            Self::Proxy => "proxy",
            Self::Measured => "measured",
            Self::None => "none",
        }
    }
}

/// One statement about a result: what holds, against whom, for which unit, at which cost.
///
/// In JSON, parts that are `None` are left out, and `guarantee` is the key `statement`.
///
/// ```
/// use privacy_core::accounting::Neighbours;
/// use privacy_core::promise::{Promise, PromiseKind};
///
/// let promise = Promise::new(PromiseKind::Guarantee, "0.5-zCDP")
///     .with_neighbours(Neighbours::AddRemove)
///     .with_unit("a row of the data");
/// assert_eq!(promise.kind.word(), "guarantee");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Promise {
    /// What the statement rests on.
    pub kind: PromiseKind,
    /// The statement, in one plain sentence.
    #[cfg_attr(feature = "serde", serde(rename = "statement"))]
    pub guarantee: Cow<'static, str>,
    /// Which two tables must look alike, for differential privacy.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub neighbours: Option<Neighbours>,
    /// The attacker whom it stands against, and what that attacker knows.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub against: Option<Cow<'static, str>>,
    /// What is protected: a row, a person, an entity.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub unit: Option<Cow<'static, str>>,
    /// What it costs, in the terms of the statement: "rho 0.5".
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub cost: Option<Cow<'static, str>>,
}

impl Promise {
    /// A statement without an attacker, a unit, neighbours or a cost.
    pub fn new(kind: PromiseKind, guarantee: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, guarantee: guarantee.into(), neighbours: None, against: None, unit: None, cost: None }
    }

    /// The same statement for two tables that are neighbours in this way.
    #[must_use]
    pub fn with_neighbours(self, neighbours: Neighbours) -> Self {
        Self { neighbours: Some(neighbours), ..self }
    }

    /// The same statement against this attacker.
    #[must_use]
    pub fn with_attacker(self, against: impl Into<Cow<'static, str>>) -> Self {
        Self { against: Some(against.into()), ..self }
    }

    /// The same statement for this unit.
    #[must_use]
    pub fn with_unit(self, unit: impl Into<Cow<'static, str>>) -> Self {
        Self { unit: Some(unit.into()), ..self }
    }

    /// The same statement at this cost.
    #[must_use]
    pub fn with_cost(self, cost: impl Into<Cow<'static, str>>) -> Self {
        Self { cost: Some(cost.into()), ..self }
    }
}

#[cfg(test)]
#[cfg(feature = "serde")]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_missing_are_left_out_and_read_back() {
        let full = Promise::new(PromiseKind::Guarantee, "0.5-zCDP")
            .with_neighbours(Neighbours::AddRemove)
            .with_attacker("anyone")
            .with_unit("a row")
            .with_cost("rho 0.5");
        let text = serde_json::to_string(&full).unwrap();
        let wanted = r#"{"kind":"guarantee","statement":"0.5-zCDP","neighbours":"add-remove","against":"anyone","#;
        assert_eq!(text, [wanted, r#""unit":"a row","cost":"rho 0.5"}"#].concat());
        assert_eq!(serde_json::from_str::<Promise>(&text).unwrap(), full);
        let bare = Promise::new(PromiseKind::Proxy, "a prediction");
        let text = serde_json::to_string(&bare).unwrap();
        assert_eq!(text, r#"{"kind":"proxy","statement":"a prediction"}"#);
        assert_eq!(serde_json::from_str::<Promise>(&text).unwrap(), bare);
    }
}
