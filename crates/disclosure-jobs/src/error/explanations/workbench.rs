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
];
