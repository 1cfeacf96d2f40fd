//! Blocks of reports as one bit string a column.
