//! Tables of amounts: which sums, and when a cell discloses a respondent.

use std::sync::Arc;

use disclosure_jobs::JobError;
use disclosure_jobs::amounts::{AmountCell, AmountsUnit, SuppressionStatus};
use disclosure_report::number::count;
use disclosure_report::{Cell, Column, Table};
use maud::{Markup, html};

use super::budget::figure;
use super::layout::{Step, blocks, page as layout_page, revision, text};
use super::sets::ticked;
use super::ways::{optional, or_empty};
use crate::app::App;
use crate::attributes::wanted_attributes;
use crate::checked::AmountsFound;
use crate::choices::Choices;
use crate::form::{Form, invalid};
use crate::heat::{as_written, of_amounts};
use crate::parts::{Alone, Amounts};
use crate::reply::Reply;

/// Most digits after the decimal mark.
const MOST_DECIMALS: usize = 9;
/// Largest number of respondents that can be asked for.
const MOST_RESPONDENTS: usize = 1000;
/// Most withheld cells that are listed.
const MOST_LINES: usize = 60;

/// The page.
pub(crate) fn page(app: &Arc<App>, _: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let choices = project.choices();
    let (Some(opening), Some(Alone::Amounts(part))) = (project.opening(), &choices.alone) else {
        return Ok(Reply::SeeOther(if project.opening().is_some() { "ways" } else { "" }));
    };
    let attributes = wanted_attributes(opening, choices)?;
    let inside = html! {
        p.lead {
            "A table of sums with all its totals. Anyone who knows a sum and their own amount can estimate the \
                amounts of others. A cell where this estimate is too close is withheld, together with other cells \
                so that it cannot be derived from the totals."
        }
        form method="post" action="amounts" {
            (revision(&project))
            fieldset.card {
                legend { "The table" }
                p { "Columns of the table" }
                div.choices {
                    @for (number, (_, attribute)) in attributes.iter().enumerate() {
                        label.box {
                            input type="checkbox" name="attribute" value=(number) checked[part.axes.contains(&attribute.name)];
                            (text(&attribute.name))
                        }
                    }
                }
                (amount(choices, part))
            }
            (rule(part))
            p { button.main { "Keep, and go on" } }
        }
    };
    Ok(layout_page(&project, Step::Amounts, &inside))
}

fn amount(choices: &Choices, part: &Amounts) -> Markup {
    html! {
        div.fields {
            label { "Amount column (no amount below 0)"
                select name="amount" {
                    @for (number, column) in choices.columns.iter().enumerate() {
                        option value=(number) selected[column.name == part.amount] { (text(&column.name)) }
                    }
                }
            }
            label { "Largest number of decimal digits"
                input name="decimals" value=(part.decimals) inputmode="numeric" autocomplete="off" size="4" required;
            }
        }
        p.soft {
            @match choices.person() {
                Some(name) => { "Rows with the same " (text(name)) " are one respondent." }
                None => { "Every row is a respondent. The page of the " a href="columns" { "columns" } " can say which column tells who is the same." }
            }
        }
    }
}

fn rule(part: &Amounts) -> Markup {
    html! {
        fieldset.card {
            legend { "When a cell is sensitive" }
            div.fields {
                label { "An amount can be estimated to within this many per cent; leave empty to ignore"
                    input name="p_percent" value=(or_empty(part.p_percent)) inputmode="decimal" autocomplete="off" size="6";
                }
                label { "It has fewer respondents than this; leave empty to ignore"
                    input name="min_frequency" value=(or_empty(part.min_frequency)) inputmode="numeric" autocomplete="off" size="6";
                }
                label { "Who attacks"
                    select name="coalition" {
                        option value="1" selected[part.coalition != 2] { "each respondent alone" }
                        option value="2" selected[part.coalition == 2] { "any two respondents together" }
                    }
                }
            }
        }
    }
}

/// Keeps the table and its rule.
pub(crate) fn choose(app: &Arc<App>, form: &Form) -> Result<Reply, JobError> {
    let project = app.snapshot();
    let axes = ticked(&project, form)?;
    let column = form.whole("amount", 0..=10_000)?;
    let amount = project.choices().columns.get(column).map(|column| column.name.clone());
    let amount = amount.ok_or_else(|| invalid("amount", "is not in the list"))?;
    if axes.contains(&amount) {
        return Err(invalid("amount", "is one of the columns of the table"));
    }
    let min_frequency = match form.text("min_frequency") {
        "" => None,
        _ => u32::try_from(form.whole("min_frequency", 1..=MOST_RESPONDENTS)?).ok(),
    };
    let p_percent = optional(form, "p_percent", 1e6)?;
    if p_percent.is_none() && min_frequency.is_none() {
        return Err(invalid("p_percent", "choose at least one condition that makes a cell sensitive"));
    }
    let (decimals, coalition) = (form.whole("decimals", 0..=MOST_DECIMALS)?, form.whole("coalition", 1..=2)?);
    app.choose(form, |choices| match &mut choices.alone {
        Some(Alone::Amounts(own)) => {
            *own = Amounts { axes, amount, decimals, p_percent, min_frequency, coalition };
            Ok(())
        }
        _ => Err(invalid("ways", "the release has no table of amounts")),
    })?;
    Ok(Reply::SeeOther(Step::Amounts.after(app.project().choices())))
}

/// What the check found: a map of the cells, and why each is withheld.
pub(crate) fn checked(found: &AmountsFound) -> Markup {
    let (plan, tally) = (&found.plan, found.plan.tally);
    let columns = ["cell", "why"].map(Column::words).into_iter();
    let numbers = ["amount", "respondents", "a reader knows at least", "at most"].map(Column::numbers);
    let mut table = Table::new("Withheld cells, and why", columns.chain(numbers));
    table.rows = plan.cells.iter().take(MOST_LINES).map(|cell| withheld(&plan.unit, cell)).collect();
    let more = plan.cells.len().saturating_sub(MOST_LINES);
    table.left_out = (more > 0).then(|| format!("and {more} more"));
    html! {
        h2 { "The table of amounts" }
        div.figures {
            (figure("published", &count(tally.published as f64), &format!("of {} cells, including totals", count(tally.cells as f64))))
            (figure("sensitive", &count(tally.primary as f64), "withheld, as an amount would be known too closely"))
            (figure("withheld to protect them", &count(tally.complementary as f64), "which readers cannot \
                distinguish from the sensitive ones"))
        }
        (blocks(&[of_amounts(found).into()]))
        @if plan.axes.len() > 2 { p.soft { "The map shows the totals over the other columns." } }
        @if !plan.cells.is_empty() { (blocks(&[table.into()])) }
    }
}

fn withheld(unit: &AmountsUnit, cell: &AmountCell) -> Vec<Cell> {
    let why = if cell.status == SuppressionStatus::Primary { "sensitive" } else { "to protect others" };
    vec![
        Cell::from(cell.labels.join(", ")),
        Cell::from(why),
        as_written(unit, cell.amount).into(),
        count(cell.respondents as f64).into(),
        cell.lower.map_or_else(|| "not decided".to_owned(), |end| as_written(unit, end)).into(),
        cell.upper.map_or_else(|| "not bounded".to_owned(), |end| as_written(unit, end)).into(),
    ]
}
