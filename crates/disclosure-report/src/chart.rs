//! Data of the charts. Every chart also states its numbers in words, so that nothing is said by
//! colour or length alone.
//!
//! Numbers that are not finite, or whose magnitude exceeds 1e30, are drawn as withheld.

/// A chart.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Chart {
    /// Horizontal bars with error bars.
    Bars(Bars),
    /// Intervals between a lower and an upper bound.
    Intervals(Intervals),
    /// One stacked bar: a whole and its parts.
    Shares(Shares),
    /// Line chart.
    Lines(Lines),
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
into_chart!(Bars, Intervals, Shares, Lines);

/// A number together with what is known about its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// An exact number.
    Exact(f64),
    /// An estimate with an interval.
    Estimate {
        /// Point estimate.
        value: f64,
        /// Lower end of the interval.
        low: f64,
        /// Upper end of the interval.
        high: f64,
    },
    /// The number is not published; drawn as a dashed stub.
    Withheld,
}

/// A bar that starts at zero and extends to either side. A negative number is drawn where it is
/// at least a twentieth of the largest number of its chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The category that the bar stands for.
    pub label: String,
    /// The length of the bar, with its error.
    pub amount: Amount,
    /// The number as text, with the digits that its error supports.
    pub shown: String,
}

/// A horizontal bar chart.
///
/// # Example
///
/// ```
/// use disclosure_report::{Amount, Bar, Bars, Section};
///
/// let amount = Amount::Estimate { value: 40.5, low: 36.6, high: 44.4 };
/// let bar = Bar { label: "18 to 24".into(), amount, shown: "40.5 ± 3.9".into() };
/// let chart = Bars { title: "Respondents by age".into(), axis: "people".into(), bars: vec![bar] };
/// let section = Section::new("Age").with(chart);
/// assert_eq!(section.blocks.len(), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The caption.
    pub title: String,
    /// The axis label, with its unit.
    pub axis: String,
    /// The bars from top to bottom.
    pub bars: Vec<Bar>,
}

/// A range between two bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct IntervalBar {
    /// The quantity that is bounded.
    pub label: String,
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
    /// The bounds as text.
    pub shown: String,
    /// Whether the interval violates a requirement; drawn in the warning colour.
    pub is_bad: bool,
}

/// A reference line across a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Position on the axis.
    pub at: f64,
    /// The label of the line.
    pub label: String,
}

/// A chart of intervals: their widths show the remaining uncertainty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Intervals {
    /// The caption.
    pub title: String,
    /// The axis label, with its unit.
    pub axis: String,
    /// The intervals from top to bottom.
    pub intervals: Vec<IntervalBar>,
    /// Reference lines, for example the limits of a rule.
    pub marks: Vec<Mark>,
}

/// A part of a whole.
#[derive(Clone, Debug, PartialEq)]
pub struct Share {
    /// The name of the part.
    pub label: String,
    /// The size of the part; negative sizes count as zero.
    pub amount: f64,
    /// The size as text.
    pub shown: String,
}

/// One stacked bar with a legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shares {
    /// The caption.
    pub title: String,
    /// The parts from left to right.
    pub parts: Vec<Share>,
    /// The size of the whole when it exceeds the sum of the parts; the remainder is drawn empty.
    pub whole: Option<f64>,
    /// What the legend says of the remainder.
    pub left: Option<Share>,
}

/// One curve of a line chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// The name in the legend.
    pub name: String,
    /// Points `(x, y)` in drawing order.
    pub points: Vec<(f64, f64)>,
}

/// A line chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    /// The caption.
    pub title: String,
    /// Label of the horizontal axis.
    pub across: String,
    /// Label of the vertical axis.
    pub up: String,
    /// Whether the vertical axis is logarithmic; points with `y <= 0` are then omitted.
    pub is_logarithmic: bool,
    /// The curves. Colours and dashes distinguish at most eight.
    pub series: Vec<Series>,
}

impl Bar {
    /// The value and the ends of its interval; `None` if the number is withheld or cannot be
    /// drawn.
    pub(crate) fn drawn(&self) -> Option<(f64, [f64; 2])> {
        let (value, ends) = match self.amount {
            Amount::Exact(value) => (value, [value, value]),
            Amount::Estimate { value, low, high } => (value, [low.min(high), low.max(high)]),
            Amount::Withheld => return None,
        };
        [value, ends[0], ends[1]].iter().all(|&number| is_drawable(number)).then_some((value, ends))
    }
}

/// Whether a number has a position on an axis. NaN has none.
pub(crate) fn is_drawable(number: f64) -> bool {
    number.abs() <= 1e30
}
