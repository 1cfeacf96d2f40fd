//! The tables that are wanted.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_report::number::count;
use maud::{Markup, html};

use super::layout::{Step, page as layout_page, revision};
use super::sets::{adding, change, removable, ticked};
use crate::app::App;
use crate::attributes::sizes;
use crate::choices::Choices;
use crate::form::Form;
use crate::jobfile::sets;
use crate::project::Project;
use crate::reply::Reply;

/// Largest number of attributes of a table that a box offers.
const MOST_UP_TO: usize = 4;
/// Most tables that are chosen by name.
const MOST_SETS: usize = 500;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let Some(opening) = project.opening() else { return Ok(Reply::SeeOther("")) };
    let choices = project.choices();
    let attributes = sizes(opening, choices)?;
    let sizes: Vec<usize> = attributes.iter().map(|(_, size)| *size).collect();
    let inside = html! {
        p.lead { "Which tables of counts to publish. Every further table lowers the accuracy of the others." }
        form method="post" action="tables" {
            (revision(&project))
            fieldset.card {
                legend { "Every table of at most" }
                div.choices {
                    @for up_to in 0..=MOST_UP_TO.min(sizes.len()) {
                        label.box {
                            input type="radio" name="up_to" value=(up_to) checked[choices.tables.up_to == up_to];
                            @match up_to {
                                0 => { "only those below" }
                                1 => { "1 attribute" }
                                _ => { (up_to) " attributes" }
                            }
                            @if up_to > 0 { span.soft { (extent(&sizes, up_to)) } }
                        }
                    }
                }
                p { button { "Keep" } }
            }
        }
        (chosen(&project, choices))
        form method="post" action="tables" {
            (revision(&project))
            input type="hidden" name="up_to" value=(choices.tables.up_to);
            (adding("Add a table of these attributes", &attributes))
        }
        p { a.button.main href="ways" { "Go on to the ways" } }
    };
    Ok(layout_page(&project, Step::Tables, &inside))
}

/// How many tables and cells there are of at most `up_to` attributes: sums of products of sizes.
fn extent(sizes: &[usize], up_to: usize) -> String {
    let (mut tables, mut cells) = (vec![1.0; 1], vec![1.0; 1]);
    tables.resize(up_to + 1, 0.0);
    cells.resize(up_to + 1, 0.0);
    for &size in sizes {
        for order in (1..=up_to).rev() {
            tables[order] += tables[order - 1];
            cells[order] += cells[order - 1] * size as f64;
        }
    }
    let [tables, cells] = [tables, cells].map(|numbers: Vec<f64>| numbers.iter().sum::<f64>());
    format!(" {} tables, {} cells, including the total", count(tables), count(cells))
}

fn chosen(project: &Project, choices: &Choices) -> Markup {
    let sets = sets(choices);
    html! {
        @if !sets.is_empty() {
            h2 { "And these" }
            form method="post" action="tables" {
                (revision(project))
                input type="hidden" name="up_to" value=(choices.tables.up_to);
                (removable(&sets))
            }
        }
    }
}

/// Keeps what was chosen.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    if project.opening().is_none() {
        return Ok(Reply::SeeOther(""));
    }
    let up_to = form.whole("up_to", 0..=MOST_UP_TO)?;
    let added = form.has("add").then(|| ticked(&project, form)).transpose()?;
    app.choose(form, |choices| {
        choices.tables.up_to = up_to;
        let shown: Vec<Vec<String>> = sets(choices).into_iter().map(<[String]>::to_vec).collect();
        change(&mut choices.tables.sets, &shown, added, form, MOST_SETS)
    })?;
    Ok(Reply::SeeOther("tables"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_cells_of_small_families_are_counted() {
        // The total, three of one attribute, three of two.
        assert_eq!(extent(&[2, 3, 5], 2), " 7 tables, 42 cells, including the total");
        assert_eq!(extent(&[2, 3, 5], 1), " 4 tables, 11 cells, including the total");
    }
}
