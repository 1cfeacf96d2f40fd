//! Linear and logarithmic axes: scale, ticks and labels.
//!
//! The tick distance is the least of 1, 2 and 5 times a power of ten for which at most `most`
//! steps span the range.

use super::{Anchor, coordinate, label, line};
use crate::chart::is_drawable;
use crate::markup::Markup;
use crate::number::{count, with_error};

/// Maps numbers from `low..=high` to coordinates from `from..=to`.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    step: f64,
    from: f64,
    to: f64,
}

impl Axis {
    /// An axis that spans all numbers and ends at ticks. Numbers that cannot be drawn are
    /// ignored.
    pub(super) fn over(numbers: impl Iterator<Item = f64>, places: [f64; 2], most: usize) -> Self {
        Self::with_steps_of(0.0, numbers, places, most)
    }

    /// The same for base-10 logarithms: ticks are whole powers of ten.
    pub(super) fn over_powers(numbers: impl Iterator<Item = f64>, places: [f64; 2], most: usize) -> Self {
        Self::with_steps_of(1.0, numbers, places, most)
    }

    fn with_steps_of(least: f64, numbers: impl Iterator<Item = f64>, [from, to]: [f64; 2], most: usize) -> Self {
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
        Self { low: (low / step).floor() * step, high: (high / step).ceil() * step, step, from, to }
    }

    /// The same range between two other coordinates.
    pub(super) fn between(&self, [from, to]: [f64; 2]) -> Self {
        Self { from, to, ..self.clone() }
    }

    /// The coordinate of a number, clamped to the ends of the axis.
    pub(super) fn place(&self, number: f64) -> f64 {
        let share = ((number - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        self.from + share * (self.to - self.from)
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

    /// Draws vertical grid lines from `top` to `bottom` with tick labels, and the axis label.
    pub(super) fn draw_across(&self, markup: &mut Markup, top: f64, bottom: f64, words: &str) {
        for tick in self.ticks() {
            let x = self.place(tick);
            line(markup, if tick == 0.0 { "zero" } else { "grid" }, [x, top], [x, bottom]);
            label(markup, "tick", [x, bottom + 16.0], Anchor::Middle, 90.0, &self.name(tick));
        }
        let middle = f64::midpoint(self.from, self.to);
        label(markup, "tick", [middle, bottom + 34.0], Anchor::Middle, 2.0 * (self.to - self.from).abs(), words);
    }

    /// Draws horizontal grid lines from `left` to `right` with tick labels beside them.
    pub(super) fn draw_up(&self, markup: &mut Markup, left: f64, right: f64, name: impl Fn(f64) -> String) {
        for tick in self.ticks() {
            let y = self.place(tick);
            line(markup, "grid", [left, y], [right, y]);
            label(markup, "tick", [left - 6.0, y + 4.0], Anchor::End, left - 8.0, &name(tick));
        }
    }

    /// Draws a dashed vertical reference line.
    pub(super) fn draw_mark(&self, markup: &mut Markup, at: f64, top: f64, bottom: f64) {
        let x = self.place(at);
        let [x, top, bottom] = [x, top, bottom].map(coordinate);
        markup.empty("line", &[("class", "mark"), ("x1", &x), ("y1", &top), ("x2", &x), ("y2", &bottom)]);
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

    fn ticks(numbers: &[f64]) -> Vec<String> {
        let axis = Axis::over(numbers.iter().copied(), [0.0, 100.0], 5);
        axis.ticks().map(|tick| axis.name(tick)).collect()
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
            let axis = Axis::over(numbers.iter().copied(), [10.0, 90.0], 5);
            let places: Vec<f64> = axis.ticks().map(|tick| axis.place(tick)).collect();
            assert!((2..=8).contains(&places.len()), "{numbers:?}: {places:?}");
            assert!(places.iter().all(|place| (10.0..=90.0).contains(place)), "{numbers:?}: {places:?}");
            for &number in numbers.iter().filter(|number| is_drawable(**number)) {
                let slack = 1e-9 * number.abs();
                assert!(axis.low <= number + slack && number <= axis.high + slack, "{numbers:?}");
            }
        }
    }
}
