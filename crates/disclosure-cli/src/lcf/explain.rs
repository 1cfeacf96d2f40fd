//! `disclosure lcf explain`: why one group is shown or not.

use privacy_data::fields_of_line;
use serde::Serialize;

use super::args::ExplainArgs;
use super::filter::{filter_of, filtered};
use super::promise::Promise;
use super::report::{AidReport, AuditedGroup, FOR_THE_OWNER, aids, audited};
use super::show::show_explanation;
use super::spec::SpecFile;
use crate::error::Failure;
use crate::files::{print, print_json};

/// One group, and why.
#[derive(Debug, Serialize)]
pub(super) struct ExplainReport<'a> {
    pub(super) schema: &'static str,
    pub(super) promise: Promise,
    pub(super) for_whom: &'static str,
    #[serde(flatten)]
    pub(super) group: AuditedGroup<'a>,
    /// The column that decided, and its law.
    pub(super) decided_by: AidReport<'a>,
}

/// Decides about the whole table, so that the answer is that of `lcf filter`, and says why about one group.
pub(super) fn run(args: &ExplainArgs) -> Result<(), Failure> {
    let spec = SpecFile::read(&args.job.spec)?;
    let labels =
        fields_of_line(&args.group).map_err(|error| Failure::new("E0274", error.to_string()).in_section("--group"))?;
    if labels.len() != spec.group_by.len() {
        let (expected, got) = (spec.group_by.len(), labels.len());
        let message = format!("--group has {got} labels, group_by has {expected} columns");
        return Err(Failure::new("E0274", message).next(format!("--group \"{}\"", spec.group_by.join(","))));
    }
    let filter = filter_of(&spec, &args.job)?;
    let table = filtered(&spec, &args.job, &filter)?;
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let Some(group) = table.table().find(&labels) else {
        return Err(Failure::new("E0398", "the data have no row of this group").within(&args.job.data));
    };
    let working = table.outcomes()[group].decision.working;
    let report = ExplainReport {
        schema: "disclosure.lcf-explain/1",
        promise: Promise::of(filter.description()),
        for_whom: FOR_THE_OWNER,
        group: audited(&table, group),
        decided_by: aids(spec.aid_columns().into_iter().map(|aid| aid.column), filter.description())
            .swap_remove(working),
    };
    match args.job.json {
        true => print_json(&report),
        false => print(show_explanation(&report).as_bytes()),
    }
}
