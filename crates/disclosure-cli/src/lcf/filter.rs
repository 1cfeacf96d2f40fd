//! `disclosure lcf filter`: the groups that are shown.

use std::path::PathBuf;

use disclosure::lcf::{DrawMode, FilteredTable, LowCountFilter, Rest};
use privacy_data::{CsvField, CsvWriter, write_atomic, write_atomic_with};

use super::args::{FilterArgs, JobArgs};
use super::promise::Promise;
use super::read::read_groups;
use super::report::{AuditDocument, FOR_THE_OWNER, FilterReport, GroupReport, Labels, RestReport, aids, audited};
use super::secret::secret_of;
use super::show::show_filter;
use super::spec::{ROWS, SpecFile};
use crate::digest::sha256;
use crate::error::Failure;
use crate::files::{json_of, named, print, print_json, say};
use crate::progress;

/// Reads, filters, and writes what was asked for.
pub(super) fn run(args: &FilterArgs) -> Result<(), Failure> {
    args.output.iter().chain(&args.audit).try_for_each(|path| named(path).map(drop))?;
    let absolute = |path: &Option<PathBuf>| path.as_ref().and_then(|path| std::path::absolute(path).ok());
    if args.audit.is_some() && absolute(&args.audit) == absolute(&args.output) {
        return Err(Failure::new("E0200", "-o and --audit name the same file"));
    }
    let spec = SpecFile::read(&args.job.spec)?;
    if args.rest.is_some() && spec.draws == DrawMode::Publish {
        return Err(Failure::new(
            "E0281",
            "--rest is not shown with draws = \"publish\": its promise does not cover merged groups",
        ));
    }
    let filter = filter_of(&spec, &args.job)?;
    let table = filtered(&spec, &args.job, &filter)?;
    let rest = rest_row(args, &table)?;
    let report = report(&spec, &table, rest);
    if let Some(path) = &args.audit {
        write_atomic(path, &json_of(&audit(&spec, &table)))?;
    }
    if let Some(path) = &args.output {
        write_atomic_with(path, |file| write_csv(file, &report, args.rest.as_deref()))?;
    }
    match args.job.json {
        true => print_json(&report)?,
        false => print(show_filter(&report, args).as_bytes())?,
    }
    if let Some(path) = &args.audit {
        say(&format!("The audit is in {}: {FOR_THE_OWNER}.", path.display()));
    }
    Ok(())
}

/// The filter of a spec under the secret of its file.
pub(super) fn filter_of(spec: &SpecFile, job: &JobArgs) -> Result<LowCountFilter, Failure> {
    let secret = secret_of(&job.secret_file, job.new_secret)?;
    if let Some(warning) = spec.unsaid_kinds() {
        say(&warning);
    }
    spec.filter(&secret).map_err(|failure| failure.within(&job.spec))
}

/// The data through the filter.
pub(super) fn filtered(spec: &SpecFile, job: &JobArgs, filter: &LowCountFilter) -> Result<FilteredTable, Failure> {
    let groups = progress::during("reading", || read_groups(spec, &job.data, filter))?;
    Ok(progress::during("deciding", || filter.apply(groups, spec.table_options()))?)
}

/// The rest where it was asked for and may be shown. Its label must not be that of a group that is shown; of those that are
/// not, the answer must tell nothing.
fn rest_row(args: &FilterArgs, table: &FilteredTable) -> Result<Option<RestReport>, Failure> {
    let Some(label) = &args.rest else { return Ok(None) };
    let labels = vec![label.as_str(); table.table().columns().count()];
    let is_shown = |group: usize| table.outcomes()[group].is_reported();
    if !labels.is_empty() && table.table().find(&labels).is_some_and(is_shown) {
        return Err(Failure::new("E0275", "the label of the rest is that of a group that is shown"));
    }
    Ok(match table.rest() {
        Rest::Reported { rows } => Some(RestReport { rows }),
        _ => None,
    })
}

pub(super) fn report<'a>(spec: &'a SpecFile, table: &'a FilteredTable, rest: Option<RestReport>) -> FilterReport<'a> {
    let filter = table.filter();
    let group = |group: disclosure::lcf::ReportedGroup<'a>| GroupReport {
        group: Labels(table.table().columns().zip(group.labels()).collect()),
        rows: group.rows,
    };
    FilterReport {
        schema: "disclosure.lcf-filter/1",
        promise: Promise::of(filter),
        title: spec.title.as_deref().unwrap_or("Groups"),
        group_by: &spec.group_by,
        aid: aids(spec.aid_columns().into_iter().map(|aid| aid.column), filter),
        rule: filter.rule(),
        draws: filter.mode(),
        groups: table.reported().map(group).collect(),
        rest,
    }
}

pub(super) fn audit<'a>(spec: &'a SpecFile, table: &'a FilteredTable) -> AuditDocument<'a> {
    AuditDocument {
        schema: "disclosure.lcf-audit/1",
        promise: Promise::of(table.filter()),
        for_whom: FOR_THE_OWNER,
        spec_sha256: sha256(spec.text.as_bytes()),
        secret_fingerprint: format!("{:016x}", table.filter().fingerprint()),
        aid: aids(spec.aid_columns().into_iter().map(|aid| aid.column), table.filter()),
        summary: table.audit(),
        rest: table.rest(),
        groups: (0..table.table().len()).map(|group| audited(table, group)).collect(),
    }
}

pub(super) fn write_csv(
    file: &mut dyn std::io::Write,
    report: &FilterReport<'_>,
    rest: Option<&str>,
) -> std::io::Result<()> {
    let mut csv = CsvWriter::new(file, report.group_by.iter().map(String::as_str).chain([ROWS]))?;
    for group in &report.groups {
        csv.line(group.group.0.iter().map(|&(_, label)| CsvField::Text(label)).chain([group.rows.into()]))?;
    }
    if let (Some(label), Some(rest)) = (rest, &report.rest) {
        csv.line(report.group_by.iter().map(|_| CsvField::Text(label)).chain([rest.rows.into()]))?;
    }
    Ok(())
}
