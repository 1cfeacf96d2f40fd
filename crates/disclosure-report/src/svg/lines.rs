//! Line charts. Curves differ by colour and by dashes, and are named in a legend.

use super::axis::Axis;
use super::shares::COLOURS;
use super::{axis_label, drawing, framed, line, percent};
use crate::chart::{Lines, Series, is_drawable};
use crate::markup::Markup;

/// Dash patterns, cycled through in the order of the curves.
const DASHES: [&str; 4] = ["none", "7 4", "2 4", "10 3 2 3"];

/// The box that curves are drawn in; the style sheet stretches it and keeps the width of strokes.
const BOX: &str = "0 0 1000 1000";

pub(super) fn draw(markup: &mut Markup, chart: &Lines) {
    let drawn: Vec<Vec<(f64, f64)>> = chart.series.iter().map(|series| drawable(chart, series)).collect();
    let points = || drawn.iter().flatten();
    let across = Axis::over(points().map(|point| point.0), 8);
    let heights = points().map(|point| point.1);
    let up = match chart.is_logarithmic {
        true => Axis::over_powers(heights, 5).upwards(),
        // Include zero: on a truncated axis a small change looks large.
        false => Axis::from_zero(heights, 5).upwards(),
    };
    let noun = if chart.series.len() == 1 { "curve" } else { "curves" };
    framed(markup, &chart.title, &format!("{} {noun}", chart.series.len()), |markup| {
        draw_legend(markup, chart);
        axis_label(markup, &chart.up);
        markup.element("div", &[("class", "plot")], |markup| {
            draw_heights(markup, &up, chart.is_logarithmic);
            drawing(markup, "curves", |markup| {
                across.draw_grid(markup);
                for tick in up.ticks() {
                    line(markup, "grid", [0.0, up.place(tick)], [100.0, up.place(tick)]);
                }
                markup.element("svg", &[("viewBox", BOX), ("preserveAspectRatio", "none")], |markup| {
                    for (index, points) in drawn.iter().enumerate() {
                        draw_curve(markup, index, points.iter().map(|&(x, y)| [across.place(x), up.place(y)]));
                    }
                });
            });
            markup.empty("span", &[]);
            across.draw_names(markup);
        });
        axis_label(markup, &chart.across);
    });
}

/// The points that can be drawn, with logarithms already taken.
fn drawable(chart: &Lines, series: &Series) -> Vec<(f64, f64)> {
    let points = series.points.iter().map(|&(x, y)| (x, if chart.is_logarithmic { y.log10() } else { y }));
    points.filter(|&(x, y)| is_drawable(x) && is_drawable(y)).collect()
}

/// The tick labels of the vertical axis.
fn draw_heights(markup: &mut Markup, up: &Axis, is_logarithmic: bool) {
    drawing(markup, "heights", |markup| {
        for tick in up.ticks() {
            let y = percent(up.place(tick));
            let name = if is_logarithmic { power(tick) } else { up.name(tick) };
            let place = [("class", "tick"), ("x", "100%"), ("y", y.as_str()), ("dy", "4"), ("text-anchor", "end")];
            markup.words("text", &place, &name);
        }
    });
}

/// The label of a tick on a logarithmic axis.
fn power(exponent: f64) -> String {
    match exponent.round() {
        small if small.abs() <= 4.0 => format!("{}", 10.0_f64.powi(small as i32)),
        large => format!("1e{large}"),
    }
}

fn draw_curve(markup: &mut Markup, index: usize, places: impl Iterator<Item = [f64; 2]>) {
    // The box has ten units for one percent.
    let places: Vec<String> = places.map(|[x, y]| format!("{:.1},{:.1}", 10.0 * x, 10.0 * y)).collect();
    let (class, dashes) = style(index);
    markup.empty("polyline", &[("class", &class), ("stroke-dasharray", dashes), ("points", &places.join(" "))]);
}

fn draw_legend(markup: &mut Markup, chart: &Lines) {
    markup.element("ul", &[("class", "legend")], |markup| {
        for (index, series) in chart.series.iter().enumerate() {
            markup.element("li", &[], |markup| {
                let (class, dashes) = style(index);
                drawing(markup, "key", |markup| {
                    let place = [("x1", "0%"), ("y1", "50%"), ("x2", "100%"), ("y2", "50%")];
                    let style = [("class", class.as_str()), ("stroke-dasharray", dashes)];
                    markup.empty("line", &[style.as_slice(), place.as_slice()].concat());
                });
                markup.words("span", &[], &series.name);
            });
        }
    });
}

fn style(index: usize) -> (String, &'static str) {
    (format!("curve {}", COLOURS[index % COLOURS.len()]), DASHES[index % DASHES.len()])
}
