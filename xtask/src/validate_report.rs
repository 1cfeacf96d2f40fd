//! What `cargo xtask validate` prints and writes.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use attack_sim::audit::{Finding, Measurement};
use serde::Serialize;

use crate::validate_numbers::{ends, interval, of_negative_control, reached};
use crate::validate_page::{CLAIMS, HEAD, later_sections};
use crate::workspace::Error;
use crate::wrap::{list_item, paragraph};

const COLUMNS: usize = 9;

/// A finding, and whether it is what it must be.
pub(crate) struct Judgement {
    pub(crate) finding: Finding,
    pub(crate) is_as_it_must_be: bool,
    /// The seeded fault; of an underpowered verdict, why the smoke tier is too small.
    pub(crate) note: Option<String>,
    pub(crate) seconds: f64,
}

pub(crate) struct Report {
    pub(crate) tier: &'static str,
    pub(crate) seed: u64,
    pub(crate) error_rate: f64,
    pub(crate) seconds: f64,
    pub(crate) has_seeded_faults: bool,
    pub(crate) judgements: Vec<Judgement>,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    tier: &'a str,
    seed: u64,
    error_rate: f64,
    planted: bool,
    scenarios: Vec<Row<'a>>,
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    mechanism: &'a str,
    claim: &'a str,
    kind: &'static str,
    source: &'a str,
    attacker: &'a str,
    unit: &'static str,
    quantity: &'a str,
    claimed: [Option<f64>; 2],
    measured: [Option<f64>; 2],
    /// Of a claimed loss above 0, the share that was shown; null where it has no bound.
    #[serde(skip_serializing_if = "Option::is_none")]
    reached: Option<Option<f64>>,
    /// Trials that said something of the quantity; null where all do, or none is needed.
    measured_in: Option<u64>,
    control: Run<'a>,
    blind: Run<'a>,
    verdict: &'static str,
    broken: &'a str,
    broken_play: Run<'a>,
    broken_verdict: &'static str,
    trials: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'a str>,
}

/// What a run measured of the quantity that was farthest from its claim, which need not be that
/// of the attacker's.
#[derive(Serialize)]
struct Run<'a> {
    quantity: &'a str,
    claimed: [Option<f64>; 2],
    measured: [Option<f64>; 2],
}

impl<'a> Run<'a> {
    fn of(measurement: &'a Measurement) -> Self {
        let (claimed, measured) = (finite(measurement.claimed), finite(measurement.measured));
        Self { quantity: &measurement.of, claimed, measured }
    }
}

/// Ends that are infinite are `null`.
fn finite(ends: [f64; 2]) -> [Option<f64>; 2] {
    ends.map(|end| end.is_finite().then_some(end))
}

impl Judgement {
    /// One line for the person who waits.
    pub(crate) fn line(&self) -> String {
        let mark = if self.is_as_it_must_be { " " } else { "!" };
        format!("{mark} {:>6.1} s  {:<16} {}", self.seconds, self.finding.verdict.name(), self.finding.about.id)
    }

    fn row(&self) -> Row<'_> {
        let Finding { about, runs, .. } = &self.finding;
        Row {
            id: &about.id,
            mechanism: about.mechanism(),
            claim: &about.claim,
            kind: about.kind.name(),
            source: &about.source,
            attacker: &about.attacker,
            unit: self.finding.unit,
            quantity: &runs.attacker.of,
            claimed: finite(runs.attacker.claimed),
            measured: finite(runs.attacker.measured),
            reached: self.finding.reached.map(|share| share.is_finite().then_some(share)),
            measured_in: runs.attacker.measured_in,
            control: Run::of(&runs.outsiders),
            blind: Run::of(&runs.blind),
            verdict: self.finding.verdict.name(),
            broken: &about.fault,
            broken_play: Run::of(&runs.negative_control),
            broken_verdict: self.negative_control_verdict(),
            trials: self.finding.trials,
            note: self.note.as_deref(),
        }
    }

    fn negative_control_verdict(&self) -> &'static str {
        if self.finding.is_fault_exposed() { "Contradicted" } else { "NotContradicted" }
    }

    fn cells(&self) -> [String; COLUMNS] {
        let Finding { about, runs, unit, verdict, trials, .. } = &self.finding;
        let unit = if runs.attacker.of.is_empty() { (*unit).to_owned() } else { runs.attacker.of.clone() };
        let verdict = format!("{}{}", verdict.name(), if self.is_as_it_must_be { "" } else { " (!)" });
        let negative_control = match (&self.note, self.finding.is_fault_exposed()) {
            (Some(note), true) => format!("{} (seeded: {note})", about.fault),
            (_, true) => format!("{}: {}", about.fault, of_negative_control(&runs.negative_control, &runs.attacker)),
            (_, false) => {
                format!("{}: {}, not exposed", about.fault, of_negative_control(&runs.negative_control, &runs.attacker))
            }
        };
        let claimed = ends(runs.attacker.claimed);
        let trials = match runs.attacker.measured_in {
            Some(said) if said != *trials => format!("{said} of {trials}"),
            _ => trials.to_string(),
        };
        [
            about.id.clone(),
            about.kind.name().to_owned(),
            unit,
            claimed,
            interval(&runs.attacker),
            reached(self.finding.reached),
            verdict,
            negative_control,
            trials,
        ]
    }
}

const HEADINGS: [&str; COLUMNS] =
    ["scenario", "kind", "measured is", "claimed", "measured", "reached", "verdict", "negative control", "trials"];

impl Report {
    /// Verdicts that are not what they must be.
    pub(crate) fn failures(&self) -> usize {
        self.judgements.iter().filter(|judgement| !judgement.is_as_it_must_be).count()
    }

    pub(crate) fn json(&self) -> Result<String, Error> {
        let document = Document {
            schema: "disclosure.validate/1",
            tier: self.tier,
            seed: self.seed,
            error_rate: self.error_rate,
            planted: self.has_seeded_faults,
            scenarios: self.judgements.iter().map(Judgement::row).collect(),
        };
        Ok(serde_json::to_string_pretty(&document)?)
    }

    /// A table for people.
    pub(crate) fn table(&self) -> String {
        let rows: Vec<[String; COLUMNS]> = self.judgements.iter().map(Judgement::cells).collect();
        let width = |column: usize| {
            rows.iter().map(|row| row[column].chars().count()).chain([HEADINGS[column].len()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..COLUMNS).map(width).collect();
        let line = |cells: &[String]| -> String {
            let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}  "));
            format!("  {}\n", padded.collect::<String>().trim_end())
        };
        let headings = HEADINGS.map(str::to_owned);
        let rule = "─".repeat(widths.iter().sum::<usize>() + 2 * (COLUMNS - 1));
        let body: String = rows.iter().map(|row| line(row)).collect();
        format!("\n{}  {rule}\n{body}\n  {}\n", line(&headings), self.summary())
    }

    fn summary(&self) -> String {
        let (all, failures) = (self.judgements.len(), self.failures());
        let what = if self.has_seeded_faults {
            let own = self.judgements.iter().filter(|one| one.note.as_ref() != Some(&one.finding.about.fault)).count();
            format!(
                "{} of {all} seeded faults caught, {own} of them not the fault of a negative control",
                all - failures
            )
        } else {
            format!("{} of {all} scenarios have the expected status", all - failures)
        };
        format!(
            "{what}; tier {}, seed {}, {:.0} s.{} The probability that any interval of a share or a loss misses the true value is at most \
             {:.0e}, and {:.1e} for each scenario; intervals of means reach this asymptotically.",
            self.tier,
            self.seed,
            self.seconds,
            self.silence(),
            self.error_rate,
            self.error_rate / all.max(1) as f64
        )
    }

    /// How many attackers showed nothing of a claimed privacy loss.
    fn silence(&self) -> String {
        match self.judgements.iter().filter(|one| one.finding.reached == Some(0.0)).count() {
            0 => String::new(),
            count => format!(" No loss was shown (0 %) in {count} of the scenarios that claim a loss above 0."),
        }
    }

    /// The result as a page of the documentation, whose later sections stay as they are.
    pub(crate) fn write(&self, root: &Path, page: &Path) -> Result<(), Error> {
        let mut text = HEAD.to_owned();
        let commit = output(root, "git", &["rev-parse", "--short", "HEAD"]);
        let _ = writeln!(text, "{}", paragraph(&self.summary()));
        let _ = writeln!(text, "{}", paragraph(&format!("Commit {commit}; {}.", machine())));
        let _ = writeln!(text, "| {} |\n|{}", HEADINGS.join(" | "), " --- |".repeat(COLUMNS));
        for judgement in &self.judgements {
            let _ = writeln!(text, "| {} |", judgement.cells().map(|cell| cell.replace('|', "\\|")).join(" | "));
        }
        let _ = writeln!(text, "\n{CLAIMS}\n");
        for Judgement { finding, .. } in &self.judgements {
            let about = &finding.about;
            text.push_str(&list_item(0, &format!("`{}`: {}. Source: {}.", about.id, about.claim, about.source)));
        }
        let path = root.join(page);
        text.push_str(later_sections(&std::fs::read_to_string(&path).unwrap_or_default()));
        std::fs::write(&path, text).map_err(|source| Error::File { path, source })
    }
}

fn output(root: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).current_dir(root).output();
    let text = output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    if text.is_empty() { "unknown".to_owned() } else { text }
}

/// The processor and how many of it there are.
fn machine() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    format!("{}, {cores} cores", name.unwrap_or("an unnamed processor"))
}
