//! Prediction, audit, plan, filter, attack: what is found before anything is drawn, and its documents.

use disclosure_jobs::screening::{AttackEffort, ScreenLimits};
use serde::Serialize;
use serde_json::Value;

use super::joint::{Found, Joint, Verdict, attack};
use super::manifest::against;
use super::targets::{Accuracies, TargetReport, judge};
use super::trip::Trip;
use crate::observer::Terminal;
use crate::error::Failure;
use crate::files::json_of;
use crate::lcf::Filtered;
use crate::progress;

/// What was found, with the documents that stay where the data are.
pub(super) struct Findings {
    pub(super) documents: Vec<(&'static str, Vec<u8>)>,
    pub(super) joint: Joint,
    pub(super) labels: Option<Labels>,
    pub(super) targets: Vec<TargetReport>,
}

/// What the attack on labels reached, in short.
pub(super) struct Labels {
    pub(super) accuracies: Accuracies,
    pub(super) blind: f64,
    pub(super) ceiling: f64,
    pub(super) trials: u64,
}

/// `attack.json`.
#[derive(Serialize)]
struct AttackDocument<'a> {
    schema: &'static str,
    title: &'a str,
    for_whom: &'static str,
    /// The report of `screen simulate`; null without `[screen]`.
    labels: Option<Value>,
    exact_numbers: ExactNumbers<'a>,
}

/// The attack on everything exact that leaves together.
#[derive(Serialize)]
struct ExactNumbers<'a> {
    kind: &'static str,
    statement: &'static str,
    against: String,
    not_used: [&'static str; 2],
    withheld_cells: Verdicts<'a>,
    withheld_groups: Verdicts<'a>,
}

#[derive(Serialize)]
struct Verdicts<'a> {
    open: usize,
    pinned: usize,
    unknown: usize,
    each: &'a [Found],
}

impl Findings {
    pub(super) fn of(trip: &Trip, filtered: Option<&Filtered<'_>>) -> Result<Self, Failure> {
        let mut documents = Vec::new();
        let (mut labels, mut label_document) = (None, None);
        if let Some(screen) = &trip.screen {
            let predicted = screen.screen(&ScreenLimits::default(), &Terminal::default())?;
            documents.push(("screen.json", json_of(&predicted.document)));
            let attacked = screen.attack(&predicted, AttackEffort::PIPELINE, &Terminal::default())?;
            label_document = serde_json::to_value(&attacked).ok();
            let (estimate, attacks) = (predicted.document.realised.estimate, &attacked.attacks);
            let accuracies = Accuracies { predicted: estimate.accuracy, attacked: attacks.strongest().mean };
            let (blind, ceiling) = (attacks.blind_accuracy.mean, attacks.ceiling_accuracy.mean);
            let trials = attacks.trials;
            labels = Some(Labels { accuracies, blind, ceiling, trials });
        }
        if let Some(exact) = &trip.exact {
            documents.push(("audit.json", json_of(&progress::during("auditing", || exact.audit())?)));
            documents.push(("plan.json", json_of(&exact.document()?)));
        }
        if let Some(filtered) = filtered {
            documents.push(("filter-audit.json", json_of(&filtered.audit())));
        }
        let joint = progress::during("attacking what leaves", || {
            attack(&trip.rows, trip.exact.as_ref(), filtered, trip.exact_total())
        });
        let joint = joint.map_err(|failure| failure.in_section("the attack on all exact numbers together"))?;
        documents.push(("attack.json", document(trip, &joint, label_document)));
        let targets = judge(trip, filtered.is_some(), labels.as_ref().map(|labels| labels.accuracies), &joint);
        Ok(Self { documents, joint, labels, targets })
    }
}

fn document(trip: &Trip, joint: &Joint, labels: Option<Value>) -> Vec<u8> {
    json_of(&AttackDocument {
        schema: "disclosure.run-attack/1",
        title: &trip.title,
        for_whom: "for the owner of the data: it tells which numbers were withheld",
        labels,
        exact_numbers: ExactNumbers {
            kind: "guarantee",
            statement: "open: tables of whole numbers that fit all of it have different counts; pinned: proved to be known to within what discloses",
            against: against(joint),
            not_used: ["noised numbers", "the rule by which numbers were withheld, beyond what is said"],
            withheld_cells: verdicts(&joint.cells),
            withheld_groups: verdicts(&joint.groups),
        },
    })
}

fn verdicts(each: &[Found]) -> Verdicts<'_> {
    let count = |verdict| each.iter().filter(|found| found.verdict == verdict).count();
    Verdicts { open: count(Verdict::Open), pinned: count(Verdict::Pinned), unknown: count(Verdict::Unknown), each }
}
