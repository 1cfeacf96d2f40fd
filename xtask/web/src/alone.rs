//! What a person does with releases that go by themselves, with labels, and with exact tables that
//! are withheld; and the same accidents for every way.

use crate::bench::{Bench, Setting, adult, firms, with_amounts};
use crate::browser::Failure;
use crate::looks::{WINDOWS, judged};
use crate::tab::Tab;

/// From the run to a release that is whole.
fn release(bench: &Bench, tab: &Tab, file: &str) -> Result<(), Failure> {
    tab.press("Check")?;
    tab.reads("nothing stands against the release")?;
    tab.press("Go on to the run")?;
    tab.fill("input[name=title]", "Adults")?;
    tab.press("Release")?;
    tab.reads("files are as the record says")?;
    bench.is_calm(tab)?;
    match bench.folder.join("disclosure-workbench/release-1").join(file).exists() {
        true => Ok(()),
        false => Err("there is no release".into()),
    }
}

/// Synthetic rows, from the file to the page of the release.
pub fn rows(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "rows", &[("adult.csv", &adult(5_000, 6))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    tab.tick("input[name=up_to][value='2']")?;
    tab.press("Keep")?;
    tab.press("Go on to the ways")?;
    tab.press("Synthetic rows instead")?;
    tab.reads("tables to choose from")?;
    tab.fill("#slider", "-60")?;
    tab.reads("0.251-zCDP for the choice of tables and the noise together")?;
    tab.fill("input[name=rounds]", "12")?;
    tab.reads("at most 12 rounds")?;
    tab.picture(&setting.out.join("light-rows.png"), true)?;
    tab.press("Go on")?;
    release(&bench, &tab, "rows.csv")
}

/// Randomised answers, from the file to what the reports say.
pub fn answers(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "answers", &[("adult.csv", &adult(5_000, 6))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    bench.go(&tab, "ways")?;
    tab.press("Randomised answers instead")?;
    tab.reads("Choose the columns of a report")?;
    tab.tick("input[name=attribute][value='0']")?;
    tab.tick("input[name=attribute][value='5']")?;
    tab.fill("input[name=epsilon]", "1,5")?;
    tab.reads("epsilon 3 for each report")?;
    tab.picture(&setting.out.join("light-answers.png"), true)?;
    tab.press("Keep, and go on")?;
    release(&bench, &tab, "estimates.json")
}

/// A table of amounts, from the file to the page of the release, with its map on every screen.
pub fn amounts(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "amounts", &[("firms.csv", &firms())])?;
    let tab = bench.tab(setting, "")?;
    tab.press("Open firms.csv")?;
    tab.reads("What becomes of each column")?;
    tab.fill("select[name='treatment.2']", "person")?;
    tab.fill("select[name='treatment.3']", "out")?;
    tab.press("Keep, and go on to the tables")?;
    bench.go(&tab, "ways")?;
    tab.press("Table of amounts instead")?;
    tab.reads("are one respondent")?;
    tab.tick("input[name=attribute][value='0']")?;
    tab.tick("input[name=attribute][value='1']")?;
    tab.fill("select[name=amount]", "3")?;
    tab.fill("input[name=decimals]", "1")?;
    tab.press("Keep, and go on")?;
    tab.press("Check")?;
    tab.reads("withheld to protect them")?;
    tab.reads("sensitive: ")?;
    let axe = setting.axe.as_ref().map(std::fs::read_to_string).transpose()?;
    for (window, width, height, is_dark) in WINDOWS {
        tab.size(width, height, is_dark)?;
        bench.go(&tab, "check")?;
        tab.picture(&setting.out.join(format!("{window}-check-amounts.png")), true)?;
        if let Some(problem) = judged(&tab, axe.as_deref())?.first() {
            return Err(format!("{window}: {problem}").into());
        }
    }
    tab.size(1100, 800, false)?;
    tab.press("Go on to the run")?;
    tab.fill("input[name=title]", "Turnover")?;
    tab.press("Release")?;
    tab.reads("files are as the record says")?;
    tab.reads("all of it may leave")?;
    bench.is_calm(&tab)?;
    match bench.folder.join("disclosure-workbench/release-1/table.csv").exists() {
        true => Ok(()),
        false => Err("there is no table".into()),
    }
}

/// Names of categories, an unseen one, a pooled one, and back.
pub fn labels(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "labels", &[("adult.csv", &adult(500, 4))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    bench.go(&tab, "columns")?;
    tab.press("Names of the categories")?;
    tab.fill("input[name='name.0']", "young")?;
    tab.fill("textarea[name=added]", "centenarian")?;
    tab.tick("input[name=pool][value='7']")?;
    tab.picture(&setting.out.join("light-labels.png"), true)?;
    tab.press("Keep, and go back to the columns")?;
    tab.reads("(changed)")?;
    bench.go(&tab, "labels-0")?;
    tab.until("document.querySelector(\"input[name='name.0']\").value === 'young'")?;
    tab.press("Undo")?;
    bench.go(&tab, "labels-0")?;
    tab.until("document.querySelector(\"input[name='name.0']\").value !== 'young'")?;
    tab.press("Redo")?;
    bench.go(&tab, "run")?;
    tab.press("Release")?;
    tab.reads("files are as the record says")?;
    let domain = std::fs::read_to_string(bench.folder.join("disclosure-workbench/domain-1.toml"))?;
    match ["young", "centenarian", "other = "].iter().all(|text| domain.contains(text)) {
        true => bench.is_calm(&tab),
        false => Err(format!("the labels are not in {domain}").into()),
    }
}

/// An exact table of which nothing leaves, the other way to decide, and an attack on a column.
pub fn decided(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "decided", &[("adult.csv", &adult(30, 4))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    bench.go(&tab, "screening")?;
    tab.fill("select[name=target]", "2")?;
    tab.tick("input[name=known][value='1']")?;
    tab.press("Predict")?;
    tab.reads("As part of the check of a release")?;
    tab.fill("input[name=target_accuracy]", "0,99")?;
    tab.press("Make it part of the check")?;
    bench.go(&tab, "ways")?;
    tab.tick("input[name=noise]")?;
    tab.tick("input[name=exact]")?;
    tab.press("Keep, and go on")?;
    for column in ["0", "1", "2"] {
        tab.tick(&format!("input[name=attribute][value='{column}']"))?;
    }
    tab.press("Add the table")?;
    tab.press("Go on")?;
    tab.press("Check")?;
    tab.reads("The attack on one column")?;
    tab.reads("Another way to decide")?;
    tab.picture(&setting.out.join("light-decide.png"), true)?;
    tab.press("Decide this way: on the counts")?;
    tab.lacks("Another way to decide")?;
    tab.press("Check")?;
    tab.reads("What is done about it")?;
    bench.is_calm(&tab)
}

/// A way: its page, a field with a value that the page keeps, and how it is chosen.
const WAYS: [(&str, &str, &str, &str); 6] = [
    ("noise", "input[name=rho]", "0.125", "noise"),
    ("exact", "input[name=min_frequency]", "7", "exact"),
    ("filter", "input[name=mean]", "12", "filter"),
    ("rows", "input[name=rho]", "0.125", ""),
    ("answers", "input[name=epsilon]", "1.5", ""),
    ("amounts", "input[name=min_frequency]", "7", ""),
];

fn choose_way(bench: &Bench, tab: &Tab, page: &str, name: &str) -> Result<(), Failure> {
    bench.go(tab, "ways")?;
    match page {
        "rows" => tab.press("Synthetic rows instead"),
        "answers" => tab.press("Randomised answers instead"),
        "amounts" => tab.press("Table of amounts instead"),
        _ => {
            tab.evaluate("document.querySelectorAll('input[type=checkbox]').forEach(e => e.checked = false); true")?;
            tab.tick(&format!("input[name={name}]"))?;
            tab.press("Keep, and go on")
        }
    }
}

/// Chooses what a way is about, and keeps it with a value.
fn keep(tab: &Tab, page: &str, field: &str, value: &str) -> Result<(), Failure> {
    if matches!(page, "exact" | "filter" | "answers" | "amounts") {
        tab.tick("input[name=attribute][value='0']")?;
    }
    if page == "amounts" {
        tab.evaluate(
            "(e => { e.value = e.lastElementChild.value; })(document.querySelector('select[name=amount]')); true",
        )?;
    }
    tab.fill(field, value)?;
    match page {
        "exact" => tab.press("Add the table"),
        "noise" | "rows" => tab.press("Keep"),
        _ => tab.press("Keep, and go on"),
    }
}

/// For every way: a reload, back, and an older tab lose nothing.
pub fn accidents(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "accidents", &[("adult.csv", &with_amounts(&adult(500, 4)))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    for (page, field, value, name) in WAYS {
        choose_way(&bench, &tab, page, name)?;
        let older = bench.tab(setting, page)?;
        keep(&tab, page, field, value)?;
        bench.go(&tab, page)?;
        let is_kept = format!("document.querySelector('{field}').value === '{value}'");
        tab.until(&is_kept)?;
        bench.go(&tab, "tables")?;
        tab.evaluate("history.back(); true")?;
        tab.until(&format!("location.pathname.endsWith('/{page}') && {is_kept}"))?;
        // Without its script, as an old page would send it.
        older.evaluate("document.querySelector('form.moves button[formaction]').form.requestSubmit(document.querySelector('#undo')); window.before = true; true")?;
        older.reads("E0707")?;
        bench.go(&older, page)?;
        older.until(&is_kept)?;
    }
    bench.is_calm(&tab)
}

/// For every way: a release that is stopped in the middle is whole, or it is not there.
pub fn stops(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "stops", &[("adult.csv", &with_amounts(&adult(100_000, 10)))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    tab.tick("input[name=up_to][value='2']")?;
    tab.press("Keep")?;
    let mut stopped = 0;
    for (page, field, value, name) in WAYS {
        choose_way(&bench, &tab, page, name)?;
        keep(&tab, page, field, value)?;
        bench.go(&tab, "run")?;
        let before = releases(&bench);
        tab.press_only("Release")?;
        tab.until("/\\/(job|releases)$/.test(location.pathname) && document.readyState === 'complete'")?;
        tab.evaluate("[...document.querySelectorAll('button')].find(e => e.innerText === 'Stop')?.click(); true")?;
        tab.until("['E0108', 'files are as the record says', 'E04'].some(t => document.body.innerText.includes(t))")?;
        let is_stopped = tab.text()?.contains("E0108");
        stopped += usize::from(is_stopped);
        if is_stopped && releases(&bench) > before {
            return Err(format!("{page}: a stopped job left a release").into());
        }
    }
    println!("       stopped in the middle: {stopped} of {}", WAYS.len());
    bench.is_calm(&tab)
}

fn releases(bench: &Bench) -> usize {
    let entries = std::fs::read_dir(bench.folder.join("disclosure-workbench")).into_iter().flatten().flatten();
    entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("release-")).count()
}
