//! What a picture shows. Every picture has its numbers in words as well: nothing is said by colour or length alone.
//!
//! Numbers that are not finite, or larger than 1e30 in size, are drawn as withheld.

/// A picture of numbers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Chart {
    /// Bars with intervals.
    Bars(Bars),
    /// Bounds.
    Intervals(Intervals),
    /// A whole and its parts.
    Shares(Shares),
    /// Curves.
    Lines(Lines),
    /// Many small pictures with bars on one scale.
    Multiples(Multiples),
}

macro_rules! into_chart {
    ($($kind:ident),*) => {$(
        impl From<$kind> for Chart {
            fn from(chart: $kind) -> Self {
                Self::$kind(chart)
            }
        }
        impl From<$kind> for crate::model::Block {
            fn from(chart: $kind) -> Self {
                Self::Chart(Chart::$kind(chart))
            }
        }
    )*};
}
into_chart!(Bars, Intervals, Shares, Lines, Multiples);

/// A number, as far as it may be known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// The number itself.
    Exact(f64),
    /// An estimate and the ends of its interval.
    Estimate {
        /// The estimate.
        value: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// It is not given.
    Withheld,
}

/// A bar: lengths start at zero, to either side.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it counts.
    pub label: String,
    /// How long it is.
    pub amount: Amount,
    /// The number in words, with the digits that its error deserves.
    pub shown: String,
}

/// Bars under each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// What is shown.
    pub title: String,
    /// What the axis counts, with its unit.
    pub axis: String,
    /// From top to bottom.
    pub bars: Vec<Bar>,
}

/// Between which numbers something lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Interval {
    /// What lies there.
    pub label: String,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// The bounds in words.
    pub shown: String,
    /// Whether it is one that must not be: drawn apart.
    pub is_bad: bool,
}

/// A line across a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where it stands.
    pub at: f64,
    /// What it means.
    pub label: String,
}

/// Intervals under each other: their widths are what is left open.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intervals {
    /// What is shown.
    pub title: String,
    /// What the axis counts, with its unit.
    pub axis: String,
    /// From top to bottom.
    pub intervals: Vec<Interval>,
    /// Lines to hold them against.
    pub marks: Vec<Mark>,
}

/// A part of a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// Its name.
    pub label: String,
    /// How much it is; nothing when negative.
    pub amount: f64,
    /// The same in words.
    pub shown: String,
}

/// A bar cut into its parts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// What is shown.
    pub title: String,
    /// The parts, from left to right.
    pub parts: Vec<Share>,
    /// The whole, when the parts do not fill it: the rest is drawn empty.
    pub whole: Option<f64>,
}

/// Points that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What they are.
    pub name: String,
    /// Across and up.
    pub points: Vec<(f64, f64)>,
}

/// Curves over one axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// What is shown.
    pub title: String,
    /// What is across.
    pub across: String,
    /// What is up.
    pub up: String,
    /// Whether heights are logarithms; points at or below zero are then left out.
    pub is_logarithmic: bool,
    /// The curves: at most eight can be told apart.
    pub series: Vec<Series>,
}

/// One of many small pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it is about.
    pub label: String,
    /// Its bars, from top to bottom.
    pub bars: Vec<Bar>,
}

/// Small pictures side by side, all on one scale.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multiples {
    /// What is shown.
    pub title: String,
    /// What all axes count, with its unit.
    pub axis: String,
    /// Row by row.
    pub panels: Vec<Panel>,
}

impl Bar {
    /// The bar and the ends of its interval, if they can be drawn.
    pub(crate) fn drawn(&self) -> Option<(f64, [f64; 2])> {
        let (value, ends) = match self.amount {
            Amount::Exact(value) => (value, [value, value]),
            Amount::Estimate { value, low, high } => (value, [low.min(high), low.max(high)]),
            Amount::Withheld => return None,
        };
        [value, ends[0], ends[1]].iter().all(|&number| is_drawable(number)).then_some((value, ends))
    }
}

/// Whether a number has a place on an axis.
pub(crate) fn is_drawable(number: f64) -> bool {
    number.abs() <= 1e30
}
