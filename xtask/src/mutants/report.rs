//! The outcomes by file, and the survivors.

use std::collections::BTreeMap;

use super::Mutant;
use super::results::{Outcome, Results};
use super::survivors::{self, Survivors};

#[derive(Default)]
struct Row {
    mutants: usize,
    not_compiled: usize,
    not_run: usize,
    caught: usize,
    timed_out: usize,
    survived: usize,
    named: usize,
}

impl Row {
    fn add(&mut self, other: &Row) {
        self.mutants += other.mutants;
        self.not_compiled += other.not_compiled;
        self.not_run += other.not_run;
        self.caught += other.caught;
        self.timed_out += other.timed_out;
        self.survived += other.survived;
        self.named += other.named;
    }

    fn shown(&self, name: &str) -> String {
        let caught = self.caught + self.timed_out;
        let share = 100.0 * caught as f64 / (caught + self.survived).max(1) as f64;
        format!(
            "| {name} | {} | {} | {} | {caught} | {} | {} | {} | {share:.1} % |\n",
            self.mutants, self.not_compiled, self.not_run, self.timed_out, self.survived, self.named,
        )
    }
}

/// The table, and a line for each survivor that is not named.
pub(super) fn report(
    mutants: &[Mutant],
    is_live: impl Fn(&Mutant) -> bool,
    (results, list): (&Results, &Survivors),
) -> String {
    let mut rows: BTreeMap<&str, Row> = BTreeMap::new();
    let mut named = list.counts();
    let mut unnamed = String::new();
    for mutant in mutants {
        let row = rows.entry(&mutant.file).or_default();
        row.mutants += 1;
        match results.known(mutant) {
            Some(Outcome::Caught) => row.caught += 1,
            Some(Outcome::TimedOut) => row.timed_out += 1,
            Some(outcome) => {
                row.survived += 1;
                let left = named.get_mut(survivors::name(mutant).as_str()).filter(|left| **left > 0);
                if let Some(left) = left {
                    *left -= 1;
                    row.named += 1;
                    continue;
                }
                let reached = if outcome == Outcome::Unreached { " (no test executes it)" } else { "" };
                unnamed += &format!("{}{reached}\n", mutant.shown());
            }
            None if is_live(mutant) => row.not_run += 1,
            None => row.not_compiled += 1,
        }
    }
    let mut text =
        "| file | mutants | not compiled | not run | caught | of them by time | survived | of them named | caught |\n"
            .to_owned();
    text += "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n";
    let mut total = Row::default();
    for (name, row) in &rows {
        text += &row.shown(&format!("`{name}`"));
        total.add(row);
    }
    text += &total.shown("all");
    format!("{text}\n{unnamed}")
}
