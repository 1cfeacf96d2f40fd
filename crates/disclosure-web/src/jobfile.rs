//! The job file that does the same from the command line, and the specification of its plan.

use std::fmt::Write;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::accounting::Neighbours;
use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::privacy_data::toml_text;

use crate::attributes::{is_attribute, sized_domain, wanted_attributes, wanted_domain};
use crate::choices::{Choices, Noise};
use crate::command::{COMMAND, beside_job, command, format_of};
use crate::parts::{Alone, Exact, Filter, Screen};
use crate::project::Project;
use crate::specs::{amounts_spec, reports_schema, rows_spec};

/// The name of the ledger in the folder of the workbench.
pub(crate) const LEDGER: &str = "ledger.jsonl";
/// The name of the secret in the folder of the workbench.
pub(crate) const KEY: &str = "key";
/// The name of the domain file beside a plan.
pub(crate) const DOMAIN: &str = "domain.toml";

/// The line of a job with which its filtered part begins.
pub(crate) const FILTERED: &str = "[filtered]";

/// A job for `disclosure run` with the domain file beside it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JobFile {
    /// The text of the job.
    pub(crate) job: String,
    /// The text of its domain file.
    pub(crate) domain: String,
}

/// The names of the job of a release and of its domain file, by the number of the release.
pub(crate) fn file_names(number: u32) -> [String; 2] {
    [format!("job-{number}.toml"), format!("domain-{number}.toml")]
}

/// The job of the choices that are shown, for the release of this number. It stands in the folder
/// of the workbench, one below the folder of the data.
///
/// # Errors
/// E0706 for choices that are not complete yet.
pub(crate) fn job_file(project: &Project, number: u32) -> Result<JobFile, JobError> {
    let job = job_text(project, number)?;
    let domain = match (&project.choices().alone, project.opening()) {
        // Its answers are in the job.
        (Some(Alone::Reports(_)), _) | (_, None) => String::new(),
        (_, Some(opening)) => wanted_domain(opening, project.choices())?.to_toml(),
    };
    Ok(JobFile { job, domain })
}

/// The text of the job alone.
///
/// # Errors
/// As [`job_file`].
pub(crate) fn job_text(project: &Project, number: u32) -> Result<String, JobError> {
    let choices = project.choices();
    let opening = project.opening().ok_or_else(|| incomplete("open a file first"))?;
    let data = choices.data.as_deref().ok_or_else(|| incomplete("open a file first"))?;
    wanted_attributes(opening, choices)?;
    let [_, domain_name] = file_names(number);
    let head = format!("# From the folder of the data:\n{COMMAND}{}\n", command(choices, number));
    match &choices.alone {
        None => {}
        Some(Alone::Rows(part)) => return Ok(head + &rows_spec(choices, part, &domain_name)?),
        Some(Alone::Reports(part)) => return Ok(head + &reports_schema(project, part)?),
        Some(Alone::Amounts(part)) => return Ok(head + &amounts_spec(project, part, &domain_name)?),
    }
    let mut job = format!("{head}title = {}\n", toml_text(choices.shown_title()));
    if !choices.owner.is_empty() {
        line(&mut job, "owner", &toml_text(&choices.owner));
    }
    line(&mut job, "data", &toml_text(&beside_job(data)));
    if let Some(relation) = &choices.relation {
        line(&mut job, "format", &format_of(relation));
    }
    line(&mut job, "domain", &toml_text(&domain_name));
    if choices.is_latin1 {
        line(&mut job, "encoding", "\"latin1\"");
    }
    if choices.noise.is_none() && choices.exact.is_none() && choices.filter.is_none() {
        return Err(incomplete("choose at least one way to publish"));
    }
    if let Some(noise) = &choices.noise {
        job += "\n[budget]\n";
        line(&mut job, "rho", &float(noise.rho));
        job += &unit(choices);
        if choices.ledger.is_some() {
            line(&mut job, "ledger", &toml_text(LEDGER));
        }
        job += "\n[noisy]\n";
        job += &noisy(choices, noise)?;
    }
    if let Some(part) = &choices.exact {
        job += &exact(choices, part)?;
    }
    if let Some(part) = &choices.filter {
        job += &filtered(choices, part)?;
    }
    if let Some(part) = &choices.screen {
        job += &screened(choices, part)?;
    }
    job += &targets(choices);
    Ok(job)
}

/// The specification of the tables with noise alone, at a budget: what `disclosure resplan plan`
/// takes. Its domain has no labels, of which a plan says nothing.
///
/// # Errors
/// As [`job_file`].
pub(crate) fn plan_spec(project: &Project, noise: &Noise) -> Result<(String, MemoryFiles), JobError> {
    let choices = project.choices();
    let opening = project.opening().ok_or_else(|| incomplete("open a file first"))?;
    let mut spec = format!("domain = {}\n", toml_text(DOMAIN));
    spec += &unit(choices);
    line(&mut spec, "privacy", &format!("{{ rho = {} }}", float(noise.rho)));
    spec += &noisy(choices, noise)?;
    Ok((spec, MemoryFiles::default().with(DOMAIN, sized_domain(opening, choices)?.to_toml())))
}

fn exact(choices: &Choices, part: &Exact) -> Result<String, JobError> {
    let margins: Vec<String> = wanted(choices, &part.margins).map(list).collect();
    if margins.is_empty() {
        return Err(incomplete("choose at least one exact table"));
    }
    let mut text = "\n[exact]\n".to_owned();
    line(&mut text, "margins", &format!("[{}]", margins.join(", ")));
    line(&mut text, "min_interval_width", &part.min_interval_width.to_string());
    line(&mut text, "min_frequency", &part.min_frequency.to_string());
    line(&mut text, "target", "\"undisclosed\"");
    line(&mut text, "decide_on", &toml_text(part.decide_on.name()));
    Ok(text)
}

/// An attack on one column, where all of its columns are attributes.
fn screened(choices: &Choices, part: &Screen) -> Result<String, JobError> {
    if !part.known.iter().chain([&part.target]).all(|name| is_attribute(choices, name)) {
        return Err(incomplete("the attack on a column uses columns that are left out"));
    }
    let mut text = "\n[screen]\n".to_owned();
    line(&mut text, "target", &toml_text(&part.target));
    line(&mut text, "known", &list(&part.known));
    line(&mut text, "suppress_below", &part.suppress_below.to_string());
    line(&mut text, "noise", &part.noise.to_string());
    line(&mut text, "target_accuracy", &float(part.target_accuracy));
    Ok(text)
}

fn filtered(choices: &Choices, part: &Filter) -> Result<String, JobError> {
    if part.group_by.is_empty() || !part.group_by.iter().all(|name| is_attribute(choices, name)) {
        return Err(incomplete("choose the columns of the filtered groups"));
    }
    let mut text = format!("\n{FILTERED}\n");
    line(&mut text, "group_by", &list(&part.group_by));
    line(&mut text, "entity", &toml_text(choices.person().unwrap_or("row")));
    line(&mut text, "always_suppress_upper_bound", &float(part.bound));
    line(&mut text, "mean", &float(part.mean));
    line(&mut text, "sd", &float(part.sd));
    line(&mut text, "draws", "\"publish\"");
    if choices.person().is_some() {
        line(&mut text, "groups_per_entity", &choices.unit.rows_per_person.to_string());
    }
    if part.scale > 0.0 {
        line(&mut text, "counts", &format!("{{ kind = \"noisy\", scale = {} }}", float(part.scale)));
    }
    Ok(text)
}

fn targets(choices: &Choices) -> String {
    let rmse = choices.targets.max_rmse.filter(|_| choices.noise.is_some());
    let posterior = choices.targets.max_posterior.filter(|_| choices.exact.is_some());
    let mut text = String::new();
    if rmse.is_some() || posterior.is_some() {
        text += "\n[targets]\n";
    }
    if let Some(rmse) = rmse {
        line(&mut text, "max_rmse", &float(rmse));
    }
    if let Some(posterior) = posterior {
        line(&mut text, "max_posterior", &float(posterior));
    }
    text
}

/// What is protected.
pub(crate) fn unit(choices: &Choices) -> String {
    let mut text = String::new();
    let neighbours = match choices.unit.neighbours {
        Neighbours::Replace => "\"replace\"",
        _ => "\"add-remove\"",
    };
    line(&mut text, "neighbours", neighbours);
    if choices.unit.rows_per_person > 1 || choices.person().is_some() {
        line(&mut text, "rows_per_person", &choices.unit.rows_per_person.to_string());
    }
    if let Some(person) = choices.person() {
        line(&mut text, "person", &toml_text(person));
    }
    text
}

fn noisy(choices: &Choices, noise: &Noise) -> Result<String, JobError> {
    let mut text = requested(choices)?;
    line(&mut text, "weights", &toml_text(noise.weights.name()));
    if noise.is_nonnegative {
        line(&mut text, "after", "[\"nonnegative\"]");
    }
    Ok(text)
}

/// The tables that are wanted.
///
/// # Errors
/// E0706 for none.
pub(crate) fn requested(choices: &Choices) -> Result<String, JobError> {
    let mut text = String::new();
    let sets: Vec<String> = sets(choices).iter().map(|set| list(set)).collect();
    match (choices.tables.up_to, sets.is_empty()) {
        (0, true) => return Err(incomplete("choose at least one table")),
        (up_to, true) => line(&mut text, "up_to", &up_to.to_string()),
        (0, false) => line(&mut text, "marginals", &format!("[{}]", sets.join(", "))),
        (up_to, false) => line(&mut text, "marginals", &format!("[{{ up_to = {up_to} }}, {}]", sets.join(", "))),
    }
    Ok(text)
}

/// The tables that were chosen by name and whose columns are all attributes.
pub(crate) fn sets(choices: &Choices) -> Vec<&[String]> {
    wanted(choices, &choices.tables.sets).collect()
}

/// The sets whose columns are all attributes.
pub(crate) fn wanted<'a>(choices: &'a Choices, sets: &'a [Vec<String>]) -> impl Iterator<Item = &'a [String]> {
    let sets = sets.iter().map(Vec::as_slice);
    sets.filter(|set| set.iter().all(|name| is_attribute(choices, name)))
}

/// Names as an array.
pub(crate) fn list(names: &[String]) -> String {
    format!("[{}]", names.iter().map(|name| toml_text(name)).collect::<Vec<_>>().join(", "))
}

/// A number that reads back as itself; TOML wants a point or an exponent.
pub(crate) fn float(value: f64) -> String {
    format!("{value:?}")
}

pub(crate) fn line(text: &mut String, key: &str, value: &str) {
    // A String takes everything.
    let _ = writeln!(text, "{key} = {value}");
}

pub(crate) fn incomplete(what: &str) -> JobError {
    JobError::new("E0706", format!("the choices are not complete: {what}"))
}
