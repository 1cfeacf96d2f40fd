//! A workbench of its own for each scenario: a new folder with tables, and the command that serves
//! it.

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::rc::Rc;

use crate::browser::{Browser, Failure};
use crate::tab::Tab;

/// What all scenarios share.
pub struct Setting {
    /// The command `disclosure`.
    pub command: PathBuf,
    /// Where pictures and folders go.
    pub out: PathBuf,
    /// The script of axe-core, where it could be had.
    pub axe: Option<PathBuf>,
    /// The browser.
    pub browser: Rc<RefCell<Browser>>,
}

/// A served folder.
pub struct Bench {
    process: Child,
    /// `http://127.0.0.1:PORT/TOKEN/`
    pub address: String,
    /// The folder.
    pub folder: PathBuf,
}

impl Drop for Bench {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Bench {
    /// Serves a new folder with these files.
    pub fn with(setting: &Setting, name: &str, files: &[(&str, &str)]) -> Result<Self, Failure> {
        let folder = setting.out.join(name);
        drop(fs::remove_dir_all(&folder));
        fs::create_dir_all(&folder)?;
        for (file, text) in files {
            fs::write(folder.join(file), text)?;
        }
        let mut process = Command::new(&setting.command)
            .args(["serve", "--folder"])
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut address = String::new();
        BufReader::new(process.stdout.take().ok_or("no output")?).read_line(&mut address)?;
        let address = address.trim().to_owned();
        match address.starts_with("http://127.0.0.1:") {
            true => Ok(Self { process, address, folder }),
            false => Err(format!("the command printed {address:?}").into()),
        }
    }

    /// The port that is served.
    pub fn port(&self) -> Result<u16, Failure> {
        Ok(self.address.split([':', '/']).nth(4).ok_or("no port")?.parse()?)
    }

    /// A tab at a page.
    pub fn tab(&self, setting: &Setting, page: &str) -> Result<Tab, Failure> {
        let tab = Tab::open(&setting.browser)?;
        tab.go(&format!("{}{page}", self.address))?;
        Ok(tab)
    }

    /// Goes to a page in a tab that is open.
    pub fn go(&self, tab: &Tab, page: &str) -> Result<(), Failure> {
        tab.go(&format!("{}{page}", self.address))
    }

    /// Opens a table in a tab, and keeps its columns, public.
    pub fn open(&self, tab: &Tab, data: &str) -> Result<(), Failure> {
        tab.press(&format!("Open {data}"))?;
        tab.reads("What becomes of each column")?;
        // A page of many columns is read before all of it is there.
        tab.until("document.readyState === 'complete'")?;
        tab.tick("input[name=public]")?;
        tab.press("Keep, and go on to the tables")?;
        tab.reads("Which tables of counts")
    }

    /// Fails if a script failed, the policy of a page was broken, or something elsewhere was asked.
    pub fn is_calm(&self, tab: &Tab) -> Result<(), Failure> {
        let own = self.address.split('/').take(3).collect::<Vec<_>>().join("/");
        match &tab.faults(&own)[..] {
            [] => Ok(()),
            faults => Err(faults.join("\n").into()),
        }
    }
}

/// Columns with their numbers of labels, as those of the Adult table.
const ADULT: [(&str, usize); 14] = [
    ("age", 8),
    ("workclass", 9),
    ("fnlwgt", 5),
    ("education", 16),
    ("education-num", 16),
    ("marital-status", 7),
    ("occupation", 15),
    ("relationship", 6),
    ("race", 5),
    ("sex", 2),
    ("capital-gain", 4),
    ("capital-loss", 4),
    ("hours-per-week", 6),
    ("income", 2),
];

/// Made-up firms with their turnover: five in every branch of a region, and two in one.
pub fn firms() -> String {
    let mut text = "region,branch,firm,turnover\n".to_owned();
    let mut firm = 0;
    for (place, region) in ["North", "South", "East", "West"].iter().enumerate() {
        for (branch, amount) in [("Food", 400), ("Metal", 700), ("Paper", 900)] {
            for number in 0..if (*region, branch) == ("South", "Metal") { 2 } else { 5 } {
                firm += 1;
                let amount = amount + 40 * place + 30 * number;
                // A String takes everything.
                let _ = writeln!(text, "{region},{branch},F{firm},{amount}.{number}");
            }
        }
    }
    text
}

/// A table with a column of amounts behind its others, of more values than an attribute has.
pub fn with_amounts(table: &str) -> String {
    let lines = table.lines().enumerate().map(|(row, line)| match row {
        0 => format!("{line},amount\n"),
        _ => format!("{line},{}\n", row * 37 % 5003),
    });
    lines.collect()
}

/// A table like Adult, of this many rows, with its first columns.
pub fn adult(rows: usize, columns: usize) -> String {
    let columns = &ADULT[..columns.min(ADULT.len())];
    let mut text = columns.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(",") + "\n";
    for row in 0..rows {
        for (place, (name, labels)) in columns.iter().enumerate() {
            // Skewed, so that some categories are rare.
            let drawn = (row * 7919 + place * 104_729 + row * row % 31) % 1000;
            let label = (drawn * drawn / 1000) * labels / 1000;
            let comma = if place == 0 { "" } else { "," };
            // A String takes everything.
            let _ = write!(text, "{comma}{name} {label}");
        }
        text.push('\n');
    }
    text
}
