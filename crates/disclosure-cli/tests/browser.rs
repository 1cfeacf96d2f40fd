//! The page of a release of 37 tables in a browser: how many pages it prints on, and whether a
//! phone shows it without scrolling sideways. Skipped, and says so, where no Chromium is installed.
#![allow(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::Bench;

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

fn browser() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).flat_map(|path| NAMES.map(|name| path.join(name))).find(|path| path.is_file())
}

/// Runs the browser without a window; its standard output.
fn run(browser: &Path, home: &Path, arguments: &[String]) -> String {
    let output = Command::new(browser)
        .args(["--headless=new", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files"])
        .arg(format!("--user-data-dir={}", home.join("profile").display()))
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    assert!(output.status.success(), "{arguments:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Attributes with their numbers of labels: the sets of at most two are 37 tables.
const ATTRIBUTES: [(&str, usize); 8] = [
    ("age", 8),
    ("sex", 2),
    ("workclass", 7),
    ("education", 12),
    ("marital", 5),
    ("race", 5),
    ("occupation", 14),
    ("income", 2),
];

fn release(bench: &Bench) {
    let mut spec = "title = \"Adults\"\nup_to = 2\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n".to_owned();
    for (name, labels) in ATTRIBUTES {
        let labels: Vec<String> = (0..labels).map(|label| format!("\"{name} {label}\"")).collect();
        writeln!(spec, "[[attribute]]\nname = \"{name}\"\nlabels = [{}]", labels.join(", ")).unwrap();
    }
    bench.write("spec.toml", &spec);
    let names = ATTRIBUTES.map(|(name, _)| name).join(",");
    let row = |row: usize| {
        let labels = ATTRIBUTES.iter().enumerate();
        let labels = labels.map(|(place, (name, labels))| format!("{name} {}", row * (place + 3) % 97 % labels));
        labels.collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> = (0..2000).map(row).collect();
    bench.write("rows.csv", &format!("{names}\n{}\n", rows.join("\n")));
    let released = bench.run(&["resplan", "release", "spec.toml", "rows.csv", "-o", "out"]);
    assert_eq!(released.code, 0, "{}", released.err);
    assert_eq!(bench.run(&["report", "out", "-o", "page.html"]).code, 0);
}

#[test]
fn thirty_seven_tables_print_on_twelve_pages_and_fit_a_phone() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium is installed");
        return;
    };
    let bench = Bench::new();
    release(&bench);
    let home = bench.path("");
    let address = |name: &str| format!("file://{}", bench.path(name).display());
    let pdf = bench.path("page.pdf");
    run(
        &browser,
        &home,
        &["--no-pdf-header-footer".to_owned(), format!("--print-to-pdf={}", pdf.display()), address("page.html")],
    );
    let pdf = String::from_utf8_lossy(&std::fs::read(pdf).unwrap()).into_owned();
    let pages = pdf.matches("/Type /Page\n").count();
    assert!((2..=12).contains(&pages), "{pages} pages");

    // A frame as wide as a phone; the script is that of this test, the page has none.
    let script = "const page = document.getElementById('page').contentDocument; \
        const cut = [...page.querySelectorAll('.chart span, figcaption, .axis, p, dd, li')] \
            .filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display != 'inline').length; \
        document.body.textContent = `wider=${page.documentElement.scrollWidth - page.documentElement.clientWidth} cut=${cut};`";
    let frame = format!(
        "<body><iframe id=\"page\" width=\"390\" height=\"800\" style=\"border:0\" src=\"{}\"></iframe>\
         <script>window.onload = () => {{ {script} }}</script></body>",
        address("page.html")
    );
    bench.write("frame.html", &frame);
    let dom = run(
        &browser,
        &home,
        &["--virtual-time-budget=4000".to_owned(), "--dump-dom".to_owned(), address("frame.html")],
    );
    assert!(dom.contains("wider=0 cut=0;"), "{dom}");
}
