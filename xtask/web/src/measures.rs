//! Figures: how soon there is a number, how still a page stands, how long an answer takes. Each is
//! printed, and fails far above what is promised alone, since the machine may be busy.

use std::time::{Duration, Instant};

use crate::bench::{Bench, Setting, adult};
use crate::browser::{Failure, plain_request};
use crate::tab::Tab;

/// How much longer than promised anything may take here.
const SLACK: f64 = 6.0;

/// Compares a time with what is promised, both in seconds.
fn within(what: &str, found: Duration, promised: f64) -> Result<(), Failure> {
    let found = found.as_secs_f64();
    println!("       {what}: {found:.2} s (promised {promised} s)");
    if found <= SLACK * promised { Ok(()) } else { Err(format!("{what} took {found:.2} s").into()) }
}

/// The first numbers after a file of 50,000 rows was opened.
pub fn first_number(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "first", &[("adult.csv", &adult(50_000, 14))])?;
    let tab = bench.tab(setting, "")?;
    let start = Instant::now();
    tab.press("Open adult.csv")?;
    tab.reads("categories, with their rows")?;
    within("categories with their rows, after opening 50,000 rows", start.elapsed(), 1.0)?;
    bench.go(&tab, "noise")?;
    tab.reads("an attacker guesses right")?;
    within("and the error of every table", start.elapsed(), 1.0)?;
    bench.is_calm(&tab)
}

/// How far content moves by itself, on every page and while figures follow a slider.
pub fn layout_shift(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "shift", &[("adult.csv", &adult(2_000, 8))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    tab.tick("input[name=up_to][value='2']")?;
    tab.press("Keep")?;
    let mut worst = (0.0, String::new());
    for width in [1100, 390] {
        tab.size(width, 844, false)?;
        for page in [
            "",
            "columns",
            "labels-0",
            "tables",
            "ways",
            "noise",
            "check",
            "run",
            "randomised",
            "screening",
            "releases",
        ] {
            bench.go(&tab, page)?;
            for position in ["-200", "0", "50"] {
                tab.evaluate(&format!(
                    "(() => {{ const e = document.getElementById('slider'); if (e) {{ e.value = {position}; \
                     e.dispatchEvent(new Event('input', {{bubbles: true}})); }} return true; }})()"
                ))?;
                std::thread::sleep(Duration::from_millis(if page == "noise" { 500 } else { 60 }));
            }
            let found = tab.evaluate("window.shift")?.as_f64().ok_or("layout shift is not observed")?;
            if found > worst.0 {
                worst = (found, format!("{page:?} at {width} px"));
            }
        }
    }
    // The control: content that does move is seen. A browser that paints no frame sees nothing, and
    // then a shift of 0 says nothing.
    if !sees_movement(&tab)? {
        println!("       SKIPPED: this browser reports no movement, not even of content that moves");
        return bench.is_calm(&tab);
    }
    println!("       layout shift: at most {:.4} {} (promised 0.02)", worst.0, worst.1);
    bench.is_calm(&tab)?;
    if worst.0 <= 0.1 { Ok(()) } else { Err(format!("content moves by {:.3} on {}", worst.0, worst.1).into()) }
}

/// Whether content that is pushed down is reported as moving.
fn sees_movement(tab: &Tab) -> Result<bool, Failure> {
    for _ in 0..10 {
        tab.show()?;
        tab.evaluate(
            "(() => { const e = document.createElement('div'); e.style.height = '100px'; \
             document.querySelector('main').prepend(e); return true; })()",
        )?;
        std::thread::sleep(Duration::from_millis(500));
        if tab.evaluate("window.shift")?.as_f64().is_some_and(|shift| shift > 0.0) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The slowest and the largest answer of all pages, on a table like Adult.
pub fn server_time(setting: &Setting) -> Result<(), Failure> {
    let bench = Bench::with(setting, "time", &[("adult.csv", &adult(50_000, 14))])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "adult.csv")?;
    tab.tick("input[name=up_to][value='2']")?;
    tab.press("Keep")?;
    bench.go(&tab, "run")?;
    tab.press("Release")?;
    tab.reads("files are as the record says")?;
    answers(&bench)
}

/// The same on the widest table whose columns are all attributes, with as many categories as are
/// learnt.
pub fn wide_table(setting: &Setting) -> Result<(), Failure> {
    let mut table = (0..128).map(|column| format!("c{column}")).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..2_000 {
        let label = |column: usize| format!("label {} of this column", (row * 7 + column) % 1000);
        table += &((0..128).map(label).collect::<Vec<_>>().join(",") + "\n");
    }
    let bench = Bench::with(setting, "wide", &[("wide.csv", &table)])?;
    let tab = bench.tab(setting, "")?;
    bench.open(&tab, "wide.csv")?;
    answers(&bench)
}

/// Asks for every page, three times each: the quickest counts, since the machine may be busy.
fn answers(bench: &Bench) -> Result<(), Failure> {
    let (port, path) = (bench.port()?, bench.address.split('/').nth(3).unwrap_or_default().to_owned());
    let (mut slowest, mut largest) = ((Duration::ZERO, ""), (0, ""));
    for page in
        ["", "columns", "labels-0", "tables", "ways", "noise", "check", "run", "releases", "screening", "app.js"]
    {
        let head = format!("GET /{path}/{page} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        let mut quickest = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            let (status, text) = plain_request(port, &head)?;
            if status != 200 {
                return Err(format!("{page}: {status}").into());
            }
            quickest = quickest.min(start.elapsed());
            largest = largest.max((text.len(), page));
        }
        slowest = slowest.max((quickest, page));
    }
    println!("       largest answer: {} kB, {:?} (promised 4 MB)", largest.0 / 1000, largest.1);
    if largest.0 > 4 << 20 {
        return Err("an answer is too large".into());
    }
    within(&format!("slowest answer, {:?}", slowest.1), slowest.0, 0.2)
}

/// Decimal commas and decimal points, in data and in fields.
pub fn decimal_marks(setting: &Setting) -> Result<(), Failure> {
    let mut table = "wage;town\n".to_owned();
    for row in 0..200 {
        table += &format!("{},{};t{}\n", row % 9, row % 10, row % 3);
    }
    let bench = Bench::with(setting, "marks", &[("german.csv", &table)])?;
    let tab = bench.tab(setting, "")?;
    tab.press("Open german.csv")?;
    tab.reads("What becomes of each column")?;
    tab.fill("select[name='treatment.0']", "bins")?;
    tab.fill("input[name='edges.0']", "0; 2,5; 9,5")?;
    tab.tick("input[name=public]")?;
    tab.press("Keep, and go on to the tables")?;
    tab.until("['Done', 'Which tables', 'What becomes'].some(t => document.body.innerText.includes(t))")?;
    bench.go(&tab, "")?;
    tab.reads("fields separated by semicolons, decimal commas")?;
    bench.go(&tab, "labels-0")?;
    tab.until("document.querySelector(\"input[name='name.0']\").value === '0 to under 2.5'")?;
    for written in ["0,25", "0.25"] {
        bench.go(&tab, "noise")?;
        tab.fill("#rho", "1")?;
        tab.reads("1-zCDP")?;
        tab.fill("#rho", written)?;
        tab.reads("0.25-zCDP")?;
    }
    bench.is_calm(&tab)
}
