//! `disclosure explain CODE`.

use crate::error::Failure;
use crate::files::print;

/// Codes of the command itself, in order; those of data and files are in `privacy-data`.
const EXPLANATIONS: &[(&str, &str)] = &[
    ("E0104", "A file that the command was given could not be opened or read. Check the path and its permissions."),
    (
        "E0105",
        "The ledger could not be read or written. Nothing was released. Check the path, the permissions and the free \
         space of its directory; a lock file beside it (FILE.lock) is normal and may stay.",
    ),
    (
        "E0106",
        "The operating system did not hand out random numbers. Noise without them is no noise, so nothing was \
         released. Run on a system with a working generator.",
    ),
    (
        "E0107",
        "The standard output could not be written, a full disk perhaps. A release with -o is complete in its directory \
         all the same, and paid for: the message says so. Do not run it again for the table on the screen.",
    ),
    ("E0200", "The words of the command are off. `disclosure --help` shows them, with an example."),
    (
        "E0210",
        "The spec is not valid TOML, or has a field that does not exist or a value of another type. Unknown fields are \
         refused because a misspelt one would silently do nothing. docs/formats.md lists every field.",
    ),
    (
        "E0211",
        "The spec says what to release twice, or not at all. Give either marginals = [[\"age\"], [\"age\", \"sex\"]] \
         or up_to = 2, and either [[attribute]] tables or domain = \"domain.toml\".",
    ),
    ("E0212", "[privacy] takes exactly one budget: rho, mu, pcost, or epsilon with delta. Keep one."),
    (
        "E0213",
        "An attribute asks for a basis other than identity. Marginals are cell counts; leave basis out, or write \
         basis = \"identity\".",
    ),
    (
        "E0214",
        "noise = \"continuous\" is for simulation: floating-point noise can be read back from its digits. A release \
         draws exact integer noise; write noise = \"discrete\" or leave the line out.",
    ),
    (
        "E0215",
        "An attribute has the name of a column that every output file adds: value, sd, ci95_low, ci95_high, status, \
         reason. Give it another name, and write column = \"...\" for the name in the data.",
    ),
    (
        "E0216",
        "objective = {norm = 2} takes an order from 1 (the sum of the variances) to 64. For the largest variance write \
         objective = \"max-variance\".",
    ),
    ("E0221", "The workload is empty. List at least one marginal, or give up_to."),
    ("E0222", "A marginal names an attribute that the domain does not have, or names one twice. Compare the spelling."),
    (
        "E0223",
        "A marginal is listed twice, in whatever order its attributes are named. Its error would count twice in the \
         plan. List it once, with a weight: {set = [\"age\", \"sex\"], weight = 2.0}.",
    ),
    ("E0224", "A weight must be finite and above 0. To leave a marginal out, do not list it."),
    ("E0225", "The privacy budget must be finite and above 0 (delta between 0 and 1), and rows_per_person at least 1."),
    (
        "E0226",
        "The noise that this budget asks for is out of the range of exact noise: a variance below 2^-64 or above \
         2^100. The budget, or a weight, is absurdly large or small; check its unit.",
    ),
    (
        "E0351",
        "The ledger is not as it was written: a line was changed, removed, added or reordered, or the file was cut \
         off. Every line holds the digest of the one before. Nothing was released. Restore it from a copy; a ledger \
         that cannot be trusted means that the budget cannot be known.",
    ),
    (
        "E0401",
        "The domain was learnt from the data: a label is listed because somebody has it, so the list itself gives \
         people away, and no noise repairs that. Go through the labels in the domain file, remove what gives somebody \
         away, add what could have been there, and then write domain_is_public = true. A domain.json says nothing \
         of its origin and counts as learnt: write a domain.toml.",
    ),
    (
        "E0402",
        "The ledger counts another promise than this release makes: neighbouring tables or the rows of a person \
         differ. Costs of different promises do not add up. Use the ledger's words in the spec, or another ledger.",
    ),
    (
        "E0501",
        "The ledger does not have that much budget left. Nothing was released. Ask for a smaller rho: the noise grows \
         as one over its square root. A budget is never raised; that is what makes it one.",
    ),
    (
        "E0611",
        "The release would take more cells or memory than the limit. The size is known before anything is computed. \
         Ask for fewer or smaller marginals (a lower up_to, coarser bins), or raise --max-cells or --max-memory.",
    ),
    (
        "E0612",
        "The counts are so large that their exact integer transforms leave 62 bits: total times cells of a marginal. \
         Ask for smaller marginals.",
    ),
    ("E0613", "The counts do not fit the plan or the machine. Ask for smaller marginals."),
    (
        "E0614",
        "A spec or a ledger is larger than 16 MiB. Neither has a use for that; check that the path is the right one. \
         Long lists of labels belong in a domain file.",
    ),
];

/// Prints the paragraph on a code.
pub(crate) fn run(code: &str) -> Result<(), Failure> {
    let code = code.to_uppercase();
    let Some(text) = explanation(&code) else {
        return Err(Failure::new("E0200", format!("there is no error code {code:?}")).next("codes look like E0301"));
    };
    print(format!("{code}: {}\n\n{}\n", exit_of(&code), wrap(text, 90).join("\n")).as_bytes())
}

fn explanation(code: &str) -> Option<&'static str> {
    let own = EXPLANATIONS.iter().find(|(own, _)| *own == code).map(|(_, text)| *text);
    own.or_else(|| privacy_data::explain(code))
}

fn exit_of(code: &str) -> &'static str {
    match code.as_bytes().get(2) {
        Some(b'1') => "a file or an engine failed (exit code 1)",
        Some(b'2') => "words of the command or of a spec (exit code 2)",
        Some(b'3') => "bad data (exit code 3)",
        Some(b'4') => "refused (exit code 4)",
        Some(b'5') => "budget exhausted (exit code 5)",
        _ => "over a resource limit (exit code 6)",
    }
}

/// Lines of at most `width` characters, broken at spaces.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_once_and_in_order() {
        let own = EXPLANATIONS.iter().map(|(code, _)| *code);
        let mut all: Vec<&str> = own.chain(privacy_data::EXPLANATIONS.iter().map(|(code, _)| *code)).collect();
        assert!(EXPLANATIONS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count, "no code stands in both lists");
    }

    #[test]
    fn every_code_in_the_source_is_explained() {
        let sources = [
            include_str!("error.rs"),
            include_str!("ledger/mod.rs"),
            include_str!("resplan/spec.rs"),
            include_str!("resplan/budget.rs"),
            include_str!("resplan/release.rs"),
            include_str!("resplan/simulate.rs"),
            include_str!("files.rs"),
        ];
        for source in sources {
            for (at, _) in source.match_indices("\"E0") {
                let code = &source[at + 1..at + 6];
                assert!(explanation(code).is_some(), "{code}");
            }
        }
    }

    #[test]
    fn text_is_wrapped_at_spaces() {
        assert_eq!(wrap("a bb ccc", 4), ["a bb", "ccc"]);
        assert_eq!(wrap("abcdef g", 3), ["abcdef", "g"]);
    }
}
