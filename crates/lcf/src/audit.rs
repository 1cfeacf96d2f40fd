//! What happened to every group.
