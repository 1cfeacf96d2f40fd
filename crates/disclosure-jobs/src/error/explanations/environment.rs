//! The environment of a job: files, the ledger, the output, a stop.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    ("E0104", "A file that the command was given could not be opened or read. Check the path and its permissions."),
    (
        "E0105",
        "The ledger could not be read or written. Nothing was released. Check the path, the permissions and the free \
         space of its directory. A lock file beside it (FILE.lock) is there while somebody writes.",
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
    (
        "E0108",
        "The run was stopped before its end, by Ctrl-C or by the program that started it, and ends with exit code 130. \
         Nothing half-written is left; outputs that were whole by then are named. If a ledger had been charged by then, \
         the message says how much.",
    ),
    (
        "E0122",
        "The charge was written to the ledger, whole, and only the last step, which makes it survive a power cut, was \
         refused by the system. No noise was drawn: a release is paid for before it is made. The charge counts as \
         spent. Find out what ails the disk before the next release.",
    ),
];
