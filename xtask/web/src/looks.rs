//! How the pages look: in light, in dark, on a phone; labels, contrast, width. The pictures are for
//! people.

use std::fs;

use serde_json::json;

use crate::bench::{Bench, Setting, adult};
use crate::browser::Failure;
use crate::tab::Tab;

/// The pages with their names in pictures.
const PAGES: [(&str, &str); 11] = [
    ("", "data"),
    ("columns", "columns"),
    ("labels-0", "labels"),
    ("tables", "tables"),
    ("ways", "ways"),
    ("noise", "noise"),
    ("check", "check"),
    ("randomised", "randomised"),
    ("screening", "screening"),
    ("run", "run"),
    ("releases", "releases"),
];
/// Windows: name, width, height, dark.
pub const WINDOWS: [(&str, u32, u32, bool); 3] =
    [("light", 1100, 800, false), ("dark", 1100, 800, true), ("phone", 390, 844, false)];

/// Takes pictures of all pages, and judges what a program can judge.
pub fn pages(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "looks", &[("adult.csv", &adult(3_000, 8))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    tab.tick("input[name=up_to][value='2']")?;
    tab.press("Keep")?;
    bench.go(&tab, "run")?;
    tab.press("Release")?;
    tab.reads("files are as the record says")?;
    let axe = setting.axe.as_ref().map(fs::read_to_string).transpose()?;
    let mut problems = Vec::new();
    for (window, width, height, is_dark) in WINDOWS {
        tab.size(width, height, is_dark)?;
        for (page, name) in PAGES {
            bench.go(&tab, page)?;
            if page == "columns" {
                tab.evaluate("document.querySelector('details').open = true")?;
            }
            tab.picture(&setting.out.join(format!("{window}-{name}.png")), page != "columns" && page != "releases")?;
            problems
                .extend(judged(&tab, axe.as_deref())?.into_iter().map(|problem| format!("{window} {name}: {problem}")));
        }
    }
    own_ways(setting, &bench, &tab, axe.as_deref(), &mut problems)?;
    // The picture of the documentation.
    bench.go(&tab, "ways")?;
    tab.evaluate("document.querySelector('input[name=noise]').checked = true; true")?;
    tab.press("Keep, and go on")?;
    tab.size(1000, 760, false)?;
    bench.go(&tab, "noise")?;
    tab.picture(&setting.out.join("workbench.png"), false)?;
    bench.is_calm(&tab)?;
    if problems.is_empty() { Ok(()) } else { Err(problems.join("\n       ").into()) }
}

/// The same for the pages of ways besides noise, and of their releases.
fn own_ways(
    setting: &Setting,
    bench: &Bench,
    tab: &Tab,
    axe: Option<&str>,
    problems: &mut Vec<String>,
) -> Result<(), Failure> {
    tab.size(1100, 800, false)?;
    bench.go(tab, "ways")?;
    tab.evaluate("['exact', 'filter'].forEach(n => document.querySelector(`input[name=${n}]`).checked = true); true")?;
    tab.press("Keep, and go on")?;
    let mut look = |page: &str| -> Result<(), Failure> {
        for (window, width, height, is_dark) in WINDOWS {
            tab.size(width, height, is_dark)?;
            bench.go(tab, page)?;
            tab.picture(&setting.out.join(format!("{window}-{page}.png")), true)?;
            problems.extend(judged(tab, axe)?.into_iter().map(|problem| format!("{window} {page}: {problem}")));
        }
        Ok(())
    };
    look("exact")?;
    look("filter")?;
    for (button, page) in [
        ("Synthetic rows instead", "rows"),
        ("Randomised answers instead", "answers"),
        ("Table of amounts instead", "amounts"),
    ] {
        bench.go(tab, "ways")?;
        tab.press(button)?;
        look(page)?;
    }
    Ok(())
}

/// What is wrong with a page: wider than its window, a field without a label, and what axe-core
/// calls serious.
pub fn judged(tab: &Tab, axe: Option<&str>) -> Result<Vec<String>, Failure> {
    let mut problems = Vec::new();
    let wide = tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")?;
    if wide != json!(0) {
        let widest = tab.evaluate(
            "[...document.querySelectorAll('main *')].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1 && !e.closest('.wide')) \
             .slice(0, 6).map(e => e.tagName + '.' + e.getAttribute('class') + ' ' + e.getAttribute('name'))",
        )?;
        problems.push(format!("wider than the window by {wide}: {widest}"));
    }
    let bare = tab.evaluate(
        "[...document.querySelectorAll('input:not([type=hidden]), select, textarea')].filter(e => !e.labels.length && !e.ariaLabel).map(e => e.name)",
    )?;
    if bare != json!([]) {
        problems.push(format!("no label: {bare}"));
    }
    if let Some(axe) = axe {
        tab.evaluate(&format!("{axe}; true"))?;
        let found = tab.evaluate(
            "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations \
             .filter(v => v.impact === 'serious' || v.impact === 'critical') \
             .map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 120)).join(' | ')))",
        )?;
        problems
            .extend(found.as_array().into_iter().flatten().map(|found| found.as_str().unwrap_or_default().to_owned()));
    }
    Ok(problems)
}
