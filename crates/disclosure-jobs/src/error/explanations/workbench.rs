//! The workbench in the browser.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0701",
        "The workbench listens only on loopback addresses such as 127.0.0.1, so that no other machine can reach it, \
         and the address or port could not be used. Leave out --port to use a free one.",
    ),
    (
        "E0702",
        "The folder for the workbench does not exist or cannot be read. Start the workbench in the folder of the \
         data, or name that folder.",
    ),
    (
        "E0703",
        "The workbench opens only files below the folder in which it was started: it accepts no absolute names, no \
         .., and no links that lead outside. A name that does not exist gives the same message. Start the workbench \
         in a folder that contains the data.",
    ),
    (
        "E0704",
        "A field on a page has an invalid value; the message names the field and the accepted values. Numbers can \
         have a decimal point or a decimal comma. Nothing was changed.",
    ),
    (
        "E0705",
        "The project file of the workbench, disclosure-workbench/project.json, was created by another version or was \
         changed. It contains choices but no releases: rename it, and the workbench starts with an empty one.",
    ),
    (
        "E0706",
        "The choices in the workbench do not make a complete job yet; the message says what is missing. Nothing was \
         released.",
    ),
    (
        "E0707",
        "The page that sent a change shows older choices than those stored: another tab saved first, or the page was \
         loaded earlier. Nothing was changed. Reload the page, and repeat the change. The same happens when Release is \
         pressed twice: the second time, a release was begun in between, and nothing is spent again.",
    ),
    ("E0708", "The workbench runs one job at a time, and one is running. Wait until it ends, or stop it on its page."),
    (
        "E0709",
        "The job ended because of a fault in the program. Uncommitted output was not written. If a ledger is used, \
         `disclosure ledger show FILE` shows whether it was charged, and the command says so. Please report the fault.",
    ),
    (
        "E0710",
        "Planning these tables takes longer than a page of the workbench waits. Request fewer tables, or start the \
         run, which plans without that limit; `disclosure resplan plan` shows the errors without drawing noise.",
    ),
    (
        "E0711",
        "The file is larger than 4 MiB, the limit for a response of the workbench. The file in its folder is \
         complete: open it there.",
    ),
    (
        "E0712",
        "Randomised answers that are released with their estimates are held in memory, and these exceed 1 GiB. \
         Report fewer columns, or use `disclosure ldp encode`, which writes reports as it draws them.",
    ),
    (
        "E0713",
        "A report contains the answers of a row as they are written, from a list of at least two. Columns with bins, \
         missing values or pooled categories cannot be reported. Leave the column out of the reports, or change its \
         treatment.",
    ),
    (
        "E0714",
        "The address contains a password. Pages, project files and job files show addresses, so they must not \
         contain one. Write the password to ~/.pgpass or to the file named by PGPASSFILE, readable only by you. \
         Nothing was stored.",
    ),
    (
        "E0715",
        "Databases, and binary files such as Parquet and Arrow, are read by the program disclosure-sql, which has \
         the same commands and pages: run `disclosure-sql serve`, with --table or --query after the address of a \
         database. docs/engines.md says how to build it.",
    ),
    (
        "E0716",
        "A release of more than 8 MiB is read by a job that can be stopped, and not while a page loads: every file \
         is compared with its digest before it is shown. Read the release first.",
    ),
    (
        "E0717",
        "A file of a release was changed after it was read: its digest differs from the record. Do not pass it on; \
         `disclosure report` names every changed file.",
    ),
    (
        "E0725",
        "The workbench was started with the address of a database, but without a table or a query. Add --table and \
         the name of a table, or --query and a SELECT statement whose rows are the data. Without data on the command \
         line, you enter both on the first page.",
    ),
    (
        "E0726",
        "The folder disclosure-workbench contains choices, keys and releases for the owner of the data. Here it is a \
         link or not a folder, so they would be written elsewhere. Rename it; the workbench creates a new one.",
    ),
    (
        "E0727",
        "Another workbench is open for the same folder. Two of them would give their releases the same numbers and \
         overwrite each other's choices. Use the open one, or end it with Ctrl-C.",
    ),
];
