//! `cargo xtask validate`: attackers test every promise.

use std::path::{Path, PathBuf};
use std::time::Instant;

use attack_sim::audit::{Finding, Scenario, Verdict};
use attack_sim::scenarios::{Blueprint, Entry, SeededFault, build, read, read_seeded_faults};
use clap::{Args, ValueEnum};
use disclosure::privacy_core::param::Probability;
use glob::Pattern;
use rayon::prelude::*;

use crate::validate_report::{Judgement, Report};
use crate::workspace::{self, Error};

/// The probability that any interval of a whole run misses, split over its scenarios.
const ERROR_RATE: f64 = 1e-6;

#[derive(Args)]
pub(crate) struct ValidateArgs {
    /// How many trials: `smoke` for every change, `full` for a release
    #[arg(long, value_enum, default_value = "smoke")]
    tier: Tier,
    /// As many trials of every scenario instead, such as 10000000 for an audit at depth
    #[arg(long, value_name = "N", conflicts_with = "write")]
    trials: Option<u64>,
    /// Only scenarios whose id matches, such as 'lcf/*'
    #[arg(long, value_name = "GLOB", default_value = "*")]
    only: Pattern,
    /// Other random streams than those of the files: added to the seed of each scenario
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Test the seeded faults in place of the promises: each must be contradicted
    #[arg(long, alias = "planted")]
    seeded_faults: bool,
    /// One JSON document instead of a table
    #[arg(long, conflicts_with = "write")]
    json: bool,
    /// Write the result to this Markdown page as well
    #[arg(long, value_name = "PAGE", conflicts_with = "seeded_faults")]
    write: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Tier {
    Smoke,
    Full,
}

impl Tier {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Smoke => "smoke",
            Self::Full => "full",
        }
    }
}

/// A scenario to be run, with a fault seeded in its promise or not.
struct Selected {
    entry: Entry,
    seeded: Option<SeededFault>,
    /// Instead of those of its tier, or of its fault.
    wanted_trials: Option<u64>,
}

impl Selected {
    fn trials(&self, tier: Tier) -> u64 {
        if let Some(trials) = self.wanted_trials {
            return trials;
        }
        let trials = match tier {
            Tier::Smoke => self.entry.trials.smoke,
            Tier::Full => self.entry.trials.full,
        };
        self.seeded.as_ref().and_then(|fault| fault.trials).unwrap_or(trials)
    }

    fn build(&self, root: &Path) -> Result<Box<dyn Scenario>, attack_sim::Error> {
        let seeded_fault = self.seeded.as_ref().map(|seeded| seeded.fault.as_str());
        build(&Blueprint { entry: &self.entry, seeded_fault, root })
    }

    fn run(&self, scenario: &dyn Scenario, tier: Tier, error_rate: Probability) -> Result<Finding, attack_sim::Error> {
        scenario.run(self.trials(tier), self.entry.seed, error_rate)
    }

    /// Runs it, and says so in a line.
    fn judged(&self, scenario: &dyn Scenario, tier: Tier, error_rate: Probability) -> Result<Judgement, Error> {
        let clock = Instant::now();
        let finding = self.run(scenario, tier, error_rate)?;
        let excuse = self.entry.underpowered_at_smoke.as_ref().filter(|_| finding.verdict == Verdict::Underpowered);
        let judgement = Judgement {
            is_as_it_must_be: self.is_as_it_must_be(tier, &finding),
            note: self.seeded.as_ref().map(|seeded| &seeded.fault).or(excuse).cloned(),
            seconds: clock.elapsed().as_secs_f64(),
            finding,
        };
        eprintln!("{}", judgement.line());
        Ok(judgement)
    }

    /// Whether a finding is what it must be.
    fn is_as_it_must_be(&self, tier: Tier, finding: &Finding) -> bool {
        let is_excused = tier == Tier::Smoke && self.entry.underpowered_at_smoke.is_some();
        match finding.verdict {
            Verdict::Contradicted => self.seeded.is_some(),
            Verdict::NotContradicted => self.seeded.is_none(),
            _ => self.seeded.is_none() && is_excused,
        }
    }
}

/// Runs, prints, and fails when a verdict is not what it must be.
pub(crate) fn run(root: &Path, args: &ValidateArgs) -> Result<(), Error> {
    let fixtures = root.join("fixtures");
    let mut selected = select(&fixtures, args)?;
    selected.iter_mut().for_each(|one| one.wanted_trials = args.trials);
    let error_rate =
        Probability::new(ERROR_RATE / selected.len().max(1) as f64).expect("a part of a probability is one");
    // All of them first: a misspelt name is found before an hour of trials.
    let scenarios = selected.iter().map(|one| one.build(&fixtures)).collect::<Result<Vec<_>, _>>()?;
    let start = Instant::now();
    // Side by side: most scenarios are too short to keep every core busy by themselves.
    let judgements = (selected.par_iter().zip(&scenarios).with_max_len(1))
        .map(|(one, scenario)| one.judged(scenario.as_ref(), args.tier, error_rate))
        .collect::<Result<Vec<_>, _>>()?;
    let report = Report {
        tier: args.tier.name(),
        seed: args.seed,
        error_rate: ERROR_RATE,
        seconds: start.elapsed().as_secs_f64(),
        has_seeded_faults: args.seeded_faults,
        judgements,
    };
    if args.json {
        println!("{}", report.json()?);
    } else {
        print!("{}", report.table());
    }
    if let Some(page) = &args.write {
        report.write(root, page)?;
    }
    match report.failures() {
        0 => Ok(()),
        count => Err(Error::Verdicts { count }),
    }
}

/// The scenarios that match, in the order of their files.
fn select(fixtures: &Path, args: &ValidateArgs) -> Result<Vec<Selected>, Error> {
    let mut entries = Vec::new();
    for (name, text) in toml_files(&fixtures.join("scenarios"))? {
        entries.extend(read(&name, &text)?);
    }
    entries.iter_mut().for_each(|entry| entry.seed = entry.seed.wrapping_add(args.seed));
    let is_meant = |entry: &&Entry| args.only.matches(&entry.id);
    let selected: Vec<Selected> = if args.seeded_faults {
        let mut faults = Vec::new();
        for (name, text) in toml_files(&fixtures.join("seeded-faults"))? {
            faults.extend(read_seeded_faults(&name, &text)?);
        }
        let found = |seeded: SeededFault| match entries.iter().find(|entry| entry.id == seeded.scenario) {
            Some(entry) => Ok(Selected { entry: entry.clone(), seeded: Some(seeded), wanted_trials: None }),
            None => Err(Error::NoScenario { id: seeded.scenario }),
        };
        let all = faults.into_iter().map(found).collect::<Result<Vec<_>, _>>()?;
        all.into_iter().filter(|one| is_meant(&&one.entry)).collect()
    } else {
        entries
            .iter()
            .filter(is_meant)
            .map(|entry| Selected { entry: entry.clone(), seeded: None, wanted_trials: None })
            .collect()
    };
    if selected.is_empty() { Err(Error::NoScenario { id: args.only.to_string() }) } else { Ok(selected) }
}

/// The names and texts of the scenario files of a directory.
fn toml_files(directory: &Path) -> Result<Vec<(String, String)>, Error> {
    let mut files = workspace::files(directory)?;
    files.retain(|path| {
        path.extension().is_some_and(|extension| extension == "toml")
            && path.file_name().is_some_and(|name| name != "SOURCES.toml")
    });
    let named = |path: PathBuf| Ok((path.display().to_string(), workspace::read(&path)?));
    files.into_iter().map(named).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Words {
        #[command(flatten)]
        args: ValidateArgs,
    }

    fn args(words: &[&str]) -> ValidateArgs {
        Words::try_parse_from([&["validate"], words].concat()).unwrap().args
    }

    fn selected(words: &[&str]) -> Result<Vec<Selected>, Error> {
        select(&workspace::root().join("fixtures"), &args(words))
    }

    #[test]
    fn a_glob_selects_and_what_matches_nothing_is_an_error() {
        let all = selected(&[]).unwrap();
        let some = selected(&["--only", "screen/*"]).unwrap();
        assert!(!some.is_empty() && some.len() <= all.len());
        assert!(some.iter().all(|one| one.entry.id.starts_with("screen/") && one.seeded.is_none()));
        assert!(matches!(selected(&["--only", "nothing"]), Err(Error::NoScenario { .. })));
        assert!(Words::try_parse_from(["validate", "--only", "["]).is_err());
    }

    #[test]
    fn trials_that_are_asked_for_replace_those_of_the_tier_and_of_a_fault() {
        for words in [&["--only", "lcf/*"][..], &["--only", "lcf/*", "--seeded-faults"]] {
            for mut one in selected(words).unwrap() {
                assert!(one.trials(Tier::Full) >= one.trials(Tier::Smoke) && one.trials(Tier::Smoke) > 7);
                one.wanted_trials = Some(7);
                assert_eq!((one.trials(Tier::Smoke), one.trials(Tier::Full)), (7, 7));
            }
        }
    }

    #[test]
    fn ids_are_there_once_in_all_files() {
        let mut ids: Vec<String> = selected(&[]).unwrap().into_iter().map(|one| one.entry.id).collect();
        let all = ids.len();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }

    #[test]
    fn thirty_faults_are_seeded_in_scenarios_that_exist() {
        let seeded = selected(&["--seeded-faults"]).unwrap();
        let is_own =
            |one: &&Selected| one.seeded.as_ref().is_some_and(|fault| fault.fault != one.entry.negative_control);
        let own = seeded.iter().filter(is_own).count();
        assert!(own >= 30, "{own} of {} are not the fault of a negative control", seeded.len());
    }

    #[test]
    fn what_must_be_is_silence_about_promises_and_a_contradiction_of_faults() {
        let mut one = selected(&["--only", "screen/solver-on-table/identical-rows"]).unwrap().remove(0);
        let fixtures = workspace::root().join("fixtures");
        let rate = Probability::new(1e-9).unwrap();
        let finding = one.run(one.build(&fixtures).unwrap().as_ref(), Tier::Smoke, rate).unwrap();
        assert!(one.is_as_it_must_be(Tier::Smoke, &finding), "{finding:?}");
        one.seeded =
            selected(&["--seeded-faults", "--only", "screen/solver-on-table/identical-rows"]).unwrap().remove(0).seeded;
        assert!(!one.is_as_it_must_be(Tier::Smoke, &finding));
        let caught = one.run(one.build(&fixtures).unwrap().as_ref(), Tier::Smoke, rate).unwrap();
        assert_eq!(caught.verdict, Verdict::Contradicted);
        assert!(one.is_as_it_must_be(Tier::Smoke, &caught));
    }
}
