//! The tables that are wanted.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_report::number::count;
use maud::{Markup, html};

use super::layout::{Step, page as layout_page, revision, text};
use crate::app::App;
use crate::attributes::wanted_domain;
use crate::choices::Choices;
use crate::form::{Form, invalid};
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
    let domain = wanted_domain(opening, choices)?.into_schema()?;
    let domain = domain.domain();
    let sizes: Vec<usize> = domain.attributes().iter().map(|attribute| attribute.cardinality()).collect();
    let inside = html! {
        p.lead { "Which tables of counts readers are to have. Every table costs accuracy of the others." }
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
        (adding(&project, domain.attributes().iter().map(|a| (a.name(), a.cardinality()))))
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
    format!(" {} tables, {} cells, the total among them", count(tables), count(cells))
}

fn chosen(project: &Project, choices: &Choices) -> Markup {
    let sets = sets(choices);
    html! {
        @if !sets.is_empty() {
            h2 { "And these" }
            form method="post" action="tables" {
                (revision(project))
                input type="hidden" name="up_to" value=(choices.tables.up_to);
                ul.files {
                    @for (number, set) in sets.iter().enumerate() {
                        li {
                            @for (place, name) in set.iter().enumerate() { @if place > 0 { " × " } (text(name)) }
                            " "
                            button.quiet name="remove" value=(number) aria-label={ "Remove table " (number + 1) } { "Remove" }
                        }
                    }
                }
            }
        }
    }
}

fn adding<'a>(project: &Project, attributes: impl Iterator<Item = (&'a str, usize)>) -> Markup {
    html! {
        form method="post" action="tables" {
            (revision(project))
            input type="hidden" name="up_to" value=(project.choices().tables.up_to);
            fieldset.card {
                legend { "Add a table of these attributes" }
                div.choices {
                    @for (number, (name, size)) in attributes.enumerate() {
                        label.box { input type="checkbox" name="attribute" value=(number); (text(name)) span.soft { " " (size) } }
                    }
                }
                p { button name="add" value="1" { "Add the table" } }
            }
        }
    }
}

/// Keeps what was chosen.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let Some(opening) = project.opening() else { return Ok(Reply::SeeOther("")) };
    let domain = wanted_domain(opening, project.choices())?;
    let up_to = form.whole("up_to", 0..=MOST_UP_TO)?;
    app.choose(form, |choices| {
        choices.tables.up_to = up_to;
        if form.has("add") {
            let mut set = Vec::new();
            for number in form.all("attribute") {
                let attribute = number.parse().ok().and_then(|number: usize| domain.attributes.get(number));
                let attribute = attribute.ok_or_else(|| invalid("attribute", "is not in the list"))?;
                set.push(attribute.name.clone());
            }
            let is_new = !choices.tables.sets.contains(&set);
            match () {
                () if set.is_empty() => return Err(invalid("attribute", "choose at least one")),
                () if choices.tables.sets.len() >= MOST_SETS => return Err(invalid("attribute", "no more tables fit")),
                () if is_new => choices.tables.sets.push(set),
                () => {}
            }
        }
        if form.has("remove") {
            let shown: Vec<Vec<String>> = sets(choices).into_iter().map(<[String]>::to_vec).collect();
            let removed = shown.get(form.whole("remove", 0..=MOST_SETS)?);
            choices.tables.sets.retain(|set| Some(set) != removed);
        }
        Ok(())
    })?;
    Ok(Reply::SeeOther("tables"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_cells_of_small_families_are_counted() {
        // The total, three of one attribute, three of two.
        assert_eq!(extent(&[2, 3, 5], 2), " 7 tables, 42 cells, the total among them");
        assert_eq!(extent(&[2, 3, 5], 1), " 4 tables, 11 cells, the total among them");
    }
}
