//! The column of CONTRIBUTING.md of how many crates a crate compiles, compared with what
//! `cargo tree` says.

use std::path::Path;
use std::process::Command;

use crate::tidy::Breach;
use crate::workspace::{self, Error};

const PAGE: &str = "CONTRIBUTING.md";

/// Rows whose number is not that of `cargo tree`.
pub(crate) fn breaches(root: &Path) -> Result<Vec<Breach>, Error> {
    let mut found = Vec::new();
    for (name, stated) in rows(&workspace::read(&root.join(PAGE))?) {
        let counted = count(&name, root)?;
        if stated != counted {
            found.push(Breach::new(
                PAGE,
                format!("says that {name} compiles {stated} crates, cargo tree says {counted}"),
            ));
        }
    }
    Ok(found)
}

/// The crates of the table with their numbers: the first code span and the last column of each
/// row.
fn rows(page: &str) -> Vec<(String, usize)> {
    let lines = page.lines().skip_while(|line| !line.starts_with("| crate |")).skip(2);
    let mut found = Vec::new();
    for line in lines.take_while(|line| line.starts_with('|')) {
        let name = line.split('`').nth(1).unwrap_or_default().to_owned();
        let number = line.trim_end_matches('|').rsplit('|').next().and_then(|text| text.trim().parse().ok());
        found.push((name, number.unwrap_or(0)));
    }
    found
}

/// The packages that a crate compiles with its default features, itself included: names, each
/// once.
fn count(name: &str, root: &Path) -> Result<usize, Error> {
    let cargo = workspace::cargo();
    let words = ["tree", "--package", name, "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let failed = || Error::Step { command: format!("cargo {}", words.join(" ")) };
    let output = Command::new(cargo).args(words).current_dir(root).output().map_err(|_| failed())?;
    if !output.status.success() {
        return Err(failed());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let names: std::collections::BTreeSet<&str> =
        text.lines().filter_map(|line| line.split(' ').next()).filter(|name| !name.is_empty()).collect();
    Ok(names.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_the_table_are_read() {
        let page = "# A\n\n| crate | what | crates |\n| --- | --- | --- |\n| [`lcf`](x) | Groups | 35 |\n| [`a`](y) | B | x |\n\n| [`no`](z) | | 1 |";
        assert_eq!(rows(page), [("lcf".to_owned(), 35), ("a".to_owned(), 0)]);
    }

    #[test]
    fn a_crate_is_counted_with_what_it_compiles() {
        let root = workspace::root();
        let (certificate, report) =
            (count("frechet-certificate", &root).unwrap(), count("disclosure-report", &root).unwrap());
        assert!(certificate <= 10, "a sceptic compiles {certificate} crates");
        assert!((1..=3).contains(&report), "{report}");
    }
}
