//! The filter: laws, rule and key.
