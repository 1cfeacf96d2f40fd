//! The trade-off: what a budget costs the people, and what it buys the readers, live.

use std::sync::Arc;
use std::time::Duration;

use disclosure_jobs::JobError;
use disclosure_jobs::budget::EpsilonAtDelta;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::observer::Observer;
use disclosure_report::number::{count, short, short_up};
use disclosure_report::{Amount, Bar, Bars, Cell, Column, Table, Tone};
use maud::{Markup, html};

use super::failure;
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
/// The budgets of the slider, as powers of ten, and the steps of a power.
pub(crate) const POWERS: [f64; 2] = [-3.0, 1.0];
pub(crate) const STEPS: f64 = 100.0;

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
    let position = (noise.rho.log10() * STEPS).round();
    let [least, most] = POWERS.map(|power| power * STEPS);
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
                    label.wide-field { "rho: from much noise to little"
                        input type="range" id="slider" min=(least) max=(most) value=(position) data-number="rho" data-steps=(STEPS);
                    }
                    label { "rho" input name="rho" id="rho" value=(noise.rho) inputmode="decimal" autocomplete="off" size="8" required; }
                    label { "Weights"
                        select name="weights" {
                            @for (weights, name, meaning) in Weights::ALL {
                                option value=(name) selected[noise.weights == weights] { (meaning) }
                            }
                        }
                    }
                    label.box {
                        input type="checkbox" name="nonnegative" value="1" checked[noise.is_nonnegative];
                        "also tables without negative numbers"
                    }
                }
                p { button { "Keep" } " " a.button.main href=(Step::Noise.after(project.choices())) { "Go on" } }
            }
        }
        div id="trade-off" data-revision=(project.revision()) { (shown(&project, &noise)) }
    };
    Ok(layout_page(&project, Step::Noise, &inside))
}

/// What a form says of the noise.
fn noise_of(form: &Form) -> Result<Noise, JobError> {
    let rho = rho_of(form)?;
    let weights = Weights::of_name(form.text("weights")).ok_or_else(|| invalid("weights", "is not in the list"))?;
    Ok(Noise { rho, weights, is_nonnegative: form.has("nonnegative") })
}

/// The budget that a form names.
pub(crate) fn rho_of(form: &Form) -> Result<f64, JobError> {
    let rho = form.number("rho").ok().filter(|rho| *rho > 0.0 && *rho <= 1e6);
    rho.ok_or_else(|| invalid("rho", "is a number above 0, such as 0.5 or 0,5"))
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
    Ok(Reply::Html(html! { div data-revision=(project.revision()) { (shown(&project, &noise)) } }))
}

fn shown(project: &Project, noise: &Noise) -> Markup {
    match TradeOff::new(project, noise, &Deadline(StopFlag::after(PATIENCE))) {
        Ok(found) => view(&found),
        Err(error) if error.is_stop() => failure::note(
            &JobError::new("E0710", "planning takes longer than a page waits")
                .next("ask for fewer tables, or start the run: it plans without this limit"),
        ),
        Err(error) => failure::note(&error),
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
                    " say little at this budget: their 95 % interval reaches further than their mean cell is large. \
                     That follows from the number of rows."
                }
            }))
        }
        h2 { "How exact it is" }
        (blocks(&tables(found)))
    }
}

pub(crate) fn figure(name: &str, value: &str, words: &str) -> Markup {
    html! { div.figure { p.soft { (name) } p.value { (value) } p.soft { (words) } } }
}

/// A chart of the errors, and a line for each table, the noisiest first.
fn tables(found: &TradeOff) -> Vec<disclosure_report::Block> {
    let mut order: Vec<usize> = (0..found.plan.marginals.len()).collect();
    let marginals = &found.plan.marginals;
    order.sort_by(|&a, &b| marginals[b].sd.total_cmp(&marginals[a].sd));
    let name = |index: usize| match &marginals[index].attributes[..] {
        [] => "(total)".to_owned(),
        names => names.join(" × "),
    };
    let bars = order.iter().take(MOST_BARS).map(|&index| Bar {
        label: name(index),
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
                Cell::from(name(index)),
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

/// A probability in percent, rounded up: what an attacker gains is never understated.
pub(crate) fn percent(probability: f64) -> String {
    format!("{:.1} %", (probability * 1000.0 - 1e-9).ceil() / 10.0)
}

pub(crate) fn bytes(number: f64) -> String {
    match number {
        number if number < 1e6 => format!("{} kB", short_up((number / 1e3).ceil())),
        number if number < 1e9 => format!("{} MB", short_up((number / 1e6).ceil())),
        number => format!("{:.1} GB", number / 1e9),
    }
}
