//! Group sizes: how many groups there are of each number of entities.

use std::path::{Path, PathBuf};

use disclosure::lcf::{GroupSizes, SizesError};
use serde::Deserialize;

use crate::error::Failure;
use crate::files::read_text;

/// Sizes in the spec itself, or the name of a CSV file beside it.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "expected \"sizes.csv\" or [{entities = 3, groups = 120}]")]
pub(super) enum SizesSpec {
    File(PathBuf),
    Listed(Vec<SizeSpec>),
}

/// So many groups have so many entities.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SizeSpec {
    entities: u64,
    groups: u64,
}

impl SizesSpec {
    /// The sizes, read from a file if it is named. Messages show no number from it.
    pub(super) fn read(&self, beside: &Path) -> Result<GroupSizes, Failure> {
        match self {
            Self::File(file) => {
                let path = beside.join(file);
                let text = read_text(&path)?;
                parse(&text).and_then(of).map_err(|failure| failure.within(&path))
            }
            Self::Listed(sizes) => of(sizes.clone()),
        }
    }
}

fn of(sizes: Vec<SizeSpec>) -> Result<GroupSizes, Failure> {
    let failed = |error: SizesError| Failure::new("E0279", error.to_string());
    GroupSizes::new(sizes.iter().map(|size| (size.entities, size.groups))).map_err(failed)
}

/// A header `entities,groups`, then two whole numbers a line.
fn parse(text: &str) -> Result<Vec<SizeSpec>, Failure> {
    let mut lines = text.trim_start_matches('\u{feff}').lines();
    if lines.next() != Some("entities,groups") {
        return Err(Failure::new("E0279", "line 1: the header is not entities,groups"));
    }
    let size = |(at, line): (usize, &str)| {
        let number = |field: &str| field.bytes().all(|b| b.is_ascii_digit()).then(|| field.parse().ok()).flatten();
        let pair = line.split_once(',').and_then(|(n, groups)| Some((number(n)?, number(groups)?)));
        let (entities, groups) = pair.ok_or_else(|| {
            Failure::new("E0279", format!("line {}: there are not two whole numbers with a comma between them", at + 2))
        })?;
        Ok(SizeSpec { entities, groups })
    };
    lines.enumerate().map(size).collect()
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
