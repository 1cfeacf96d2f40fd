//! `docs/dependencies.md`: every crate of others, and why it is there.

use super::owners::Owners;
use super::{External, reasons};

const HEAD: &str = "\
# Dependencies

Every crate of others that the workspace compiles on Linux, written by `cargo xtask supply` from
`Cargo.lock` and the sources of each. *Unsafe* counts the lines in which the word stands, of all
lines in `src/`: a share, and no judgement. *Authors* are those whom its manifest names; 0 names
nobody. *Owners* may publish a new version, and only the registry knows them: `cargo xtask supply
--owners DAY` asks it. `deny.toml` says which licences, sources and second versions are allowed;
`cargo xtask supply` checks it, and so does `cargo deny check` where that is installed, with the
advisories of RustSec where their database can be fetched. The list for machines is `cargo xtask
supply --sbom FILE`.
";

/// The page.
pub(super) fn of(externals: &[External], owners: &Owners) -> String {
    let (shipped, tools): (Vec<&External>, Vec<&External>) = externals.iter().partition(|one| one.is_shipped);
    let mut text = format!("{HEAD}\n{}\n", owners.note());
    text += &part("In the command", "What `disclosure` is compiled with.", &shipped, owners);
    text += &part("In tests, benches and tools", "What no release contains.", &tools, owners);
    text
}

fn part(heading: &str, words: &str, externals: &[&External], owners: &Owners) -> String {
    let (lines, unsafe_lines) =
        externals.iter().fold((0, 0), |(all, found), one| (all + one.lines, found + one.unsafe_lines));
    let mut text = format!(
        "\n## {heading}\n\n{words} {} crates, {lines} lines, of which {unsafe_lines} say `unsafe`.\n\n\
         | crate | version | licence | unsafe | authors | owners | why |\n| --- | --- | --- | ---: | ---: | ---: | --- |\n",
        externals.len()
    );
    for one in externals {
        text += &format!(
            "| `{}` | {} | {} | {} of {} | {} |{} | {} |\n",
            one.name,
            one.version,
            one.licence,
            one.unsafe_lines,
            one.lines,
            one.authors.len(),
            owners.crates.get(&one.name).map(|owners| format!(" {owners}")).unwrap_or_default(),
            why(one)
        );
    }
    text
}

/// The reason of a crate that a member names; of another one, who needs it.
fn why(one: &External) -> String {
    let reason = reasons::ALL.iter().find(|(name, _)| *name == one.name).filter(|_| !one.members.is_empty());
    match reason {
        Some((_, reason)) => (*reason).to_owned(),
        None => {
            let users: Vec<String> = one.needed_by.iter().take(4).map(|name| format!("`{name}`")).collect();
            let more = one.needed_by.len().saturating_sub(4);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            format!("for {}{more}", users.join(", "))
        }
    }
}
