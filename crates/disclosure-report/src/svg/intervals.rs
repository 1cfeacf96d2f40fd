//! Interval charts: a bar from the lower to the upper bound, with reference lines.

use super::axis::Axis;
use super::{Anchor, FONT, ROW, WIDTH, block, framed, label, room_for};
use crate::chart::{IntervalBar, Intervals, is_drawable};
use crate::markup::Markup;

pub(super) fn draw(markup: &mut Markup, chart: &Intervals) {
    let names = room_for(chart.intervals.iter().map(|interval| interval.label.as_str()), 230.0);
    let numbers = room_for(chart.intervals.iter().map(|interval| interval.shown.as_str()), 150.0);
    let ends = chart.intervals.iter().flat_map(|interval| [interval.low, interval.high]);
    let marks = chart.marks.iter().map(|mark| mark.at);
    let axis = Axis::over(ends.chain(marks), [names + 12.0, WIDTH - numbers - 16.0], 5);
    let top = if chart.marks.is_empty() { 6.0 } else { 24.0 };
    let bottom = top + ROW * chart.intervals.len() as f64;
    let description = format!("{} intervals: {}. The numbers are in the table.", chart.intervals.len(), chart.axis);
    framed(markup, &chart.title, &description, bottom + 42.0, |markup| {
        axis.draw_across(markup, top, bottom, &chart.axis);
        for (row, interval) in chart.intervals.iter().enumerate() {
            let top = top + ROW * row as f64;
            let baseline = top + ROW / 2.0 + FONT * 0.36;
            markup.element("g", &[], |markup| {
                markup.words("title", &[], &format!("{}: {}", interval.label, interval.shown));
                label(markup, "", [names, baseline], Anchor::End, names, &interval.label);
                draw_interval(markup, &axis, interval, top);
                label(markup, "number", [WIDTH, baseline], Anchor::End, numbers, &interval.shown);
            });
        }
        for mark in chart.marks.iter().filter(|mark| is_drawable(mark.at)) {
            axis.draw_mark(markup, mark.at, top - 4.0, bottom);
            label(markup, "tick", [axis.place(mark.at), top - 9.0], Anchor::Middle, 140.0, &mark.label);
        }
    });
}

fn draw_interval(markup: &mut Markup, axis: &Axis, interval: &IntervalBar, top: f64) {
    let class = if interval.is_bad { "interval bad" } else { "interval" };
    if is_drawable(interval.low) && is_drawable(interval.high) {
        let [low, high] = [interval.low, interval.high].map(|end| axis.place(end));
        // An interval of width zero must remain visible.
        let ends = if (high - low).abs() < 4.0 { [low - 2.0, low + 2.0] } else { [low, high] };
        block(markup, class, ends, top + 7.0, ROW - 14.0);
    }
}
