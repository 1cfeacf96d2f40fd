//! Engines that are not part of the program: a library, a cluster.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0730",
        "DuckDB files are read with DuckDB's own library, which is not part of this program: libduckdb 1.4 or newer \
         was not found, or the file that was found is another library. Install it, or set DISCLOSURE_DUCKDB_LIBRARY \
         to its path. docs/engines.md says where to get it.",
    ),
    (
        "E0731",
        "A DuckDB file could not be opened for reading: it does not exist, is not a DuckDB database, is damaged or \
         encrypted, was written by another version, or is open for writing in another program. DuckDB allows one \
         program to write or several to read. Close that program, or read a copy of the file. Nothing was released.",
    ),
    (
        "E0732",
        "A cluster gave no answer: three times nobody answered at the address of its scheduler, the query failed there, or its time \
         was over. Each time the query was cancelled. See whether the scheduler and an executor run and reach the files by the same \
         path, and give the query more time with ?seconds=N at the end of the address. Counting is without noise, so nothing was \
         spent, and nothing was released.",
    ),
    (
        "E0733",
        "An executor of a cluster was asked to hash identifiers and has no secret, or another one than who asks. Start every executor \
         with --secret-file and the file that the filter has; the file is copied by its owner, since no query carries a secret. \
         Nothing was released.",
    ),
    (
        "E0734",
        "The address of a cluster is not valid, or a part of it would be reached without encryption over a network that nobody has \
         called trusted. Ballista has neither encryption nor passwords of its own. Write ballista://127.0.0.1:50050/path/to/files; \
         where scheduler and executors are on a private network of their own, add ?network=trusted, and start them with \
         --trusted-network. Nothing was read.",
    ),
];
