//! What is promised about exact tables, and against whom.

use disclosure::privacy_core::AttrSet;
use disclosure::privacy_core::promise::{Promise, PromiseKind};

use crate::exact::job::LoadedJob;
use crate::exact::statements::Circumstances;

/// What holds of one table: that no table which satisfies what is known lies outside the bounds.
const BOUNDS: &str = "in every integer table consistent with what is known, each count is within its bounds";

/// What bounds promise.
pub(super) fn of_bounds(job: &LoadedJob) -> Promise {
    let against = against(job, &margins(job));
    Promise::new(PromiseKind::Guarantee, BOUNDS).with_attacker(against).with_unit("a person in the table")
}

/// What two periods tell, as far as people came and went as is assumed.
pub(super) fn of_periods(before: &LoadedJob, after: &LoadedJob, changed: u64) -> Promise {
    let assumed = match (changed, before.problem.people.is_some()) {
        (0, true) => {
            "no one who is in both periods changed their response, and no cell lost some people and gained others"
                .to_owned()
        }
        (0, false) => "both periods have the same people".to_owned(),
        (_, true) => {
            format!("at most {changed} people changed their response or were exchanged for others of the same cell")
        }
        (_, false) => format!("the counts of the two periods differ by at most {changed} in total"),
    };
    let [first, second] = [before, after].map(|job| against(job, &margins(job)));
    let statement = "in every pair of integer tables consistent with what is known, each count is within its bounds";
    Promise::new(PromiseKind::Guarantee, statement)
        .with_attacker(format!("before: {first}; after: {second}; assumed: {assumed}"))
        .with_unit("a person in either table")
}

/// What a suppression pattern leaves open.
pub(super) fn of_pattern() -> Promise {
    let against =
        "anyone who reads the published cells and knows the relations and the bounds of every cell in the file";
    Promise::new(PromiseKind::Guarantee, BOUNDS).with_attacker(against).with_unit("one unit of the counts")
}

/// What a release promises about its exact numbers; noise has a statement of its own.
pub(super) fn of_release(job: &LoadedJob) -> Promise {
    let statement = Circumstances::of(job).guarantee();
    let against = against(job, "the published exact numbers");
    Promise::new(PromiseKind::Guarantee, statement).with_attacker(against).with_unit("a person in the table")
}

fn margins(job: &LoadedJob) -> String {
    let name = |&set: &AttrSet| match job.problem.domain.names(set).collect::<Vec<_>>().join(" x ") {
        name if name.is_empty() => "the total".to_owned(),
        name => name,
    };
    let margins: Vec<String> = job.disclosed.margins.keys().map(name).collect();
    match margins.split_last() {
        None => String::new(),
        Some((only, [])) => format!("the margin {only}"),
        Some((last, others)) => format!("the margins {} and {last}", others.join(", ")),
    }
}

/// What the strongest attacker knows.
fn against(job: &LoadedJob, published: &str) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend((!published.is_empty()).then(|| published.to_owned()));
    parts.extend(several(job.disclosed.publish.len(), "published number"));
    parts.extend(job.problem.people.as_ref().map(|_| "the number of people in every cell".to_owned()));
    parts.extend(several(job.disclosed.known.len(), "fact"));
    match parts.split_last() {
        None => "anyone who knows nothing else".to_owned(),
        Some((only, [])) => format!("anyone who knows {only} and nothing else"),
        Some((last, others)) => format!("anyone who knows {}, {last}, and nothing else", others.join(", ")),
    }
}

fn several(count: usize, what: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {what}")),
        _ => Some(format!("{count} {what}s")),
    }
}
