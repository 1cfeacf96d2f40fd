//! Groups of a table.
