//! The start of a new job: what a person says about columns, and a job to be filled in.

use std::fmt::Write;

use privacy_data::{DomainFile, LearnSpec, toml_text};

use crate::error::JobError;

/// Most attributes that the example of the noisy part names.
const MOST_NAMED: usize = 12;

/// Reads what a command line says about columns: `NAME=EDGE,EDGE,...` for bins, `NAME=NUMBER` for
/// quantiles, and texts of missing values with commas between them, of which the empty one is
/// known anyway.
///
/// # Errors
/// E0200 for anything else.
pub fn learn_spec(bins: &[String], quantiles: &[String], missing: Option<&str>) -> Result<LearnSpec, JobError> {
    let missing = missing.unwrap_or_default().split(',').map(|text| text.trim_matches('"'));
    let spec = LearnSpec {
        bins: bins.iter().map(|text| edges(text)).collect::<Result<_, _>>()?,
        quantiles: quantiles.iter().map(|text| number_of_bins(text)).collect::<Result<_, _>>()?,
        missing: missing.filter(|text| !text.is_empty()).map(str::to_owned).collect(),
    };
    let mut names: Vec<&str> = spec.bins.iter().map(|(name, _)| name.as_str()).collect();
    names.extend(spec.quantiles.iter().map(|(name, _)| name.as_str()));
    names.sort_unstable();
    match names.windows(2).any(|pair| pair[0] == pair[1]) {
        true => Err(JobError::new("E0200", "--bins and --quantiles name each column once")),
        false => Ok(spec),
    }
}

/// The name before the last `=`, and what follows it.
fn named(text: &str) -> Option<(String, &str)> {
    text.rsplit_once('=').filter(|(name, _)| !name.is_empty()).map(|(name, rest)| (name.to_owned(), rest))
}

fn edges(text: &str) -> Result<(String, Vec<f64>), JobError> {
    let wrong = || {
        JobError::new("E0200", "--bins takes a column and increasing edges").next("for example --bins age=0,18,30,65")
    };
    let (name, rest) = named(text).ok_or_else(wrong)?;
    let edges: Vec<f64> =
        rest.split(',').map(|edge| edge.trim().parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let are_increasing = edges.windows(2).all(|pair| pair[0] < pair[1]) && edges.iter().all(|edge| !edge.is_nan());
    let has_bin = edges.len() >= 2 || edges.first().is_some_and(|edge| edge.is_finite());
    if are_increasing && has_bin { Ok((name, edges)) } else { Err(wrong()) }
}

fn number_of_bins(text: &str) -> Result<(String, usize), JobError> {
    let found = named(text).and_then(|(name, rest)| Some((name, rest.parse().ok()?)));
    found.filter(|(_, bins)| (2..=1000).contains(bins)).ok_or_else(|| {
        JobError::new("E0200", "--quantiles takes a column and a number of bins from 2 to 1000")
            .next("for example --quantiles income=5")
    })
}

/// A job for `disclosure run` with every section: the noisy part is ready, the others are comments
/// to be taken away. `data` is the path of the data beside the job, whose domain is `domain.toml`.
///
/// Lines that begin with `#` and a letter or a bracket are what can be uncommented.
#[must_use]
pub fn job_skeleton(domain: &DomainFile, data: &str, title: &str) -> String {
    let names: Vec<String> = domain.attributes.iter().map(|attribute| toml_text(&attribute.name)).collect();
    let [first, second] = [0, 1].map(|place| names.get(place).or(names.first()).map_or("\"\"", String::as_str));
    let singles: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("[{name}]")).collect();
    let (singles, pair) =
        (singles.join(", "), if first == second { first.to_owned() } else { format!("{first}, {second}") });
    let last = names.last().map_or("\"\"", String::as_str);
    let (data, title) = (toml_text(data), toml_text(title));
    let mut job = String::new();
    // A String takes everything.
    let _ = write!(
        job,
        "\
# A job for `disclosure run`. The noisy part is ready; to add other parts, remove their #.
#   disclosure run job.toml -o out --dry-run     plans and checks every target, and releases nothing
#   disclosure run job.toml -o out               releases if every target is met
title = {title}
#owner = \"Office of statistics\"          # who is responsible for the release; shown on its page
#date = \"May 2026\"                       # the default is the day of the release
data = {data}
domain = \"domain.toml\"                   # check its labels, then write domain_is_public = true there
#encoding = \"latin1\"                     # the encoding of the data, if it is not UTF-8
#count = \"n\"                             # the column with counts, if a line stands for several people

[budget]                                 # for the noise of all parts together
rho = 0.5                                # the README shows what an attacker learns at each rho
neighbours = \"add-remove\"                # or \"replace\": then the number of rows is public
#rows_per_person = 2                     # largest number of rows per person, if above 1
#ledger = \"ledger.jsonl\"                 # created by: disclosure ledger open ledger.jsonl --rho 1

[noisy]                                  # tables with noise, under one guarantee
marginals = [{singles}]                  # or up_to = 2: every table of at most two attributes
#weights = \"equal-error\"                 # the same error for all tables
#after = [\"nonnegative\"]                 # additional tables without negative numbers

#[exact]                                 # tables without noise, audited for what they disclose
#margins = [[{pair}]]
#min_interval_width = 0                  # a count that is known to within this is disclosed
#min_frequency = 5                       # a published number is about at least this many people
#target = \"undisclosed\"
#forbid = [\"noise\"]                      # recode or suppress instead

#[filtered]                              # groups with enough people; requires --secret-file KEY --new-secret
#group_by = [{pair}]
#entity = \"row\"                          # the column that identifies a person; \"row\": each row is one person
#always_suppress_upper_bound = 2         # groups of at most this many people are never published
#mean = 8.0                              # half of the groups of this size are published
#sd = 1.5
#draws = \"publish\"
#counts = {{ kind = \"noisy\", scale = 4.0 }}

#[screen]                                # whether a solver could reconstruct a column from tables of counts
#target = {last}
#known = [{first}]
#suppress_below = 5
#noise = 3
#target_accuracy = 0.9

#[targets]                               # if one of these is missed, nothing is released
#max_rmse = 10.0
"
    );
    job
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code<T: std::fmt::Debug>(result: Result<T, JobError>) -> bool {
        result.unwrap_err().has_code("E0200")
    }

    #[test]
    fn columns_are_named_with_edges_or_a_number_of_bins() {
        let words = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        let spec = learn_spec(&words(&["age=0,18, 65", "a=b=1"]), &words(&["income=5"]), Some("NA,\"\",?")).unwrap();
        assert_eq!(spec.bins, [("age".to_owned(), vec![0.0, 18.0, 65.0]), ("a=b".to_owned(), vec![1.0])]);
        assert_eq!((spec.quantiles, spec.missing), (vec![("income".to_owned(), 5)], words(&["NA", "?"])));
        for wrong in ["age", "=1,2", "age=", "age=2,1", "age=1,1", "age=nan", "age=1,x", "age=inf"] {
            assert!(code(learn_spec(&words(&[wrong]), &[], None)), "{wrong}");
        }
        for wrong in ["income", "income=1", "income=x", "income=1001"] {
            assert!(code(learn_spec(&[], &words(&[wrong]), None)), "{wrong}");
        }
        assert!(code(learn_spec(&words(&["a=1,2"]), &words(&["a=3"]), None)), "twice");
    }
}
