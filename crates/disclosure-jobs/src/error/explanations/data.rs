//! Data, stored files and certificates.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0328",
        "A workbook could not be read as a table: it is damaged, or the sheet is not there, a row is wider than the \
         header in row 1 or empty, or a cell holds an error such as #N/A or a line break. The message says where. \
         Repair the sheet, name another one with --sheet, or export the sheet as CSV.",
    ),
    (
        "E0329",
        "Who has which row is unclear: the identifiers of the column of person are spelled in several ways (7 and 07, Ann \
         and ANN), so that one person would count as several and have more rows than the promise allows; or the data changed \
         between the two times that they are read. Write every identifier in one way.",
    ),
    (
        "E0330",
        "With excess_rows = \"refuse\", nobody may have more rows than rows_per_person, and somebody has. Raise it (the cost \
         grows with its square), or let excess_rows = \"drop\" count that many rows of each person. This message says something \
         about the data: it is for their owner.",
    ),
    (
        "E0336",
        "Rows do not fit the domain: a value is no category of its attribute, or NULL or an empty text where the attribute has \
         no category for missing values. No row is left out of a count. The message says how many rows of which column, which is \
         for the owner of the data. Add the labels, set missing = \"category\" or other = \"...\", or repair the rows.",
    ),
    (
        "E0337",
        "A column holds lists, structures or bytes, which are neither labels nor numbers. Leave it out, or give the rows by \
         --query with an expression that makes a text or a number of it.",
    ),
    (
        "E0338",
        "The data changed between two readings: a file was written or removed, or a table has other rows. Tables of different \
         rows contradict each other, so nothing was released. Read a copy, or wait until nobody writes.",
    ),
    (
        "E0339",
        "An engine could not read the data: a file is damaged or gone, a folder holds several formats, or there is no memory \
         left. The engine's own words may show values of the data, so they are not repeated. Files of one table are kept in a \
         folder of their own, all of one format, with endings that are alike.",
    ),
    (
        "E0348",
        "Amounts cannot be used: one is below 0, they add up to more than 2^53 units, a cell of a table stands twice, or its \
         largest contributions do not fit its amount and its number of respondents: they stand in order, and add up to at most the \
         amount. The message names the line or the row. In a JJ file, the amount of a cell is outside its own bounds.",
    ),
    (
        "E0349",
        "The query cannot be run: it is not valid SQL, names something that is not there, or would write. A query over files \
         reads the table data and nothing else: SELECT region, age FROM data.",
    ),
    (
        "E0350",
        "What was declared does not suit the data: --query and --table are for files of columns and for databases, which the \
         program disclosure-sql reads; --separator, --decimal, --quote and --sheet are for text and workbooks.",
    ),
    (
        "E0351",
        "The ledger is not as it was written: a line was changed, removed, added or reordered, or the file was cut \
         off. Every line holds the digest of the one before. Nothing was released. Restore it from a copy; a ledger \
         that cannot be trusted means that the budget cannot be known.",
    ),
    (
        "E0352",
        "There is no connection to the database: the address is not valid, a password is where others can see it, the server refused \
         the user or cannot be reached, it is on another machine and the connection would not be encrypted, or it was cut. \
         Passwords come from the file of PGPASSFILE (or ~/.pgpass), settings from PGSERVICE; none is written in an address. \
         Nothing was released.",
    ),
    (
        "E0353",
        "The role of the connection has no right to read the table or a column. GRANT SELECT is enough: nothing is written.",
    ),
    (
        "E0354",
        "The server ended a statement that took longer than it may, or waited for a lock. Ask for fewer columns or rows, ask when \
         less is going on, or have an index or a summary made.",
    ),
    (
        "E0361",
        "The file is not a stored plan or a measurement of a version that this command reads. A plan file comes from \
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
        "A number of the JJ file is not an integer count from 0 to 2^53, or a bound is not finite. Integer bounds hold for \
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
        "E0368",
        "Two tables of one release have different totals, so they do not count the same rows. A GROUP BY over a column with \
         missing values, or an inner join, leaves rows out; rows may also have arrived between two queries. Make missing \
         values a category, and count all tables in one transaction. Nothing was drawn or spent.",
    ),
    (
        "E0369",
        "Two tables of one release disagree about the attributes that they share, so they do not count the same rows. Count \
         both in one transaction, with the same coding of every attribute. Nothing was drawn or spent.",
    ),
    (
        "E0371",
        "No integer table has all these numbers, so at least one does not count the same people: a typing error in \
         known, another year, a rounded number that was read as exact. The message names rows that contradict each other; \
         positions in their names count from 1. \
         frechet bounds --slack says by how many people they contradict each other, and what they disclose within that slack.",
    ),
    (
        "E0372",
        "A number in known is not true of the data. Bounds would be about another table, so none were given. Correct it, or \
         leave it out.",
    ),
    (
        "E0373",
        "The file is not one that `disclosure frechet bounds` or `audit` of this version writes with --certificates, or it was damaged. Write \
         it again.",
    ),
    (
        "E0374",
        "A certificate does not prove what it claims: a table does not fit the rows, or the multipliers bound less. The \
         file was changed, or the program that wrote it is wrong. Trust none of its bounds.",
    ),
    (
        "E0375",
        "The file is not a table of groups that `disclosure lcf group` stored for this job: it was changed, is cut off, was \
         made under another secret, or has other kinds of identifiers, laws, numbers or grouping columns. Its word about who is \
         in a group cannot be taken. Make it again from its rows, under the same specification and secret.",
    ),
    (
        "E0381",
        "The table is too small to be screened: it has fewer than two people, more than 2^53, or no column besides the target.",
    ),
    (
        "E0386",
        "The directory is not a release that a page can be made of: it has no manifest.json or release.json, the record is not JSON or lacks a \
         field, it is of another schema, or it names files outside of the directory. Give the directory that a \
         release was written to, as it was written.",
    ),
    (
        "E0387",
        "A file that the record names is missing, is not a regular file, or has other bytes than the record's digest says. A page \
         would show something that was not released. Fetch the directory again from where it was written.",
    ),
    (
        "E0388",
        "A table has the digest that the record gives but is not in the form in which releases write tables. Write the \
         release again with this version of the command.",
    ),
    (
        "E0389",
        "A column of identifiers has no declared form, and its identifiers are spelled in several ways: 7 and 07, Ann and ANN, \
         two spaces for one, or words such as NULL that often stand for nobody. Every spelling would count as an entity, and a \
         group of one person could be shown. Declare the form: { column = \"user\", form = \"integer\" } reads every spelling of \
         an integer as one and refuses what is not an integer; form = \"text\" says that every spelling is another entity. null = \
         [\"NULL\", \"n/a\"] lists words for nobody. Or clean the column first.",
    ),
    (
        "E0390",
        "A round has one report about each person, so the column of --person names a person once. The message names the row. Two \
         reports in one round would cost twice: leave one row out.",
    ),
    (
        "E0391",
        "The file is not what it should be: not a file of reports (of `ldp encode`) or of counts (of `ldp aggregate` and `ldp \
         merge`), of another version, cut off, too long, or changed since it was written. Fetch it again.",
    ),
    (
        "E0392",
        "Reports and states can be counted together when they were made under one schema: the same features, values in the \
         same order, protocols and probabilities. States must also keep the same counts. Look for the schema they came from.",
    ),
    (
        "E0393",
        "No client of this schema makes such a report: its width, its padding, a symbol or the features it covers are invalid. \
         Nothing was written. Leave the report out, and look at where it came from.",
    ),
    (
        "E0394",
        "Bits of a CSV file were randomised by another program, and epsilon is a promise about what randomised them. The schema \
         says p and q of bits that `ldp encode` makes. If the bits were made with exactly these probabilities, independently for \
         every bit and person, say so with --vouch-for-noise; if not, there is no epsilon to print, and estimates are wrong.",
    ),
    ("E0395", "An estimate with an error takes two reports that cover the set. Wait for more."),
    (
        "E0396",
        "With features_per_person no report covers both sets, so nothing is known about them together for the people who reported. \
         Leave --population fixed out, or have more features reported together.",
    ),
    (
        "E0398",
        "No row of the data has these labels, so nothing was decided about the group. Compare the spelling, and the order of \
         group_by.",
    ),
    (
        "E0399",
        "A file of reports was counted before: in this call, or in an earlier one whose state remembers it. Its people would be \
         counted twice, and the error of every count would be stated too small. Nothing was written. Leave one out. A state \
         remembers the digest of each file of reports that it counted, and of each state that remembers none; it does not \
         notice a file with one report changed, left out or moved. Files with very few reports can be the same by chance: \
         --allow-repeats adds them.",
    ),
];
