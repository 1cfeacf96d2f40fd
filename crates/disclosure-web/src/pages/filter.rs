//! Filtered groups: the columns, the threshold, and the odds of what an answer gives away, live.

use std::num::NonZeroU32;
use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::param::{Probability, StdDev};
use disclosure_jobs::filter::{ClampedNormal, CountsSpec, OddsDocument, OddsRequest, ThresholdLaw, odds as odds_of};
use disclosure_report::number::count;
use disclosure_report::{Lines, Series};
use maud::{Markup, html};

use super::budget::{or_note, percent};
use super::layout::{Step, blocks, page as layout_page, revision, text};
use super::sets::ticked;
use crate::app::App;
use crate::attributes::wanted_attributes;
use crate::form::{Form, invalid};
use crate::parts::Filter;
use crate::reply::Reply;

/// Largest threshold and spread, in people: the table of a law has an entry for each size.
const MOST: f64 = 1000.0;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let (Some(opening), Some(filter)) = (project.opening(), &project.choices().filter) else {
        return Ok(Reply::SeeOther(if project.opening().is_some() { "ways" } else { "" }));
    };
    let attributes = wanted_attributes(opening, project.choices())?;
    let inside = html! {
        p.lead {
            "Groups of people by some columns. A keyed, noisy threshold decides which groups are shown; the same \
                group always gets the same answer."
        }
        form method="post" action="filter" data-live="odds" data-target="odds" {
            (revision(&project))
            fieldset.card {
                legend { "Groups by" }
                div.choices {
                    @for (number, (_, attribute)) in attributes.iter().enumerate() {
                        label.box {
                            input type="checkbox" name="attribute" value=(number) checked[filter.group_by.contains(&attribute.name)];
                            (text(&attribute.name))
                        }
                    }
                }
            }
            fieldset.card {
                legend { "Threshold" }
                div.fields {
                    (number("bound", "Never shown: groups of at most", filter.bound))
                    (number("mean", "Mean of the threshold, in people", filter.mean))
                    (number("sd", "Standard deviation of the threshold", filter.sd))
                    (number("scale", "Scale of the noise in the count of a group; 0 for no count", filter.scale))
                }
                p { button.main { "Keep, and go on" } }
            }
        }
        div id="odds" { (or_note(shown(filter))) }
    };
    Ok(layout_page(&project, Step::Filter, &inside))
}

fn number(name: &str, words: &str, value: f64) -> Markup {
    html! { label { (words) input name=(name) value=(value) inputmode="decimal" autocomplete="off" size="8" required; } }
}

/// A number of a form from `least` to the most that the table of a law has.
fn at_least(form: &Form, name: &str, least: f64) -> Result<f64, JobError> {
    let number = form.number(name)?;
    if (least..=MOST).contains(&number) { Ok(number) } else { Err(invalid(name, "is out of range")) }
}

fn filter_of(form: &Form) -> Result<Filter, JobError> {
    Ok(Filter {
        group_by: Vec::new(),
        bound: at_least(form, "bound", 1.0)?,
        mean: at_least(form, "mean", 1.0)?,
        sd: at_least(form, "sd", 1e-3)?,
        scale: at_least(form, "scale", 0.0)?,
    })
}

/// Keeps the groups and the threshold.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let filter = Filter { group_by: ticked(&app.snapshot(), form)?, ..filter_of(form)? };
    odds_at(&filter)?;
    app.choose(form, |choices| {
        choices.filter = Some(filter);
        Ok(())
    })?;
    Ok(Reply::SeeOther(Step::Filter.after(app.project().choices())))
}

/// The odds at a threshold, as a part of the page.
pub(crate) fn odds(_: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    Ok(Reply::Html(or_note(shown(&filter_of(form)?))))
}

fn odds_at(filter: &Filter) -> Result<OddsDocument, JobError> {
    let law = StdDev::new(filter.sd).map_err(|error| JobError::new("E0704", format!("sd: {error}")));
    let law = ClampedNormal::new(filter.mean, law?, filter.bound);
    let law: ThresholdLaw = law.map_err(|error| JobError::new("E0704", error.to_string()))?.into();
    let prior = Probability::new(0.5).map_err(|error| JobError::new("E0704", error.to_string()))?;
    let request =
        OddsRequest { law, prior, groups_per_entity: NonZeroU32::MIN, up_to: None, counts: CountsSpec::default() };
    odds_of(&request)
}

fn shown(filter: &Filter) -> Result<Markup, JobError> {
    odds_at(filter).map(|found| view(&found))
}

fn view(found: &OddsDocument) -> Markup {
    let points = found.report_probability.iter().map(|line| (line.n as f64, line.p)).collect();
    let reported = found.one_more.iter().filter_map(|line| Some((line.n as f64, line.p_n1_given_reported?)));
    let withheld = found.one_more.iter().filter_map(|line| Some((line.n as f64, line.p_n_given_suppressed?)));
    let chart = Lines {
        title: "Probability that a group is shown, by its size".to_owned(),
        across: "people in the group".to_owned(),
        up: "probability".to_owned(),
        is_logarithmic: false,
        series: vec![Series { name: "shown".to_owned(), points }],
    };
    let gain = Lines {
        title: "Posterior of an attacker who knows everyone in a group except one person, with even prior odds"
            .to_owned(),
        across: "people whom the attacker knows".to_owned(),
        up: "probability".to_owned(),
        is_logarithmic: false,
        series: vec![
            Series { name: "one more person is in it, given that it is shown".to_owned(), points: reported.collect() },
            Series { name: "no one else is in it, given that it is withheld".to_owned(), points: withheld.collect() },
        ],
    };
    html! {
        div.figures aria-live="polite" {
            div.figure { p.soft { "shown half of the time" } p.value { (count(found.law.n50 as f64)) } p.soft { "people in the group" } }
            div.figure { p.soft { "shown nearly always (99 %)" } p.value { (count(found.law.n99 as f64)) } p.soft { "people or more" } }
            div.figure { p.soft { "a belief of 50 % becomes at most" } p.value { (percent(found.odds.posterior)) } p.soft { "\
                from one answer, short of a proof" } }
        }
        p { span.badge.plain { "Calibration" } " the parameters are known; it covers one line of a table, both \
            decision and count." }
        (blocks(&[chart.into(), gain.into()]))
    }
}
