//! Charts as inline SVG: a figure with a caption, and a title and description for screen readers.
//! Colours come from the style sheet.
//!
//! Lengths are in user units of a drawing [`WIDTH`] units wide.

mod axis;
mod bars;
mod intervals;
mod lines;
mod multiples;
mod shares;

use crate::chart::Chart;
use crate::markup::Markup;
use crate::text::fitted;

/// Width of every drawing.
const WIDTH: f64 = 720.0;
/// Font size.
const FONT: f64 = 13.0;
/// Height of a row: a bar and the gap below it.
const ROW: f64 = 24.0;

/// Writes the figure of a chart.
pub(crate) fn figure(markup: &mut Markup, chart: &Chart) {
    match chart {
        Chart::Bars(chart) => bars::draw(markup, chart),
        Chart::Intervals(chart) => intervals::draw(markup, chart),
        Chart::Shares(chart) => shares::draw(markup, chart),
        Chart::Lines(chart) => lines::draw(markup, chart),
        Chart::Multiples(chart) => multiples::draw(markup, chart),
    }
}

/// Writes a figure: a caption, and a drawing of the given height.
fn framed(markup: &mut Markup, title: &str, description: &str, height: f64, inside: impl FnOnce(&mut Markup)) {
    markup.element("figure", &[], |markup| {
        markup.words("figcaption", &[], title);
        // On a narrow screen the drawing scrolls instead of shrinking, so that its text stays
        // readable.
        let scrolled = [("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", "picture")];
        markup.element("div", &scrolled, |markup| {
            let view = format!("0 0 {} {}", coordinate(WIDTH), coordinate(height));
            markup.element("svg", &[("viewBox", &view), ("role", "img")], |markup| {
                markup.words("title", &[], title);
                markup.words("desc", &[], description);
                inside(markup);
            });
        });
    });
    markup.line();
}

/// A coordinate as text, rounded to tenths.
fn coordinate(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// Draws a straight line.
fn line(markup: &mut Markup, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(coordinate);
    markup.empty("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)]);
}

/// Draws a filled rectangle between two horizontal coordinates, at least one unit wide.
fn block(markup: &mut Markup, class: &str, [from, to]: [f64; 2], top: f64, height: f64) {
    let [x, y, width, height] = [from.min(to), top, (to - from).abs().max(1.0), height].map(coordinate);
    let place = [("class", class), ("x", x.as_str()), ("y", &y), ("width", &width), ("height", &height)];
    markup.empty("rect", &place);
}

/// How a text is aligned to its coordinate.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// Draws a text on one line, shortened to fit into `room`.
fn label(markup: &mut Markup, class: &str, [x, y]: [f64; 2], anchor: Anchor, room: f64, text: &str) {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let [x, y] = [x, y].map(coordinate);
    let place = [("class", class), ("x", x.as_str()), ("y", &y), ("text-anchor", anchor)];
    markup.words("text", &place, &fitted(text, FONT, room));
}

/// Width reserved for labels: that of the widest, at most `most`. At least 28, so that the first
/// tick label of the axis is not cut off.
fn room_for<'a>(labels: impl Iterator<Item = &'a str>, most: f64) -> f64 {
    labels.map(|text| crate::text::width(text, FONT)).fold(28.0, f64::max).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_are_short_and_never_negative_zeros_of_text() {
        assert_eq!([1.0, 1.25, 719.96].map(coordinate), ["1", "1.2", "720"]);
    }
}
