//! The page as HTML: one document with an embedded style sheet, no scripts, and nothing to fetch.

use crate::markup::Markup;
use crate::model::{Audience, Block, Page, Section, Tone};
use crate::promise::{PromiseSection, StatementKind};
use crate::svg;
use crate::table::{Cell, Table};

/// Everything before the title. The content security policy is a second line of defence: the
/// browser loads nothing even if a text were to escape its quoting.
const HEAD: &str = concat!(
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; ",
    "base-uri 'none'; form-action 'none'\">\n",
);
/// Everything between the title and the header.
const STYLE: &str = concat!("\n<style>\n", include_str!("style.css"), "</style>\n</head>\n<body>\n");
const TAIL: &str = "</body>\n</html>\n";

/// Renders a page as a complete HTML5 document in UTF-8. Equal pages give equal bytes.
///
/// Every text is escaped. Characters that hide or reorder their neighbours are written out, for
/// example as `\u202E`. Texts of more than 600 characters are truncated with a note.
///
/// # Cost
/// Linear in the length of the returned document, in time and memory.
///
/// # Example
/// ```
/// use disclosure_report::{Page, Section, render};
///
/// let page = Page::new("Survey").section(Section::new("Tables").text("Age < 30"));
/// let html = render(&page);
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("Age &lt; 30"));
/// ```
#[must_use]
pub fn render(page: &Page) -> String {
    let mut markup = Markup::default();
    markup.fixed(HEAD);
    markup.words("title", &[], &page.title);
    markup.fixed(STYLE);
    markup.element("header", &[], |markup| {
        markup.words("h1", &[], &page.title);
        for words in &page.lead {
            markup.words("p", &[("class", "lead")], words);
        }
    });
    markup.line();
    contents(&mut markup, &page.sections);
    markup.element("main", &[], |markup| sections(markup, &page.sections, 2, "s"));
    markup.line();
    if !page.colophon.is_empty() {
        markup.words("footer", &[], &page.colophon);
    }
    markup.fixed(TAIL);
    markup.finish()
}

/// Links to the sections. Addresses are section numbers, so that no text becomes an address.
fn contents(markup: &mut Markup, sections: &[Section]) {
    if sections.len() < 3 {
        return;
    }
    markup.element("nav", &[("aria-label", "Contents")], |markup| {
        for (number, section) in sections.iter().enumerate() {
            let address = format!("#s{number}");
            markup.words("a", &[("href", &address)], &section.heading);
            markup.line();
        }
    });
    markup.line();
}

fn sections(markup: &mut Markup, sections: &[Section], level: usize, prefix: &str) {
    for (number, section) in sections.iter().enumerate() {
        draw_section(markup, section, level, &format!("{prefix}{number}"));
    }
}

fn draw_section(markup: &mut Markup, section: &Section, level: usize, name: &str) {
    let class = if section.audience == Audience::Owner { "owner" } else { "open" };
    markup.element("section", &[("id", name), ("class", class)], |markup| {
        let heading = ["h2", "h3", "h4", "h5"][(level - 2).min(3)];
        markup.element(heading, &[], |markup| {
            markup.words("bdi", &[], &section.heading);
            if section.audience == Audience::Owner {
                markup.text(" ");
                markup.words("span", &[("class", "badge bad")], "stays where the data are");
            }
        });
        markup.line();
        section.blocks.iter().for_each(|block| draw_block(markup, block));
        sections(markup, &section.sections, level + 1, &format!("{name}-"));
    });
    markup.line();
}

fn draw_block(markup: &mut Markup, block: &Block) {
    match block {
        Block::Text(text) => markup.words("p", &[], text),
        Block::Note(tone, text) => {
            let class = format!("note {}", tone_class(*tone));
            markup.words("p", &[("class", class.trim_end())], text);
        }
        Block::Promise(promise) => draw_promise(markup, promise),
        Block::Facts(facts) => draw_facts(markup, facts),
        Block::List(points) => draw_list(markup, points),
        Block::Code(words) => draw_code(markup, words),
        Block::Table(table) => draw_table(markup, table),
        Block::Chart(chart) => svg::figure(markup, chart),
        Block::Folded { summary, is_open, blocks } => {
            let open: &[(&str, &str)] = if *is_open { &[("open", "")] } else { &[] };
            markup.element("details", open, |markup| {
                markup.words("summary", &[], summary);
                blocks.iter().for_each(|block| draw_block(markup, block));
            });
        }
    }
    markup.line();
}

fn draw_promise(markup: &mut Markup, promise: &PromiseSection) {
    let class = format!("promise {}", kind_class(promise.kind));
    markup.element("div", &[("class", &class)], |markup| {
        markup.element("p", &[("class", "kind")], |markup| {
            markup.words("strong", &[], promise.kind.name());
            if let Some(subject) = &promise.subject {
                markup.text(" · ");
                markup.words("bdi", &[], subject);
            }
        });
        markup.words("p", &[("class", "statement")], &promise.statement);
        let terms = promise.terms.iter().map(|(name, text)| (name.clone(), Cell::from(text.as_str())));
        draw_facts(markup, &terms.collect::<Vec<_>>());
        if !promise.not_covered.is_empty() {
            markup.words("p", &[("class", "faint")], "Not covered:");
            draw_list(markup, &promise.not_covered);
        }
        markup.words("p", &[("class", "faint")], promise.kind.meaning());
    });
}

fn kind_class(kind: StatementKind) -> &'static str {
    match kind {
        StatementKind::Guarantee => "good",
        StatementKind::Calibration | StatementKind::Measurement => "plain",
        StatementKind::Proxy => "warning",
        StatementKind::Nothing | StatementKind::Unknown => "bad",
    }
}

fn draw_facts(markup: &mut Markup, facts: &[(String, Cell)]) {
    if facts.is_empty() {
        return;
    }
    markup.element("dl", &[], |markup| {
        for (name, cell) in facts {
            markup.words("dt", &[], name);
            markup.element("dd", &[], |markup| draw_cell(markup, cell));
        }
    });
}

fn draw_list(markup: &mut Markup, points: &[String]) {
    markup.element("ul", &[], |markup| points.iter().for_each(|point| markup.words("li", &[], point)));
}

/// Keeps line feeds, which are written as spaces everywhere else.
fn draw_code(markup: &mut Markup, words: &str) {
    markup.element("pre", &[], |markup| {
        markup.element("code", &[], |markup| {
            for (number, line) in words.lines().enumerate() {
                if number > 0 {
                    markup.line();
                }
                markup.text(line);
            }
        });
    });
}

fn draw_table(markup: &mut Markup, table: &Table) {
    // A wide table scrolls in its own container, so that the page keeps its width.
    let scrolled = [("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", "table")];
    markup.element("div", &scrolled, |markup| {
        markup.element("table", &[], |markup| {
            if !table.caption.is_empty() {
                markup.words("caption", &[], &table.caption);
            }
            draw_header(markup, table);
            markup.line();
            markup.element("tbody", &[], |markup| table.rows.iter().for_each(|row| draw_row(markup, table, row)));
        });
    });
    if let Some(words) = &table.left_out {
        markup.words("p", &[("class", "faint")], words);
    }
}

fn draw_header(markup: &mut Markup, table: &Table) {
    markup.element("thead", &[], |markup| {
        markup.element("tr", &[], |markup| {
            for column in &table.columns {
                let class = if column.is_number { "number" } else { "" };
                markup.element("th", &[("scope", "col"), ("class", class)], |markup| {
                    markup.words("bdi", &[], &column.name);
                });
            }
        });
    });
}

fn draw_row(markup: &mut Markup, table: &Table, row: &[Cell]) {
    let none = Cell::default();
    markup.element("tr", &[], |markup| {
        for (index, column) in table.columns.iter().enumerate() {
            let cell = row.get(index).unwrap_or(&none);
            let class = if column.is_number { "number" } else { "" };
            if index < table.row_names {
                markup.element("th", &[("scope", "row"), ("class", class)], |markup| draw_cell(markup, cell));
            } else {
                markup.element("td", &[("class", class)], |markup| draw_cell(markup, cell));
            }
        }
    });
    markup.line();
}

fn draw_cell(markup: &mut Markup, cell: &Cell) {
    match cell.tone {
        // A label in a right-to-left script must not reorder the text around it.
        Tone::Plain => markup.words("bdi", &[], &cell.text),
        Tone::Machine => markup.words("code", &[], &cell.text),
        Tone::Faint => markup.words("bdi", &[("class", "faint")], &cell.text),
        tone => {
            let class = format!("badge {}", tone_class(tone));
            markup.words("span", &[("class", &class)], &cell.text);
        }
    }
}

fn tone_class(tone: Tone) -> &'static str {
    match tone {
        Tone::Good => "good",
        Tone::Warning => "warning",
        Tone::Bad => "bad",
        Tone::Faint => "faint",
        Tone::Plain | Tone::Machine => "plain",
    }
}
