//! A paragraph on every error code: what is wrong, why it is refused, what to do next.

/// Codes and their explanations, in the order of the codes.
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "E0101",
        "The data file could not be read to its end because the disk, the network or the pipe failed. The part that \
         was read was discarded. Check that the file can be copied, then run the command again.",
    ),
    (
        "E0102",
        "The schema file could not be read. Check the path and its permissions, that it is a regular file and not a \
         pipe, a device or a directory, and that it is UTF-8 text.",
    ),
    (
        "E0103",
        "The operating system refused to create, write, sync or rename an output; its own message follows ours. \
         Outputs are created complete or not at all, so the target is unchanged. Check the free space and the \
         permissions of the parent directory, which must exist.",
    ),
    (
        "E0111",
        "The output directory exists and contains files. The results of two runs in one directory could not be \
         distinguished, so nothing is written. Name a new directory, or move the old one away.",
    ),
    (
        "E0112",
        "The output path is a symbolic link. Following it could overwrite a file elsewhere, so outputs are never \
         written through a link. Give the path that the link points to, or remove the link.",
    ),
    (
        "E0113",
        "The output path exists but is of another kind: a file where a directory would be written, or a directory or \
         a device where a file would be written. Name another path, or use - for standard output.",
    ),
    (
        "E0114",
        "The output path ends in .. or is the root directory, so it does not name an entry that could be created. \
         Give a name: out/release instead of out/.. or the current directory.",
    ),
    (
        "E0115",
        "The name of a file in an output directory can only contain letters, digits, '.', '_' and '-', must not \
         begin with a dot, and has at most 255 bytes. Any other name could point outside the directory or be hidden \
         in it. Rename the attribute or the file from which the name was made.",
    ),
    (
        "E0116",
        "Two files of one output have names that differ in letter case only; on some systems one would replace the \
         other. Rename one of them.",
    ),
    (
        "E0117",
        "The output file exists, and commands only overwrite a file when asked to. Name another file, or add \
         --force.",
    ),
    (
        "E0121",
        "The output is complete at its path, and all its files are on the disk. Only the last step, which makes the \
         name survive a power failure, was refused by the operating system. Do not create the output again: the \
         budget of a release is charged once. Run sync, check that the output exists, and find out what is wrong \
         with the disk.",
    ),
    (
        "E0201",
        "The schema is not valid TOML, has an unknown field, or has a value of the wrong type. Unknown fields are \
         refused because a misspelt one would be ignored silently. Correct the place named in the message; \
         docs/formats.md lists every field.",
    ),
    (
        "E0202",
        "A domain.json must be one object that maps names to sizes, such as {\"age\": 85, \"sex\": 2}. For labels, \
         bins or missing values, write a domain.toml instead; `disclosure init DATA.csv` creates a first version.",
    ),
    (
        "E0203",
        "An attribute gives its categories in exactly one way: size = 5 for the codes 0 to 4, labels = [\"no\", \
         \"yes\"] for texts, or bins = [0, 18, 65, 120] for numbers. Keep one of them.",
    ),
    (
        "E0204",
        "Bins are given by at least two edges, each strictly above the one before: bins = [0, 18, 65] makes [0, 18) \
         and [18, 65]. The first edge may be -inf and the last inf. Sort the edges and remove repeated ones.",
    ),
    (
        "E0205",
        "`other` names the category that collects every label not listed, so it needs labels. For codes, raise size; \
         for bins, widen the edges (-inf and inf are allowed).",
    ),
    (
        "E0206",
        "A text in missing_values is also a category of the attribute, so a field with this text would be ambiguous. \
         Remove it from one of the two lists.",
    ),
    (
        "E0207",
        "The names or labels do not form a valid domain: a name is empty or used twice, a label is repeated, an \
         attribute has no category, or there are more than 128 attributes. The message says which. With missing = \
         \"category\", the label (missing) is reserved.",
    ),
    ("E0208", "The schema has no [[attribute]]. Add one for each column that you want to use."),
    (
        "E0209",
        "The count column is also the column of an attribute. A number cannot be both a category and the weight of \
         its row. Remove the attribute, or name another count column.",
    ),
    (
        "E0230",
        "This character cannot be the field separator or the quote: it is a line break, a NUL or not an ASCII \
         character, or both are the same. Usual separators are the comma, the semicolon, the tab and the vertical \
         bar.",
    ),
    (
        "E0286",
        "names gives a display name to each category listed by size, labels or bins, in the same order: labels = \
         [\"0\", \"1\"] with names = [\"female\", \"male\"]. There must be one name per category, and no name may \
         equal the data value of another category, because a table with names must be readable again.",
    ),
    (
        "E0301",
        "The file is empty. A CSV file begins with a line of column names. Check the export that created the file.",
    ),
    (
        "E0302",
        "The file has a header but no rows. An empty table almost always comes from a failed export, so it is \
         refused. Check the query behind the export.",
    ),
    (
        "E0303",
        "A line has more or fewer fields than the header, so it is unclear which value belongs to which column. If \
         it is the last line, the file was cut off: export it again. Otherwise a value that contains a comma is not \
         quoted, or a separator is missing.",
    ),
    (
        "E0304",
        "A field is not valid UTF-8. Files from older programs are often Latin-1 (Windows-1252). Declare that \
         encoding, or convert the file, for example with iconv -f WINDOWS-1252 -t UTF-8.",
    ),
    (
        "E0305",
        "A field contains a NUL byte, which text files never have. The file is damaged, binary, or UTF-16 without a \
         byte order mark. Convert it, for example with iconv -f UTF-16LE -t UTF-8.",
    ),
    (
        "E0306",
        "The file begins with the byte order mark of UTF-16 or UTF-32. Convert it to UTF-8, for example with \
         iconv -f UTF-16 -t UTF-8, or choose \"CSV UTF-8\" when saving from a spreadsheet.",
    ),
    (
        "E0307",
        "Two columns of the header have the same name, so the name is ambiguous. Rename or remove one of them. The \
         message gives their positions instead of the name, because in a file without a header the first line \
         contains data.",
    ),
    (
        "E0308",
        "The header has no column with the name in the schema. Compare name, or column where it differs, with the \
         header; letter case and spaces matter. If the file has no header, add one.",
    ),
    (
        "E0309",
        "The header is a single field that contains a semicolon, a tab or a vertical bar, but not all lines split at \
         that character, or two separators fit equally well. Declare the separator, or repair the lines: a value \
         that contains the separator must be quoted.",
    ),
    (
        "E0310",
        "A quoted field is never closed, so the rest of the file would be one value. Close the quote at the place \
         named in the message; a quote inside a quoted field is doubled.",
    ),
    (
        "E0311",
        "A quote occurs inside a field that does not begin with a quote. Programs disagree on what that means. Quote \
         the whole field and double its quotes: \"5\"\" pipe\".",
    ),
    (
        "E0312",
        "Text follows the closing quote of a field before the next separator. Either the quote is part of the value \
         and must be doubled, or a separator is missing, or the opening quote was never closed and extends to a \
         quote several lines below. Spaces around quoted fields are not allowed either.",
    ),
    (
        "E0313",
        "A carriage return is not followed by a line feed. Files from very old systems end their lines this way; \
         other files contain one because of damage. End lines with LF or CR LF, or quote the field that contains it.",
    ),
    (
        "E0314",
        "A line is blank. It could be a row that lost all its values, so it is not skipped. Remove it. In a file \
         with one column, write an empty value as two quotes.",
    ),
    (
        "E0315",
        "A value is missing: the field is empty or contains one of missing_values. Dropping the row would bias every \
         count, so the decision is yours: repair the row, or write missing = \"category\" for the attribute to count \
         missing values as a separate category.",
    ),
    (
        "E0316",
        "A value is not among the labels of its attribute. Labels are compared byte for byte, so letter case and \
         spaces matter. Add the label to labels, collect unlisted values with other = \"...\", or repair the row. If \
         the value stands for a missing value, add it to missing_values.",
    ),
    (
        "E0317",
        "A code is written as 0 or as digits that do not begin with 0. Signs, spaces, leading zeros, decimal points, \
         exponents (2e0) and words (NaN, inf, NA) are refused, because a program that writes codes this way has \
         converted them to numbers. Export the codes as integers, give labels for other spellings, or list the words \
         for missing values in missing_values.",
    ),
    (
        "E0318",
        "A code is not below the size of its attribute; codes run from 0 to size - 1. If codes begin at 1, use \
         labels: labels = [\"1\", \"2\"]. Otherwise increase size, or repair the row.",
    ),
    (
        "E0319",
        "A value for bins, or an entry in a file of queries, is not a finite decimal number such as 12, -0.5 or 1e6. \
         A decimal comma is accepted if it was declared, or if the beginning of a file that is not separated by \
         commas contains no other decimal mark. Thousands separators, units, nan and inf are not accepted. List \
         words for missing values in missing_values.",
    ),
    (
        "E0320",
        "A number is below the first or above the last edge of the bins, so it belongs to no category. Widen the \
         bins; the first edge can be -inf and the last inf.",
    ),
    (
        "E0321",
        "A count must be a non-negative integer, written in digits only. Weights with decimals are not counts of \
         people and cannot be protected as such.",
    ),
    (
        "E0322",
        "The counts add up to more than 2^53, so sums would no longer be exact in floating-point arithmetic. Split \
         the table, or check the count column.",
    ),
    (
        "E0323",
        "No column can be learnt: each one has more than 1,000 distinct values, long texts or no name. Write the \
         domain by hand, with bins for numbers; leave identifiers out.",
    ),
    (
        "E0324",
        "A field is longer than the limit of 1 MiB, or than the limit that you set. Labels are never that long; \
         usually a quote is opened but not closed. If the field is correct, raise the limit.",
    ),
    (
        "E0325",
        "A record is longer than the limit of 16 MiB, or than the limit that you set. Usually a quote or a line \
         break is missing. If the record is correct, raise the limit, or remove columns first.",
    ),
    (
        "E0326",
        "A record has more fields than the limit of 4,096, or than the limit that you set. Remove unused columns, or \
         raise the limit.",
    ),
    (
        "E0327",
        "The first bytes show that the file has another format, which the message names. Text with one row per line \
         is expected (CSV, separated by commas, semicolons, tabs or vertical bars). Export the table as CSV from the \
         program that wrote the file.",
    ),
    ("E0331", "Coded rows need one column per attribute of the domain, in the order of the domain."),
    ("E0332", "The columns of coded rows must have the same length. Check how the columns were sliced."),
    (
        "E0333",
        "A code is not below the number of categories of its attribute. It is neither dropped nor moved to the last \
         category, because either would change counts silently. Correct the code, or enlarge the domain.",
    ),
    ("E0334", "Coded rows need one weight per row. Check how the weights were sliced, or leave them out."),
    ("E0335", "The weights add up to more than 2^53, so sums would no longer be exact. Split the table."),
    (
        "E0341",
        "A file of queries names its columns after the categories of the attribute, and each line of a hierarchy \
         begins with a category. This field is not a category. Labels are compared byte for byte, so letter case and \
         spaces matter; the categories added by other and missing are included. A hierarchy file is separated by \
         semicolons and has no header.",
    ),
    ("E0342", "A hierarchy has one line per category, and this category has two. Remove one of them."),
    (
        "E0343",
        "A file of queries needs a column, and a hierarchy a line, for every category of its attribute, including \
         those added by other and missing. The message gives the number of the first category that is missing. Add \
         it; a query that does not count a category has a 0 there.",
    ),
    (
        "E0344",
        "A node of a hierarchy, or a query, has an empty name, so its answer could not be identified. Give it a \
         name.",
    ),
    (
        "E0345",
        "Two queries in a file have the same name, so their answers could not be distinguished. Rename one of them.",
    ),
    (
        "E0346",
        "In a hierarchy, a name identifies one node, with the same parents on every line. This name has different \
         parents on the line given in the message. Rename one of the two nodes, for example by adding the name of \
         its parent.",
    ),
    (
        "E0347",
        "In a hierarchy, a category appears as the parent of another category, so its name would mean both the \
         category and the node. Give the node a name that is not a category. A line may repeat a name (a;a;all), \
         which adds no node.",
    ),
    (
        "E0397",
        "A column of identifiers is read as integers (form = \"integer\"), but this field contains something else. \
         Repair the row, list the value in null if it stands for no entity, or leave form out: values that look like \
         integers are then read as integers, and everything else as text.",
    ),
    (
        "E0604",
        "The attributes have more than 1,048,576 categories in total. Labels are held in memory, and counts over \
         such a large number of categories mostly describe single people. Use bins or coarser labels.",
    ),
    (
        "E0605",
        "A marginal cannot be counted: it names an attribute outside the domain, or it has more than 268,435,456 \
         cells. Ask for fewer attributes at once, or coarsen them.",
    ),
    (
        "E0606",
        "The schema file is longer than 16 MiB, which is more than any schema within the limits needs. Check that \
         the file is the schema and not the data. Otherwise use bins, or coarser or shorter labels.",
    ),
];

/// The paragraph on a code, such as `E0303`; `None` for a code of another crate.
///
/// ```
/// assert!(privacy_data::explain("E0303").is_some_and(|text| text.contains("fields")));
/// ```
#[must_use]
pub fn explain(code: &str) -> Option<&'static str> {
    EXPLANATIONS.iter().find(|(known, _)| *known == code).map(|&(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::{Defect, SchemaError};
    use crate::microdata::RowsError;
    use crate::output::OutputError;

    #[test]
    fn every_code_has_one_explanation_and_every_explanation_a_code() {
        let all = [Defect::CODES, SchemaError::CODES, RowsError::CODES, OutputError::CODES].concat();
        let mut codes = all.clone();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), all.len(), "a code stands for one variant");
        let explained: Vec<&str> = EXPLANATIONS.iter().map(|&(code, _)| code).collect();
        assert_eq!(explained, codes, "in order, each once");
        assert!(EXPLANATIONS.iter().all(|(_, text)| text.len() > 60 && text.ends_with('.')));
        assert!(explain("E0303").is_some_and(|text| text.contains("cut off")));
        assert_eq!(explain("E9999"), None);
    }
}
