//! Would a solver reconstruct a column? A curve of predicted accuracy over threshold and noise.

use std::sync::{Arc, PoisonError};

use disclosure_jobs::JobError;
use disclosure_jobs::privacy_data::DomainFile;
use disclosure_report::{Lines, Series};
use maud::{Markup, html};

use super::budget::percent;
use super::job::after_start;
use super::layout::{blocks, document, owner_only, revision, text};
use crate::app::App;
use crate::attributes::is_attribute;
use crate::form::{Form, invalid};
use crate::parts::Screen;
use crate::project::Project;
use crate::reply::Reply;
use crate::screening::{MOST_KNOWN, NOISES, Question, Screened, screened};

/// Largest threshold and noise of a release.
const MOST_THRESHOLD: usize = 1_000_000;
const MOST_NOISE: usize = 1000;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let Some(opening) = project.opening() else { return Ok(Reply::SeeOther("")) };
    let domain = opening.domain()?;
    let names = domain.attributes.iter().enumerate().filter(|(_, a)| is_attribute(project.choices(), &a.name));
    let names: Vec<(usize, &str)> = names.map(|(index, attribute)| (index, attribute.name.as_str())).collect();
    let found = app.screened.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let asked = found.as_ref().map(|found| &found.question);
    let (target, known) = (asked.map(|asked| asked.target), asked.map_or(&[][..], |asked| &asked.known));
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
                    label { "What a solver tries to infer"
                        select name="target" {
                            @for (index, name) in &names { option value=(index) selected[target == Some(*index)] { (text(name)) } }
                        }
                    }
                }
                p { "What it knows about everyone" }
                div.choices {
                    @for (index, name) in &names {
                        label.box { input type="checkbox" name="known" value=(index) checked[known.contains(index)]; (text(name)) }
                    }
                }
                p { button.main { "Predict" } }
            }
        }
        @if let Some(found) = &found {
            (owner_only(&view(found)))
            (part(&project, found, &names))
        } @else if let Some(screen) = &project.choices().screen {
            (kept(&project, screen))
        }
        p { a.button href="ways" { "Back to the ways" } }
    };
    Ok(document(Some(&project), None, "Would a solver reconstruct a column?", &inside))
}

/// The attack as a part of the release: what is released is not, but the tables that it asks about.
fn part(project: &Project, found: &Screened, names: &[(usize, &str)]) -> Markup {
    let kept_now = project.choices().screen.as_ref();
    let before = kept_now.filter(|screen| screen.target == found.name);
    let (below, noise) = before.map_or((5, 2), |screen| (screen.suppress_below, screen.noise));
    let accuracy = before.map_or(0.9, |screen| screen.target_accuracy);
    html! {
        form method="post" action="screen" {
            (revision(project))
            input type="hidden" name="target" value=(found.question.target);
            @for index in found.question.known.iter().filter(|&index| names.iter().any(|(own, _)| own == index)) {
                input type="hidden" name="known" value=(index);
            }
            fieldset.card {
                legend { "As part of the check of a release" }
                p {
                    "A release is refused if a solver is expected to get more right, or does so in simulated \
                        releases. The release itself does not contain such counts."
                }
                div.fields {
                    label { "Counts below this are withheld" input name="suppress_below" value=(below) inputmode="numeric" size="6" required; }
                    label { "Largest noise, in either direction" input name="noise" value=(noise) inputmode="numeric" size="6" required; }
                    label { "Largest proportion that a solver may get right, below 1"
                        input name="target_accuracy" value=(accuracy) inputmode="decimal" autocomplete="off" size="6" required;
                    }
                }
                p {
                    button.main name="part" value="1" { @if kept_now.is_some() { "Change the check" } @else { "Make it part of the check" } }
                    @if kept_now.is_some() { " " button name="part" value="0" { "Leave it out of the check" } }
                }
            }
        }
    }
}

/// The attack that is part of the release, where nothing was predicted yet.
fn kept(project: &Project, screen: &Screen) -> Markup {
    html! {
        form method="post" action="screen" {
            (revision(project))
            p {
                "Part of the check of a release: a solver may get at most " (percent(screen.target_accuracy)) " of "
                (text(&screen.target)) " right."
            }
            p { button name="part" value="0" { "Leave it out of the check" } }
        }
    }
}

/// Makes the attack part of the release, or leaves it out.
pub(crate) fn keep(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let screen = if form.text("part") == "0" { None } else { Some(screen_of(app, form)?) };
    app.choose(form, |choices| {
        choices.screen = screen;
        Ok(())
    })?;
    Ok(Reply::SeeOther("screening"))
}

/// The attack that a form describes.
fn screen_of(app: &Arc<App>, form: &Form) -> Result<Screen, JobError> {
    let (project, question) = (app.snapshot(), question(form)?);
    let domain = project.opening().ok_or_else(|| invalid("target", "open a file first"))?.domain()?;
    let target_accuracy = form.number("target_accuracy")?;
    if !(target_accuracy > 0.0 && target_accuracy < 1.0) {
        return Err(invalid("target_accuracy", "must be a proportion above 0 and below 1"));
    }
    let noise = form.whole("noise", 0..=MOST_NOISE)?;
    Ok(Screen {
        target: name_of(&project, domain, question.target)?,
        known: question.known.iter().map(|&index| name_of(&project, domain, index)).collect::<Result<_, _>>()?,
        suppress_below: form.whole("suppress_below", 1..=MOST_THRESHOLD)? as u64,
        noise: u32::try_from(noise).unwrap_or(u32::MAX),
        target_accuracy,
    })
}

/// The name of an attribute that a form names by its index.
fn name_of(project: &Project, domain: &DomainFile, index: usize) -> Result<String, JobError> {
    let attribute = domain.attributes.get(index).filter(|own| is_attribute(project.choices(), &own.name));
    attribute.map(|own| own.name.clone()).ok_or_else(|| invalid("known", "is not in the list"))
}

/// Starts the predictions.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let question = question(form)?;
    app.choose(form, |_| Ok(()))?;
    let (handed, project) = (Arc::clone(app), app.snapshot());
    let work = app.runner.start("Predicting.", "screening", move |work| {
        let found = screened(&project, question, work)?;
        *handed.screened.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(found));
        Ok(())
    })?;
    Ok(after_start(&work))
}

/// The columns that a form asks about.
fn question(form: &Form) -> Result<Question, JobError> {
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
    Ok(Question { target, known })
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
