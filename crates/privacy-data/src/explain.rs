//! A paragraph on every error code: what is wrong, why it is refused, what to do next.

/// Codes and their explanations, in the order of the codes.
pub const EXPLANATIONS: &[(&str, &str)] = &[
    (
        "E0101",
        "The data file could not be read to its end: the disk, the network or the pipe failed. \
         Nothing was taken from the part that was read. Check that the file can be copied, then run the command again.",
    ),
    (
        "E0102",
        "The schema file could not be read. Check the path and its permissions, that it is a regular file and not a \
         pipe, a device or a directory, and that it is UTF-8 text.",
    ),
    (
        "E0103",
        "The system refused to create, write, sync or rename an output; its own words follow the message. \
         Outputs appear whole or not at all, so the target is as it was. \
         Check free space and permissions of the parent directory, which must exist.",
    ),
    (
        "E0111",
        "The output directory exists and holds files. Results of two runs in one directory cannot be distinguished, so \
         nothing is written. Name a new directory, or move the old one away.",
    ),
    (
        "E0112",
        "The output path is a symbolic link. Following it could overwrite a file somewhere else, so outputs never \
         go through one. Give the path that the link points to, or remove the link.",
    ),
    (
        "E0113",
        "The output path exists and is something else: a file where a directory is written, a directory or a device \
         where a file is written. Name another path, or use - for the standard output.",
    ),
    (
        "E0114",
        "The output path ends in .. or is the root, so it does not name an entry that could be created. \
         Write a name: out/release instead of out/.. or the current directory.",
    ),
    (
        "E0115",
        "A file in an output directory may be named with letters, digits, '.', '_' and '-' only, with no dot in front \
         and at most 255 bytes. Any other name could leave the directory or hide in it. Rename the attribute or the \
         file that the name was made from.",
    ),
    (
        "E0116",
        "Two files of one output have the same name, capital letters apart; one would replace the other on some \
         systems. Rename one.",
    ),
    (
        "E0117",
        "The output file exists, and a command replaces no file unless it is asked to. Name another file, or add \
         --force.",
    ),
    (
        "E0121",
        "The output is in its place, whole, and every file of it is on the disk; only the last step, which makes its \
         name survive a power cut, was refused by the system. Do not make it again: a release is paid for once. Run \
         sync, look that it is there, and find out what ails the disk.",
    ),
    (
        "E0201",
        "The schema is not valid TOML, or has a field that does not exist or a value of another type. Unknown fields \
         are refused because a misspelt one would silently do nothing. Correct the place that the message names; \
         docs/formats.md lists every field.",
    ),
    (
        "E0202",
        "A domain.json must be one object of names and sizes, such as {\"age\": 85, \"sex\": 2}. For labels, bins or \
         missing values, write a domain.toml instead; `disclosure init DATA.csv` makes a first one.",
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
        "A string in missing_values is also a category of the attribute, so a field with it would have two readings. \
         Remove it from one of the two lists.",
    ),
    (
        "E0207",
        "The names or labels do not make a domain: a name is empty or used twice, a label is repeated, an attribute \
         has no category, or there are more than 128 attributes. The message says which. With missing = \"category\" \
         the label (missing) is taken.",
    ),
    ("E0208", "The schema has no [[attribute]]. Add one for each column that is to be used."),
    (
        "E0209",
        "The column with the counts is also the column of an attribute. A number cannot be a category and the weight \
         of its row. Remove the attribute, or name another count column.",
    ),
    (
        "E0230",
        "The separator of fields, or the quote around them, cannot be that character: it is a line break, a NUL, no \
         character of ASCII, or both are the same. Usual separators are a comma, a semicolon, a tab and a bar.",
    ),
    (
        "E0286",
        "names gives each category that is written as size, labels or bins the name that tables use, in their order: \
         labels = [\"0\", \"1\"] with names = [\"female\", \"male\"]. There must be as many names as categories, and no \
         name may be what the data have for another category, since a table with names has to read back.",
    ),
    ("E0301", "The file is empty. A CSV file begins with a line of column names. Check the export that made it."),
    (
        "E0302",
        "The file has a header and no row. A table of nobody is almost always a failed export, so it is refused. \
         Check the query behind it.",
    ),
    (
        "E0303",
        "A line has more or fewer fields than the header. Which value belongs to which column is then a guess. If it \
         is the last line, the file was cut off: export it again. Otherwise a comma inside a value is not quoted, or \
         a separator is missing.",
    ),
    (
        "E0304",
        "A field is not UTF-8. Files from older programs are often Latin-1 (Windows-1252): say so, or convert the \
         file, for example with iconv -f WINDOWS-1252 -t UTF-8.",
    ),
    (
        "E0305",
        "A field holds a NUL byte, which no text file has. The file is damaged, binary, or UTF-16 without a byte \
         order mark. Convert it, for example with iconv -f UTF-16LE -t UTF-8.",
    ),
    (
        "E0306",
        "The file begins with the byte order mark of UTF-16 or UTF-32. Convert it to UTF-8, for example with \
         iconv -f UTF-16 -t UTF-8, or choose \"CSV UTF-8\" when saving from a spreadsheet.",
    ),
    (
        "E0307",
        "Two columns of the header have the same name, so the name does not say which one is meant. Rename or remove \
         one of them. The message gives their positions and not the name: a file without a header has data there.",
    ),
    (
        "E0308",
        "The header has no column of the name that the schema gives. Compare name, or column where it differs, with \
         the header: capital letters and spaces count. A file without a header needs one.",
    ),
    (
        "E0309",
        "The header is a single field with a semicolon, a tab or a bar in it, and the lines below do not all split \
         there, or two separators fit equally well. Say which separator is meant, or repair the lines: a separator \
         inside a value needs quotes around the value.",
    ),
    (
        "E0310",
        "A field opens with a quote that nothing closes, so the rest of the file would be one value. Close the quote \
         at the place that the message names; a quote inside a quoted field is doubled.",
    ),
    (
        "E0311",
        "A quote stands inside a field that does not begin with one. Programs disagree on what that means. Quote the \
         whole field and double its quotes: \"5\"\" pipe\".",
    ),
    (
        "E0312",
        "Text follows the closing quote of the field before the next comma. Either a quote was meant as part of the \
         value, then double it; or a comma is missing; or the quote that opens the field is never closed and ran into \
         the next one, lines below. Spaces around quoted fields are not allowed either.",
    ),
    (
        "E0313",
        "A carriage return stands without a line feed. Files of very old systems end their lines so; others contain \
         one by damage. End lines with LF or CR LF, or quote the field that has it.",
    ),
    (
        "E0314",
        "A line is blank. It may be a row whose values are all lost, so it is not skipped. Remove it. In a file of \
         one column an empty value is written as two quotes.",
    ),
    (
        "E0315",
        "A value is missing: the field is empty, or is one of missing_values. Dropping the row would bias every \
         count, so the choice is yours: repair the row, or write missing = \"category\" for the attribute to count \
         the missing as a category of their own.",
    ),
    (
        "E0316",
        "A value is not among the labels of its attribute. Labels are compared byte for byte: capital letters and \
         spaces count. Add the label to labels, collect what is not listed with other = \"...\", or repair the row. \
         If it stands for a missing value, add it to missing_values.",
    ),
    (
        "E0317",
        "A code has one spelling: 0, or digits that do not begin with 0. A sign, a space, a leading zero, a decimal \
         point, an exponent (2e0) and words (NaN, inf, NA) are refused, because a program that writes codes so has \
         turned them into numbers on the way. Export the codes as integers, give labels for other spellings, or list \
         the words for missing values in missing_values.",
    ),
    (
        "E0318",
        "A code is not below the size of its attribute; codes run from 0 to size - 1. Codes that begin with 1 are \
         labels: write labels = [\"1\", \"2\"]. Otherwise raise size, or repair the row.",
    ),
    (
        "E0319",
        "A value for bins, or an entry of a file of queries, is not a finite decimal number such as 12, -0.5 or 1e6. \
         A decimal comma is read where it was declared, or where the head of a file without commas as separators \
         shows nothing else. Thousands separators, units, nan and inf are not read. Words for missing values belong \
         in missing_values.",
    ),
    (
        "E0320",
        "A number lies below the first or above the last edge of the bins, so no category has it. Widen the bins; \
         the first edge may be -inf and the last inf.",
    ),
    (
        "E0321",
        "A count must be a plain integer, 0 or more, in digits alone. Weights with decimals are not counts of people \
         and cannot be protected as such.",
    ),
    (
        "E0322",
        "The counts add up to more than 2^53, beyond which sums are no longer exact in the arithmetic of the \
         estimates. Split the table, or check the count column.",
    ),
    (
        "E0323",
        "No column can be learnt: each has more than 1,000 distinct values, long texts or no name. Write the domain \
         by hand, with bins for numbers; identifiers are no attributes.",
    ),
    (
        "E0324",
        "A field is longer than the limit of 1 MiB, or the one you set. No label is that long: usually a quote is \
         opened and never closed. If the field is meant, raise the limit.",
    ),
    (
        "E0325",
        "A record is longer than the limit of 16 MiB, or the one you set. Usually a quote or a line break is missing. \
         If the record is meant, raise the limit, or drop columns before.",
    ),
    (
        "E0326",
        "A record has more fields than the limit of 4,096, or the one you set. Drop the columns that are not used, or \
         raise the limit.",
    ),
    (
        "E0327",
        "The first bytes are those of another format, and the message names it. Text with a row a line is read (CSV, \
         with commas, semicolons, tabs or bars). Export the table as CSV from the program that wrote the file.",
    ),
    ("E0331", "Coded rows need one column for each attribute of the domain, in its order."),
    ("E0332", "The columns of coded rows must be equally long. Check how the columns were cut."),
    (
        "E0333",
        "A code is not below the cardinality of its attribute. It is not dropped or moved to the last category, since \
         either would change counts silently. Correct the code, or widen the domain.",
    ),
    ("E0334", "Coded rows need one weight each. Check how the weights were cut, or leave them out."),
    ("E0335", "The weights add up to more than 2^53, beyond which sums are no longer exact. Split the table."),
    (
        "E0341",
        "A file of queries names its columns after the categories of the attribute, and a hierarchy begins each line with \
         one. This field is not among them. Labels are compared byte for byte, capital letters and spaces count; the \
         categories that other and missing add are among them. A hierarchy is separated by semicolons and has no header.",
    ),
    ("E0342", "A hierarchy has one line for each category, and this one has two. Remove one."),
    (
        "E0343",
        "A file of queries has a column, and a hierarchy a line, for every category of its attribute, those that other and \
         missing add included. The message gives the number of the first that is left out. Add it; a query that does not \
         count a category has a 0 there.",
    ),
    (
        "E0344",
        "A node of a hierarchy or a query has an empty name, so nobody could tell its answer from another. Name it.",
    ),
    ("E0345", "Two queries of a file have the same name, so their answers could not be distinguished. Rename one."),
    (
        "E0346",
        "In a hierarchy a name stands for one node, which has the same parents on every line. This name has other parents \
         on the line that the message gives. Rename one of the two nodes, for example by adding its parent's name.",
    ),
    (
        "E0347",
        "In a hierarchy a category stands above another one, so that its name would mean the category and the node. Give \
         the node a name that is no category. A line may repeat a name (a;a;all): that adds no node.",
    ),
    (
        "E0397",
        "A column of identifiers is read as integers (form = \"integer\"), and this field holds something else. Repair the row, \
         list it in null if it stands for nobody, or leave form out: then what looks like an integer is one, and all else \
         is text.",
    ),
    (
        "E0604",
        "The attributes have more than 1,048,576 categories in total. Labels are held in memory, and counts over so \
         many categories are mostly of single persons. Use bins, or coarser labels.",
    ),
    (
        "E0605",
        "A marginal cannot be counted: its set is not of the domain, or it has more than 268,435,456 cells. Ask for \
         fewer attributes at once, or coarsen them.",
    ),
    (
        "E0606",
        "The schema file is longer than 16 MiB, more than the labels of any schema within the limits should take. \
         Check that it is the schema and not the data. Use bins, or coarser or shorter labels.",
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
