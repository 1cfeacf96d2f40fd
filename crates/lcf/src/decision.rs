//! What was decided about a group, and why.
