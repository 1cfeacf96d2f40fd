//! Would a solver reconstruct a column? A curve of predicted accuracy over threshold and noise.

use std::sync::{Arc, PoisonError};

use disclosure_jobs::JobError;
use disclosure_report::{Lines, Series};
use maud::{Markup, html};

use super::job::after_start;
use super::layout::{blocks, document, owner_only, revision, text};
use super::noise::percent;
use crate::app::App;
use crate::form::{Form, invalid};
use crate::opening::is_attribute;
use crate::reply::Reply;
use crate::screening::{MOST_KNOWN, NOISES, Question, Screened, screened};

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let Some(opening) = project.opening() else { return Ok(Reply::SeeOther("")) };
    let domain = opening.domain()?;
    let names = domain.attributes.iter().enumerate().filter(|(_, a)| is_attribute(project.choices(), &a.name));
    let names: Vec<(usize, &str)> = names.map(|(index, attribute)| (index, attribute.name.as_str())).collect();
    let found = app.screened.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let is_target = |index: usize| found.as_ref().is_some_and(|found| found.question.target == index);
    let is_known = |index: usize| found.as_ref().is_some_and(|found| found.question.known.contains(&index));
    let inside = html! {
        p.lead {
            "If counts of one column are released for every group of others, small counts withheld and the rest with bounded \
             noise: how many people's values would a solver get right?"
        }
        form method="post" action="screening" {
            (revision(&project))
            fieldset.card {
                legend { "Columns" }
                div.fields {
                    label { "What a solver is after"
                        select name="target" {
                            @for (index, name) in &names { option value=(index) selected[is_target(*index)] { (text(name)) } }
                        }
                    }
                }
                p { "What it knows of everybody" }
                div.choices {
                    @for (index, name) in &names {
                        label.box { input type="checkbox" name="known" value=(index) checked[is_known(*index)]; (text(name)) }
                    }
                }
                p { button.main { "Predict" } }
            }
        }
        @if let Some(found) = &found { (owner_only(&view(found))) }
        p { a.button href="ways" { "Back to the ways" } }
    };
    Ok(document(Some(&project), None, "Would a solver reconstruct a column?", &inside))
}

/// Starts the predictions.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let target = form.whole("target", 0..=10_000)?;
    let mut known = Vec::new();
    for number in form.all("known") {
        let index: usize = number.parse().map_err(|_| invalid("known", "is not in the list"))?;
        known.push(index);
    }
    known.retain(|&index| index != target);
    if known.is_empty() || known.len() > MOST_KNOWN {
        return Err(invalid("known", "choose one to eight columns besides the target"));
    }
    app.choose(form, |_| Ok(()))?;
    let (handed, project, question) = (Arc::clone(app), app.snapshot(), Question { target, known });
    let work = app.runner.start("Predicting.", "screening", move |work| {
        let found = screened(&project, question, work)?;
        *handed.screened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(found));
        Ok(())
    })?;
    Ok(after_start(&work))
}

fn view(found: &Screened) -> Markup {
    let series = NOISES.map(|noise| {
        let points = found.points.iter().filter(|point| point.noise == noise);
        let points = points.map(|point| (point.suppress_below as f64, 100.0 * point.estimate.accuracy));
        Series { name: format!("noise up to {noise}"), points: points.collect() }
    });
    let chart = Lines {
        title: "Labels that a solver is expected to get right".to_owned(),
        across: "counts below this are withheld".to_owned(),
        up: "percent".to_owned(),
        is_logarithmic: false,
        series: series.into(),
    };
    let floor = found.points.iter().map(|point| point.estimate.floor).fold(0.0, f64::max);
    html! {
        p { "About " (text(&found.name)) ": guessing the most frequent value gets " (percent(floor)) " right." }
        (blocks(&[chart.into()]))
        p {
            span.badge.warning { "Proxy" }
            " Predicted by a model of independent columns: an actual attacker may do better. "
            code { "disclosure screen simulate" } " runs the attack."
        }
    }
}
