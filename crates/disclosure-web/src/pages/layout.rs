//! What all pages have: a head, the steps, undo, and a mark for what stays where the data are.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_report::{Block, escaped, fragment};
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::app::App;
use crate::choices::Choices;
use crate::form::Form;
use crate::parts::Alone;
use crate::project::Project;
use crate::reply::Reply;

const STYLE: &str = concat!(include_str!("../../assets/web.css"));
const SCRIPT: &str = include_str!("../../assets/app.js");
const ICON: &str = include_str!("../../assets/icon.svg");

/// A step of the way through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Data,
    Columns,
    Tables,
    Ways,
    Noise,
    Exact,
    Filter,
    Rows,
    Answers,
    Amounts,
    Check,
    Run,
    Releases,
}

impl Step {
    const ALL: [(Self, &str, &str); 13] = [
        (Self::Data, "", "Data"),
        (Self::Columns, "columns", "Columns"),
        (Self::Tables, "tables", "Tables"),
        (Self::Ways, "ways", "Ways"),
        (Self::Noise, "noise", "Noise"),
        (Self::Exact, "exact", "Exact tables"),
        (Self::Filter, "filter", "Groups"),
        (Self::Rows, "rows", "Synthetic rows"),
        (Self::Answers, "answers", "Answers"),
        (Self::Amounts, "amounts", "Amounts"),
        (Self::Check, "check", "Check"),
        (Self::Run, "run", "Run"),
        (Self::Releases, "releases", "Releases"),
    ];

    /// The address of the page of this address, if there is one.
    pub(crate) fn known_address(address: &str) -> Option<(Self, &'static str)> {
        Self::ALL.iter().find(|(_, known, _)| *known == address).map(|(step, known, _)| (*step, *known))
    }

    fn address(self) -> &'static str {
        Self::ALL.iter().find(|(step, ..)| *step == self).map_or("", |(_, address, _)| address)
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(step, ..)| *step == self).map_or("", |(_, _, name)| name)
    }

    /// Whether the step is part of the way that was chosen.
    fn is_chosen(self, choices: &Choices) -> bool {
        match self {
            Self::Noise => choices.noise.is_some(),
            Self::Exact => choices.exact.is_some(),
            Self::Filter => choices.filter.is_some(),
            Self::Rows => matches!(choices.alone, Some(Alone::Rows(_))),
            Self::Answers => matches!(choices.alone, Some(Alone::Reports(_))),
            Self::Amounts => matches!(choices.alone, Some(Alone::Amounts(_))),
            _ => true,
        }
    }

    /// The page of the first chosen way after this step, or that of the check.
    pub(crate) fn after(self, choices: &Choices) -> &'static str {
        let rest = Self::ALL.iter().skip_while(|(step, ..)| *step != self).skip(1);
        rest.into_iter().find(|(step, ..)| step.is_chosen(choices)).map_or("", |(_, address, _)| address)
    }

    /// Whether the step can be taken before a file is open.
    pub(crate) fn needs_data(self) -> bool {
        !matches!(self, Self::Data | Self::Releases)
    }
}

/// A text of a person or of the data, where it cannot act on the page.
pub(crate) fn text(text: &str) -> PreEscaped<String> {
    PreEscaped(format!("<bdi>{}</bdi>", escaped(text)))
}

/// Blocks of a report: tables, charts, notes.
pub(crate) fn blocks(blocks: &[Block]) -> PreEscaped<String> {
    PreEscaped(fragment(blocks))
}

/// What stays where the data are, marked so.
pub(crate) fn owner_only(inside: &Markup) -> Markup {
    html! {
        div.owner {
            p { span.badge.bad { "For the data owner only" } }
            (inside)
        }
    }
}

/// A field that says which state of the choices a page shows.
pub(crate) fn revision(project: &Project) -> Markup {
    html! { input type="hidden" name="revision" value=(project.revision()); }
}

/// A whole page. `inside` follows the heading of the step.
pub(crate) fn page(project: &Project, step: Step, inside: &Markup) -> Reply {
    document(Some(project), Some(step), step.name(), inside)
}

/// A page outside of the steps. The title is one of the workbench's own.
pub(crate) fn document(project: Option<&Project>, step: Option<Step>, title: &str, inside: &Markup) -> Reply {
    Reply::Html(html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) " · disclosure workbench" }
                link rel="icon" href="icon.svg" type="image/svg+xml";
                link rel="stylesheet" href="style.css";
                script src="app.js" defer {}
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header.top {
                    p.brand { "disclosure " span.soft { "workbench" } }
                    @if let Some(project) = project { (steps(project, step)) (moves(project, step)) }
                }
                main id="main" tabindex="-1" {
                    h1 { (title) }
                    (inside)
                }
                footer {
                    p { "Everything runs on this machine: no data, names or choices leave it, and nothing is \
                        fetched." }
                }
            }
        }
    })
}

fn steps(project: &Project, current: Option<Step>) -> Markup {
    let is_open = project.opening().is_some();
    html! {
        nav.steps aria-label="Steps" {
            ol {
                @for (step, address, name) in Step::ALL.into_iter().filter(|(step, ..)| step.is_chosen(project.choices())) {
                    li {
                        @if step.needs_data() && !is_open {
                            span.later { (name) }
                        } @else if current == Some(step) {
                            a href={ "./" (address) } aria-current="step" { (name) }
                        } @else {
                            a href={ "./" (address) } { (name) }
                        }
                    }
                }
            }
        }
    }
}

fn moves(project: &Project, step: Option<Step>) -> Markup {
    let (can_undo, can_redo) = project.can_move();
    html! {
        form.moves method="post" {
            (revision(project))
            input type="hidden" name="page" value=(step.map_or("", Step::address));
            button.quiet formaction="undo" id="undo" disabled[!can_undo] { "Undo" }
            button.quiet formaction="redo" id="redo" disabled[!can_redo] { "Redo" }
        }
    }
}

/// The style of the workbench, after that of reports.
pub(crate) fn style(_: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    static TEXT: std::sync::LazyLock<String> =
        std::sync::LazyLock::new(|| format!("{}\n{STYLE}", disclosure_report::STYLE_SHEET));
    Ok(Reply::Asset { kind: "text/css; charset=utf-8", text: &TEXT })
}

/// The script of the workbench.
pub(crate) fn script(_: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    Ok(Reply::Asset { kind: "text/javascript; charset=utf-8", text: SCRIPT })
}

/// The icon of the workbench.
pub(crate) fn icon(_: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    Ok(Reply::Asset { kind: "image/svg+xml", text: ICON })
}
