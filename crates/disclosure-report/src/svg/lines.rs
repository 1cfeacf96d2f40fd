//! Line charts. Curves differ by colour and by dashes, and are named in a legend.

use super::axis::Axis;
use super::shares::COLOURS;
use super::{Anchor, FONT, ROW, WIDTH, coordinate, framed, label};
use crate::chart::{Lines, Series, is_drawable};
use crate::markup::Markup;

const LEFT: f64 = 74.0;
const HEIGHT: f64 = 240.0;

/// Dash patterns, cycled through in the order of the curves.
const DASHES: [&str; 4] = ["none", "7 4", "2 4", "10 3 2 3"];

pub(super) fn draw(markup: &mut Markup, chart: &Lines) {
    let drawn: Vec<(&Series, Vec<(f64, f64)>)> =
        chart.series.iter().map(|series| (series, drawable(chart, series))).collect();
    let top = ROW * chart.series.len() as f64 + 26.0;
    let bottom = top + HEIGHT;
    let points = || drawn.iter().flat_map(|(_, points)| points);
    let across = Axis::over(points().map(|point| point.0), [LEFT, WIDTH - 14.0], 8);
    let heights = points().map(|point| point.1);
    let up = match chart.is_logarithmic {
        true => Axis::over_powers(heights, [bottom, top], 5),
        // Include zero: on a truncated axis a small change looks large.
        false => Axis::over(heights.chain([0.0]), [bottom, top], 5),
    };
    let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
    let description = format!("{} over {}: {}", chart.up, chart.across, names.join("; "));
    framed(markup, &chart.title, &description, bottom + 42.0, |markup| {
        across.draw_across(markup, top, bottom, &chart.across);
        up.draw_up(markup, LEFT, WIDTH - 14.0, |tick| if chart.is_logarithmic { power(tick) } else { up.name(tick) });
        label(markup, "tick", [0.0, top - 10.0], Anchor::Start, WIDTH, &chart.up);
        for (row, (series, points)) in drawn.iter().enumerate() {
            let style = (COLOURS[row % COLOURS.len()], DASHES[row % DASHES.len()]);
            draw_curve(markup, style, points.iter().map(|&(x, y)| [across.place(x), up.place(y)]), &series.name);
            draw_legend(markup, style, ROW * row as f64, &series.name);
        }
    });
}

/// The points that can be drawn, with logarithms already taken.
fn drawable(chart: &Lines, series: &Series) -> Vec<(f64, f64)> {
    let points = series.points.iter().map(|&(x, y)| (x, if chart.is_logarithmic { y.log10() } else { y }));
    points.filter(|&(x, y)| is_drawable(x) && is_drawable(y)).collect()
}

/// The label of a tick on a logarithmic axis.
fn power(exponent: f64) -> String {
    match exponent.round() {
        small if small.abs() <= 4.0 => format!("{}", 10.0_f64.powi(small as i32)),
        large => format!("1e{large}"),
    }
}

fn draw_curve(
    markup: &mut Markup,
    (colour, dashes): (&'static str, &'static str),
    places: impl Iterator<Item = [f64; 2]>,
    name: &str,
) {
    let places: Vec<String> = places.map(|[x, y]| format!("{},{}", coordinate(x), coordinate(y))).collect();
    let class = format!("curve {colour}");
    markup.element(
        "polyline",
        &[("class", &class), ("stroke-dasharray", dashes), ("points", &places.join(" "))],
        |markup| {
            markup.words("title", &[], name);
        },
    );
}

fn draw_legend(markup: &mut Markup, (colour, dashes): (&'static str, &'static str), top: f64, name: &str) {
    let middle = top + ROW / 2.0;
    let points = format!("0,{0} 36,{0}", coordinate(middle));
    let class = format!("curve {colour}");
    markup.empty("polyline", &[("class", &class), ("stroke-dasharray", dashes), ("points", &points)]);
    label(markup, "", [44.0, middle + FONT * 0.36], Anchor::Start, WIDTH - 50.0, name);
}
