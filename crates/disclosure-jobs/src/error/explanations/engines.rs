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
];
