//! Lists of tables by their attributes: shown with a button that removes each, and with boxes that
//! add one.

use disclosure_jobs::JobError;
use maud::{Markup, html};

use super::layout::text;
use crate::attributes::wanted_attributes;
use crate::form::{Form, invalid};
use crate::project::Project;

/// Tables by the names of their attributes, each with a button that removes it.
pub(crate) fn removable(sets: &[&[String]]) -> Markup {
    html! {
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

/// Boxes for attributes with their numbers of categories, and a button that adds their table.
pub(crate) fn adding(legend: &str, attributes: &[(String, usize)]) -> Markup {
    html! {
        fieldset.card {
            legend { (legend) }
            div.choices {
                @for (number, (name, size)) in attributes.iter().enumerate() {
                    label.box { input type="checkbox" name="attribute" value=(number); (text(name)) span.soft { " " (size) } }
                }
            }
            p { button name="add" value="1" { "Add the table" } }
        }
    }
}

/// The attributes that were ticked, by name.
///
/// # Errors
/// E0704 for none, and for one that is not in the list.
pub(crate) fn ticked(project: &Project, form: &Form) -> Result<Vec<String>, JobError> {
    let opening = project.opening().ok_or_else(|| invalid("attribute", "open a file first"))?;
    let attributes = wanted_attributes(opening, project.choices())?;
    let mut set = Vec::new();
    for number in form.all("attribute") {
        let attribute = number.parse().ok().and_then(|number: usize| attributes.get(number));
        let (_, attribute) = attribute.ok_or_else(|| invalid("attribute", "is not in the list"))?;
        let name = &attribute.name;
        if !set.contains(name) {
            set.push(name.clone());
        }
    }
    if set.is_empty() { Err(invalid("attribute", "choose at least one")) } else { Ok(set) }
}

/// Removes the set that a form names by its place among those that are shown, and adds another.
///
/// # Errors
/// E0704 for a place without a set, and for more than `most` sets.
pub(crate) fn change(
    sets: &mut Vec<Vec<String>>,
    shown: &[Vec<String>],
    added: Option<Vec<String>>,
    form: &Form,
    most: usize,
) -> Result<(), JobError> {
    if form.has("remove") {
        let removed = shown.get(form.whole("remove", 0..=most)?);
        sets.retain(|set| Some(set) != removed);
    }
    if let Some(set) = added.filter(|set| !sets.contains(set)) {
        if sets.len() >= most {
            return Err(invalid("attribute", "no more tables fit"));
        }
        sets.push(set);
    }
    Ok(())
}
