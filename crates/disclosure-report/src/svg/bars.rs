//! Bar charts: label, bar with a whisker over its interval, number.

use super::axis::Axis;
use super::{axis_label, block, drawing, framed, line};
use crate::chart::{Bar, Bars};
use crate::markup::Markup;

/// Width of the stub that stands for a withheld number, in percent.
const STUB: f64 = 6.0;

pub(super) fn draw(markup: &mut Markup, chart: &Bars) {
    let axis = Axis::from_zero(
        chart.bars.iter().filter_map(Bar::drawn).flat_map(|(value, [low, high])| [value, low, high]),
        5,
    );
    framed(markup, &chart.title, &description(chart), |markup| {
        markup.element("div", &[("class", "chart")], |markup| {
            for bar in &chart.bars {
                markup.words("span", &[("class", "label")], &bar.label);
                drawing(markup, "track", |markup| {
                    axis.draw_grid(markup);
                    draw_bar(markup, &axis, bar);
                });
                markup.words("span", &[("class", "number")], &bar.shown);
                markup.line();
            }
            markup.empty("span", &[]);
            axis.draw_names(markup);
            markup.empty("span", &[]);
        });
        axis_label(markup, &chart.axis);
    });
}

/// Draws a bar from zero with its whisker, or a dashed stub for a withheld number.
fn draw_bar(markup: &mut Markup, axis: &Axis, bar: &Bar) {
    const BODY: [f64; 2] = [18.0, 82.0];
    let zero = axis.place(0.0);
    let Some((value, ends)) = bar.drawn() else {
        let end = if zero + STUB <= 100.0 { zero + STUB } else { zero - STUB };
        block(markup, "withheld", [zero, end], BODY);
        return;
    };
    let class = if ends[0] < ends[1] { "bar" } else { "bar exact" };
    block(markup, class, [zero, axis.place(value)], BODY);
    if ends[0] < ends[1] {
        let [from, to] = ends.map(|end| axis.place(end));
        line(markup, "whisker", [from, 50.0], [to, 50.0]);
        for end in [from, to] {
            line(markup, "whisker", [end, 34.0], [end, 66.0]);
        }
    }
}

fn description(chart: &Bars) -> String {
    let withheld = chart.bars.iter().filter(|bar| bar.drawn().is_none()).count();
    let bars = chart.bars.len();
    let noun = if bars == 1 { "bar" } else { "bars" };
    let hidden = if withheld > 0 { format!(", {withheld} of them withheld") } else { String::new() };
    format!("{bars} {noun}{hidden}")
}
