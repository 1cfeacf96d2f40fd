//! The trade-off: what a budget costs the people, and what it buys the readers, live.

use std::sync::Arc;
use std::time::Duration;

use disclosure_jobs::JobError;
use disclosure_jobs::budget::EpsilonAtDelta;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::marginals::MarginalSummary;
use disclosure_jobs::observer::Observer;
use disclosure_report::number::{count, short};
use disclosure_report::{Amount, Bar, Bars, Cell, Column, Table, Tone};
use maud::{Markup, html};

use super::budget::{bytes, figure, live, or_note, percent, rho_of, slider};
use super::layout::{Step, blocks, owner_only, page as layout_page, revision, text};
use crate::app::App;
use crate::choices::{Noise, Weights};
use crate::form::{Form, invalid};
use crate::project::Project;
use crate::reply::Reply;
use crate::tradeoff::TradeOff;

/// How long an answer plans.
const PATIENCE: Duration = Duration::from_millis(180);
/// Most tables that are drawn, and most that are listed.
const MOST_BARS: usize = 24;
const MOST_LINES: usize = 200;

/// Stops a plan that takes too long for a page.
struct Deadline(StopFlag);

impl Observer for Deadline {
    fn stop_flag(&self) -> StopFlag {
        self.0.clone()
    }
}

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    if project.opening().is_none() || project.choices().noise.is_none() {
        return Ok(Reply::SeeOther(if project.opening().is_some() { "ways" } else { "" }));
    }
    let noise = project.choices().noise.clone().unwrap_or_default();
    let inside = html! {
        p.lead {
            "One budget for all tables. Whatever an attacker knows or computes, the release changes little of what can \
             be concluded about one person: a guarantee."
        }
        form method="post" action="noise" data-live="trade-off" data-target="trade-off" {
            (revision(&project))
            fieldset.card {
                legend { "Budget" }
                div.fields {
                    (slider(noise.rho))
                    label { "Weights"
                        select name="weights" {
                            @for (weights, name, meaning) in Weights::ALL {
                                option value=(name) selected[noise.weights == weights] { (meaning) }
                            }
                        }
                    }
                    label.box {
                        input type="checkbox" name="nonnegative" value="1" checked[noise.is_nonnegative];
                        "also publish tables without negative numbers"
                    }
                }
                p { button { "Keep" } " " a.button.main href=(Step::Noise.after(project.choices())) { "Go on" } }
            }
        }
        div id="trade-off" data-revision=(project.revision()) { (or_note(shown(&project, &noise))) }
    };
    Ok(layout_page(&project, Step::Noise, &inside))
}

/// What a form says of the noise.
fn noise_of(form: &Form) -> Result<Noise, JobError> {
    let rho = rho_of(form)?;
    let weights = Weights::of_name(form.text("weights")).ok_or_else(|| invalid("weights", "is not in the list"))?;
    Ok(Noise { rho, weights, is_nonnegative: form.has("nonnegative") })
}

/// Keeps the budget.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let noise = noise_of(form)?;
    app.choose(form, |choices| {
        choices.noise = Some(noise);
        Ok(())
    })?;
    Ok(Reply::SeeOther("noise"))
}

/// The trade-off at a budget, as a part of the page. Where the script says that the person has let
/// go of the slider, the budget is kept.
pub(crate) fn trade_off(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let noise = noise_of(form)?;
    if form.has("keep") {
        let kept = noise.clone();
        app.choose(form, |choices| {
            choices.noise = Some(kept);
            Ok(())
        })?;
    }
    let project = app.snapshot();
    Ok(live(&project, shown(&project, &noise)))
}

fn shown(project: &Project, noise: &Noise) -> Result<Markup, JobError> {
    match TradeOff::new(project, noise, &Deadline(StopFlag::after(PATIENCE))) {
        Err(error) if error.is_stop() => Err(JobError::new("E0710", "planning takes too long for a page")
            .next("choose fewer tables, or start the run, which plans without this limit")),
        found => Ok(view(&found?)),
    }
}

fn view(found: &TradeOff) -> Markup {
    let plan = &found.plan;
    let epsilons: Vec<String> = plan.epsilon_at_delta.iter().map(EpsilonAtDelta::statement).collect();
    html! {
        div aria-live="polite" {
            div.figures {
                (figure("an attacker guesses right", &percent(found.guess), "at most, whether one person is in the data; 50 % is chance"))
                (figure("root mean square error", &format!("± {}", short(plan.rmse)), "counts, over all numbers"))
                (figure("tables", &count(plan.marginals.len() as f64), &format!("{} numbers, {} of memory", count(plan.answers), bytes(plan.memory_bytes))))
            }
            p { span.badge.good { "Guarantee" } " " (text(&plan.promise.guarantee)) @for words in &epsilons { ", " (words) } }
        }
        @for words in &found.warnings { p.note.warning { (words) } }
        @if found.useless() > 0 {
            (owner_only(&html! {
                p {
                    strong { (found.useless()) " of " (plan.marginals.len()) " tables" }
                    " say little at this budget: the half-width of their 95 % interval exceeds their mean cell. \
                        This is computed from the number of rows."
                }
            }))
        }
        h2 { "How accurate it is" }
        (blocks(&tables(found)))
    }
}

/// The name of a table.
fn name(table: &MarginalSummary) -> String {
    match &table.attributes[..] {
        [] => "(total)".to_owned(),
        names => names.join(" × "),
    }
}

/// A chart of the errors, and a line for each table, the noisiest first.
fn tables(found: &TradeOff) -> Vec<disclosure_report::Block> {
    let mut order: Vec<usize> = (0..found.plan.marginals.len()).collect();
    let marginals = &found.plan.marginals;
    order.sort_by(|&a, &b| marginals[b].sd.total_cmp(&marginals[a].sd));
    let bars = order.iter().take(MOST_BARS).map(|&index| Bar {
        label: name(&marginals[index]),
        amount: Amount::Exact(marginals[index].ci95_half_width),
        shown: format!("± {}", short(marginals[index].ci95_half_width)),
    });
    let title = "Half-width of the 95 % interval, the noisiest tables first".to_owned();
    let chart = Bars { title, axis: "counts, on either side".to_owned(), bars: bars.collect() };
    let columns = [
        Column::words("table"),
        Column::numbers("numbers"),
        Column::numbers("sd"),
        Column::numbers("± 95 %"),
        Column::words("for the owner"),
    ];
    let mut table = Table::new("Standard deviation and half-width of the 95 % interval, in counts", columns);
    table.rows = order
        .iter()
        .take(MOST_LINES)
        .map(|&index| {
            let line = &marginals[index];
            let useless =
                if found.is_useless(line) { Cell::toned(Tone::Warning, "says little") } else { Cell::from("") };
            vec![
                Cell::from(name(line)),
                count(line.queries).into(),
                short(line.sd).into(),
                short(line.ci95_half_width).into(),
                useless,
            ]
        })
        .collect();
    let more = order.len().saturating_sub(MOST_LINES);
    table.left_out = (more > 0).then(|| format!("and {more} more, in plan.json of the release"));
    vec![chart.into(), table.into()]
}
