//! Writer for elements, attributes and texts. Every element that is opened is closed, and no text
//! is parsed as markup: element and attribute names are literals, everything else is escaped.

use crate::text::{push_escaped, push_text};

/// The document written so far.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    out: String,
}

/// Names and values of attributes. An empty `class` is omitted.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    /// Writes an element whose content is written by `inside`.
    pub(crate) fn element(&mut self, name: &'static str, attributes: Attributes<'_>, inside: impl FnOnce(&mut Self)) {
        self.out.push('<');
        self.out.push_str(name);
        for (key, value) in attributes.iter().filter(|&&(key, value)| key != "class" || !value.is_empty()) {
            self.out.push(' ');
            self.out.push_str(key);
            self.out.push_str("=\"");
            push_escaped(&mut self.out, value);
            self.out.push('"');
        }
        self.out.push('>');
        inside(self);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    /// Writes an element that contains one text.
    pub(crate) fn words(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(name, attributes, |markup| markup.text(text));
    }

    /// Writes an element without content.
    pub(crate) fn empty(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.element(name, attributes, |_| {});
    }

    /// Writes a text, escaped and truncated.
    pub(crate) fn text(&mut self, text: &str) {
        push_text(&mut self.out, text);
    }

    /// Writes a line feed, to keep the source readable.
    pub(crate) fn line(&mut self) {
        self.out.push('\n');
    }

    /// Writes a literal of this crate without escaping.
    pub(crate) fn fixed(&mut self, markup: &'static str) {
        self.out.push_str(markup);
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}
