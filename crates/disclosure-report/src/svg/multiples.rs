//! Small multiples: bar charts side by side on a common scale.

use super::axis::Axis;
use super::bars::{draw_bar, extent};
use super::{Anchor, FONT, WIDTH, framed, label, line, room_for};
use crate::chart::{Multiples, Panel};
use crate::markup::Markup;

const GAP: f64 = 24.0;
const ROW: f64 = 20.0;
/// Space above and below the bars of a panel.
const HEAD: f64 = 24.0;
const FOOT: f64 = 30.0;

/// Panels per row.
const ACROSS: usize = 2;
/// Width of a panel.
const PANEL: f64 = (WIDTH - GAP) / 2.0;

/// Measures common to all panels.
struct Grid {
    /// Width of the labels.
    names: f64,
    /// Width of the numbers.
    numbers: f64,
    height: f64,
}

pub(super) fn draw(markup: &mut Markup, chart: &Multiples) {
    let grid = Grid::of(chart);
    let rows = chart.panels.len().div_ceil(ACROSS);
    let height = rows as f64 * grid.height + 20.0;
    let description =
        format!("{} small pictures on one scale: {}. The numbers are in the table.", chart.panels.len(), chart.axis);
    framed(markup, &chart.title, &description, height, |markup| {
        let axis = Axis::over(chart.panels.iter().flat_map(|panel| extent(&panel.bars)), [0.0, 1.0], 2);
        for (index, panel) in chart.panels.iter().enumerate() {
            let left = (index % ACROSS) as f64 * (PANEL + GAP);
            draw_panel(markup, &grid, &axis, panel, [left, (index / ACROSS) as f64 * grid.height]);
        }
        label(markup, "tick", [WIDTH / 2.0, height - 4.0], Anchor::Middle, WIDTH, &chart.axis);
    });
}

impl Grid {
    fn of(chart: &Multiples) -> Self {
        let all = || chart.panels.iter().flat_map(|panel| &panel.bars);
        let names = room_for(all().map(|bar| bar.label.as_str()), 110.0);
        let numbers = room_for(all().map(|bar| bar.shown.as_str()), 110.0);
        let bars = chart.panels.iter().map(|panel| panel.bars.len()).max().unwrap_or(0);
        Self { names, numbers, height: HEAD + ROW * bars as f64 + FOOT }
    }
}

fn draw_panel(markup: &mut Markup, grid: &Grid, axis: &Axis, panel: &Panel, [left, top]: [f64; 2]) {
    let axis = axis.between([left + grid.names + 8.0, left + PANEL - grid.numbers - 12.0]);
    label(markup, "strong", [left, top + FONT + 2.0], Anchor::Start, PANEL, &panel.label);
    let (first, last) = (top + HEAD, top + HEAD + ROW * panel.bars.len() as f64);
    for tick in axis.ticks() {
        let x = axis.place(tick);
        line(markup, if tick == 0.0 { "zero" } else { "grid" }, [x, first], [x, last]);
        label(markup, "tick", [x, last + 15.0], Anchor::Middle, 80.0, &axis.name(tick));
    }
    for (row, bar) in panel.bars.iter().enumerate() {
        let top = first + ROW * row as f64;
        markup.element("g", &[], |markup| {
            markup.words("title", &[], &format!("{}, {}: {}", panel.label, bar.label, bar.shown));
            let baseline = top + ROW / 2.0 + FONT * 0.36;
            label(markup, "", [left + grid.names, baseline], Anchor::End, grid.names, &bar.label);
            draw_bar(markup, &axis, bar, top + 3.0, ROW - 6.0);
            label(markup, "number", [left + PANEL, baseline], Anchor::End, grid.numbers, &bar.shown);
        });
    }
}
