//! The page of a release of 37 tables in a browser: how many pages it prints on, and whether a
//! phone shows it without scrolling sideways. Skipped, and says so, where no Chromium is installed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::printed::{PrintedText, pages_of, size_at_the_foot};
use crate::support::Bench;

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

/// The pages of a file as they are printed.
fn print(browser: &Path, bench: &Bench, name: &str) -> Vec<Vec<PrintedText>> {
    let (pdf, home) = (bench.path("page.pdf"), bench.path(""));
    let address = format!("file://{}", bench.path(name).display());
    run(browser, &home, &["--no-pdf-header-footer".to_owned(), format!("--print-to-pdf={}", pdf.display()), address]);
    pages_of(&std::fs::read(pdf).unwrap())
}

/// Whether a font of this size, in pixels, is that of a heading: 12, 9.5 and 9 points where pages
/// are printed.
fn is_heading(size: f64) -> bool {
    [12.0, 9.5, 9.0].iter().any(|points| (size - points / 0.75).abs() < 0.05)
}

/// The control of the test below: a heading that stands alone is found.
#[test]
fn a_heading_alone_at_the_foot_of_a_page_is_noticed() {
    let Some(browser) = browser() else {
        eprintln!("skipped: no Chromium is installed");
        return;
    };
    let bench = Bench::new();
    let text = "<p style=\"font-size: 8.5pt\">text</p>";
    let heading = "<h3 style=\"font-size: 9.5pt\">Alone</h3>";
    bench.write("alone.html", &format!("{text}{heading}<div style=\"break-before: page\">{text}</div>"));
    let sizes: Vec<f64> = print(&browser, &bench, "alone.html").iter().map(|page| size_at_the_foot(page)).collect();
    assert!(matches!(sizes[..], [first, second] if is_heading(first) && !is_heading(second)), "{sizes:?}");
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
    let pages = print(&browser, &bench, "page.html");
    assert!((2..=12).contains(&pages.len()), "{} pages", pages.len());
    for (number, page) in (1..).zip(&pages) {
        let size = size_at_the_foot(page);
        assert!(size > 0.0 && !is_heading(size), "page {number} ends with a text of {size} px: a heading alone");
    }

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
