//! Would a solver reconstruct a column from released counts? Predictions over thresholds and noise
//! for a table like that of the data. For the owner: the shares of the column are of the data.

use std::path::Path;

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::DomainFile;
use disclosure_jobs::screening::{GridPoint, ScreenLimits, ScreeningJob};

use crate::attributes::is_attribute;
use crate::project::{Opening, Project};
use crate::runner::Work;

/// Thresholds and noises of the curves.
const THRESHOLDS: [u64; 9] = [1, 2, 3, 5, 8, 10, 15, 20, 30];
pub(crate) const NOISES: [u32; 5] = [0, 1, 2, 4, 8];
/// Most known columns: the queries over them are all their subsets.
pub(crate) const MOST_KNOWN: usize = 8;

/// A column that a solver is after, and those that it knows, as indices of attributes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    /// The column.
    pub(crate) target: usize,
    /// The columns that are known.
    pub(crate) known: Vec<usize>,
}

/// The predictions for a question.
#[derive(Clone, Debug)]
pub(crate) struct Screened {
    /// What was asked.
    pub(crate) question: Question,
    /// The name of the column.
    pub(crate) name: String,
    /// Threshold by threshold.
    pub(crate) points: Vec<GridPoint>,
}

/// Predicts.
///
/// # Errors
/// E0704 for a question about columns that are not there, E0631 beyond the limits of a screening.
pub(crate) fn screened(project: &Project, question: Question, work: &Work) -> Result<Screened, JobError> {
    let opening = project.opening().ok_or_else(no_attributes)?;
    let domain = opening.domain()?;
    let known = question.known.iter().map(|&index| shares(project, opening, domain, index));
    let known: Vec<String> = known.collect::<Result<_, _>>()?;
    let text = format!(
        "rows = {}\ncardinalities = [{}]\nclasses = {}\nsuppress_below = 1\nnoise = 0\n[grid]\nsuppress_below = {THRESHOLDS:?}\nnoise = {NOISES:?}\n",
        opening.rows,
        known.join(", "),
        shares(project, opening, domain, question.target)?,
    );
    let job = ScreeningJob::parse(&text, Path::new("screening"))?;
    let points = job.grid(&ScreenLimits::default(), work)?;
    let name = domain.attributes.get(question.target).map(|attribute| attribute.name.clone()).unwrap_or_default();
    Ok(Screened { question, name, points })
}

/// The shares of the categories that an attribute has, as a list of TOML.
fn shares(project: &Project, opening: &Opening, domain: &DomainFile, index: usize) -> Result<String, JobError> {
    let attribute = domain.attributes.get(index).ok_or_else(no_attributes)?;
    let counts = opening.counts.get(index).filter(|_| is_attribute(project.choices(), &attribute.name));
    let counts = counts.ok_or_else(no_attributes)?;
    let all = counts.iter().sum::<u64>().max(1) as f64;
    let shown = counts.iter().filter(|&&rows| rows > 0).map(|&rows| format!("{:?}", rows as f64 / all));
    Ok(format!("[{}]", shown.collect::<Vec<_>>().join(", ")))
}

fn no_attributes() -> JobError {
    JobError::new("E0704", "the columns of the question are not attributes")
}
