//! Linear and logarithmic axes: scale, ticks and labels.
//!
//! The tick distance is the least of 1, 2 and 5 times a power of ten for which at most `most`
//! steps span the range.

use super::{drawing, line, percent};
use crate::chart::is_drawable;
use crate::markup::Markup;
use crate::number::{count, with_error};

/// Share of the largest number up to which negative numbers do not extend the axis: a count of -2
/// beside one of 5,000 is noise, and its number is written beside the bar.
const NEGLIGIBLE: f64 = 0.05;

/// Maps numbers from `low..=high` to percentages.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    /// Whether the axis runs from the bottom up, where the coordinate 0 is the top.
    is_up: bool,
}

impl Axis {
    /// An axis that spans all numbers and ends at ticks. Numbers that cannot be drawn are
    /// ignored.
    pub(super) fn over(numbers: impl Iterator<Item = f64>, most: usize) -> Self {
        Self::with_steps_of(0.0, numbers, most)
    }

    /// An axis for bars. It starts at 0, unless negative numbers matter.
    pub(super) fn from_zero(numbers: impl Iterator<Item = f64>, most: usize) -> Self {
        let numbers: Vec<f64> = numbers.filter(|&number| is_drawable(number)).collect();
        let high = numbers.iter().fold(0.0_f64, |high, &number| high.max(number));
        let numbers = numbers.into_iter().filter(|&number| number >= 0.0 || -number > NEGLIGIBLE * high);
        Self::over(numbers.chain([0.0]), most)
    }

    /// An axis for base-10 logarithms: ticks are whole powers of ten.
    pub(super) fn over_powers(numbers: impl Iterator<Item = f64>, most: usize) -> Self {
        Self::with_steps_of(1.0, numbers, most)
    }

    fn with_steps_of(least: f64, numbers: impl Iterator<Item = f64>, most: usize) -> Self {
        let drawable = numbers.filter(|&number| is_drawable(number));
        let (mut low, mut high) = drawable
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), number| (low.min(number), high.max(number)));
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        // A range this narrow has no ticks that differ: smaller powers of ten are subnormal
        // numbers.
        if high - low <= (1e-12 * low.abs().max(high.abs())).max(1e-30) {
            high = low + low.abs().max(1.0);
        }
        let step = step_over((high - low) / most.max(1) as f64).max(least);
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step, is_up: false }
    }

    /// The same range from the bottom up.
    pub(super) fn upwards(self) -> Self {
        Self { is_up: true, ..self }
    }

    /// The position of a number in percent, clamped to the ends of the axis.
    pub(super) fn place(&self, number: f64) -> f64 {
        let share = ((number - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        100.0 * if self.is_up { 1.0 - share } else { share }
    }

    /// The numbers at the ticks.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        let (first, step) = ((self.low / self.step).round(), self.step);
        let steps = ((self.high - self.low) / step).round() as u32;
        (0..=steps).map(move |tick| (first + f64::from(tick)) * step)
    }

    /// The label of a tick, with as many digits as the tick distance needs.
    pub(super) fn name(&self, tick: f64) -> String {
        let size = self.low.abs().max(self.high.abs());
        if size >= 1e15 || self.step < 1e-6 {
            return if tick == 0.0 { "0".to_owned() } else { format!("{tick:e}") };
        }
        if self.step >= 1.0 { count(tick) } else { with_error(tick, self.step * 10.0) }
    }

    /// Draws the grid lines of a horizontal axis over the height of a drawing.
    pub(super) fn draw_grid(&self, markup: &mut Markup) {
        for tick in self.ticks() {
            let x = self.place(tick);
            line(markup, if tick == 0.0 { "zero" } else { "grid" }, [x, 0.0], [x, 100.0]);
        }
    }

    /// Draws the tick labels of a horizontal axis. On a narrow screen every other one is shown.
    pub(super) fn draw_names(&self, markup: &mut Markup) {
        drawing(markup, "ticks", |markup| {
            for (index, tick) in self.ticks().enumerate() {
                let (class, x) = (if index % 2 == 1 { "tick odd" } else { "tick" }, percent(self.place(tick)));
                let place = [("class", class), ("x", x.as_str()), ("y", "80%"), ("text-anchor", "middle")];
                markup.words("text", &place, &self.name(tick));
            }
        });
    }
}

/// The least of 1, 2 and 5 times a power of ten that is at least `least`.
fn step_over(least: f64) -> f64 {
    let power = 10.0_f64.powi(least.log10().floor() as i32);
    let factor = [1.0, 2.0, 5.0].into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(axis: &Axis) -> Vec<String> {
        axis.ticks().map(|tick| axis.name(tick)).collect()
    }

    fn ticks(numbers: &[f64]) -> Vec<String> {
        names(&Axis::over(numbers.iter().copied(), 5))
    }

    #[test]
    fn steps_are_round_and_hold_all_numbers() {
        assert_eq!(ticks(&[0.0, 883.9]), ["0", "200", "400", "600", "800", "1\u{202f}000"]);
        assert_eq!(ticks(&[-3.0, 4.0]), ["−4", "−2", "0", "2", "4"]);
        assert_eq!(ticks(&[0.0, 0.45]), ["0.0", "0.1", "0.2", "0.3", "0.4", "0.5"]);
        assert_eq!(ticks(&[0.0, 0.05]), ["0.00", "0.01", "0.02", "0.03", "0.04", "0.05"]);
        assert_eq!(ticks(&[0.0, 3e18]), ["0", "1e18", "2e18", "3e18"]);
    }

    #[test]
    fn bars_start_at_zero_unless_negative_numbers_matter() {
        let from_zero = |numbers: &[f64]| names(&Axis::from_zero(numbers.iter().copied(), 5));
        assert_eq!(
            from_zero(&[-2.9, 4980.0]),
            ["0", "1\u{202f}000", "2\u{202f}000", "3\u{202f}000", "4\u{202f}000", "5\u{202f}000"]
        );
        assert_eq!(from_zero(&[-900.0, 4980.0])[0], "−2\u{202f}000");
        assert_eq!(from_zero(&[-3.0, -2.0]), ["−3", "−2", "−1", "0"]);
        assert_eq!(from_zero(&[80.0, 90.0])[0], "0");
    }

    #[test]
    fn any_numbers_make_an_axis() {
        let cases: [&[f64]; 8] = [
            &[],
            &[0.0],
            &[7.0, 7.0],
            &[f64::NAN],
            &[-1e30, 1e30],
            &[1e-300, 2e-300],
            &[f64::INFINITY, 3.0],
            &[1e9, 1e9 + 1e-6],
        ];
        for numbers in cases {
            let axis = Axis::over(numbers.iter().copied(), 5);
            let places: Vec<f64> = axis.ticks().map(|tick| axis.place(tick)).collect();
            assert!((2..=8).contains(&places.len()), "{numbers:?}: {places:?}");
            assert!(places.iter().all(|place| (0.0..=100.0).contains(place)), "{numbers:?}: {places:?}");
            for &number in numbers.iter().filter(|number| is_drawable(**number)) {
                let slack = 1e-9 * number.abs();
                assert!(axis.low <= number + slack && number <= axis.high + slack, "{numbers:?}");
            }
        }
    }
}
