//! The check: every part planned, audited and attacked, and nothing released. For the owner.

use std::sync::{Arc, PoisonError};

use disclosure_jobs::JobError;
use disclosure_jobs::exact::{AuditDocument, ClassDocument, ClassStatus, MarginDocument, PlanDocument};
use disclosure_jobs::pipeline::{Figure, LabelFindings, TargetDocument};
use disclosure_report::number::{count, short, short_up};
use disclosure_report::{Block, Cell, Column, Table, Tone};
use maud::{Markup, html};

use super::budget::{figure as figure_of, percent};
use super::job::after_start;
use super::layout::{Step, blocks, owner_only, page as layout_page, revision, text};
use crate::app::App;
use crate::check::check;
use crate::checked::Checked;
use crate::form::Form;
use crate::heat::maps;
use crate::parts::DecideOn;
use crate::project::Project;
use crate::releases::next_number;
use crate::reply::Reply;

/// Most exposed cells and groups that are listed.
const MOST_LINES: usize = 60;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    if project.opening().is_none() {
        return Ok(Reply::SeeOther(""));
    }
    let checked = app.checked.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let current = checked.filter(|checked| checked.choices == *project.choices());
    let inside = html! {
        p.lead { "Everything is planned, audited and attacked as in a release, but no noise is drawn and no \
            budget is spent." }
        form method="post" action="check" {
            (revision(&project))
            p {
                button.main[current.is_none()] { @if current.is_some() { "Check again" } @else { "Check" } }
                " " a.button.main[current.is_some()] href="run" { "Go on to the run" }
            }
        }
        @if let Some(checked) = &current {
            (owner_only(&html! { (found(checked)) (deciding(&project, checked)) }))
        }
    };
    Ok(layout_page(&project, Step::Check, &inside))
}

/// Starts a check.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    app.choose(form, |_| Ok(()))?;
    let (handed, project) = (Arc::clone(app), app.snapshot());
    let work = app.runner.start("Checking: nothing is released.", "check", move |work| {
        let found = check(&handed, &project, next_number(&handed.folder), work)?;
        *handed.checked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(found));
        Ok(())
    })?;
    Ok(after_start(&work))
}

fn found(checked: &Checked) -> Markup {
    let is_met = checked.targets.iter().all(|target| target.met);
    html! {
        @if checked.choices.alone.is_some() { p.note.good { "The data fit, and nothing stands against the release." } }
        @else if is_met { p.note.good { "Every target is met." } } @else { p.note.bad { "A target is missed: nothing would be released." } }
        @if let Some((spent, whole)) = checked.spent { p { "Noise spends rho " (short_up(spent)) " of " (short_up(whole)) "." } }
        @if !checked.targets.is_empty() { (blocks(&[targets(&checked.targets).into()])) }
        @if let Some(labels) = &checked.labels { (attacked(labels)) }
        @if let Some(audit) = &checked.audit { (audited(audit)) }
        @if let Some(plan) = &checked.plan { (planned(plan, checked)) }
        @if let Some(amounts) = &checked.amounts { (super::amounts::checked(amounts)) }
        @if let Some(groups) = &checked.groups {
            h2 { "Groups" }
            (blocks(&[group_table(groups).into()]))
        }
    }
}

/// Where a whole table is withheld, or a target is missed: what else could decide.
fn deciding(project: &Project, checked: &Checked) -> Markup {
    let (Some(exact), Some(plan)) = (&project.choices().exact, &checked.plan) else { return html! {} };
    let gone: Vec<String> =
        plan.margins.iter().filter(|margin| is_gone(margin)).map(|margin| margin.attributes.join(" × ")).collect();
    if gone.is_empty() && plan.target_met {
        return html! {};
    }
    html! {
        h2 { "Another way to decide" }
        @if !gone.is_empty() {
            p { "Nothing leaves of " @for (place, name) in gone.iter().enumerate() { @if place > 0 { ", " } (text(name)) } "." }
        }
        @for (own, name, title, meaning) in DecideOn::ALL {
            @if own == exact.decide_on {
                p { strong { (title) } ", as it is: " (meaning) }
            } @else {
                form method="post" action="decide" {
                    (revision(project))
                    p { strong { (title) } ": " (meaning) }
                    p { button name="decide_on" value=(name) { "Decide this way: " (title.to_lowercase()) } }
                }
            }
        }
        p.soft {
            "A third way, private, draws which numbers are published, under a budget of its own. It is only for exact \
             tables that are published alone: " code { "disclosure frechet release" } "."
        }
    }
}

/// Whether nothing leaves of a table.
fn is_gone(margin: &MarginDocument) -> bool {
    margin.exact == 0 && margin.noised == 0
}

fn targets(targets: &[TargetDocument]) -> Table {
    let columns = [
        Column::words("target"),
        Column::words("asked"),
        Column::words("found"),
        Column::words(""),
        Column::words("what it is"),
    ];
    let mut table = Table::new("Targets", columns);
    table.rows = targets
        .iter()
        .map(|target| {
            let met = if target.met { Cell::toned(Tone::Good, "met") } else { Cell::toned(Tone::Bad, "missed") };
            vec![
                Cell::from(target.name.as_str()),
                figure(&target.asked).into(),
                figure(&target.found).into(),
                met,
                Cell::from(target.what.as_str()),
            ]
        })
        .collect();
    table
}

fn figure(figure: &Figure) -> String {
    match figure {
        Figure::Count(number) => count(*number as f64),
        Figure::Number(number) => short(*number),
        Figure::Word(word) => word.clone(),
    }
}

/// The attack on one column.
fn attacked(labels: &LabelFindings) -> Markup {
    html! {
        h2 { "The attack on one column" }
        div.figures {
            (figure_of("labels that a solver is predicted to get right", &percent(labels.predicted), "of the column"))
            (figure_of("labels that the best attacker got right", &percent(labels.attacked), &format!("in {} simulated releases", count(labels.trials as f64))))
            (figure_of("guessing gets right", &percent(labels.blind), &format!("and at most {} for any attacker", percent(labels.ceiling))))
        }
    }
}

/// What would follow if all exact tables were published as they are wanted: a map of each.
fn audited(audit: &AuditDocument) -> Markup {
    let exposed: Vec<&ClassDocument> =
        audit.classes.iter().filter(|class| class.found.verdict == ClassStatus::Disclosed).collect();
    let mut why = Table::new("Exposed, and why", [Column::words("cell"), Column::words("reason")]);
    why.rows = exposed
        .iter()
        .take(MOST_LINES)
        .map(|class| vec![Cell::from(class.class.text()), Cell::from(class.why.as_str())])
        .collect();
    let more = exposed.len().saturating_sub(MOST_LINES);
    why.left_out = (more > 0).then(|| format!("and {more} more"));
    html! {
        h2 { "If all exact tables were published as they are wanted" }
        p {
            (count(audit.disclosed as f64)) " cells would be exposed, " (count((audit.certified + audit.ambiguous) as f64))
            " protected, " (count(audit.unknown as f64)) " undecided. "
            (count(audit.unfit.len() as f64)) " published numbers would be about too few people or nearly unanimous."
        }
        (blocks(&maps(audit)))
        @if !exposed.is_empty() { (blocks(&[why.into()])) }
    }
}

/// What is done about it.
fn planned(plan: &PlanDocument, checked: &Checked) -> Markup {
    let columns = [
        Column::words("table"),
        Column::numbers("exact"),
        Column::numbers("with noise"),
        Column::numbers("withheld"),
        Column::words("reason"),
    ];
    let mut table = Table::new("What is published of each exact table", columns);
    table.rows = plan
        .margins
        .iter()
        .map(|margin| {
            vec![
                Cell::from(margin.attributes.join(" × ")),
                count(margin.exact as f64).into(),
                count(margin.noised as f64).into(),
                if is_gone(margin) { "all".into() } else { count(margin.suppressed as f64).into() },
                Cell::from(margin.reasons.join("; ")),
            ]
        })
        .collect();
    let known = checked.withheld.iter().filter(|finding| finding.is_exposed()).count();
    html! {
        h2 { "What is done about it" }
        (blocks(&[Block::List(plan.notes.clone()), table.into()]))
        @if !checked.withheld.is_empty() {
            p { (known) " of " (checked.withheld.len()) " withheld numbers follow from all exact numbers together." }
        }
    }
}

fn group_table(groups: &disclosure_jobs::filter::AuditDocument) -> Table {
    let shown = groups.groups.iter().filter(|group| group.reported).count();
    let caption =
        format!("{} groups shown, {} withheld", count(shown as f64), count((groups.groups.len() - shown) as f64));
    let mut table =
        Table::new(caption, [Column::words("group"), Column::words(""), Column::words("people, for the owner")]);
    table.rows = groups
        .groups
        .iter()
        .take(MOST_LINES)
        .map(|group| {
            let labels: Vec<String> = group.group.iter().map(|(_, label)| label.to_owned()).collect();
            let word =
                if group.reported { Cell::toned(Tone::Good, "shown") } else { Cell::toned(Tone::Faint, "withheld") };
            vec![Cell::from(labels.join(", ")), word, Cell::from(group.entities.as_str())]
        })
        .collect();
    let more = groups.groups.len().saturating_sub(MOST_LINES);
    table.left_out = (more > 0).then(|| format!("and {more} more"));
    table
}
