//! Settings that are said to pass do pass when a job uses them, and those said to miss do miss.

use std::time::Duration;

use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::exact::{Job, PlanDocument, RefusalDocument, SettingOutcome, TrialLimits};
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::observer::{Observer, Silent};
use disclosure_jobs::pipeline;

/// Department b admits 2 of 100: nearly nobody, which the rate margin forbids to publish.
const ADMISSIONS: &str = "dept,sex,vote,n\na,f,yes,30\na,f,no,30\na,m,yes,25\na,m,no,40\n\
                          b,f,yes,1\nb,f,no,39\nb,m,yes,1\nb,m,no,59\n";

const DEPARTMENTS: &str = "[[attribute]]\nname = \"dept\"\nlabels = [\"a\", \"b\"]\n\
                           [[attribute]]\nname = \"sex\"\nlabels = [\"f\", \"m\"]\n\
                           [[attribute]]\nname = \"vote\"\nlabels = [\"yes\", \"no\"]\n";

/// Among 500 people, those of 60 to 70 are nearly all for it.
const AGES: &str = "age,vote,n\n25,yes,40\n25,no,60\n35,yes,50\n35,no,50\n45,yes,45\n45,no,55\n55,yes,10\n55,no,90\n\
                    65,yes,99\n65,no,1\n75,yes,60\n75,no,40\n";

const DECADES: &str = "[[attribute]]\nname = \"vote\"\nlabels = [\"yes\", \"no\"]\n\
                       [[attribute]]\nname = \"age\"\nbins = [20, 30, 40, 50, 60, 70, 80]\n";

fn rule(keys: &str) -> String {
    format!(
        "data = \"rows.csv\"\ncount = \"n\"\nvote = {{ column = \"vote\", value = \"yes\" }}\ntau = 0\nbeta = 0.05\n\
         kappa = 20\n{keys}\n"
    )
}

fn explained(job: &str, rows: &'static str, limits: TrialLimits) -> PlanDocument {
    let job = Job::parse(job, "test", &MemoryFiles::default()).unwrap();
    let planned = job.plan(&CsvSource::bytes("rows.csv", rows.as_bytes()), &Silent).unwrap();
    planned.explained(limits, &Silent).unwrap()
}

/// Why a job is refused; nothing where it is not.
fn refusal(job: &str, rows: &'static str) -> Option<RefusalDocument> {
    explained(job, rows, TrialLimits::default()).refusal
}

fn outcome(refusal: &RefusalDocument, words: &str) -> Option<SettingOutcome> {
    refusal.settings.iter().find(|tried| tried.setting == words).map(|tried| tried.outcome)
}

/// Every change that was tried comes out as it does when the job says it.
fn agrees(refusal: &RefusalDocument, changes: &[(&str, String)], rows: &'static str) {
    let said: Vec<&str> = refusal.settings.iter().map(|tried| tried.setting.as_str()).collect();
    let known: Vec<&str> = changes.iter().map(|(words, _)| *words).collect();
    assert_eq!(said, known);
    for (words, job) in changes {
        let document = explained(job, rows, TrialLimits::default());
        let shown: usize = document.margins.iter().map(|margin| margin.exact + margin.noised).sum();
        let expected = match (document.target_met, shown) {
            (true, 0) => SettingOutcome::PublishesNothing,
            (true, _) => SettingOutcome::Passes,
            (false, _) => SettingOutcome::Misses,
        };
        assert_eq!(outcome(refusal, words), Some(expected), "{words}");
        let numbers = refusal.settings.iter().find(|tried| tried.setting == *words).unwrap().numbers;
        if expected == SettingOutcome::Passes {
            assert_eq!(numbers.map(|numbers| numbers.exact + numbers.noised), Some(shown), "{words}");
        }
    }
}

#[test]
fn every_setting_of_a_refused_job_comes_out_as_it_was_said() {
    let job = |keys: &str| rule(keys) + DEPARTMENTS;
    let both = "margins = [[\"dept\"], [\"sex\"]]\n";
    let refused = refusal(&job(both), ADMISSIONS).unwrap();
    let changes = [
        ("decide_on = \"robust\"", job(&format!("{both}decide_on = \"robust\""))),
        ("decide_on = \"counts\"", job(&format!("{both}decide_on = \"counts\""))),
        ("margins without [\"dept\"]", job("margins = [[\"sex\"]]")),
        ("margins without [\"sex\"]", job("margins = [[\"dept\"]]")),
        ("target = \"undisclosed\"", job(&format!("{both}target = \"undisclosed\""))),
    ];
    let is_first = |tried: &str| changes.iter().any(|(words, _)| *words == tried);
    let (singles, pairs): (Vec<_>, Vec<_>) =
        refused.settings.clone().into_iter().partition(|tried| is_first(&tried.setting));
    agrees(&RefusalDocument { settings: singles, ..refused.clone() }, &changes, ADMISSIONS);
    // No full profile is certified, so only the weaker target has settings that pass.
    assert!(pairs.iter().all(|tried| tried.setting.starts_with("target = \"undisclosed\" and ")), "{pairs:?}");
    let weaker = "target = \"undisclosed\"\n";
    let pairs = RefusalDocument { settings: pairs, ..refused.clone() };
    let prefixed: Vec<(String, String)> = changes[..4]
        .iter()
        .map(|(words, job)| (format!("target = \"undisclosed\" and {words}"), format!("{weaker}{job}")))
        .collect();
    let prefixed: Vec<(&str, String)> = prefixed.iter().map(|(words, job)| (words.as_str(), job.clone())).collect();
    agrees(&pairs, &prefixed, ADMISSIONS);
    assert!(pairs.settings.iter().any(|tried| tried.outcome == SettingOutcome::Passes), "{pairs:?}");
}

#[test]
fn the_classes_that_block_are_named_disclosed_ones_first() {
    let both = "margins = [[\"dept\"], [\"sex\"]]\ntarget = \"undisclosed\"\n";
    let refused = refusal(&(rule(both) + DEPARTMENTS), ADMISSIONS).unwrap();
    assert_eq!(refused.blocking_classes, refused.classes.len());
    let first = &refused.classes[0];
    assert_eq!(first.class.text(), "dept b");
    assert!(first.why.contains("counted"), "{}", first.why);
    // Nothing blocks a job that is not refused.
    assert!(refusal(&(rule("margins = [[\"sex\"]]\ntarget = \"undisclosed\"\n") + DEPARTMENTS), ADMISSIONS).is_none());
}

#[test]
fn wider_bins_are_tried_and_come_out_as_those_of_a_job_that_has_them() {
    let job = |bins: &str| {
        let declared = DECADES.replace("bins = [20, 30, 40, 50, 60, 70, 80]", bins);
        rule("margins = [[\"age\"]]\ntarget = \"undisclosed\"\n") + &declared
    };
    let refused = refusal(&job("bins = [20, 30, 40, 50, 60, 70, 80]"), AGES).unwrap();
    let wider = "bins = [20, 40, 60, 80]";
    let words = format!("{wider} for \"age\"");
    assert_eq!(outcome(&refused, &words), Some(SettingOutcome::Passes), "{:?}", refused.settings);
    assert!(explained(&job(wider), AGES, TrialLimits::default()).target_met);
    let tried = refused.settings.iter().find(|tried| tried.setting == words).unwrap();
    assert_eq!(tried.numbers.unwrap().exact, 3);
}

#[test]
fn a_margin_is_replaced_by_narrower_ones_and_numbers_are_left_out() {
    let wide = "margins = [[\"dept\", \"sex\"]]\ntarget = \"undisclosed\"\n";
    let refused = refusal(&(rule(wide) + DEPARTMENTS), ADMISSIONS).unwrap();
    let words = "margins with [\"sex\"], [\"dept\"] instead of [\"dept\", \"sex\"]";
    let narrower = "margins = [[\"sex\"], [\"dept\"]]\ntarget = \"undisclosed\"\n";
    let is_met = explained(&(rule(narrower) + DEPARTMENTS), ADMISSIONS, TrialLimits::default()).target_met;
    assert_eq!(outcome(&refused, words) == Some(SettingOutcome::Passes), is_met, "{:?}", refused.settings);
    let number = "margins = [[\"sex\"]]\ntarget = \"undisclosed\"\n\
                  [[publish]]\nname = \"b\"\nwhere = { dept = \"b\" }\n";
    let refused = refusal(&(rule(number) + DEPARTMENTS), ADMISSIONS).unwrap();
    assert_eq!(outcome(&refused, "without entry 1 of [[publish]]"), Some(SettingOutcome::Passes));
    assert_eq!(outcome(&refused, "margins without [\"sex\"]"), Some(SettingOutcome::Misses));
}

#[test]
fn what_the_time_does_not_allow_is_said_to_be_untried() {
    let both = "margins = [[\"dept\"], [\"sex\"]]\n";
    let none = TrialLimits { all: Duration::ZERO, each: Duration::ZERO };
    let refused = explained(&(rule(both) + DEPARTMENTS), ADMISSIONS, none).refusal.unwrap();
    assert!(!refused.settings.is_empty() && refused.blocking_classes > 0);
    assert!(refused.settings.iter().all(|tried| tried.outcome == SettingOutcome::NotTried), "{refused:?}");
}

#[test]
fn a_plan_that_meets_its_target_since_it_publishes_nothing_is_explained() {
    let job = |kappa: u32| {
        format!(
            "data = \"rows.csv\"\ncount = \"n\"\ntau = 0\nkappa = {kappa}\nmargins = [[\"age\"], [\"vote\"]]\n\
             forbid = [\"suppression\", \"merging\"]\n{DECADES}"
        )
    };
    let nothing = explained(&job(1000), AGES, TrialLimits::default());
    assert!(nothing.target_met && nothing.publishes_nothing());
    assert!(!nothing.refusal.unwrap().settings.is_empty(), "what was tried is there");
    assert_eq!(nothing.margins.iter().map(|margin| margin.suppressed).sum::<usize>(), 8, "every cell is withheld");
    let whole = explained(&job(1), AGES, TrialLimits::default());
    assert!(!whole.publishes_nothing() && whole.refusal.is_none());
}

#[test]
fn a_stopped_observer_ends_the_trials() {
    struct Stopped(StopFlag);
    impl Observer for Stopped {
        fn stage_started(&self, stage: &str) {
            if stage == "trying other settings" {
                self.0.set();
            }
        }
        fn stop_flag(&self) -> StopFlag {
            self.0.clone()
        }
    }
    let observer = Stopped(StopFlag::new());
    let text = rule("margins = [[\"dept\"], [\"sex\"]]\n") + DEPARTMENTS;
    let job = Job::parse(&text, "test", &MemoryFiles::default()).unwrap();
    let planned = job.plan(&CsvSource::bytes("rows.csv", ADMISSIONS.as_bytes()), &observer).unwrap();
    assert!(planned.explained(TrialLimits::default(), &observer).unwrap_err().has_code("E0108"));
}

#[test]
fn a_pipeline_whose_exact_part_misses_its_target_says_what_would_pass() {
    let rule = rule("").replace("data = \"rows.csv\"\ncount = \"n\"\n", "");
    let section = format!("[exact]\n{rule}margins = [[\"dept\"], [\"sex\"]]\ntarget = \"undisclosed\"\n");
    let text = format!("count = \"n\"\n{DEPARTMENTS}{section}");
    let files = MemoryFiles::default();
    let job = pipeline::Job::parse(&text, &files).unwrap();
    let planned = job.plan(&CsvSource::bytes("rows.csv", ADMISSIONS.as_bytes()), &Silent).unwrap();
    assert!(planned.require_targets().unwrap_err().has_code("E0421"));
    let refused = planned.findings().plan.as_ref().unwrap().refusal.clone().unwrap();
    let alone = refusal(
        &(self::rule("margins = [[\"dept\"], [\"sex\"]]\ntarget = \"undisclosed\"\n") + DEPARTMENTS),
        ADMISSIONS,
    );
    assert_eq!(refused, alone.unwrap(), "as `frechet plan` says it");
}
