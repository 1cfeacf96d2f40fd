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
        "What is asked about an attribute does not fit it. There is one weight for each query, between 1e-12 and 1e12; the \
         numbers of a file of queries are between -1e6 and 1e6, and not all of them 0. docs/formats.md lists every basis.",
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
    (
        "E0217",
        "strategy = {tilted = 1.0} takes a number from 0 to 1e6: the weight of the total. Leave strategy out, and the \
         best one is found.",
    ),
    (
        "E0218",
        "No strategy was found for the queries about an attribute: they are too unequal in size for double precision. Scale \
         the rows of the file of queries so that their numbers are alike.",
    ),
    (
        "E0219",
        "Two answers about an attribute would have the same name in the outputs, so that nobody could tell them apart. \
         Ranges are named FIRST .. LAST: a label that looks like that may be the name of another range. Rename it.",
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
        "E0227",
        "A measurement answers the planned marginals and every subset of their attributes; this one is none. Without \
         --marginal, `disclosure resplan answer FILE` lists the planned ones. Another marginal takes another release.",
    ),
    (
        "E0228",
        "--query names one answer about each attribute of a table: \"sex=female,age<=40\". An answer is named as in the CSV \
         of the table: a label, \"<= LABEL\", \"FIRST .. LAST\", a node, a query. Names with a comma are quoted as in CSV.",
    ),
    (
        "E0229",
        "max_sd bounds the standard deviation of every answer of a marginal, in counts: a number above 0, in a list of \
         marginals, with the objective sum-variance. {set = [\"age\"], max_sd = 5.0}.",
    ),
    (
        "E0231",
        "margins of a frechet job lists sets of attributes, each once, without the vote: every margin counts those who \
         voted so, or has the candidates. [] is the total; \"axial\" stands for every attribute by itself.",
    ),
    (
        "E0232",
        "vote = {column, value} names a column of the data and one of its labels; without a value every label is a \
         candidate. There is at least one attribute besides it.",
    ),
    (
        "E0233",
        "An entry of publish or known names an attribute, a label or a group that does not exist, or numbers that do not go \
         together. publish takes where and at most one of rounded and interval; known takes where, and value or at_least \
         and at_most. In a job with vote.value all numbers count those who voted so, so the vote is no attribute there.",
    ),
    (
        "E0234",
        "What may be known is out of range: beta is above 0 and at most 0.5, and a vote needs it; kappa is at least 1. \
         target = \"certified\" is about rates, so it takes a vote.",
    ),
    (
        "E0235",
        "A hierarchy file does not cover every label of its attribute once, or [hierarchy] names no attribute. A .hrc file \
         has one code a line, deeper ones behind more @; any other has lines category;parent;grandparent. Neither is more than 256 steps deep.",
    ),
    (
        "E0236",
        "A frechet job has data, or [[attribute]] tables and nothing but known numbers; and attributes are written once, in \
         the spec or in domain. What is published from data needs the data.",
    ),
    (
        "E0237",
        "Nothing says how large some cell could be: it is in no published number, and the composition is not known. Publish \
         the total, margins = [[]], or give a vote.",
    ),
    (
        "E0238",
        "A plan decides on public sizes unless told otherwise, so that what it coarsens or withholds tells nothing; without a \
         vote no sizes are public. Write decide_on = \"counts\": the plan keeps more, and its choices tell something about \
         the counts, which it says.",
    ),
    (
        "E0239",
        "The noise of so small a budget does not fit its integers, or the cost has no statement at this delta. Give a larger \
         epsilon or delta, or leave delta out.",
    ),
    (
        "E0240",
        "frechet diff takes two jobs about one population: the same attributes with the same labels in the same order, a vote \
         in both or in neither, and the same tau, beta, kappa and classes.",
    ),
    (
        "E0351",
        "The ledger is not as it was written: a line was changed, removed, added or reordered, or the file was cut \
         off. Every line holds the digest of the one before. Nothing was released. Restore it from a copy; a ledger \
         that cannot be trusted means that the budget cannot be known.",
    ),
    (
        "E0361",
        "The file is no stored plan or no measurement of a version that this command reads. A plan file comes from \
         `resplan plan -o FILE`, a measurement from `resplan release` (measurement.bin) or `resplan simulate -o FILE`.",
    ),
    (
        "E0362",
        "The stored plan or measurement is not as it was written: a byte was changed, or the file was cut off. Nothing was \
         released or answered. Fetch it again from where it was written. A plan is not edited by hand: change the spec, \
         and plan again.",
    ),
    (
        "E0363",
        "The stored plan or measurement is whole, but its parts do not make a plan: its marginals, residuals, strategies \
         or columns do not fit together, or it costs more than it says. It was not written by this command. Make it again.",
    ),
    (
        "E0364",
        "The file of --jj is not a JJ file as tau-ARGUS and sdcTable write it: a 0, the number of cells, a line of nine words \
         for each, the number of relations, a line for each. docs/formats.md shows one. Write it again with the tool that made \
         it.",
    ),
    (
        "E0365",
        "A number of the JJ file is no whole count from 0 to 2^53, or a bound is not finite. Bounds for whole numbers hold for \
         tables of counts, not for amounts; write the file with frequencies, and with finite bounds for every cell.",
    ),
    (
        "E0366",
        "A relation of the JJ file names a cell that is not there, names one twice, has a sign other than 1 and -1, or not as \
         many terms as it says; or the cells are not numbered from 0 in the order of their lines.",
    ),
    (
        "E0367",
        "The counts of the JJ file do not satisfy one of its relations, or a count is outside its own bounds. An audit of such a \
         table would find contradictions instead of bounds. Correct the table, or write the file again; cells and relations \
         are numbered from 0.",
    ),
    (
        "E0371",
        "No table of whole numbers has all these numbers, so at least one is not of the same people: a typing error in \
         known, another year, a rounding that was taken for exact. The message names rows that contradict each other; \
         positions in their names count from 1. \
         frechet bounds --slack says by how many people they contradict each other, and what they tell when that is granted.",
    ),
    (
        "E0372",
        "A number in known is not true of the data. Bounds would be about another table, so none were given. Correct it, or \
         leave it out.",
    ),
    (
        "E0373",
        "The file is none that `disclosure frechet bounds` or `audit` of this version writes with --certificates, or it was damaged. Write \
         it again.",
    ),
    (
        "E0374",
        "A certificate does not prove what it claims: a table does not fit the rows, or the multipliers bound less. The \
         file was changed, or the program that wrote it is wrong. Trust none of its bounds.",
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
        "E0403",
        "No plan keeps every max_sd at this budget. The message names the least pcost that does (rho is half of it), as far as \
         these strategies go. Raise the budget, or allow more noise. Nothing was spent.",
    ),
    (
        "E0411",
        "The published numbers do not meet the job's own target, so nothing was released. `disclosure frechet audit` names \
         the groups, what follows about them, and for whom. Publish fewer attributes together, or coarser ones; merge \
         small groups; or leave out what makes the difference. Raising tau or lowering beta and kappa changes the promise, \
         not the danger.",
    ),
    (
        "E0412",
        "What is public already, the composition, the numbers of publish and the facts of known, discloses a group: nothing \
         that is withheld would protect it. Correct the job, or accept that group by a smaller scope (classes). A group of no more \
         people than tau is known within tau from the start: lower tau, or make attributes coarser.",
    ),
    (
        "E0413",
        "Two cycles, or a release and the next, disclose together what neither discloses alone: the few who came or went \
         are the difference of two published numbers, or different tables meet in a cell. What is out stays out, so the later \
         one has to give way: publish fewer or coarser tables, or wait until at least kappa people came or went everywhere. A \
         group that is not decided within [limits] counts as well.",
    ),
    (
        "E0414",
        "A suppressed cell that is sensitive can be told from the published ones, exactly or more closely than its protection \
         levels allow, or a limit was reached before it was shown that it cannot. Nothing was changed. Suppress more cells with \
         the tool that wrote the file, or publish coarser ones; --certificates writes what proves every bound.",
    ),
    (
        "E0501",
        "The ledger does not have that much budget left. Nothing was released. Ask for a smaller rho: the noise grows \
         as one over its square root. A budget is never raised; that is what makes it one.",
    ),
    (
        "E0611",
        "The release would take more numbers or memory than the limit. The size is known before anything is computed. \
         Ask for fewer or smaller marginals (a lower up_to, coarser bins), or raise --max-answers or --max-memory.",
    ),
    (
        "E0612",
        "The counts are so large that their exact integer transforms leave 62 bits: total times cells of a marginal. \
         Ask for smaller marginals.",
    ),
    ("E0613", "The counts do not fit the plan or the machine. Ask for smaller marginals."),
    (
        "E0614",
        "A spec, or a file that it names, is larger than 16 MiB, or a stored plan larger than 1 GiB. Neither has a use for \
         that; check that the path is the right one. Long lists of labels belong in a domain file.",
    ),
    (
        "E0621",
        "The table, its classes or its linear programs are larger than the limits of the job, or the search ended at its \
         limit. Use fewer or coarser attributes, classes = \"pairs\" or \"cells\", or raise what the message names in \
         [limits]: steps, nodes, super_cells, rows, classes. Limits count work, not seconds.",
    ),
    ("E0622", "A number is above 2^53, or all cells together could hold more than 2^62. Count in larger units."),
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
            include_str!("frechet/audit.rs"),
            include_str!("frechet/bounds.rs"),
            include_str!("frechet/certificates.rs"),
            include_str!("frechet/columns.rs"),
            include_str!("frechet/diff.rs"),
            include_str!("frechet/error.rs"),
            include_str!("frechet/facts.rs"),
            include_str!("frechet/job.rs"),
            include_str!("frechet/plan.rs"),
            include_str!("frechet/problem.rs"),
            include_str!("frechet/release.rs"),
            include_str!("frechet/slack.rs"),
            include_str!("frechet/spec.rs"),
            include_str!("frechet/verify.rs"),
            include_str!("ledger/mod.rs"),
            include_str!("resplan/answer.rs"),
            include_str!("resplan/asked.rs"),
            include_str!("resplan/bases.rs"),
            include_str!("resplan/budget.rs"),
            include_str!("resplan/mbi.rs"),
            include_str!("resplan/names.rs"),
            include_str!("resplan/plan.rs"),
            include_str!("resplan/release.rs"),
            include_str!("resplan/simulate.rs"),
            include_str!("resplan/spec.rs"),
            include_str!("resplan/stored.rs"),
            include_str!("resplan/table.rs"),
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
