//! Charts as a grid of texts and inline SVG. Colours come from the style sheet.
//!
//! Lengths of a drawing are percentages of its width and height, so a chart is as wide as its
//! column, on a phone as in print; texts keep their size and wrap, and none is cut off.

mod axis;
mod bars;
mod intervals;
mod lines;
mod shares;

use crate::chart::Chart;
use crate::markup::Markup;

/// Writes the figure of a chart.
pub(crate) fn figure(markup: &mut Markup, chart: &Chart) {
    match chart {
        Chart::Bars(chart) => bars::draw(markup, chart),
        Chart::Intervals(chart) => intervals::draw(markup, chart),
        Chart::Shares(chart) => shares::draw(markup, chart),
        Chart::Lines(chart) => lines::draw(markup, chart),
    }
}

/// Writes a figure: a caption, and what is drawn. `description` is for screen readers, and has no
/// text from outside of this crate.
fn framed(markup: &mut Markup, title: &str, description: &str, inside: impl FnOnce(&mut Markup)) {
    markup.element("figure", &[("role", "group"), ("aria-label", description)], |markup| {
        markup.words("figcaption", &[], title);
        inside(markup);
    });
    markup.line();
}

/// Writes the label of an axis, below the drawing.
fn axis_label(markup: &mut Markup, words: &str) {
    if !words.is_empty() {
        markup.words("p", &[("class", "axis")], words);
    }
}

/// A drawing as wide as its cell.
fn drawing(markup: &mut Markup, class: &str, inside: impl FnOnce(&mut Markup)) {
    markup.element("svg", &[("class", class), ("aria-hidden", "true")], inside);
}

/// A length in percent as text, rounded to hundredths.
fn percent(number: f64) -> String {
    let text = format!("{number:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{}%", if text == "-0" { "0" } else { text })
}

/// Draws a straight line.
fn line(markup: &mut Markup, class: &str, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
    let [x1, y1, x2, y2] = [x1, y1, x2, y2].map(percent);
    markup.empty("line", &[("class", class), ("x1", &x1), ("y1", &y1), ("x2", &x2), ("y2", &y2)]);
}

/// Draws a filled rectangle between two horizontal and two vertical positions.
fn block(markup: &mut Markup, class: &str, [from, to]: [f64; 2], [top, bottom]: [f64; 2]) {
    let [x, y, width, height] = [from.min(to), top, (to - from).abs(), bottom - top].map(percent);
    let place = [("class", class), ("x", x.as_str()), ("y", &y), ("width", &width), ("height", &height)];
    markup.empty("rect", &place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_short_and_never_negative_zeros() {
        assert_eq!([12.0, 1.255, 99.996, -0.001, 0.5].map(percent), ["12%", "1.25%", "100%", "0%", "0.5%"]);
    }
}
