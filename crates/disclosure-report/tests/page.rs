//! The page from the outside: its structure, and what hostile texts make of it.

use crate::support::{every_chart, tags, texts};
use disclosure_report::{
    Amount, Audience, Bar, Bars, Block, Cell, Column, Page, PromiseCard, PromiseSection, Section, StatementKind, Table,
    Tone, render,
};

/// A page with every kind of block, all of whose texts are `text`.
fn page_of(text: &str) -> Page {
    let promise = PromiseSection {
        kind: StatementKind::Guarantee,
        subject: Some(text.into()),
        statement: text.into(),
        terms: vec![(text.into(), text.into())],
        not_covered: vec![text.into()],
    };
    let table = Table {
        caption: text.into(),
        columns: vec![Column::words(text), Column::numbers(text)],
        row_names: 1,
        rows: vec![vec![text.into(), Cell::toned(Tone::Bad, text)], vec![text.into()]],
        left_out: Some(text.into()),
        is_compact: true,
    };
    let mut section = Section::new(text)
        .with(Block::Text(text.into()))
        .with(Block::Note(Tone::Warning, text.into()))
        .with(PromiseCard { subject: text.into(), promises: vec![promise.clone(), promise.clone()] })
        .with(promise)
        .with(Block::Facts(vec![(text.into(), Cell::toned(Tone::Machine, text))]))
        .with(Block::List(vec![text.into()]))
        .with(Block::Code(text.into()));
    section.blocks.extend(every_chart(text, &[-3.0, 0.0, 12.5]).into_iter().map(Block::Chart));
    section.blocks.push(Block::Folded { summary: text.into(), is_open: true, blocks: vec![table.into()] });
    section.sections.push(Section { audience: Audience::Owner, ..Section::new(text) });
    let mut page = Page::new(text);
    page.lead.push(text.into());
    page.overview = vec![section.clone(), Section { audience: Audience::Owner, ..section.clone() }];
    page.colophon = text.into();
    page.sections = vec![section.clone(), section.clone(), section];
    page
}

#[test]
fn a_page_is_one_document_with_headings_in_order_and_heads_for_its_columns_and_rows() {
    let html = render(&page_of("words"));
    assert!(html.starts_with("<!DOCTYPE html>\n<html lang=\"en\">") && html.ends_with("</html>\n"));
    let tags = tags(&html);
    let headings: Vec<u32> = tags.iter().filter_map(|tag| tag.strip_prefix('h')?.parse().ok()).collect();
    assert_eq!(headings, [1, 2, 3, 2, 3, 2, 3]);
    assert!(html.contains("<th scope=\"col\">") && html.contains("<th scope=\"row\">"));
    let count = |name: &str| tags.iter().filter(|tag| *tag == name).count();
    assert_eq!((count("figure"), count("figcaption")), (20, 20));
    assert_eq!((count("main"), count("nav")), (1, 1));
    assert!(html.contains("<title>words</title>\n<style>"));
    for place in ["s0", "s1", "s2"] {
        assert!(html.contains(&format!("href=\"#{place}\"")) && html.contains(&format!("id=\"{place}\"")));
    }
}

#[test]
fn a_page_fetches_nothing_and_has_no_script() {
    let html = render(&page_of("words"));
    let policy = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'";
    assert!(html.contains(policy));
    let rest = html.replacen("http-equiv", "", 1);
    for word in ["http", "<script", "src=", "url(", "@import", "<link", "<iframe", "<object", "javascript", "\" on"] {
        assert!(!rest.contains(word), "{word}");
    }
}

#[test]
fn no_text_is_ever_read_as_markup() {
    let plain = tags(&render(&page_of("words")));
    let hostile = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onload='alert(1)",
        "</title></style></svg><script>",
        "<!-- ]]> -->",
        "&lt;b&gt; &#60;b&#62; &amp;",
        "]]><![CDATA[",
        "\u{202e}\u{2066}\u{200b}\u{0}\u{7f}",
        "a\nb\r\nc\td",
    ];
    for text in hostile {
        let html = render(&page_of(text));
        assert_eq!(tags(&html), plain, "{text:?}");
        assert!(texts(&html).iter().all(|text| !text.contains(['<', '>', '"', '\''])), "{text:?}");
        assert!(!html.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}

#[test]
fn texts_that_differ_in_hidden_characters_look_different() {
    let html = render(&page_of("ab\u{202e}c\u{200d}d\u{fe0f}"));
    assert!(html.contains("ab\\u202Ec\\u200Dd\\uFE0F"));
    assert!(!html.contains(['\u{202e}', '\u{200d}', '\u{fe0f}']));
}

#[test]
fn a_megabyte_without_a_space_makes_a_page_of_the_usual_size() {
    let html = render(&page_of(&"x".repeat(1 << 20)));
    assert!(html.len() < 300_000, "{}", html.len());
    assert!(html.contains("(1048576 characters)"));
}

#[test]
fn the_public_page_leaves_out_what_is_marked_and_says_where_it_is_marked() {
    let mut page = Page::new("t");
    let owner = |words: &str| Section { audience: Audience::Owner, ..Section::new(words) };
    let mut tables = Section::new("Tables");
    tables.sections = vec![Section::new("open table"), owner("inner secret")];
    page.sections = vec![tables, owner("outer secret").with(Block::Text("deep secret".into()))];
    let whole = render(&page);
    assert_eq!(whole.matches("For the data owner only").count(), 2);
    assert!(whole.contains("Only the owner of the data"));
    let public = render(&page.public());
    assert!(public.contains("open table") && !public.contains("secret"));
    assert!(!public.contains("tays where") && public.contains("Anyone who may read the release"));
}

#[test]
fn withheld_and_negative_numbers_are_drawn() {
    let bar = |label: &str, amount| Bar { label: label.into(), amount, shown: "shown".into() };
    let bars = vec![
        bar("gone", Amount::Withheld),
        bar("below", Amount::Estimate { value: -5.0, low: -9.0, high: -1.0 }),
        bar("above", Amount::Exact(10.0)),
        bar("broken", Amount::Exact(f64::NAN)),
    ];
    let mut page = Page::new("t");
    page.sections.push(Section::new("s").with(Bars { title: "b".into(), axis: "people".into(), bars }));
    let html = render(&page);
    assert_eq!(html.matches("class=\"withheld\"").count(), 2);
    assert_eq!((html.matches("class=\"bar\"").count(), html.matches("class=\"bar exact\"").count()), (1, 1));
    assert_eq!(html.matches("class=\"whisker\"").count(), 3);
    assert!(html.contains(">−10<") && html.contains("4 bars, 2 of them withheld"));
    assert!(html.contains(">people<") && html.contains(">shown<"), "texts are outside of the drawing, and wrap");
}

#[test]
fn the_same_page_gives_the_same_bytes() {
    assert_eq!(render(&page_of("x")), render(&page_of("x")));
}

#[test]
fn what_nobody_knows_promises_nothing() {
    assert_eq!(StatementKind::from_word("guarantee"), StatementKind::Guarantee);
    assert_eq!(StatementKind::from_word("Guarantee!"), StatementKind::Unknown);
    assert!(StatementKind::Unknown.meaning().contains("no promise"));
}

/// Relative luminance of WCAG 2.2.
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
    let linear = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
    0.2126 * linear(channel(1)) + 0.7152 * linear(channel(3)) + 0.0722 * linear(channel(5))
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn every_text_has_contrast_in_both_palettes() {
    assert!((contrast("#000000", "#ffffff") - 21.0).abs() < 1e-9);
    assert!(contrast("#777777", "#ffffff") < 4.5, "the known grey that just fails");
    let html = render(&Page::new("t"));
    let colour = |name: &str, palette: usize| {
        let at = html.match_indices(&format!("--{name}: #")).nth(palette).unwrap().0;
        html[at..].split_once(": ").unwrap().1[..7].to_owned()
    };
    for palette in [0, 1] {
        for ground in ["paper", "panel"] {
            for text in ["ink", "soft", "accent", "good", "warning", "bad"] {
                let found = contrast(&colour(text, palette), &colour(ground, palette));
                assert!(found >= 4.5, "{text} on {ground} of palette {palette}: {found:.2}");
            }
        }
        // The darkest shade of a cross table is the colour of bars at 42 %.
        let (paper, bar) = (colour("paper", palette), colour("bar", palette));
        let mixed = |at: usize| {
            let channel = |colour: &str| f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap());
            (0.58 * channel(&paper) + 0.42 * channel(&bar)) as u8
        };
        let shade = format!("#{:02x}{:02x}{:02x}", mixed(1), mixed(3), mixed(5));
        let found = contrast(&colour("ink", palette), &shade);
        assert!(html.contains("var(--bar) 42%") && found >= 4.5, "{shade} of palette {palette}: {found:.2}");
        for drawn in ["exact", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"] {
            let found = contrast(&colour(drawn, palette), &colour("paper", palette));
            assert!(found >= 3.0, "{drawn} of palette {palette}: {found:.2}");
        }
    }
}

#[test]
fn what_statements_share_is_said_once_and_what_they_leave_open_is_folded() {
    let promise = |statement: &str, open: &str| {
        PromiseSection::new(StatementKind::Guarantee, statement)
            .term("against", "everybody else")
            .not_covered("the weather")
            .not_covered(open)
    };
    let promises = vec![promise("no class is disclosed", "luck"), promise("0.5-zCDP", "time").term("only", "here")];
    let card = PromiseCard { subject: "Exact tables".into(), promises };
    let html = render(&Page::new("t").section(Section::new("s").with(card)));
    for (words, times) in [
        ("everybody else", 1),
        ("The weather", 1),
        ("Not covered: 3 points", 1),
        ("No class is disclosed", 1),
        ("0.5-zCDP", 1),
        ("<dt>Only</dt>", 1),
        ("class=\"promise good\"", 1),
        ("<details class=\"terms\"><summary>", 1),
        (">Guarantee<", 2),
    ] {
        assert_eq!(html.matches(words).count(), times, "{words}");
    }
}

#[test]
fn a_table_that_may_scroll_says_so_and_shades_are_classes() {
    let columns = |n: usize| (0..n).map(|i| Column::numbers(format!("c{i}")));
    let page = |n: usize| {
        let table = Table::new("t", columns(n)).row((0..n).map(|i| Cell::from("1").shaded(i as u8)));
        render(&Page::new("t").section(Section::new("s").with(table)))
    };
    assert!(
        !page(3).contains("scroll sideways") && page(8).contains("<p class=\"hint narrow\">8 columns; scroll sideways")
    );
    assert!(page(20).contains("<p class=\"hint\">20 columns"));
    assert!(page(8).contains("<td class=\"number s3\">") && page(8).contains("<td class=\"number s5\">"));
}
