//! Numbers that may be too small for `f64`, and probabilities that know which side of them is
//! small.

/// `factor * e^-exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scaled {
    pub(crate) factor: f64,
    pub(crate) exponent: f64,
}

impl Scaled {
    pub(crate) const ZERO: Self = Self { factor: 0.0, exponent: 0.0 };

    pub(crate) fn times(self, factor: f64) -> Self {
        Self { factor: self.factor * factor, ..self }
    }

    pub(crate) fn value(self) -> f64 {
        self.factor * libm::exp(-self.exponent)
    }

    pub(crate) fn ln(self) -> f64 {
        libm::log(self.factor) - self.exponent
    }
}

/// A probability, held by its small side: the other one is then accurate too.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tail {
    /// The probability itself.
    Direct(Scaled),
    /// One minus the probability.
    Complement(Scaled),
}

impl Tail {
    pub(crate) const NOTHING: Self = Self::Direct(Scaled::ZERO);
    pub(crate) const EVERYTHING: Self = Self::Complement(Scaled::ZERO);

    pub(crate) fn complement(self) -> Self {
        match self {
            Self::Direct(small) => Self::Complement(small),
            Self::Complement(small) => Self::Direct(small),
        }
    }

    pub(crate) fn value(self) -> f64 {
        match self {
            Self::Direct(small) => small.value(),
            Self::Complement(small) => 1.0 - small.value(),
        }
    }

    pub(crate) fn ln(self) -> f64 {
        match self {
            Self::Direct(small) => small.ln(),
            Self::Complement(small) => libm::log1p(-small.value()),
        }
    }
}
