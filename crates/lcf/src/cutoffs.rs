//! A cutoff table over the number of distinct entities, and one 64-bit draw.
