//! `disclosure frechet verify`: certificates, checked from their file alone.

use disclosure::frechet::certificate::{Certificates, MOST_BYTES, Summary};
use serde::Serialize;

use super::args::VerifyArgs;
use crate::display::count;
use crate::error::Failure;
use crate::files::{print, print_json, read_text_at_most};

/// What was found.
#[derive(Debug, Serialize)]
struct Checked {
    schema: &'static str,
    #[serde(flatten)]
    summary: Summary,
}

/// Checks every claim of a file.
pub(super) fn run(args: &VerifyArgs) -> Result<(), Failure> {
    let text = read_text_at_most(&args.certificates, |_| MOST_BYTES)?;
    let checked = check(&text).map_err(|failure| failure.within(&args.certificates))?;
    if args.json {
        return print_json(&checked);
    }
    let summary = checked.summary;
    let [bounds, attained] = [summary.bounds, summary.attained].map(|number| count(number as f64));
    let (rows, tables) = (several(summary.rows, "row"), several(summary.tables, "table"));
    print(format!("{bounds} bounds follow from {rows}; {attained} are attained, by {tables}\n").as_bytes())
}

fn several(number: usize, what: &str) -> String {
    format!("{} {what}{}", count(number as f64), if number == 1 { "" } else { "s" })
}

fn check(text: &str) -> Result<Checked, Failure> {
    let summary = Certificates::from_json(text.as_bytes()).and_then(|certificates| certificates.verify())?;
    Ok(Checked { schema: "disclosure.frechet-verify/1", summary })
}
