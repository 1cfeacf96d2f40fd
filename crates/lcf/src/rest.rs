//! The suppressed rest.
