//! Quantities that two parts of a release publish: readers who find two numbers for one thing must
//! know why.

use std::collections::{BTreeMap, BTreeSet};

use super::sheet::Sheet;
use super::words::table_name;

/// A table, and what its numbers count.
#[derive(Clone, Copy, Debug)]
pub(super) struct PublishedTable<'a> {
    /// The table.
    pub(super) sheet: &'a Sheet,
    /// Its file.
    pub(super) path: &'a str,
    /// The column and the value that its people have; `None` where everybody is counted.
    pub(super) counted: Option<(&'a str, &'a str)>,
}

impl PublishedTable<'_> {
    /// Whether every line has its number, so that sums over lines are published too.
    fn is_complete(&self) -> bool {
        !self.sheet.is_truncated() && self.sheet.lines.iter().all(|line| line.value.is_some())
    }

    /// The attributes that its numbers are about.
    fn attributes(&self) -> BTreeSet<&str> {
        let names = self.sheet.names.iter().map(String::as_str);
        names.chain(self.counted.map(|(column, _)| column)).collect()
    }
}

/// A sentence for each quantity that two of these lists publish. The numbers of `noisy` have noise
/// and add up; those of `groups` lack small groups; those of `exact` may have withheld cells.
pub(super) fn sentences(
    exact: &[PublishedTable<'_>],
    groups: &[PublishedTable<'_>],
    noisy: &[PublishedTable<'_>],
) -> Vec<String> {
    let mut found: BTreeMap<String, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    let pairs = exact.iter().chain(groups).flat_map(|first| noisy.iter().map(move |second| (first, second)));
    let between = groups.iter().flat_map(|first| exact.iter().map(move |second| (first, second)));
    for (first, second) in pairs.chain(between) {
        if let Some(quantity) = common(first, second) {
            let (firsts, seconds) = found.entry(quantity).or_default();
            firsts.insert(first.path);
            seconds.insert(second.path);
        }
    }
    found.into_iter().map(|(quantity, (firsts, seconds))| sentence(&quantity, &firsts, &seconds)).collect()
}

/// The quantity that both tables publish, in words.
fn common(first: &PublishedTable<'_>, second: &PublishedTable<'_>) -> Option<String> {
    let (own, other) = (first.attributes(), second.attributes());
    let shared: Vec<String> = own.intersection(&other).map(|&name| name.to_owned()).collect();
    // A table about some people says nothing about everyone: the other one must distinguish them.
    let fits = |table: &PublishedTable<'_>, other: &BTreeSet<&str>| {
        table.counted.is_none_or(|(column, _)| other.contains(column))
    };
    let tells = |table: &PublishedTable<'_>, attributes: &BTreeSet<&str>| {
        table.is_complete() || attributes.len() == shared.len()
    };
    if shared.is_empty() || !fits(first, &other) || !fits(second, &own) || !tells(first, &own) || !tells(second, &other)
    {
        return None;
    }
    Some(match first.counted.or(second.counted) {
        Some((column, value)) if shared == [column] => format!("the number of people with {column} = {value}"),
        Some((column, value)) => format!("people with {column} = {value} by {}", without(&shared, column)),
        None => format!("people by {}", table_name(&shared)),
    })
}

fn without(names: &[String], column: &str) -> String {
    table_name(&names.iter().filter(|name| *name != column).cloned().collect::<Vec<_>>())
}

fn sentence(quantity: &str, firsts: &BTreeSet<&str>, seconds: &BTreeSet<&str>) -> String {
    format!(
        "{quantity}: in {}, and again in {}. If the numbers differ, this is because of noise, and neither is a \
         mistake; a number without noise is the actual count",
        list(firsts),
        list(seconds)
    )
}

fn list(paths: &BTreeSet<&str>) -> String {
    /// Most files that are named.
    const MOST: usize = 3;
    let named: Vec<&str> = paths.iter().copied().take(MOST).collect();
    match paths.len().saturating_sub(MOST) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::sheet::PageLimits;
    use super::*;

    fn sheet(text: &str) -> Sheet {
        Sheet::parse("t.csv", text.as_bytes(), &mut PageLimits::default()).unwrap()
    }

    #[test]
    fn a_quantity_that_two_parts_publish_is_named_once_and_no_other() {
        let exact = sheet("educ,value,sd,status,reason\n1,5,0,exact,\n2,9,0,exact,\n");
        let gap = sheet("educ,sex,value,sd,status,reason\n1,f,,,suppressed,\n2,f,9,0,exact,\n");
        let [by_educ, by_vote, by_age] = ["educ,sex", "vote,TV", "age"]
            .map(|names| sheet(&format!("{names},value,sd\n{}1,2\n", "x,".repeat(names.split(',').count()))));
        let published = |sheet, path| PublishedTable { sheet, path, counted: None };
        let noisy =
            [published(&by_educ, "n/educ.csv"), published(&by_vote, "n/vote.csv"), published(&by_age, "n/age.csv")];
        let [said] = &sentences(&[published(&exact, "e/educ.csv")], &[], &noisy)[..] else { panic!("one") };
        assert!(said.starts_with("people by educ: in e/educ.csv, and again in n/educ.csv."), "{said}");
        // The sums of a table with gaps are not published; its cells are.
        let gaps = [published(&gap, "e/gap.csv")];
        assert!(sentences(&gaps, &[], &[published(&exact, "n/alone.csv")]).is_empty());
        assert_eq!(sentences(&gaps, &[], &noisy).len(), 1);
        // Those who voted A are some of the people by schooling, and all of those with vote A.
        let voters = PublishedTable { counted: Some(("vote", "A")), ..published(&exact, "e/educ.csv") };
        let [said] = &sentences(&[voters], &[], &noisy)[..] else { panic!("one") };
        assert!(
            said.starts_with("the number of people with vote = A: in e/educ.csv, and again in n/vote.csv."),
            "{said}"
        );
    }
}
