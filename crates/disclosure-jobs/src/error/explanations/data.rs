//! Data, stored files and certificates.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0328",
        "A compressed file is damaged or incomplete, or a workbook could not be read as a table: it is damaged, the \
         sheet does not exist, a row is empty or wider than the header in row 1, or a cell contains a line break or an \
         error such as #N/A. The message says where. Repair the sheet, name another one with --sheet, or export the \
         sheet as CSV.",
    ),
    (
        "E0329",
        "It is unclear which rows belong to which person, or to which respondent of a table of amounts. Either \
         identifiers in the column are spelled in several ways (7 and 07, Ann and ANN), so that one person would count \
         as several and exceed the guaranteed number of rows, and one respondent would look like two; or the data changed between the two times that they are read. Write every identifier in one \
         way.",
    ),
    (
        "E0330",
        "With excess_rows = \"refuse\", no one may have more rows than rows_per_person, but at least one person \
         does. Raise rows_per_person (the cost grows with its square), or write excess_rows = \"drop\" to count only \
         that many rows of each person. This message discloses something about the data: it is for their owner only.",
    ),
    (
        "E0336",
        "Some rows do not fit the domain: a value is not a category of its attribute, or is NULL or empty while the \
         attribute has no category for missing values. No row is left out of a count. The message gives the \
         number of rows and the column, which is for the owner of the data only. Add the labels, set missing = \
         \"category\" or other = \"...\", or repair the rows.",
    ),
    (
        "E0337",
        "A column contains lists, structures or bytes, which are neither labels nor numbers. Leave it out, or use \
         --query with an expression that converts it to text or a number.",
    ),
    (
        "E0338",
        "The data changed between two readings: a file was written or removed, or a table has other rows. Tables of \
         different rows contradict each other, so nothing was released. Read a copy, or wait until no one writes to \
         the data.",
    ),
    (
        "E0339",
        "The engine could not read the data: a file is damaged or missing, a folder contains several formats, or \
         memory ran out. The engine's own message can show values of the data, so it is not repeated. Keep the files \
         of one table in a folder of their own, all in one format and with the same extension.",
    ),
    (
        "E0348",
        "The amounts cannot be used: one is below 0, they add up to more than 2^53 units, a cell of a table occurs \
         twice, or the largest contributions of a cell do not fit its amount and number of respondents (they must be \
         in descending order and add up to at most the amount). The message names the line or the row. In a JJ file, \
         the amount of a cell is outside its own bounds.",
    ),
    (
        "E0349",
        "The query cannot be run: it is not valid SQL, names something that does not exist, or would write. A query \
         over files can read only the table data: SELECT region, age FROM data.",
    ),
    (
        "E0350",
        "An option does not apply to this kind of data: --query and --table are for columnar files and databases, \
         which the program disclosure-sql reads; --separator, --decimal, --quote and --sheet are for text files and \
         workbooks.",
    ),
    (
        "E0351",
        "The ledger was modified after it was written: a line was changed, removed, added or reordered, or the file \
         was cut off. Every line contains the digest of the line before. Nothing was released. Restore the ledger \
         from a copy; without a trustworthy ledger, the remaining budget cannot be known.",
    ),
    (
        "E0352",
        "The connection to the database failed: the address is invalid, it contains a password that others can see, \
         the server refused the user or cannot be reached, the server is on another machine and the connection would \
         not be encrypted, or the connection was interrupted. Passwords are read from the file of PGPASSFILE (or \
         ~/.pgpass) and settings from PGSERVICE; neither belongs in an address. Nothing was released.",
    ),
    (
        "E0353",
        "The database role does not have the right to read the table or a column. GRANT SELECT is sufficient, as \
         nothing is written.",
    ),
    (
        "E0354",
        "The server cancelled a statement that exceeded its time limit or waited for a lock. Request fewer columns \
         or rows, run the command when the server is less busy, or have an index or a summary table created.",
    ),
    (
        "E0361",
        "The file is not a stored plan or a measurement in a version that this command reads. Plan files are created \
         by `resplan plan -o FILE`, measurements by `resplan release` (measurement.bin) or `resplan simulate -o \
         FILE`.",
    ),
    (
        "E0362",
        "The stored plan or measurement was modified after it was written: a byte was changed, or the file was cut \
         off. Nothing was released or answered. Fetch the file again from its source. Do not edit a plan by hand: \
         change the specification, and plan again.",
    ),
    (
        "E0363",
        "The stored plan or measurement is complete but inconsistent: its marginals, residuals, strategies or \
         columns do not fit together, or it costs more than it states. It was not written by this command. Create it \
         again.",
    ),
    (
        "E0364",
        "The file given with --jj is not a JJ file as tau-ARGUS and sdcTable write it: a 0, the number of cells, one \
         line of nine fields per cell, the number of relations, and one line per relation. docs/formats.md shows an \
         example. Write it again with the tool that created it.",
    ),
    (
        "E0365",
        "A number in the JJ file is not an integer count from 0 to 2^53, or a bound is not finite. Integer bounds \
         apply to tables of counts, not of amounts; write the file with frequencies, and with finite bounds for \
         every cell.",
    ),
    (
        "E0366",
        "A relation in the JJ file names a cell that does not exist, names a cell twice, has a sign other than 1 and \
         -1, or does not have the stated number of terms; or the cells are not numbered from 0 in the order of their \
         lines.",
    ),
    (
        "E0367",
        "The counts in the JJ file violate one of its relations, or a count is outside its own bounds. An audit of \
         such a table would find contradictions instead of bounds. Correct the table, or write the file again; cells \
         and relations are numbered from 0.",
    ),
    (
        "E0368",
        "Two tables of one release have different totals, so they do not count the same rows. A GROUP BY over a \
         column with missing values, or an inner join, drops rows; rows can also have been added between two \
         queries. Make missing values a category, and count all tables in one transaction. Nothing was drawn or \
         charged.",
    ),
    (
        "E0369",
        "Two tables of one release disagree about the attributes that they share, so they do not count the same \
         rows. Count both in one transaction, with the same coding of every attribute. Nothing was drawn or charged.",
    ),
    (
        "E0371",
        "No integer table has all these numbers, so at least one of them does not count the same people: a typing \
         error in known, another year, or a rounded number that was taken as exact. The message names rows that \
         contradict each other; positions in their names count from 1. frechet bounds --slack computes by how many \
         people they contradict each other, and what they disclose within that slack.",
    ),
    (
        "E0372",
        "A number in known is not true of the data. The bounds would describe another table, so none were computed. \
         Correct the number, or leave it out.",
    ),
    (
        "E0373",
        "The file was not written by `disclosure frechet bounds` or `audit` of this version with --certificates, or \
         it is damaged. Write it again.",
    ),
    (
        "E0374",
        "A certificate does not prove its claim: a table does not satisfy the rows, or the multipliers give a weaker \
         bound. The file was changed, or the program that wrote it has a fault. Do not trust any of its bounds.",
    ),
    (
        "E0375",
        "The file is not a table of groups that `disclosure lcf group` stored for this job: it was changed, is cut \
         off, was created with another secret key, or has other identifiers, threshold distributions, counts or \
         grouping columns. Its group memberships cannot be trusted. Create it again from its rows, with the same \
         specification and key.",
    ),
    (
        "E0381",
        "The table is too small to be screened: it has fewer than two people, more than 2^53, or no column besides \
         the target.",
    ),
    (
        "E0386",
        "The directory is not a release from which a page can be made: it has no manifest.json or release.json, this \
         record is not valid JSON, lacks a field or has another schema, or it names files outside the directory. \
         Give the directory to which a release was written, unchanged.",
    ),
    (
        "E0387",
        "A file named in the record is missing, is not a regular file, or does not match its recorded digest. The \
         page would show something that was not released. Fetch the directory again from its source.",
    ),
    (
        "E0388",
        "A table matches its recorded digest but is not in the format in which releases write tables. Write the \
         release again with this version of the command.",
    ),
    (
        "E0389",
        "A column of identifiers has no declared form, and its identifiers are spelled in several ways: 7 and 07, \
         Ann and ANN, two spaces for one, or words such as NULL that often stand for a missing identifier. Every \
         spelling would count as a separate entity, so a group of one person could be shown. Declare the form: { \
         column = \"user\", form = \"integer\" } reads every spelling of an integer as the same identifier and \
         refuses everything else; form = \"text\" treats every spelling as a separate entity. null = [\"NULL\", \
         \"n/a\"] lists words for a missing identifier. Or clean the column first.",
    ),
    (
        "E0390",
        "A round contains one report per person, so the column given by --person must name each person once. The \
         message names the row. Two reports in one round would cost twice the epsilon: leave one row out.",
    ),
    (
        "E0391",
        "The file is not a valid file of reports (from `ldp encode`) or of counts (from `ldp aggregate` and `ldp \
         merge`): it is of another kind or version, cut off, too long, or was changed since it was written. Fetch it \
         again from its source.",
    ),
    (
        "E0392",
        "Reports and states can only be counted together if they were made with the same schema: the same features, \
         values in the same order, protocols and probabilities. States must also keep the same counts. Use the \
         schema with which they were made.",
    ),
    (
        "E0393",
        "No client with this schema produces such a report: its width, its padding, a symbol or the set of covered \
         features is invalid. Nothing was written. Leave the report out, and check its origin.",
    ),
    (
        "E0394",
        "The bits in a CSV file were randomised by another program, and epsilon depends on how they were randomised. \
         The schema gives p and q of the bits that `ldp encode` makes. If the bits were made with exactly these \
         probabilities, independently for every bit and person, confirm it with --vouch-for-noise. Otherwise no \
         epsilon can be stated, and estimates are wrong.",
    ),
    (
        "E0395",
        "An estimate with a standard error needs at least two reports that cover the set. Wait for more reports.",
    ),
    (
        "E0396",
        "With features_per_person, no report covers both sets, so nothing is known about their joint count among the \
         respondents. Leave --population fixed out, or have more features reported together.",
    ),
    (
        "E0398",
        "No row of the data has these labels, so no decision was made about the group. Compare the spelling and the \
         order of group_by.",
    ),
    (
        "E0399",
        "A report file was already counted, in this call or in an earlier one that the state records. Its people \
         would be counted twice, and the stated error of every count would be too small. Nothing was written. Leave \
         one of the files out. A state records the digest of each report file that it counted, and of each merged \
         state without such records; it does not detect a file in which a single report was changed, removed or \
         moved. Files with very few reports can be equal by chance; --allow-repeats counts them.",
    ),
];
