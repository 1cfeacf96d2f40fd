//! What a trip promises, what it cost, what was found, and what it wrote: the documents.

use disclosure_jobs::budget::BudgetDocument;
use disclosure_jobs::disclosure::core::promise::{Promise, PromiseKind};
use disclosure_jobs::screening::{TableScreening, measured, predicted};
use serde::Serialize;
use serde_json::Value;

use super::exact_part::ExactPart;
use super::joint::{Joint, exposed};
use super::targets::TargetReport;
use super::trip::Trip;
use crate::display::{short, short_up};
use crate::lcf::{FilterPromises, Filtered};
use crate::resplan::NoisyPart;

/// `manifest.json`: the whole trip, for the owner of the data.
#[derive(Debug, Serialize)]
pub(super) struct Manifest {
    pub(super) schema: &'static str,
    pub(super) title: String,
    pub(super) version: &'static str,
    pub(super) job_sha256: String,
    /// Every promise, with its kind.
    pub(super) parts: Vec<PartReport>,
    pub(super) budget: Option<BudgetDocument>,
    pub(super) targets: Vec<TargetReport>,
    pub(super) tables: Vec<TableReport>,
    /// The job as it was written.
    pub(super) parameters: Value,
    pub(super) files: Vec<FileReport>,
}

/// `release/release.json`: what goes with the files that leave.
#[derive(Debug, Serialize)]
pub(super) struct Statement<'a> {
    pub(super) schema: &'static str,
    pub(super) title: &'a str,
    pub(super) parts: Vec<&'a PartReport>,
    pub(super) budget: Option<&'a BudgetDocument>,
    pub(super) version: &'static str,
    pub(super) job_sha256: &'a str,
    /// Paths below `release/`.
    pub(super) files: Vec<FileReport>,
}

/// One promise of a part.
#[derive(Debug, Serialize)]
pub(super) struct PartReport {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) promise: String,
    pub(super) against: String,
    pub(super) unit: String,
    pub(super) not_covered: Vec<&'static str>,
}

/// A table that was asked for, and how much of it leaves.
#[derive(Debug, Serialize)]
pub(super) struct TableReport {
    pub(super) part: &'static str,
    pub(super) attributes: Vec<String>,
    pub(super) what: String,
    /// How many numbers leave, exact or noised.
    pub(super) numbers: f64,
    pub(super) noised: f64,
    pub(super) withheld: usize,
    /// Of the noise, in counts; null for exact numbers, and where cells differ.
    pub(super) sd: Option<f64>,
}

/// A file that was written.
#[derive(Clone, Debug, Serialize)]
pub(super) struct FileReport {
    pub(super) path: String,
    pub(super) sha256: String,
    pub(super) bytes: u64,
    pub(super) may_leave: bool,
}

impl Manifest {
    /// What is known before anything is drawn.
    pub(super) fn of(trip: &Trip, filtered: Option<&Filtered<'_>>, joint: &Joint, targets: Vec<TargetReport>) -> Self {
        Self {
            schema: "disclosure.run/1",
            title: trip.title.clone(),
            version: env!("CARGO_PKG_VERSION"),
            job_sha256: trip.job_sha256.clone(),
            parts: parts(trip, filtered, joint),
            budget: trip.budget.as_ref().map(|purse| purse.budget.document(trip.count.as_deref(), None)),
            targets,
            tables: tables(trip, filtered),
            parameters: trip.parameters.clone(),
            files: Vec::new(),
        }
    }

    /// What goes with the files that leave: neither predictions nor attacks on what does not.
    pub(super) fn statement(&self) -> Statement<'_> {
        let below = |file: &FileReport| {
            let path = file.path.strip_prefix("release/")?.to_owned();
            Some(FileReport { path, ..file.clone() })
        };
        Statement {
            schema: "disclosure.run-release/1",
            title: &self.title,
            parts: self.parts.iter().filter(|part| part.name != SCREEN).collect(),
            budget: self.budget.as_ref(),
            version: self.version,
            job_sha256: &self.job_sha256,
            files: self.files.iter().filter_map(below).collect(),
        }
    }
}

const SCREEN: &str = "screen";
const EVERYBODY: &str = "whoever sees all that leaves, whatever else they know";
const THAT_IT_LEAVES: &str = "that there is a release at all, where targets that look at the data decided so";

fn parts(trip: &Trip, filtered: Option<&Filtered<'_>>, joint: &Joint) -> Vec<PartReport> {
    let exact = trip.exact.iter().flat_map(of_exact);
    let parts = exact.chain(filtered.iter().flat_map(|filtered| of_filter(filtered.promises())));
    let parts = parts.chain(trip.noisy.as_ref().map(of_noise)).chain(together(trip, joint));
    parts.chain(trip.screen.iter().flat_map(of_screen)).collect()
}

fn of_exact(exact: &ExactPart) -> Vec<PartReport> {
    let (kind, promise, against) = exact.promise();
    let against = against.replace("the exact numbers that go out", "the exact numbers of this part");
    let unit = "a person of the table".to_owned();
    let not_covered = ExactPart::not_covered().to_vec();
    let mut parts = vec![PartReport { name: "exact", kind, promise, against, unit, not_covered }];
    if let Some(noise) = exact.noise().filter(|_| exact.kept().iter().any(|kept| kept.noised > 0)) {
        parts.push(PartReport {
            name: "exact",
            kind: "guarantee",
            promise: if noise.has_neighbours {
                let epsilon = short_up(noise.epsilon);
                format!("noised cells: epsilon {epsilon} between tables that differ in this: {}", noise.change)
            } else {
                let epsilon = short_up(noise.row);
                format!(
                    "noised cells: epsilon {epsilon} between tables that differ in a row, by themselves; no change of answers keeps \
                     every exact number as it is"
                )
            },
            against: EVERYBODY.to_owned(),
            unit: "a person of the table".to_owned(),
            not_covered: vec![
                "what the exact numbers tell",
                "which numbers have noise, where the counts decided that",
                "priors that tie people's answers together",
                THAT_IT_LEAVES,
            ],
        });
    }
    parts
}

fn of_filter(promises: FilterPromises) -> Vec<PartReport> {
    let part = |kind, promise: &str| PartReport {
        name: "filtered",
        kind,
        promise: promise.to_owned(),
        against: "whoever has not the secret".to_owned(),
        unit: promises.unit.clone(),
        not_covered: vec![promises.warning, "the numbers of rows of the groups that are shown: they are exact"],
    };
    let calibration = format!("{} ({})", promises.calibration, promises.laws.join("; "));
    let mut parts = vec![part("guarantee", &promises.guarantee), part("calibration", &calibration)];
    if let Some(publication) = &promises.publication {
        parts.push(part(publication.kind.word(), &publication.guarantee));
    }
    parts
}

fn of_noise(noisy: &NoisyPart) -> PartReport {
    let (kind, promise, unit) = noisy.promise();
    let not_covered = NoisyPart::not_covered().iter().copied().chain([THAT_IT_LEAVES]).collect();
    PartReport { name: "noisy", kind, promise, against: EVERYBODY.to_owned(), unit, not_covered }
}

/// What holds of the exact numbers of all parts together, where the targets about them are met. It leaves with the release, so it
/// says what was allowed, not how much is withheld.
fn together(trip: &Trip, joint: &Joint) -> Option<PartReport> {
    let (cells, groups) = (trip.targets.max_pinned_cells, trip.targets.max_pinned_groups);
    let is_met = exposed(&joint.cells) <= cells && exposed(&joint.groups) <= groups;
    let tau = trip.exact.as_ref().map_or(0, ExactPart::tau);
    let sure = if tau == 0 { "exactly".to_owned() } else { format!("to within {tau}") };
    let promise = match (cells, groups) {
        (0, 0) => format!(
            "no number that the exact tables withhold, and no group that the filter withholds, is known {sure}: tables of whole \
             numbers show it"
        ),
        _ => format!(
            "at most {cells} numbers that the exact tables withhold, and {groups} groups that the filter withholds, are known \
             {sure}: for all others tables of whole numbers show that they are not"
        ),
    };
    (is_met && joint.numbers > 0).then(|| PartReport {
        name: "together",
        kind: "guarantee",
        promise,
        against: against(joint),
        unit: "a person of the table".to_owned(),
        not_covered: vec![
            "noised numbers: the attack does not use them, and the budget is for them",
            "facts that the job does not name as known",
            "the rule by which numbers were withheld, beyond what is said",
        ],
    })
}

/// Whom the joint attack stands for.
pub(super) fn against(joint: &Joint) -> String {
    let small = if joint.uses_smallness { ", and that a group that is not shown is small" } else { "" };
    format!(
        "whoever knows all {} exact numbers that leave or that the job calls public or known{small}, and nothing else",
        joint.numbers
    )
}

fn of_screen(screen: &TableScreening) -> Vec<PartReport> {
    let unit = format!("the label {:?} of a person", screen.target());
    let not_covered = vec!["the files that leave: it is about tables of counts that are made by its own rule"];
    let about = |kind| if kind == PromiseKind::Proxy { screen.rule() + ": " } else { String::new() };
    let part = |promise: Promise| PartReport {
        name: SCREEN,
        kind: promise.kind.word(),
        promise: about(promise.kind) + &promise.guarantee,
        against: promise.against.unwrap_or_default().into_owned(),
        unit: unit.clone(),
        not_covered: not_covered.clone(),
    };
    [predicted(), measured()].map(part).into()
}

fn tables(trip: &Trip, filtered: Option<&Filtered<'_>>) -> Vec<TableReport> {
    let exact = trip.exact.iter().flat_map(ExactPart::kept).map(|kept| TableReport {
        part: "exact",
        attributes: kept.attributes,
        what: kept.treatment.to_owned(),
        numbers: (kept.exact + kept.noised) as f64,
        noised: kept.noised as f64,
        withheld: kept.withheld,
        sd: None,
    });
    let groups = filtered.map(|filtered| TableReport {
        part: "filtered",
        attributes: filtered.group_by().to_vec(),
        what: format!("groups by {}", filtered.promises().laws.join("; ")),
        numbers: filtered.shown().count() as f64,
        noised: 0.0,
        withheld: filtered.withheld().count(),
        sd: None,
    });
    let noisy = trip.noisy.iter().flat_map(NoisyPart::tables).map(|table| TableReport {
        part: "noisy",
        attributes: table.attributes,
        what: format!("with noise of sd {}", short(table.sd)),
        numbers: table.answers,
        noised: table.answers,
        withheld: 0,
        sd: Some(table.sd),
    });
    exact.chain(groups).chain(noisy).collect()
}
