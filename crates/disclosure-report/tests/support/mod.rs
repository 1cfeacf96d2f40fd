//! A reader of pages that knows no HTML but its brackets, and one chart of every kind.

use disclosure_report::{Amount, Bar, Bars, Chart, IntervalBar, Intervals, Lines, Mark, Series, Share, Shares};

/// Names of all elements in order. Panics if one is not closed, or closed in the wrong order.
pub(crate) fn tags(html: &str) -> Vec<String> {
    let body = &html[html.find("<body>").unwrap()..];
    let (mut open, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for piece in body.split('<').skip(1) {
        let inside = piece.split_once('>').unwrap_or_else(|| panic!("an element without end: {piece}")).0;
        if let Some(name) = inside.strip_prefix('/') {
            let expected = open.pop();
            // The document itself was opened before the body.
            assert!(expected.as_deref() == Some(name) || name == "html", "{name} closes {expected:?}");
        } else {
            let name = inside.split(' ').next().unwrap().to_owned();
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{name}");
            assert_eq!(inside.matches('"').count() % 2, 0, "{inside}");
            open.push(name.clone());
            all.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

/// Everything between elements.
pub(crate) fn texts(html: &str) -> Vec<&str> {
    let body = &html[html.find("<body>").unwrap()..];
    body.split('<').skip(1).map(|piece| piece.split_once('>').unwrap().1).collect()
}

/// One chart of every kind, with these words and numbers.
pub(crate) fn every_chart(text: &str, numbers: &[f64]) -> Vec<Chart> {
    let (title, axis) = (text.to_owned(), text.to_owned());
    let amount = |number: f64| match number {
        number if number < 0.0 => Amount::Estimate { value: number, low: number * 2.0, high: -number },
        number => Amount::Exact(number),
    };
    let bars: Vec<Bar> =
        numbers.iter().map(|&x| Bar { label: text.into(), amount: amount(x), shown: text.into() }).collect();
    let interval =
        |&x: &f64| IntervalBar { label: text.into(), low: x, high: x + 1.0, shown: text.into(), is_bad: x > 0.0 };
    let share = |&x: &f64| Share { label: text.into(), amount: x, shown: text.into() };
    let points = || numbers.iter().zip(0..).map(|(&y, x)| (f64::from(x), y)).collect();
    vec![
        Bars { title: title.clone(), axis: axis.clone(), bars }.into(),
        Intervals {
            title: title.clone(),
            axis: axis.clone(),
            intervals: numbers.iter().map(interval).collect(),
            marks: vec![Mark { at: numbers.first().copied().unwrap_or(0.0), label: text.into() }],
        }
        .into(),
        Shares {
            title: title.clone(),
            parts: numbers.iter().map(share).collect(),
            whole: numbers.last().copied(),
            left: Some(share(&0.0)),
        }
        .into(),
        Lines {
            title,
            across: axis.clone(),
            up: axis,
            is_logarithmic: numbers.len().is_multiple_of(2),
            series: vec![Series { name: text.into(), points: points() }; 2],
        }
        .into(),
    ]
}
