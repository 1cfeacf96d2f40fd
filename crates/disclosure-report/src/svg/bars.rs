//! Bar charts: label, bar with a whisker over its interval, number.

use super::axis::Axis;
use super::{Anchor, FONT, ROW, WIDTH, block, framed, label, line, room_for};
use crate::chart::{Bar, Bars};
use crate::markup::Markup;

const TOP: f64 = 6.0;

pub(super) fn draw(markup: &mut Markup, chart: &Bars) {
    let names = room_for(chart.bars.iter().map(|bar| bar.label.as_str()), 210.0);
    let numbers = room_for(chart.bars.iter().map(|bar| bar.shown.as_str()), 190.0);
    let axis = Axis::over(extent(&chart.bars), [names + 12.0, WIDTH - numbers - 16.0], 5);
    let bottom = TOP + ROW * chart.bars.len() as f64;
    framed(markup, &chart.title, &description(chart), bottom + 42.0, |markup| {
        axis.draw_across(markup, TOP, bottom, &chart.axis);
        for (row, bar) in chart.bars.iter().enumerate() {
            let top = TOP + ROW * row as f64;
            let baseline = top + ROW / 2.0 + FONT * 0.36;
            markup.element("g", &[], |markup| {
                markup.words("title", &[], &format!("{}: {}", bar.label, bar.shown));
                label(markup, "", [names, baseline], Anchor::End, names, &bar.label);
                draw_bar(markup, &axis, bar, top + 4.0, ROW - 8.0);
                label(markup, "number", [WIDTH, baseline], Anchor::End, numbers, &bar.shown);
            });
        }
    });
}

/// The numbers that the axis must span: zero, the values, and the ends of the intervals.
pub(super) fn extent(bars: &[Bar]) -> impl Iterator<Item = f64> {
    let ends = bars.iter().filter_map(Bar::drawn).flat_map(|(value, [low, high])| [value, low, high]);
    ends.chain([0.0])
}

/// Draws a bar from zero with its whisker, or a hatched stub for a withheld number.
pub(super) fn draw_bar(markup: &mut Markup, axis: &Axis, bar: &Bar, top: f64, height: f64) {
    let zero = axis.place(0.0);
    let Some((value, ends)) = bar.drawn() else {
        block(markup, "withheld", [zero, zero + 36.0], top, height);
        return;
    };
    let class = if ends[0] < ends[1] { "bar" } else { "bar exact" };
    block(markup, class, [zero, axis.place(value)], top, height);
    if ends[0] < ends[1] {
        let ([from, to], middle) = (ends.map(|end| axis.place(end)), top + height / 2.0);
        line(markup, "whisker", [from, middle], [to, middle]);
        for end in [from, to] {
            line(markup, "whisker", [end, middle - 4.0], [end, middle + 4.0]);
        }
    }
}

fn description(chart: &Bars) -> String {
    let withheld = chart.bars.iter().filter(|bar| bar.drawn().is_none()).count();
    let bars = chart.bars.len();
    let noun = if bars == 1 { "bar" } else { "bars" };
    let hidden = if withheld > 0 { format!(", {withheld} of them withheld") } else { String::new() };
    format!("{bars} {noun}{hidden}: {}. The numbers are in the table.", chart.axis)
}
