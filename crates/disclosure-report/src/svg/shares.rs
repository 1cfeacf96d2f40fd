//! A stacked bar with a legend below it.

use super::{block, drawing, framed};
use crate::chart::{Share, Shares, is_drawable};
use crate::markup::Markup;

/// Style sheet classes for parts and curves, cycled through in order.
pub(super) const COLOURS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

pub(super) fn draw(markup: &mut Markup, chart: &Shares) {
    let sum: f64 = chart.parts.iter().map(size).sum();
    let whole = chart.whole.filter(|&whole| is_drawable(whole)).unwrap_or(sum).max(sum);
    let noun = if chart.parts.len() == 1 { "part" } else { "parts" };
    framed(markup, &chart.title, &format!("a whole of {} {noun}", chart.parts.len()), |markup| {
        drawing(markup, "stack", |markup| {
            block(markup, "rest", [0.0, 100.0], [0.0, 100.0]);
            let mut from = 0.0;
            for (index, part) in chart.parts.iter().enumerate() {
                let to = if whole > 0.0 { (from + size(part) / whole * 100.0).min(100.0) } else { from };
                if to > from {
                    block(markup, COLOURS[index % COLOURS.len()], [from, to], [0.0, 100.0]);
                }
                from = to;
            }
        });
        markup.element("ul", &[("class", "legend")], |markup| {
            for (index, part) in chart.parts.iter().enumerate() {
                legend_entry(markup, COLOURS[index % COLOURS.len()], part);
            }
            if let Some(left) = &chart.left {
                legend_entry(markup, "empty", left);
            }
        });
    });
}

fn legend_entry(markup: &mut Markup, colour: &str, part: &Share) {
    markup.element("li", &[], |markup| {
        markup.empty("span", &[("class", &format!("swatch {colour}"))]);
        markup.words("span", &[], &part.label);
        markup.words("span", &[("class", "number")], &part.shown);
    });
}

fn size(part: &Share) -> f64 {
    if is_drawable(part.amount) { part.amount.max(0.0) } else { 0.0 }
}
