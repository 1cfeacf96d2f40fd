//! The environment of a job: files, the ledger, the output, a stop.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    ("E0104", "A file could not be opened or read. Check the path and its permissions."),
    (
        "E0105",
        "The ledger could not be read or written. Nothing was released. Check the path, the permissions and the free \
         space of its directory. A lock file next to it (FILE.lock) exists while another process writes.",
    ),
    (
        "E0106",
        "The operating system did not provide random numbers. Without them there is no noise, so nothing was \
         released. Run the command on a system with a working random number generator.",
    ),
    (
        "E0107",
        "Standard output could not be written, possibly because the disk is full. A release with -o is nevertheless \
         complete in its directory and was charged; the message says so. Do not repeat the release only to see the \
         table.",
    ),
    (
        "E0108",
        "The run was stopped before its end, by Ctrl-C, by a terminal that was closed, or by the program that \
         started it, and ended with exit code 130. No incomplete output remains; the message names the outputs that \
         were complete. If a ledger had been charged, the message says how much.",
    ),
    (
        "E0109",
        "The operating system did not provide threads, possibly because a limit on processes is reached. Nothing was \
         read and nothing was released. End other programs, or raise the limit.",
    ),
    (
        "E0122",
        "The charge was written to the ledger completely. Only the last step, which makes it survive a power \
         failure, was refused by the operating system. No noise was drawn, because a release is charged before its \
         noise is drawn. The charge counts as spent. Find out what is wrong with the disk before the next release.",
    ),
];
