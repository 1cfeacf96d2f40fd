//! The page as HTML: one document with an embedded style sheet, no scripts, and nothing to fetch.

use crate::markup::Markup;
use crate::model::{Audience, Block, Page, Section, Tone};
use crate::promise::{PromiseSection, StatementKind};
use crate::svg;
use crate::table::{Cell, Table};
use crate::text::sentence_case;

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
    markup.element("header", &[], |markup| draw_header(markup, page));
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

/// The first screen: title, introduction, what a reader must know first, and who may read it.
fn draw_header(markup: &mut Markup, page: &Page) {
    markup.words("h1", &[], &page.title);
    for words in &page.lead {
        markup.words("p", &[("class", "lead")], words);
    }
    for section in &page.overview {
        let is_owner = section.audience == Audience::Owner;
        markup.element("div", &[("class", if is_owner { "owner" } else { "open" })], |markup| {
            section.blocks.iter().for_each(|block| draw_block(markup, block));
            if is_owner {
                draw_owner_badge(markup);
            }
        });
        markup.line();
    }
    let readers = match page.has_owner_sections() {
        true => "Only the owner of the data: the marked sections are not part of the release.",
        false => "Anyone who may read the release.",
    };
    draw_facts(markup, &[("who may read this page".to_owned(), Cell::from(readers))]);
}

fn draw_owner_badge(markup: &mut Markup) {
    markup.text(" ");
    markup.words("span", &[("class", "badge bad")], "For the data owner only");
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
                draw_owner_badge(markup);
            }
        });
        markup.line();
        section.blocks.iter().for_each(|block| draw_block(markup, block));
        sections(markup, &section.sections, level + 1, &format!("{name}-"));
    });
    markup.line();
}

pub(crate) fn draw_block(markup: &mut Markup, block: &Block) {
    match block {
        Block::Text(text) => markup.words("p", &[], text),
        Block::Note(tone, text) => {
            let class = format!("note {}", tone_class(*tone));
            markup.words("p", &[("class", class.trim_end())], text);
        }
        Block::Promise(promise) => draw_card(markup, promise.subject.as_deref(), std::slice::from_ref(promise)),
        Block::Promises(card) => draw_card(markup, Some(&card.subject), &card.promises),
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

/// A card of statements. Its colour is that of the first one.
fn draw_card(markup: &mut Markup, subject: Option<&str>, promises: &[PromiseSection]) {
    let kind = promises.first().map_or("plain", |promise| kind_class(promise.kind));
    let shared = shared_terms(promises);
    markup.element("div", &[("class", &format!("promise {kind}"))], |markup| {
        if let Some(subject) = subject {
            markup.element("p", &[("class", "subject")], |markup| markup.words("bdi", &[], subject));
        }
        for promise in promises {
            markup.element("p", &[("class", "statement")], |markup| {
                let class = format!("badge {}", kind_class(promise.kind));
                markup.words("span", &[("class", &class)], promise.kind.name());
                markup.text(" ");
                markup.words("bdi", &[], &sentence_case(&promise.statement));
            });
            let own = promise.terms.iter().filter(|term| !shared.contains(term));
            draw_terms(markup, own);
        }
        draw_terms(markup, shared.iter().copied());
        draw_not_covered(markup, promises);
    });
}

/// The terms that several statements have in common; none of a single one.
fn shared_terms(promises: &[PromiseSection]) -> Vec<&(String, String)> {
    let Some((first, others)) = promises.split_first().filter(|(_, others)| !others.is_empty()) else {
        return Vec::new();
    };
    first.terms.iter().filter(|term| others.iter().all(|other| other.terms.contains(term))).collect()
}

fn draw_terms<'a>(markup: &mut Markup, terms: impl Iterator<Item = &'a (String, String)>) {
    let facts: Vec<(String, Cell)> = terms.map(|(name, text)| (name.clone(), Cell::from(text.as_str()))).collect();
    draw_facts(markup, &facts);
}

/// What the statements of a card do not cover, each point once, folded on a screen.
fn draw_not_covered(markup: &mut Markup, promises: &[PromiseSection]) {
    let mut points: Vec<String> = Vec::new();
    for point in promises.iter().flat_map(|promise| &promise.not_covered) {
        if !points.contains(point) {
            points.push(point.clone());
        }
    }
    if points.is_empty() {
        return;
    }
    markup.element("details", &[("class", "terms")], |markup| {
        let noun = if points.len() == 1 { "point" } else { "points" };
        markup.words("summary", &[], &format!("Not covered: {} {noun}", points.len()));
        draw_list(markup, &points);
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
            markup.words("dt", &[], &sentence_case(name));
            markup.element("dd", &[], |markup| draw_cell(markup, cell));
        }
    });
}

fn draw_list(markup: &mut Markup, points: &[String]) {
    markup.element("ul", &[], |markup| {
        points.iter().for_each(|point| markup.words("li", &[], &sentence_case(point)));
    });
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

/// Columns from which a table may be wider than a phone.
const WIDE_ON_A_PHONE: usize = 4;
/// Columns from which it may be wider than the page.
const WIDE: usize = 13;

fn draw_table(markup: &mut Markup, table: &Table) {
    let columns = table.columns.len();
    if columns >= WIDE_ON_A_PHONE {
        let class = if columns >= WIDE { "hint" } else { "hint narrow" };
        let words = format!("{columns} columns; scroll sideways to see all of them.");
        markup.words("p", &[("class", class)], &words);
    }
    // A wide table scrolls in its own container, so that the page keeps its width.
    let scrolled = [("class", "wide"), ("tabindex", "0"), ("role", "region"), ("aria-label", "table")];
    markup.element("div", &scrolled, |markup| {
        markup.element("table", &[("class", if table.is_compact { "compact" } else { "" })], |markup| {
            if !table.caption.is_empty() {
                markup.words("caption", &[], &table.caption);
            }
            draw_columns(markup, table);
            markup.line();
            markup.element("tbody", &[], |markup| table.rows.iter().for_each(|row| draw_row(markup, table, row)));
        });
    });
    if let Some(words) = &table.left_out {
        markup.words("p", &[("class", "faint")], words);
    }
}

fn draw_columns(markup: &mut Markup, table: &Table) {
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
                let shade = ["", " s1", " s2", " s3", " s4", " s5"][usize::from(cell.shade).min(5)];
                let class = format!("{class}{shade}");
                markup.element("td", &[("class", class.trim_start())], |markup| draw_cell(markup, cell));
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
