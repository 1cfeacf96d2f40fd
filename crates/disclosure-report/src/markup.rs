//! Elements, attributes and texts of a page. What is open is closed, and no text is read as markup: names are fixed in the
//! source, everything else is escaped.

use crate::text::{push_escaped, push_text};

/// A page in the making.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    out: String,
}

/// Names and values of attributes.
pub(crate) type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Markup {
    /// An element around what `inside` writes.
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

    /// An element around a text.
    pub(crate) fn words(&mut self, name: &'static str, attributes: Attributes<'_>, text: &str) {
        self.element(name, attributes, |markup| markup.text(text));
    }

    /// An element with nothing in it.
    pub(crate) fn empty(&mut self, name: &'static str, attributes: Attributes<'_>) {
        self.element(name, attributes, |_| {});
    }

    /// A text.
    pub(crate) fn text(&mut self, text: &str) {
        push_text(&mut self.out, text);
    }

    /// A line break in the source, for people who read that.
    pub(crate) fn line(&mut self) {
        self.out.push('\n');
    }

    /// Markup of our own, as it is.
    pub(crate) fn fixed(&mut self, markup: &'static str) {
        self.out.push_str(markup);
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}
