//! What is asked of a measurement: whole tables, and single answers.

use disclosure::core::AttrSet;
use disclosure::resplan::Plan;
use privacy_data::fields_of_line;

use super::names::AnswerNames;
use crate::args::AnswerArgs;
use crate::error::Failure;

/// A table, or one answer of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    pub(super) set: AttrSet,
    /// Where the answer stands, in row-major order.
    pub(super) place: Option<usize>,
}

impl Asked {
    /// What the words ask for; all planned tables where they ask for nothing.
    pub(super) fn of(args: &AnswerArgs, plan: &Plan, names: &AnswerNames) -> Result<Vec<Self>, Failure> {
        if args.marginal.is_empty() && args.query.is_empty() {
            return Ok(plan.marginals().map(|marginal| Self { set: marginal.attributes, place: None }).collect());
        }
        let marginals = args.marginal.iter().map(|words| {
            let set = plan.domain().set_of(&fields("--marginal", words)?);
            let set = set.map_err(|error| Failure::new("E0222", format!("--marginal: {error}")))?;
            Ok(Self { set, place: None })
        });
        let queries = args.query.iter().map(|words| Self::query(&fields("--query", words)?, plan, names));
        marginals.chain(queries).collect()
    }

    /// `NAME=ANSWER` for each attribute; `NAME<=LABEL` for a prefix sum.
    fn query(parts: &[String], plan: &Plan, names: &AnswerNames) -> Result<Self, Failure> {
        let wrong = |message: String| Failure::new("E0228", format!("--query: {message}"));
        let (mut set, mut answers) = (AttrSet::EMPTY, Vec::with_capacity(parts.len()));
        for (number, part) in (1..).zip(parts) {
            let found = plan.domain().attributes().iter().enumerate().filter_map(|(attribute, a)| {
                let rest = part.strip_prefix(a.name())?;
                let prefix = rest.strip_prefix("<=").map(|label| format!("<= {}", label.trim_start()));
                prefix.or_else(|| rest.strip_prefix('=').map(str::to_owned)).map(|answer| (attribute, answer))
            });
            // The longest name: one may be the beginning of another.
            let (attribute, answer) = found
                .max_by_key(|&(attribute, _)| plan.domain().attributes()[attribute].name().len())
                .ok_or_else(|| wrong(format!("part {number} is not NAME=ANSWER with the name of an attribute")))?;
            let position = names.axes(AttrSet::single(attribute))[0].iter().position(|name| *name == answer);
            let position =
                position.ok_or_else(|| wrong(format!("part {number} names no answer about its attribute")))?;
            if set.contains(attribute) {
                return Err(wrong(format!("part {number} names its attribute a second time")));
            }
            set = set.with(attribute);
            answers.push((attribute, position));
        }
        answers.sort_unstable();
        let place = |place: usize, (&(_, position), axis): (&(usize, usize), &[String])| place * axis.len() + position;
        Ok(Self { set, place: Some(answers.iter().zip(names.axes(set)).fold(0, place)) })
    }
}

/// The form of a line of CSV, so that a name may hold a comma.
fn fields(flag: &str, words: &str) -> Result<Vec<String>, Failure> {
    fields_of_line(words).map_err(|error| Failure::new("E0222", format!("{flag}: {error}")))
}
