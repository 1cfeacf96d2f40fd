//! What the pages of a budget have in common: a slider over powers of ten, and figures.

use disclosure_jobs::JobError;
use disclosure_report::number::short_up;
use maud::{Markup, html};

use super::failure;
use crate::form::{Form, invalid};
use crate::project::Project;
use crate::reply::Reply;

/// The budgets of the slider, as powers of ten, and the steps of a power.
const POWERS: [f64; 2] = [-3.0, 1.0];
const STEPS: f64 = 100.0;

/// A slider for rho, and the field of its number.
pub(crate) fn slider(rho: f64) -> Markup {
    let position = (rho.log10() * STEPS).round();
    let [least, most] = POWERS.map(|power| power * STEPS);
    html! {
        label.wide-field { "rho, from high to low noise"
            input type="range" id="slider" min=(least) max=(most) value=(position) data-number="rho" data-steps=(STEPS);
        }
        label { "rho" input name="rho" id="rho" value=(rho) inputmode="decimal" autocomplete="off" size="8" required; }
    }
}

/// The budget that a form names.
///
/// # Errors
/// E0704 for one that is not positive.
pub(crate) fn rho_of(form: &Form) -> Result<f64, JobError> {
    let rho = form.number("rho").ok().filter(|rho| *rho > 0.0 && *rho <= 1e6);
    rho.ok_or_else(|| invalid("rho", "must be a number above 0, such as 0.5 or 0,5"))
}

/// Figures that follow a form, as a part of its page: they say which state of the choices they
/// are about.
pub(crate) fn live(project: &Project, figures: Result<Markup, JobError>) -> Reply {
    Reply::Html(html! { div data-revision=(project.revision()) { (or_note(figures)) } })
}

/// Figures, or what stands against them.
pub(crate) fn or_note(figures: Result<Markup, JobError>) -> Markup {
    figures.unwrap_or_else(|error| failure::note(&error))
}

/// A figure with its name above and its meaning below.
pub(crate) fn figure(name: &str, value: &str, words: &str) -> Markup {
    html! { div.figure { p.soft { (name) } p.value { (value) } p.soft { (words) } } }
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
