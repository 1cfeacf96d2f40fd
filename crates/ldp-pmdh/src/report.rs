//! The layout of a report in bits.
