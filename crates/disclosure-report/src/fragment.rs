//! Parts of a page for a program that writes the rest of the document itself.

use crate::html::draw_block;
use crate::markup::Markup;
use crate::model::Block;
use crate::text::push_text;

/// The style sheet of a page, which [`fragment`] needs. It refers to nothing outside of itself.
pub const STYLE_SHEET: &str = include_str!("style.css");

/// Renders blocks as HTML without a document around them. Equal blocks give equal bytes, and the
/// result has neither scripts nor inline styles.
///
/// # Cost
/// Linear in the length of the result, in time and memory.
///
/// # Example
/// ```
/// use disclosure_report::{Block, fragment};
///
/// assert_eq!(fragment(&[Block::Text("Age < 30".into())]).trim_end(), "<p>Age &lt; 30</p>");
/// ```
#[must_use]
pub fn fragment(blocks: &[Block]) -> String {
    let mut markup = Markup::default();
    blocks.iter().for_each(|block| draw_block(&mut markup, block));
    markup.finish()
}

/// Escapes a text for HTML. Characters that hide or reorder their neighbours are written out, and
/// a text of more than 600 characters is truncated with a note.
///
/// ```
/// assert_eq!(disclosure_report::escaped("a\u{202e}<b>"), "a\\u202E&lt;b&gt;");
/// ```
#[must_use]
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_text(&mut out, text);
    out
}
