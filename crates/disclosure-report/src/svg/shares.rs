//! A stacked bar with a legend below it.

use super::{Anchor, FONT, ROW, WIDTH, block, framed, label};
use crate::chart::{Share, Shares, is_drawable};
use crate::markup::Markup;

const TOP: f64 = 4.0;
const HEIGHT: f64 = 30.0;

/// Style sheet classes for parts and curves, cycled through in order.
pub(super) const COLOURS: [&str; 8] = ["c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

pub(super) fn draw(markup: &mut Markup, chart: &Shares) {
    let sum: f64 = chart.parts.iter().map(size).sum();
    let whole = chart.whole.filter(|&whole| is_drawable(whole)).unwrap_or(sum).max(sum);
    let legend = TOP + HEIGHT + 12.0;
    let height = legend + ROW * chart.parts.len() as f64;
    let parts: Vec<String> = chart.parts.iter().map(|part| format!("{} {}", part.label, part.shown)).collect();
    framed(markup, &chart.title, &parts.join("; "), height, |markup| {
        block(markup, "rest", [0.5, WIDTH - 0.5], TOP, HEIGHT);
        let mut from = 0.0;
        for (row, part) in chart.parts.iter().enumerate() {
            let colour = COLOURS[row % COLOURS.len()];
            let to = if whole > 0.0 { from + size(part) / whole * WIDTH } else { from };
            let top = legend + ROW * row as f64;
            markup.element("g", &[], |markup| {
                markup.words("title", &[], &format!("{}: {}", part.label, part.shown));
                if to > from {
                    block(markup, colour, [from, to], TOP, HEIGHT);
                }
                block(markup, colour, [0.0, FONT], top + 5.0, FONT);
                let baseline = top + ROW / 2.0 + FONT * 0.36;
                label(markup, "", [FONT + 8.0, baseline], Anchor::Start, 420.0, &part.label);
                label(markup, "number", [WIDTH, baseline], Anchor::End, 260.0, &part.shown);
            });
            from = to;
        }
    });
}

fn size(part: &Share) -> f64 {
    if is_drawable(part.amount) { part.amount.max(0.0) } else { 0.0 }
}
