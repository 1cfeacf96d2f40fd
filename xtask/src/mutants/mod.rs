//! Mutants: the code with small errors in it, one at a time, which the tests have to notice.
//!
//! All mutants of a crate are compiled at once, into a copy of the workspace, and a variable of the
//! environment says which one is on (mutant schemata: Untch, Offutt and Harrold 1993). So a mutant
//! costs the tests that reach it, and no compilation.

mod areas;
mod build;
mod operators;
mod places;
mod process;
mod report;
mod results;
mod rewrite;
mod runs;
mod selection;
pub(crate) mod survivors;
#[cfg(test)]
mod tests;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use areas::Area;
use places::{Change, Places};
use results::Results;
use survivors::Survivors;

use crate::workspace::{self, Error};

#[derive(clap::Args)]
pub(crate) struct MutantsArgs {
    /// Only lines that differ from this commit, uncommitted changes included
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, default_missing_value = "main")]
    changed: Option<String>,
    /// Only this crate
    #[arg(long, value_name = "CRATE")]
    package: Option<String>,
    /// Only files whose path, from the crate or from the root, matches one of these
    #[arg(long, value_name = "PATTERN")]
    file: Vec<String>,
    /// Only a random sample of this size, of each crate
    #[arg(long, value_name = "NUMBER")]
    sample: Option<usize>,
    /// Which sample
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Leave out tests that take longer than this without a mutant, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    longest_test: u64,
    /// Start no other mutant after this time
    #[arg(long, value_name = "SECONDS")]
    seconds: Option<u64>,
    /// How many tests to run at once
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    jobs: usize,
    /// Show the mutants, and run none
    #[arg(long)]
    list: bool,
}

/// A mutant of an area; numbers are unique in it.
#[derive(Clone, Debug)]
struct Mutant {
    number: u32,
    /// From the root.
    file: String,
    /// Of the file, without the tests at its end.
    digest: String,
    line: usize,
    /// The first byte of its place.
    start: usize,
    change: Change,
}

impl Mutant {
    fn shown(&self) -> String {
        format!("{}:{}: {}", self.file, self.line, self.change.shown)
    }
}

/// A file of an area.
struct Source {
    path: String,
    text: String,
    places: Places,
    /// The number of its first mutant.
    first: u32,
}

pub(crate) fn run(root: &Path, args: &MutantsArgs) -> Result<(), Error> {
    let until = args.seconds.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut files = 0;
    for area in areas::areas(root, args.package.as_deref())? {
        let sources = sources(root, &area, &args.file)?;
        files += sources.len();
        let all = mutants(&sources);
        let chosen = selection::chosen(root, &all, args)?;
        if args.list {
            chosen.iter().for_each(|mutant| println!("{}", mutant.shown()));
        } else if !chosen.is_empty() && runs::is_over(until) {
            println!("{}: {} mutants, none run: the time is over", area.name, chosen.len());
        } else if !chosen.is_empty() {
            run_area(root, &area, &sources, all.len() as u32, (&chosen, until), args)?;
        }
    }
    match files {
        0 => Err(Error::Mutants("no file of an area is asked for: xtask/mutants.toml has the areas".to_owned())),
        _ => Ok(()),
    }
}

fn sources(root: &Path, area: &Area, only: &[String]) -> Result<Vec<Source>, Error> {
    let mut found = Vec::new();
    let mut first = 0;
    for path in area.files(root, only)? {
        let text = workspace::read(&root.join(&path))?;
        let places = places::places(&text).map_err(|source| Error::Syntax { path: root.join(&path), source })?;
        let count: usize = places.all.iter().map(|place| place.changes.len()).sum();
        found.push(Source { path, text, places, first });
        first += count as u32;
    }
    Ok(found)
}

fn mutants(sources: &[Source]) -> Vec<Mutant> {
    let mut found = Vec::new();
    for source in sources {
        let digest = results::digest(results::above_tests(&source.text).as_bytes());
        for place in &source.places.all {
            let (start, line) = (place.range.start, source.text[..place.range.start].matches('\n').count() + 1);
            for change in &place.changes {
                let (number, file, digest) = (found.len() as u32, source.path.clone(), digest.clone());
                found.push(Mutant { number, file, digest, line, start, change: change.clone() });
            }
        }
    }
    found
}

fn run_area(
    root: &Path,
    area: &Area,
    sources: &[Source],
    count: u32,
    (chosen, until): (&[Mutant], Option<Instant>),
    args: &MutantsArgs,
) -> Result<(), Error> {
    let mut results = Results::open(root, area)?;
    let mut live: BTreeSet<u32> =
        chosen.iter().filter(|mutant| results.known(mutant).is_none()).map(|mutant| mutant.number).collect();
    if !live.is_empty() {
        println!("{}: {} mutants, {} of them to run", area.name, chosen.len(), live.len());
        // A folder of its own: cargo takes a package of the copy for that of the workspace, and would
        // hand out a library with mutants for one without.
        let (tree, target) = (tree::directory(root), root.join("target/mutants/target"));
        let write = |live: &BTreeSet<u32>| write(root, area, sources, count, live);
        let programs = build::build(&tree, &target, area, &mut live, write)?;
        let longest = Duration::from_secs(args.longest_test);
        let (tests, slow) = runs::baseline((&programs, area), longest, args.jobs, &root.join("target/mutants"))?;
        println!("{} tests pass without a mutant", tests.len());
        slow.iter().for_each(|name| println!("left out, for it takes more than {} s: {name}", args.longest_test));
        let run: Vec<&Mutant> = chosen.iter().filter(|mutant| live.contains(&mutant.number)).collect();
        runs::run(&run, &tests, (args.jobs, until), &mut results)?;
    }
    let survivors = Survivors::read(root)?;
    println!("\n{}", report::report(chosen, |mutant| live.contains(&mutant.number), (&results, &survivors)));
    Ok(())
}

/// Writes the copy of the workspace with these mutants; returns the files that have any.
fn write(
    root: &Path,
    area: &Area,
    sources: &[Source],
    count: u32,
    live: &BTreeSet<u32>,
) -> Result<BTreeMap<String, String>, Error> {
    let rewritten =
        |source: &Source| (source.path.clone(), rewrite::rewritten(&source.text, &source.places, source.first, live));
    let mut files: BTreeMap<String, String> = sources.iter().map(rewritten).collect();
    let head = format!("{}/src/lib.rs", area.directory());
    let head = files.get(&head).cloned().map_or_else(|| workspace::read(&root.join(&head)), Ok)?;
    tree::with_switch(&area.directory(), &head, count, &mut files);
    tree::copy(root, &files)?;
    Ok(files)
}
