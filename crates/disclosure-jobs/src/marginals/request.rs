//! What is asked of a measurement: whole tables, and single answers.

use disclosure::privacy_core::{AttrSet, Attribute};
use disclosure::resplan::Design;
use privacy_data::{did_you_mean, fields_of_line};

use super::names::AnswerNames;
use crate::error::JobError;
use crate::input::domain_error;

/// A table, or one answer of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerRequest {
    pub(super) set: AttrSet,
    /// The index of the answer in row-major order; `None` for the whole table.
    pub(super) index: Option<usize>,
}

impl AnswerRequest {
    /// The index of a single answer in row-major order.
    #[must_use]
    pub fn index(&self) -> Option<usize> {
        self.index
    }

    /// A table, as the names of its attributes with commas between them.
    pub(super) fn table(text: &str, plan: &Design) -> Result<Self, JobError> {
        let set = plan.domain().set_of(&fields("--marginal", text)?);
        let set = set.map_err(|error| domain_error("E0222", plan.domain(), &error).in_section("--marginal"))?;
        Ok(Self { set, index: None })
    }

    /// One answer: `NAME=ANSWER` for each attribute, `NAME<=LABEL` for a prefix sum, with commas
    /// between them.
    pub(super) fn query(text: &str, plan: &Design, names: &AnswerNames) -> Result<Self, JobError> {
        let (mut set, mut answers) = (AttrSet::EMPTY, Vec::new());
        for (number, part) in (1..).zip(&fields("--query", text)?) {
            let (attribute, answer) = split(part, plan).ok_or_else(|| {
                let meant = did_you_mean(name_of(part), plan.domain().attributes().iter().map(Attribute::name));
                wrong(format!("part {number} is not of the form NAME=ANSWER with the name of an attribute{meant}"))
            })?;
            let answers_of = names.axes(AttrSet::single(attribute))[0];
            let position = answers_of.iter().position(|name| *name == answer).ok_or_else(|| {
                let meant = did_you_mean(&answer, answers_of.iter().map(String::as_str));
                wrong(format!("part {number} does not name an answer about its attribute{meant}"))
            })?;
            if set.contains(attribute) {
                return Err(wrong(format!("part {number} names an attribute that another part already names")));
            }
            set = set.with(attribute);
            answers.push((attribute, position));
        }
        answers.sort_unstable();
        let axes = names.axes(set);
        let index = answers.iter().zip(axes).fold(0, |index, ((_, position), axis)| index * axis.len() + position);
        Ok(Self { set, index: Some(index) })
    }
}

/// The attribute that a part of a query is about, and the name of the answer.
fn split(part: &str, plan: &Design) -> Option<(usize, String)> {
    let attributes = plan.domain().attributes();
    let found = attributes.iter().enumerate().filter_map(|(attribute, named)| {
        let rest = part.strip_prefix(named.name())?;
        let prefix = rest.strip_prefix("<=").map(|label| format!("<= {}", label.trim_start()));
        prefix.or_else(|| rest.strip_prefix('=').map(str::to_owned)).map(|answer| (attribute, answer))
    });
    // The longest name: one may be the beginning of another.
    found.max_by_key(|&(attribute, _)| attributes[attribute].name().len())
}

/// What stands before the answer.
fn name_of(part: &str) -> &str {
    part.split(['=', '<']).next().unwrap_or_default()
}

fn wrong(message: String) -> JobError {
    JobError::new("E0228", format!("--query: {message}"))
}

/// The fields of a line of CSV, so that a name may hold a comma.
fn fields(flag: &str, text: &str) -> Result<Vec<String>, JobError> {
    fields_of_line(text).map_err(|error| JobError::new("E0222", format!("{flag}: {error}")))
}
