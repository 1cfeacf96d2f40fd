//! Answers that are randomised before they leave the person: what a budget costs in people, live.
//! A plan, and no release: the data of the workbench are not asked.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::reports::{FeaturePlan, plan};
use disclosure_report::number::{count, short};
use disclosure_report::{Cell, Column, Lines, Series, Table};
use maud::{Markup, html};

use super::budget::{or_note, percent};
use super::layout::{blocks, document};
use crate::app::App;
use crate::form::{Form, invalid};
use crate::reply::Reply;

/// Budgets of the curve.
const EPSILONS: [f64; 9] = [0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0];
/// Largest epsilon, number of values and number of people that can be asked about.
const MOST_EPSILON: f64 = 20.0;
const MOST_VALUES: usize = 1_000_000;
const MOST_PEOPLE: usize = 1_000_000_000;

/// A question that every person is asked.
#[derive(Clone, Copy)]
struct Question {
    values: usize,
    epsilon: f64,
    frequency: f64,
    people: usize,
}

impl Question {
    /// Standard error of a share, in percentage points, for a variance of one report.
    fn error(self, variance: f64) -> f64 {
        100.0 * (variance / self.people as f64).sqrt()
    }
}

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let question = Question { values: 2, epsilon: 1.0, frequency: 0.3, people: 10_000 };
    let inside = html! {
        p.lead {
            "Every person randomises the answer before sending it. This guarantees privacy to each person, \
                against the collector as well, but it needs many people. This page shows how many, before any \
                data are collected. It reads no data."
        }
        form method="post" action="randomised" data-live="protocols" data-target="protocols" {
            fieldset.card {
                legend { "A question" }
                div.fields {
                    label { "Answers to choose from" input name="values" value=(question.values) inputmode="numeric" size="8" required; }
                    label { "Epsilon of one report" input name="epsilon" value=(question.epsilon) inputmode="decimal" size="8" required; }
                    label { "Expected proportion of an answer (a guess)" input name="frequency" value=(question.frequency) inputmode="decimal" size="8" required; }
                    label { "People who answer" input name="people" value=(question.people) inputmode="numeric" size="12" required; }
                }
                p { button { "Plan" } }
            }
        }
        div id="protocols" { (or_note(view(question))) }
        p { "The rounds are made with " code { "disclosure ldp" } ", and reports at the client with the crate " code { "ldp-client" } "." }
        p { a.button href="ways" { "Back to the ways" } }
    };
    let project = app.snapshot();
    Ok(document(Some(&project), None, "Without a trusted curator", &inside))
}

/// The protocols at the form's question, as a part of the page.
pub(crate) fn protocols(_: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    Ok(Reply::Html(or_note(view(question(form)?))))
}

/// The same as a page, for a browser without the script.
pub(crate) fn plain(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let shown = or_note(view(question(form)?));
    let inside = html! { (shown) p { a.button href="randomised" { "Back" } } };
    Ok(document(Some(&app.snapshot()), None, "Without a trusted curator", &inside))
}

fn question(form: &Form) -> Result<Question, JobError> {
    let epsilon = form.number("epsilon")?;
    if !(epsilon > 0.0 && epsilon <= MOST_EPSILON) {
        return Err(invalid("epsilon", "must be a number above 0 and at most 20"));
    }
    let frequency = form.number("frequency")?;
    if !(0.0..=1.0).contains(&frequency) {
        return Err(invalid("frequency", "must be a proportion from 0 to 1"));
    }
    let (values, people) = (form.whole("values", 2..=MOST_VALUES)?, form.whole("people", 1..=MOST_PEOPLE)?);
    Ok(Question { values, epsilon, frequency, people })
}

fn planned(question: Question, epsilon: f64) -> Result<FeaturePlan, JobError> {
    let Question { values, frequency, .. } = question;
    let text = format!(
        "[[feature]]\nname = \"question\"\nvalues = {values}\nepsilon = {epsilon:?}\nfrequency = {frequency:?}\n"
    );
    let found = plan(&text)?.features.into_iter().next();
    found.ok_or_else(|| JobError::new("E0269", "nothing to plan"))
}

fn view(question: Question) -> Result<Markup, JobError> {
    let plan = planned(question, question.epsilon)?;
    let best = plan.protocols.first().map_or(f64::NAN, |protocol| question.error(protocol.variance));
    let mut points = Vec::with_capacity(EPSILONS.len());
    for epsilon in EPSILONS {
        let at = planned(question, epsilon)?;
        points.extend(at.protocols.first().map(|protocol| (epsilon, question.error(protocol.variance))));
    }
    let chart = Lines {
        title: "Standard error of a share with the best protocol, by epsilon".to_owned(),
        across: "epsilon of one report".to_owned(),
        up: "percentage points".to_owned(),
        is_logarithmic: true,
        series: vec![Series { name: "best protocol".to_owned(), points }],
    };
    let columns = [
        Column::words("protocol"),
        Column::numbers("standard error, points"),
        Column::numbers("bits of a report"),
        Column::numbers("effect of one false report"),
    ];
    let mut table = Table::new("Protocols, best first", columns);
    table.rows = plan
        .protocols
        .iter()
        .map(|protocol| {
            let name = words(&format!("{:?}, {:?}", protocol.protocol, protocol.variant));
            vec![
                Cell::from(name),
                short(question.error(protocol.variance)).into(),
                count(protocol.bits as f64).into(),
                format!("{} people", short(protocol.one_false_report)).into(),
            ]
        })
        .collect();
    let posterior = 1.0 / (1.0 + (-question.epsilon).exp());
    Ok(html! {
        div.figures aria-live="polite" {
            div.figure { p.soft { "a share is known to within" } p.value { "± " (short(1.96 * best)) } p.soft { "percentage points, 95 %" } }
            div.figure { p.soft { "the collector's belief of 50 % becomes at most" } p.value { (percent(posterior)) } p.soft { "about one answer against another" } }
        }
        p { span.badge.good { "Guarantee" } " epsilon " (question.epsilon) " for each report: local differential privacy." }
        (blocks(&[chart.into(), table.into()]))
    })
}

/// The name of a variant in words: `RandomisedResponse` is "randomised response".
fn words(name: &str) -> String {
    let mut words = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() && !words.ends_with(' ') {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn names_of_protocols_are_words() {
        assert_eq!(words("RandomisedResponse, OneBit"), "randomised response, one bit");
    }
}
