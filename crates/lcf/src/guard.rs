//! The difference guard.
