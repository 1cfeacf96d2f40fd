//! The workbench in the browser.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0701",
        "The workbench listens on loopback addresses only, such as 127.0.0.1, so that no other machine can reach it, and \
         the address or the port could not be used. Leave out --port to take a free one.",
    ),
    (
        "E0702",
        "The folder that the workbench should serve is not there or cannot be read. Start it in the folder of the data, \
         or name that folder.",
    ),
    (
        "E0703",
        "The workbench opens files below the folder that it was started in and no others: neither by an absolute name, \
         nor by .. nor through a link that leads out. A name that is not there ends in the same message. Start the \
         workbench in a folder that holds the data.",
    ),
    (
        "E0704",
        "A field of a page has a value that it cannot have: the message names the field and what it takes. Numbers have a \
         decimal point or a decimal comma. Nothing was changed.",
    ),
    (
        "E0705",
        "The project file of the workbench, disclosure-workbench/project.json, was made by another version or was \
         changed. It holds choices and no releases: rename it, and the workbench starts with an empty one.",
    ),
    (
        "E0706",
        "The choices of the workbench do not make a job yet: the message says what is missing. Nothing was released.",
    ),
    (
        "E0707",
        "The page that sent a change shows older choices than those that are kept: another tab was faster, or the page \
         came from before. Nothing was changed. Load the page again, and repeat the change.",
    ),
    ("E0708", "The workbench does one job at a time, and one is under way. Wait for its end, or stop it on its page."),
    (
        "E0709",
        "A job of the workbench ended by a fault of the program. What it had not committed was not written. If a ledger is \
         used, `disclosure ledger show FILE` says whether it was charged. Please report the fault.",
    ),
    (
        "E0710",
        "The plan for these tables takes longer than a page of the workbench waits. Ask for fewer tables, or start the run, \
         which plans without that limit; `disclosure resplan plan` shows the errors without drawing noise.",
    ),
    (
        "E0711",
        "The file is larger than an answer of the workbench, which is 4 MiB at most. It is complete in its folder: read it \
         there.",
    ),
    (
        "E0712",
        "Randomised answers that are released together with their estimates are held in memory, and these are more than 1 GiB. \
         Report fewer columns, or use `disclosure ldp encode`, which writes reports as it draws them.",
    ),
    (
        "E0713",
        "A report has the answers of a row as they are written, from a list of at least two. A column with bins, with missing \
         values or with pooled categories has none. Leave the column out of the reports, or change what becomes of it.",
    ),
    (
        "E0714",
        "An address with a password was typed. Pages, project files and job files show addresses, so none of them may hold one. \
         Write the password to ~/.pgpass or to the file that PGPASSFILE names, readable by you alone. Nothing was kept.",
    ),
    (
        "E0715",
        "Databases, and files that are no text, such as those of Parquet and Arrow, are read by the program disclosure-sql, \
         which has the same commands and pages: start `disclosure-sql serve`, with --table or --query behind the address of a \
         database. docs/engines.md says how it is built.",
    ),
    (
        "E0716",
        "A release of more than 8 MiB is read by a job that can be stopped, and not by a page: every file is compared with \
         its digest before anything of it is shown. Read it first.",
    ),
    (
        "E0717",
        "A file of a release was changed after it had been read: it has another digest than the record says. Do not pass it \
         on; `disclosure report` names every file that was changed.",
    ),
    (
        "E0725",
        "The workbench was started with the address of a database, and not with what is read of it. Add --table and the name \
         of a table, or --query and a SELECT statement whose rows are the data. Without data on the command line both are \
         typed on the first page.",
    ),
    (
        "E0726",
        "The folder disclosure-workbench holds choices, keys and releases of the owner of the data. Here it is a link, or no \
         folder, and they would be written elsewhere. Rename it: the workbench makes a new one.",
    ),
];
