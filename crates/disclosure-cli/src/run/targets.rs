//! What must hold before anything leaves, each with what was found.

use serde::Serialize;
use serde_json::{Value, json};

use super::joint::{Joint, exposed};
use super::trip::Trip;
use crate::error::Failure;

/// A target, what was asked, what was found.
#[derive(Debug, Serialize)]
pub(super) struct TargetReport {
    pub(super) name: &'static str,
    pub(super) asked: Value,
    pub(super) found: Value,
    pub(super) met: bool,
    /// What kind of statement the figure is.
    pub(super) kind: &'static str,
    /// What it is, in words.
    pub(super) what: String,
}

/// Accuracies of label solvers, predicted and reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accuracies {
    pub(super) predicted: f64,
    pub(super) attacked: f64,
}

/// Every target of a job.
pub(super) fn judge(
    trip: &Trip,
    is_filtered: bool,
    accuracies: Option<Accuracies>,
    joint: &Joint,
) -> Vec<TargetReport> {
    let mut targets = Vec::new();
    let asked = trip.screen.as_ref().and_then(|screen| screen.target_accuracy());
    if let (Some(most), Some(Accuracies { predicted, attacked })) = (asked, accuracies) {
        targets.push(at_most(
            "label-accuracy-predicted",
            most,
            predicted,
            "proxy",
            "labels a solver is expected to get right",
        ));
        targets.push(at_most(
            "label-accuracy-attacked",
            most,
            attacked,
            "measured",
            "labels that the attack got right",
        ));
    }
    if let Some(exact) = &trip.exact {
        let (met, asked) = (exact.is_target_met(), exact.target_name());
        let found = if met { asked } else { "missed" };
        targets.push(TargetReport {
            name: "exact-policy",
            asked: json!(asked),
            found: json!(found),
            met,
            kind: "guarantee",
            what: "what exact tables tell about every class".to_owned(),
        });
        let what = format!("of {} numbers that the exact tables withhold", joint.cells.len());
        targets.push(counted("cells-pinned", trip.targets.max_pinned_cells, exposed(&joint.cells), what));
    }
    if is_filtered {
        let what = format!("of {} groups that the filter withholds", joint.groups.len());
        targets.push(counted("groups-pinned", trip.targets.max_pinned_groups, exposed(&joint.groups), what));
    }
    if let (Some(most), Some(noisy)) = (trip.targets.max_rmse, &trip.noisy) {
        targets.push(at_most("noisy-rmse", most, noisy.rmse(), "calibration", "error of the noisy tables, in counts"));
    }
    targets
}

fn at_most(name: &'static str, most: f64, found: f64, kind: &'static str, what: &str) -> TargetReport {
    TargetReport { name, asked: json!(most), found: json!(found), met: found <= most, kind, what: what.to_owned() }
}

fn counted(name: &'static str, most: u64, found: u64, what: String) -> TargetReport {
    TargetReport { name, asked: json!(most), found: json!(found), met: found <= most, kind: "guarantee", what }
}

/// The refusal of a release that misses targets.
pub(super) fn refuse(targets: &[TargetReport]) -> Result<(), Failure> {
    let missed: Vec<&str> = targets.iter().filter(|target| !target.met).map(|target| target.name).collect();
    match missed[..] {
        [] => Ok(()),
        _ => Err(Failure::new("E0421", format!("a target is missed: {}; nothing was released", missed.join(", ")))),
    }
}
