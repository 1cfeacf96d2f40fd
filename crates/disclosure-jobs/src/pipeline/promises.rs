//! What a pipeline promises, part by part, and what becomes of every requested table.

use disclosure::frechet::{NoiseStatement, Treatment};
use disclosure::privacy_core::promise::PromiseKind;

use super::documents::{PartDocument, PartName, TableDocument};
use super::findings::Findings;
use super::linkage::{LinkageReport, exposed};
use super::parts::Parts;
use super::posterior::PosteriorFindings;
use super::spec::TargetsSpec;
use crate::figures::{short, short_up};
use crate::screening::{TableScreening, measured, predicted_of_table};
use crate::{exact, filter, marginals};

const EVERYBODY: &str = "anyone who sees the whole release, whatever else they know";
const THAT_IT_LEAVES: &str = "the fact that the release was made, if targets that depend on the data decided this";
const RULE_TOGETHER: &str = "; the disclosure rule of the exact tables also holds for all exact numbers together: no \
     class in scope is disclosed, and no difference between a published number and published parts of it is a number \
     that the rule withholds";
const PERSON: &str = "a person in the table";

/// Every promise, in the order of the manifest.
pub(super) fn parts_of(parts: &Parts, findings: &Findings, targets: TargetsSpec) -> Vec<PartDocument> {
    let linkage = &findings.linkage;
    let exact = parts.exact.iter().flat_map(of_exact);
    let filtered = parts.filtered.iter().flat_map(of_filter);
    let noisy = parts.noisy.as_ref().map(of_noisy);
    let screen = parts.screen.iter().flat_map(of_screen);
    let together = together(parts, linkage, targets).into_iter().chain(believed(findings.posterior.as_ref(), targets));
    exact.chain(filtered).chain(noisy).chain(together).chain(screen).collect()
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

fn of_exact(exact: &exact::Planned) -> Vec<PartDocument> {
    let promise = exact.promise();
    let against = promise.against.as_deref().unwrap_or_default();
    let mut parts = vec![PartDocument {
        name: PartName::Exact,
        kind: promise.kind,
        promise: promise.guarantee.into_owned(),
        against: against.replace("the published exact numbers", "the exact numbers of this part"),
        unit: PERSON.to_owned(),
        not_covered: exact.not_covered(),
    }];
    parts.extend(exact.noise_statement().map(noise_of_exact));
    parts
}

/// What the noise promises where the exact numbers stay as they are. What it promises for a row
/// is part of the budget.
fn noise_of_exact(noise: &NoiseStatement) -> PartDocument {
    let (epsilon, change) = (short_up(noise.epsilon), noise.change.words());
    let exists = if noise.has_neighbours {
        ""
    } else {
        " (no single exchange keeps every exact number; the smallest change that does costs more)"
    };
    PartDocument {
        name: PartName::Exact,
        kind: PromiseKind::Guarantee,
        promise: format!(
            "the noised cells have epsilon {epsilon} between tables that differ in one respect: {change}{exists}"
        ),
        against: EVERYBODY.to_owned(),
        unit: PERSON.to_owned(),
        not_covered: texts(&[
            "what the exact numbers disclose",
            "which numbers are noised, if the counts decided this",
            "priors under which the answers of different people are dependent",
            THAT_IT_LEAVES,
        ]),
    }
}

fn of_filter(filtered: &filter::DecidedSection) -> Vec<PartDocument> {
    let promises = filtered.promises();
    let part = |kind: PromiseKind, promise: &str| PartDocument {
        name: PartName::Filtered,
        kind,
        promise: promise.to_owned(),
        against: "anyone without the secret key".to_owned(),
        unit: promises.unit.clone(),
        not_covered: texts(&[&[promises.warning], promises.not_covered.as_slice()].concat()),
    };
    let calibration = format!("{} ({})", promises.calibration, promises.laws.join("; "));
    let mut parts =
        vec![part(PromiseKind::Guarantee, &promises.guarantee), part(PromiseKind::Calibration, &calibration)];
    parts.extend(promises.publication.as_ref().map(|promise| part(promise.kind, &promise.guarantee)));
    parts
}

fn of_noisy(noisy: &marginals::Planned) -> PartDocument {
    let promise = noisy.document().promise;
    PartDocument {
        name: PartName::Noisy,
        kind: promise.kind,
        promise: promise.guarantee.into_owned(),
        against: EVERYBODY.to_owned(),
        unit: promise.unit.unwrap_or_default().into_owned(),
        not_covered: texts(&marginals::NOT_COVERED).into_iter().chain([THAT_IT_LEAVES.to_owned()]).collect(),
    }
}

/// What holds of the exact numbers of all parts together, where the targets about them are met.
/// It leaves with the release, so it says what was allowed and not how much is withheld.
fn together(parts: &Parts, linkage: &LinkageReport, targets: TargetsSpec) -> Option<PartDocument> {
    let (cells, groups) = (targets.max_pinned_cells, targets.max_pinned_groups);
    let is_met = exposed(&linkage.cells) <= cells && exposed(&linkage.groups) <= groups;
    // A public total of noisy tables alone withholds nothing.
    let withholds = parts.exact.is_some() || parts.filtered.is_some();
    if !is_met || linkage.numbers == 0 || !withholds {
        return None;
    }
    let width = parts.exact.as_ref().map_or(0, exact::Planned::min_interval_width);
    let sure = if width == 0 { "exactly".to_owned() } else { format!("to within {width}") };
    let promise = match (cells, groups) {
        (0, 0) => format!(
            "no number that the exact tables withhold, and no group that the filter withholds, is known {sure}: \
             integer tables consistent with the release prove this"
        ),
        _ => format!(
            "at most {cells} numbers that the exact tables withhold, and {groups} groups that the filter withholds, \
             are known {sure}: for all others, integer tables consistent with the release prove that they are not"
        ),
    };
    let promise = match &linkage.policy {
        Some(policy) if policy.violations() == 0 => promise + RULE_TOGETHER,
        _ => promise,
    };
    Some(PartDocument {
        name: PartName::Together,
        kind: PromiseKind::Guarantee,
        promise,
        against: linkage.against(),
        unit: PERSON.to_owned(),
        not_covered: texts(&[
            "noisy numbers: the attack does not use them, and the budget covers them",
            "facts that the job does not list as known",
            "knowledge of the rule by which numbers were withheld, beyond what is stated here",
        ]),
    })
}

/// What a reader of noisy numbers too may believe, where a target says so. The release is refused
/// otherwise, so this leaves with it.
fn believed(posterior: Option<&PosteriorFindings>, targets: TargetsSpec) -> Option<PartDocument> {
    let (posterior, limit) = (posterior?, targets.max_posterior?);
    if posterior.expected() > limit {
        return None;
    }
    let kind = if posterior.is_whole { PromiseKind::Calibration } else { PromiseKind::Measured };
    Some(PartDocument {
        name: PartName::Together,
        kind,
        promise: format!(
            "for a number that the exact tables withhold, a reader of the exact and the noisy numbers assigns no count \
             a probability above {limit}"
        ),
        against: posterior.against(),
        unit: PERSON.to_owned(),
        not_covered: texts(&[
            "readers with other prior beliefs",
            "noisy numbers about attributes that occur in no exact number",
            "knowledge of the rule by which numbers were withheld, beyond what is stated here",
        ]),
    })
}

fn of_screen(screen: &TableScreening) -> Vec<PartDocument> {
    let parts = [predicted_of_table(), measured()].map(|promise| {
        // The prediction is about a rule of its own, which it states first.
        let rule = if promise.kind == PromiseKind::Proxy { screen.rule() + ": " } else { String::new() };
        PartDocument {
            name: PartName::Screen,
            kind: promise.kind,
            promise: rule + &promise.guarantee,
            against: promise.against.unwrap_or_default().into_owned(),
            unit: format!("the label {:?} of a person", screen.target()),
            not_covered: texts(&["the released files: the prediction is about tables of counts under its own rule"]),
        }
    });
    parts.into()
}

/// What becomes of every requested table.
pub(super) fn tables_of(parts: &Parts) -> Vec<TableDocument> {
    let exact = parts.exact.iter().flat_map(exact::Planned::tables).map(|table| TableDocument {
        part: PartName::Exact,
        attributes: table.attributes,
        what: treatment(table.treatment).to_owned(),
        numbers: (table.exact + table.noised) as f64,
        noised: table.noised as f64,
        withheld: table.withheld,
        sd: None,
    });
    let groups = parts.filtered.iter().map(groups_table);
    let noisy = parts.noisy.iter().flat_map(|noisy| noisy.document().marginals).map(|table| TableDocument {
        part: PartName::Noisy,
        attributes: table.attributes,
        what: format!("with noise of sd {}", short(table.sd)),
        numbers: table.queries,
        noised: table.queries,
        withheld: 0,
        sd: Some(table.sd),
    });
    exact.chain(groups).chain(noisy).collect()
}

fn groups_table(filtered: &filter::DecidedSection) -> TableDocument {
    TableDocument {
        part: PartName::Filtered,
        attributes: filtered.group_by().to_vec(),
        what: format!("groups by {}", filtered.promises().laws.join("; ")),
        numbers: filtered.shown().count() as f64,
        noised: 0.0,
        withheld: filtered.withheld().count(),
        sd: None,
    }
}

/// What happens to an exact table, in words.
fn treatment(treatment: Treatment) -> &'static str {
    match treatment {
        Treatment::Exact => "exact",
        Treatment::Coarsened => "in groups, exact",
        Treatment::Suppressed => "some cells withheld, the others exact",
        Treatment::Noised => "with noise",
        Treatment::Withheld => "withheld",
    }
}
