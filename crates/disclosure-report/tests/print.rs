//! The page on paper: no heading stands alone at the foot of a printed page. Chromium prints it
//! with an outline, which says on which page and at what height each heading begins. Skipped, and
//! says so, where no Chromium is installed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use disclosure_report::{Block, Column, Page, Section, Table, render};

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

/// The margin at the foot, 14 mm, in points.
const FOOT: f64 = 39.7;
/// A heading with a line of text below it takes more than this, in points; one alone takes less.
const HEADING_AND_LINE: f64 = 38.0;

fn browser() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).flat_map(|path| NAMES.map(|name| path.join(name))).find(|path| path.is_file())
}

/// Sections of all lengths, so that headings come to stand at every height of a page: texts and
/// tables under headings of two levels.
fn page() -> Page {
    let words = "Every number of this table was noised before anybody saw it. ";
    let mut page = Page::new("Sections of all lengths");
    for number in 0..120_usize {
        let mut section = Section::new(format!("Section {number}"));
        let mut inner = Section::new(format!("Part of section {number}"));
        section = section.with(Block::Text(words.repeat(6 + number % 7)));
        inner = inner.with(Block::Text(words.repeat(6 + number % 5)));
        inner = inner.with(Block::from(Table {
            caption: format!("Table {number}"),
            columns: vec![Column::words("group"), Column::numbers("value")],
            row_names: 1,
            rows: (0..number % 6).map(|row| vec![format!("group {row}").into(), "12".into()]).collect(),
            left_out: None,
            is_compact: false,
        }));
        section.sections.push(inner);
        page.sections.push(section);
    }
    page
}

/// Heights above the foot of the paper at which headings begin, in points, on all pages.
fn heights(browser: &Path, html: &str) -> Vec<f64> {
    let home = tempfile::tempdir().unwrap();
    let [page, pdf] = ["page.html", "page.pdf"].map(|name| home.path().join(name));
    std::fs::write(&page, html).unwrap();
    let printed = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer"])
        .arg("--generate-pdf-document-outline")
        .arg(format!("--user-data-dir={}", home.path().join("profile").display()))
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .arg(format!("file://{}", page.display()))
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(printed.status.success());
    let pdf = String::from_utf8_lossy(&std::fs::read(pdf).unwrap()).into_owned();
    let places = pdf.split("/XYZ ").skip(1).map(|rest| rest.split(' ').nth(1).unwrap().parse().unwrap());
    places.collect()
}

fn alone(heights: &[f64]) -> usize {
    heights.iter().filter(|&&height| height < FOOT + HEADING_AND_LINE).count()
}

#[test]
fn no_heading_stands_alone_at_the_foot_of_a_page() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium is installed");
        return;
    };
    let html = render(&page());
    let loose = html.replace("break-after: avoid", "break-after: auto").replace("break-after:avoid", "");
    let [places, without] = std::thread::scope(|scope| {
        let printed = [&html, &loose].map(|html| scope.spawn(|| heights(&browser, html)));
        printed.map(|heights| heights.join().unwrap())
    });
    assert!(places.len() > 240, "{} headings", places.len());
    assert_eq!(alone(&places), 0, "{places:?}");
    // Without the rule that keeps headings with what follows, some do.
    assert!(alone(&without) > 0, "the pages are too easy");
}
