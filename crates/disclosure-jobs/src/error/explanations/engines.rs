//! Engines that are not part of the program: a library, a cluster.

use super::Explanation;

pub(super) const EXPLANATIONS: &[Explanation] = &[
    (
        "E0730",
        "A file of DuckDB is read by DuckDB's own library, which is not part of this program: libduckdb 1.4 or newer was not found, \
         or what was found is another library. Install it, or set DISCLOSURE_DUCKDB_LIBRARY to its path. docs/engines.md says \
         where it comes from.",
    ),
    (
        "E0731",
        "A file of DuckDB could not be opened for reading: it is not there, is no database of DuckDB, is damaged or encrypted, was \
         written by another version, or another program has it open for writing. DuckDB lets one program write or several read. \
         End that program, or read a copy of the file. Nothing was released.",
    ),
];
