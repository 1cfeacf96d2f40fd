//! Any numbers make a picture within its frame, and any texts a page that is closed.

use crate::support::{every_chart, tags, texts};
use disclosure_report::{Block, Page, Section, render};
use proptest::prelude::*;

fn page(text: &str, numbers: &[f64]) -> String {
    let mut section = Section::new(text);
    section.blocks = every_chart(text, numbers).into_iter().map(Block::Chart).collect();
    let mut page = Page::new(text);
    page.sections.push(section);
    render(&page)
}

/// Values of the attributes of this name, in percent.
fn values(html: &str, name: &str) -> Vec<f64> {
    let start = format!(" {name}=\"");
    let values = html.split(&start).skip(1).map(|rest| rest.split('"').next().unwrap());
    values.map(|value| value.strip_suffix('%').unwrap_or_else(|| panic!("{name} {value}")).parse().unwrap()).collect()
}

/// Coordinates of the curves, in tenths of a percent.
fn corners(html: &str) -> Vec<f64> {
    let points = html.split(" points=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    points
        .flat_map(|points| points.split([' ', ',']))
        .filter(|text| !text.is_empty())
        .map(|text| text.parse().unwrap())
        .collect()
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![
        any::<f64>(),
        -1e6..1e6,
        (-320..309_i32).prop_map(|power| 10.0_f64.powi(power)),
        prop::sample::select(vec![0.0, -0.0, f64::NAN, f64::INFINITY, f64::MIN_POSITIVE, f64::MAX, 1e30, -1e30]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_numbers_are_drawn_within_the_frame(numbers in prop::collection::vec(number(), 0..12)) {
        let html = page("label", &numbers);
        tags(&html);
        let body = &html[html.find("<body>").unwrap()..];
        for name in ["x", "x1", "x2", "y", "y1", "y2", "width", "height"] {
            for place in values(body, name) {
                prop_assert!((0.0..=100.0).contains(&place), "{name} {place}");
            }
        }
        for (start, length) in [("x", "width"), ("y", "height")] {
            for rectangle in body.split("<rect ").skip(1) {
                let rectangle = format!(" {}", rectangle.split('>').next().unwrap());
                let end = values(&rectangle, start)[0] + values(&rectangle, length)[0];
                prop_assert!(end <= 100.02, "{rectangle}");
            }
        }
        prop_assert!(corners(body).into_iter().all(|place| (0.0..=1000.0).contains(&place)));
        prop_assert!(!html.contains("NaN") && !html.contains("inf\""));
    }

    #[test]
    fn any_text_is_shown_as_text(text in "\\PC{1,40}|[<>&\"'/ a-z\u{0}-\u{20}]{1,40}") {
        let html = page(&text, &[1.0, 2.0]);
        prop_assert_eq!(tags(&html), tags(&page("label", &[1.0, 2.0])));
        prop_assert!(texts(&html).iter().all(|text| !text.contains(['<', '>', '"', '\''])));
    }
}
