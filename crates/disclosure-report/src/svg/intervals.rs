//! Interval charts: a bar from the lower to the upper bound, with reference lines.

use super::axis::Axis;
use super::{axis_label, block, drawing, framed, line, percent};
use crate::chart::{IntervalBar, Intervals, Mark, is_drawable};
use crate::markup::Markup;

pub(super) fn draw(markup: &mut Markup, chart: &Intervals) {
    let ends = chart.intervals.iter().flat_map(|interval| [interval.low, interval.high]);
    let marks: Vec<&Mark> = chart.marks.iter().filter(|mark| is_drawable(mark.at)).collect();
    let axis = Axis::from_zero(ends.chain(marks.iter().map(|mark| mark.at)), 5);
    let noun = if chart.intervals.len() == 1 { "interval" } else { "intervals" };
    framed(markup, &chart.title, &format!("{} {noun}", chart.intervals.len()), |markup| {
        markup.element("div", &[("class", "chart")], |markup| {
            draw_mark_names(markup, &axis, &marks);
            for interval in &chart.intervals {
                markup.words("span", &[("class", "label")], &interval.label);
                drawing(markup, "track", |markup| {
                    axis.draw_grid(markup);
                    draw_interval(markup, &axis, interval);
                    for mark in &marks {
                        let x = axis.place(mark.at);
                        line(markup, "mark", [x, 0.0], [x, 100.0]);
                    }
                });
                markup.words("span", &[("class", "number")], &interval.shown);
                markup.line();
            }
            markup.empty("span", &[]);
            axis.draw_names(markup);
            markup.empty("span", &[]);
        });
        axis_label(markup, &chart.axis);
    });
}

/// The labels of the reference lines, above the intervals.
fn draw_mark_names(markup: &mut Markup, axis: &Axis, marks: &[&Mark]) {
    if marks.is_empty() {
        return;
    }
    markup.empty("span", &[]);
    drawing(markup, "ticks", |markup| {
        for mark in marks {
            let x = percent(axis.place(mark.at));
            let place = [("class", "tick"), ("x", x.as_str()), ("y", "80%"), ("text-anchor", "middle")];
            markup.words("text", &place, &mark.label);
        }
    });
    markup.empty("span", &[]);
}

fn draw_interval(markup: &mut Markup, axis: &Axis, interval: &IntervalBar) {
    if !is_drawable(interval.low) || !is_drawable(interval.high) {
        return;
    }
    let class = if interval.is_bad { "interval bad" } else { "interval" };
    let ends = [interval.low, interval.high].map(|end| axis.place(end));
    block(markup, class, ends, [28.0, 72.0]);
    // An interval of width zero must remain visible.
    if (ends[1] - ends[0]).abs() < 0.6 {
        line(markup, if interval.is_bad { "pin bad" } else { "pin" }, [ends[0], 28.0], [ends[0], 72.0]);
    }
}
