//! Group sizes: the number of groups of each number of entities.

use std::path::PathBuf;

use disclosure::lcf::GroupSizes;
use serde::Deserialize;

use crate::error::JobError;
use crate::input::{Files, read_text};

/// Sizes in the specification itself, or the name of a CSV file beside it.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"sizes.csv\" or [{entities = 3, groups = 120}]")]
pub(super) enum SizesSpec {
    File(PathBuf),
    Listed(Vec<SizeSpec>),
}

/// The number of groups of one size.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SizeSpec {
    entities: u64,
    groups: u64,
}

impl SizesSpec {
    /// The sizes, read from a file if one is named. Messages show no number from it.
    pub(super) fn read(&self, files: &dyn Files) -> Result<GroupSizes, JobError> {
        match self {
            Self::File(file) => {
                let text = read_text(files, file)?;
                let sizes = parse(&text).and_then(|sizes| group_sizes(&sizes));
                sizes.map_err(|failure| failure.within(&files.shown(file)))
            }
            Self::Listed(sizes) => group_sizes(sizes),
        }
    }
}

fn group_sizes(sizes: &[SizeSpec]) -> Result<GroupSizes, JobError> {
    GroupSizes::new(sizes.iter().map(|size| (size.entities, size.groups)))
        .map_err(|error| JobError::new("E0279", error.to_string()))
}

/// A header `entities,groups`, then two whole numbers per line.
fn parse(text: &str) -> Result<Vec<SizeSpec>, JobError> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next() != Some("entities,groups") {
        return Err(JobError::new("E0279", "line 1: the header must be entities,groups"));
    }
    lines.enumerate().map(|(at, line)| size(line).ok_or_else(|| not_two_numbers(at + 2))).collect()
}

fn size(line: &str) -> Option<SizeSpec> {
    let (entities, groups) = line.split_once(',')?;
    Some(SizeSpec { entities: number(entities)?, groups: number(groups)? })
}

/// Digits alone: `parse` takes a plus sign as well.
fn number(field: &str) -> Option<u64> {
    field.bytes().all(|byte| byte.is_ascii_digit()).then(|| field.parse().ok()).flatten()
}

fn not_two_numbers(line: usize) -> JobError {
    JobError::new("E0279", format!("line {line}: expected two integers separated by a comma"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_line_by_line_and_messages_show_no_number() {
        let sizes = parse("\u{feff}entities,groups\n1,40\r\n3,2\n").unwrap();
        assert_eq!(sizes.iter().map(|size| (size.entities, size.groups)).collect::<Vec<_>>(), [(1, 40), (3, 2)]);
        for bad in [
            "1,4711\n-4711,2",
            "1,4711\n4711",
            "1,4711\n4711,",
            "1,4711\n 4711,1",
            "1,4711\n4711,1,1",
            "1,4711\n47110000000000000000000000,1",
        ] {
            let failure = parse(&format!("entities,groups\n{bad}\n")).unwrap_err();
            let said = format!("{failure:?}");
            assert!(said.contains("line 3") && !said.contains("4711"), "{said}");
        }
        assert!(parse("n,groups\n1,1\n").is_err() && parse("").is_err());
    }
}
