//! The ways to publish, each with what it promises; what must hold for all of them; the ledger.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::ledger::FileLedger;
use disclosure_report::number::{short_down, short_up};
use maud::{Markup, html};

use super::failure;
use super::layout::{Step, page as layout_page, revision, text};
use crate::app::App;
use crate::choices::Choices;
use crate::form::{Form, invalid};
use crate::jobfile::LEDGER;
use crate::parts::{Alone, Amounts, Reports, SyntheticRows};
use crate::project::Project;
use crate::reply::Reply;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    if project.opening().is_none() {
        return Ok(Reply::SeeOther(""));
    }
    let choices = project.choices();
    let inside = html! {
        p.lead { "How the tables are published. Several ways can be combined in one release, under one budget and \
            one attack on all exact numbers." }
        form method="post" action="ways" {
            (revision(&project))
            (way("noise", choices.noise.is_some(), "Tables with noise", "Guarantee",
                "Whatever an attacker knows, the release changes little of what can be concluded about one person. Every number has a known error."))
            (way("exact", choices.exact.is_some(), "Exact tables", "Guarantee",
                "From the published numbers alone, no cell is known to within an interval that you choose; cells \
                    that would be are withheld. Exact numbers have no differential privacy."))
            (way("filter", choices.filter.is_some(), "Groups with enough people", "Calibration",
                "Small groups are suppressed with a keyed, noisy threshold. What an answer discloses about one \
                    person has known odds."))
            (targets(choices))
            (ledger(app, choices))
            p { button.main { "Keep, and go on" } }
        }
        (alone(&project))
        h2 { "Before a release" }
        p {
            "If no one may see the answers, each person randomises their own before sending it: a guarantee to \
                each person, against the collector as well. " a href="randomised" { "What this costs, without a \
                    trusted curator" } "."
        }
        p {
            "If counts of a column are published for every group of others, a solver may combine them. "
            a href="screening" { "Would a solver reconstruct a column?" }
        }
    };
    Ok(layout_page(&project, Step::Ways, &inside))
}

fn way(name: &str, is_chosen: bool, title: &str, kind: &str, words: &str) -> Markup {
    let tone = if kind == "Guarantee" { "badge good" } else { "badge plain" };
    html! {
        fieldset.card {
            legend { (title) }
            label.box { input type="checkbox" name=(name) value="1" checked[is_chosen]; "Part of the release" }
            p { span class=(tone) { (kind) } " " (words) }
        }
    }
}

/// Releases that go by themselves, each with a button that takes it instead of the tables.
fn alone(project: &Project) -> Markup {
    let chosen = &project.choices().alone;
    html! {
        h2 { "Or a release of its own" }
        form method="post" action="ways" {
            (revision(project))
            (own_way("rows", matches!(chosen, Some(Alone::Rows(_))), "Synthetic rows",
                "Whatever an attacker knows, the rows and the tables behind them change little of what can be \
                    concluded about one person. The rows describe no real person; their accuracy is measured."))
            (own_way("reports", matches!(chosen, Some(Alone::Reports(_))), "Randomised answers",
                "Each answer is randomised separately, so anyone who gets the reports learns little about any \
                    row. Estimates from them have known errors."))
            (own_way("amounts", matches!(chosen, Some(Alone::Amounts(_))), "Table of amounts",
                "Sums, such as turnover by region and branch. A cell from which a reader or another respondent \
                    could estimate someone's amount too closely is withheld, together with others to protect it. \
                    Exact sums have no differential privacy."))
        }
    }
}

fn own_way(name: &str, is_chosen: bool, title: &str, words: &str) -> Markup {
    html! {
        section.card {
            h3 { (title) @if is_chosen { span.soft { ", chosen" } } }
            p { span.badge.good { "Guarantee" } " " (words) }
            @if is_chosen {
                p { a.button href=(if name == "reports" { "answers" } else { name }) { "Go on with " (title.to_lowercase()) } }
            } @else {
                p { button name="alone" value=(name) { (title) " instead" } }
            }
        }
    }
}

/// A number as the value of a field that may be empty.
pub(crate) fn or_empty<T: ToString>(number: Option<T>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn targets(choices: &Choices) -> Markup {
    html! {
        fieldset.card {
            legend { "Targets" }
            p.soft { "A release that misses a target is not made. An empty field sets no target." }
            div.fields {
                label { "Largest root mean square error of the tables with noise, in counts"
                    input name="max_rmse" value=(or_empty(choices.targets.max_rmse)) inputmode="decimal" autocomplete="off" size="8";
                }
                label { "Largest probability of one count of a withheld number, below 1"
                    input name="max_posterior" value=(or_empty(choices.targets.max_posterior)) inputmode="decimal" autocomplete="off" size="8";
                }
            }
        }
    }
}

fn ledger(app: &App, choices: &Choices) -> Markup {
    let path = app.folder.workbench().join(LEDGER);
    let state = path.exists().then(|| FileLedger::at(&path).read());
    html! {
        fieldset.card {
            legend { "Ledger" }
            label.box { input type="checkbox" name="ledger" value="1" checked[choices.ledger.is_some()]; "Keep a \
                ledger of what releases with noise spend, and refuse to exceed the total budget" }
            @match state {
                None => label { "Total budget, in rho; it can never be raised"
                    input name="ledger_rho" value=(choices.ledger.unwrap_or(1.0)) inputmode="decimal" autocomplete="off" size="8";
                },
                Some(Ok(chain)) => {
                    p {
                        "Budget rho " (short_down(chain.budget())) ", spent " (short_up(chain.spent())) " by " (chain.charges().len())
                        @if chain.charges().len() == 1 { " release" } @else { " releases" } ", left " (short_down(chain.left())) "."
                    }
                    p.soft { (text(&chain.terms().describe())) }
                }
                Some(Err(error)) => (failure::note(&error.into())),
            }
        }
    }
}

/// Keeps what was chosen.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    if form.has("alone") {
        return choose_alone(app, form);
    }
    if !["noise", "exact", "filter"].iter().any(|name| form.has(name)) {
        return Err(invalid("ways", "choose at least one"));
    }
    let max_rmse = optional(form, "max_rmse", f64::INFINITY)?;
    let max_posterior = optional(form, "max_posterior", 1.0)?;
    let is_there = app.folder.workbench().join(LEDGER).exists();
    let ledger_rho = match (form.has("ledger"), is_there) {
        (false, _) => None,
        (true, true) => Some(app.project().choices().ledger.unwrap_or(1.0)),
        (true, false) => Some(optional(form, "ledger_rho", f64::INFINITY)?.ok_or_else(|| {
            invalid(
                "ledger_rho",
                "must be a number \
                above 0",
            )
        })?),
    };
    app.choose(form, |choices| {
        choices.noise = form.has("noise").then(|| choices.noise.clone().unwrap_or_default());
        choices.exact = form.has("exact").then(|| choices.exact.clone().unwrap_or_default());
        choices.filter = form.has("filter").then(|| choices.filter.clone().unwrap_or_default());
        choices.alone = None;
        choices.targets.max_rmse = max_rmse;
        choices.targets.max_posterior = max_posterior;
        choices.ledger = ledger_rho;
        Ok(())
    })?;
    Ok(Reply::SeeOther(Step::Ways.after(app.project().choices())))
}

/// Keeps a release of its own, and no other way.
fn choose_alone(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let alone = match form.text("alone") {
        "rows" => Alone::Rows(SyntheticRows::default()),
        "reports" => Alone::Reports(Reports::default()),
        "amounts" => Alone::Amounts(Amounts::default()),
        _ => return Err(invalid("ways", "is not in the list")),
    };
    app.choose(form, |choices| {
        (choices.noise, choices.exact, choices.filter) = (None, None, None);
        choices.alone = Some(alone);
        Ok(())
    })?;
    Ok(Reply::SeeOther(Step::Ways.after(app.project().choices())))
}

/// A number above 0 and below a limit; `None` for an empty field.
pub(crate) fn optional(form: &Form, name: &str, below: f64) -> Result<Option<f64>, JobError> {
    if form.text(name).is_empty() {
        return Ok(None);
    }
    let found = form.number(name)?;
    if found > 0.0 && found < below { Ok(Some(found)) } else { Err(invalid(name, "is out of range")) }
}
