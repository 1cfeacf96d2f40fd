//! What each mode of deciding costs in published numbers, on real tables and a large linked one.
//!
//! `cargo run --release -p benches --bin release_prices -- [ADULT.csv DOMAIN.json]`. Minimum
//! frequency 3, minimum width 0, suppression allowed, all classes in scope (cells in tables of
//! more than 128). A plan on the counts is
//! replayed: how many withheld numbers a reader who runs the planner knows exactly. The pattern of
//! `private` is drawn five times for each epsilon, at delta 1e-6. *Public* is another release, of
//! those among all people who gave one response, with rates within 0.1 and 0.9, by public numbers
//! of people: what leaves is judged afterwards, and refused as a whole where that fails.
#![allow(clippy::print_stdout, reason = "a table on the terminal is what this program is for")]

use std::collections::BTreeSet;
use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use frechet_release::{
    CellStatus, DisclosureRule, DisclosureTarget, Knowledge, Limits, MarginAction, PatternBudget, PrivatePattern,
    ReleaseProblem, ReplayLimits, Scope, plan,
};
use privacy_core::accounting::Neighbours;
use privacy_core::param::{Delta, Epsilon};
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use privacy_data::{CsvOptions, DomainFile, Microdata, read_csv};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

type Failure = Box<dyn Error>;

const EPSILONS: [f64; 3] = [0.5, 1.0, 2.0];
const DRAWS: u8 = 5;
const DELTA: f64 = 1e-6;
/// What takes longer is given up.
const MOST_TIME: Duration = Duration::from_secs(600);
/// Tables that are replayed.
const REPLAYED: ReplayLimits = ReplayLimits { tables: 500, draws: 100 };
/// Above this many cells plans are not replayed, and cells alone are judged.
const LARGE: usize = 128;
/// Levels of the linked table, which is requested with all its two-way margins.
const LINKED: [usize; 5] = [9, 7, 6, 5, 2];

/// A table, and what is requested of it.
struct Case {
    name: String,
    domain: Domain,
    people: ContingencyTable,
    /// Those who gave the response.
    counted: ContingencyTable,
    requested: Vec<AttrSet>,
}

/// A file with its column of counts, and the response.
struct Source {
    name: &'static str,
    rows: Microdata,
    response: (usize, usize),
}

impl Source {
    fn read(
        name: &'static str,
        data: &Path,
        domain: &Path,
        count: Option<&str>,
        (response, label): (&str, &str),
    ) -> Result<Self, Failure> {
        let options = CsvOptions { count_column: count.map(str::to_owned), ..CsvOptions::default() };
        let rows = read_csv(File::open(data)?, &DomainFile::load(domain)?.into_schema()?, &options)?;
        let axis = rows.domain().index_of(response)?;
        let labels = rows.domain().attributes()[axis].labels();
        let level = labels.iter().position(|own| own == label).ok_or("no such response")?;
        Ok(Self { name, rows, response: (axis, level) })
    }

    /// The table over some columns with all its totals, or with its two-way margins alone.
    fn case(&self, names: &[&str], is_linked: bool) -> Result<Case, Failure> {
        let all = self.rows.domain();
        let (set, (response, level)) = (all.set_of(names)?, self.response);
        let domain = Domain::new(set.iter().map(|axis| all.attributes()[axis].clone()).collect())?;
        let tables = self.rows.marginals(&[set, set.with(response)])?;
        // Those with the response: the cells of the larger table at its level.
        let shape = all.shape(set.with(response));
        let place = set.with(response).axis_of(response).ok_or("the response is a column")?;
        let inner: usize = shape[place + 1..].iter().product();
        let own = tables[1].cells().iter().enumerate();
        let counted = own.filter(|(cell, _)| cell / inner % shape[place] == level).map(|(_, &count)| count).collect();
        let people = ContingencyTable::from_cells(&domain, domain.all(), tables[0].cells().to_vec())?;
        let counted = ContingencyTable::from_cells(&domain, domain.all(), counted)?;
        let name = format!("{}, {}", self.name, names.join(" x "));
        Ok(Case { name, requested: requested(&domain, is_linked), domain, people, counted })
    }
}

fn requested(domain: &Domain, is_linked: bool) -> Vec<AttrSet> {
    match is_linked {
        true => domain.all().subsets_of_size(2).collect(),
        false => domain.all().subsets().filter(|set| !set.is_empty()).collect(),
    }
}

/// The table of the example `large` of `frechet-release`, with half of the people counted.
fn linked(people: u64) -> Result<Case, Failure> {
    let mut state = 12_345_u64;
    let mut below = |bound: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % bound
    };
    let cells: usize = LINKED.iter().product();
    let (mut all, mut counted) = (vec![0_u64; cells], vec![0_u64; cells]);
    for person in 0..people {
        let mut cell = 0;
        for size in LINKED {
            cell = cell * size + below(size).min(below(size));
        }
        all[cell] += 1;
        counted[cell] += person % 2;
    }
    let domain = Domain::of_cardinalities(&LINKED)?;
    let [people_table, counted] =
        [all, counted].map(|cells| ContingencyTable::from_cells(&domain, domain.all(), cells));
    let name = format!("9 x 7 x 6 x 5 x 2, {people} people");
    Ok(Case { name, requested: requested(&domain, true), people: people_table?, counted: counted?, domain })
}

impl Case {
    fn problem(&self, background: Knowledge) -> Result<ReleaseProblem, Failure> {
        // Without rates the rate margin compares nothing.
        let rate_margin = if background.people(AttrSet::EMPTY).is_some() { 0.1 } else { 0.5 };
        let rule = DisclosureRule::new(0, rate_margin, 3, self.scope())?;
        let limits = Limits { stop: StopFlag::after(MOST_TIME), ..Limits::default() };
        let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, limits);
        let problem = problem.allow_suppression().allow_merging();
        Ok(self.requested.iter().try_fold(problem, |problem, &set| problem.request_margin(set, 1.0))?)
    }

    /// Cells alone in the large table.
    fn scope(&self) -> Scope {
        if self.people.cells().len() > LARGE { Scope::Cells } else { Scope::All }
    }

    fn numbers(&self) -> u64 {
        self.requested.iter().map(|&set| self.domain.cells(set).unwrap_or(0)).sum()
    }

    fn by_counts(&self) -> Result<String, Failure> {
        let problem = self.problem(Knowledge::of_counts(self.domain.clone())?)?.decide_on_counts(&self.people)?;
        let found = plan(&problem)?;
        let published = published(found.actions());
        if self.people.cells().len() > LARGE {
            return Ok(format!("{published}, not replayed"));
        }
        let replayed = found.replay(&self.people, REPLAYED)?;
        let drawn = if replayed.is_whole { "" } else { " drawn" };
        Ok(format!(
            "{published}; of {}{drawn} {}; {} of {}",
            replayed.looked_at, replayed.same, replayed.known_exactly, replayed.withheld
        ))
    }

    fn robustly(&self) -> Result<String, Failure> {
        let problem = self.problem(Knowledge::of_counts(self.domain.clone())?)?.decide_robustly(&self.people)?;
        Ok(published(plan(&problem)?.actions()).to_string())
    }

    fn privately(&self, epsilon: f64) -> Result<String, Failure> {
        let problem = self.problem(Knowledge::of_counts(self.domain.clone())?)?;
        let budget = PatternBudget {
            epsilon: Epsilon::new(epsilon)?,
            delta: Delta::new(DELTA)?,
            neighbours: Neighbours::AddRemove,
            rows_per_person: 1,
        };
        let pattern = PrivatePattern::new(&problem, &budget)?;
        let mut found = BTreeSet::new();
        for draw in 0..DRAWS {
            let mut rng = ChaCha20Rng::from_seed([draw; 32]);
            found.insert(published(pattern.draw(&self.people, &mut rng)?.actions()));
        }
        Ok(match (found.first(), found.last()) {
            (Some(least), Some(most)) if least < most => format!("{least} to {most}"),
            (least, _) => least.map_or_else(String::new, usize::to_string),
        })
    }

    fn by_public_sizes(&self) -> Result<String, Failure> {
        let background = Knowledge::with_population(self.domain.clone(), &self.people)?;
        let found = plan(&self.problem(background)?)?;
        let leaves = found.audit(&self.counted)?.meets(DisclosureTarget::Undisclosed);
        Ok(format!("{}{}", published(found.actions()), if leaves { "" } else { ", refused" }))
    }

    /// Prints a line of the table, each column as it is found, with its seconds.
    fn print(&self) {
        print!("| {} | {} |", self.name, self.numbers());
        self.column(Self::by_public_sizes);
        self.column(Self::by_counts);
        self.column(Self::robustly);
        EPSILONS.iter().for_each(|&epsilon| self.column(|case| case.privately(epsilon)));
        println!();
    }

    fn column(&self, found: impl Fn(&Self) -> Result<String, Failure>) {
        let start = cpu_seconds();
        let words = found(self).unwrap_or_else(|error| error.to_string());
        print!(" {words} ({:.1} s) |", cpu_seconds() - start);
        // A pipe that is closed ends the program with the next line.
        std::io::stdout().flush().unwrap_or_default();
    }
}

/// How many numbers leave exactly.
fn published(actions: &[MarginAction]) -> usize {
    actions.iter().flat_map(|action| &action.statuses).filter(|status| **status == CellStatus::Exact).count()
}

/// CPU seconds of this process so far; 0 where the system does not say.
fn cpu_seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    // After the name in brackets: user and system time are the 12th and 13th fields, in 1/100 s.
    [11, 12].iter().filter_map(|&place| fields.get(place)?.parse::<f64>().ok()).sum::<f64>() / 100.0
}

/// The rows of a table in the fixtures, and its domain.
fn fixture(name: &str) -> (PathBuf, PathBuf) {
    let folder = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures/data"));
    (folder.join(format!("{name}.csv")), folder.join(format!("{name}.domain.toml")))
}

fn cases(adult: &[String]) -> Result<Vec<Case>, Failure> {
    let ((titanic, titanic_domain), (anes, anes_domain)) = (fixture("titanic"), fixture("anes96"));
    let titanic = Source::read("Titanic", &titanic, &titanic_domain, Some("n"), ("Survived", "Yes"))?;
    let anes = Source::read("ANES", &anes, &anes_domain, None, ("vote", "1"))?;
    let mut cases = vec![
        titanic.case(&["Class", "Sex"], false)?,
        titanic.case(&["Class", "Sex", "Age"], true)?,
        anes.case(&["selfLR", "PID"], false)?,
        anes.case(&["educ", "PID"], false)?,
        anes.case(&["selfLR", "PID", "educ"], true)?,
    ];
    if let [data, domain] = adult {
        let adult = Source::read("Adult", Path::new(data), Path::new(domain), None, ("income>50K", "1"))?;
        for names in [["race", "sex"], ["workclass", "sex"], ["workclass", "race"], ["marital-status", "race"]] {
            cases.push(adult.case(&names, false)?);
        }
        cases.push(adult.case(&["sex", "race", "marital-status"], true)?);
    }
    for people in [3_000, 10_000, 100_000] {
        cases.push(linked(people)?);
    }
    Ok(cases)
}

fn main() -> Result<(), Failure> {
    let adult: Vec<String> = std::env::args().skip(1).collect();
    println!(
        "| table | numbers | public | counts; consistent tables, same release; known of withheld | robust | private 0.5 | 1 | 2 |"
    );
    for case in cases(&adult)? {
        case.print();
    }
    Ok(())
}
