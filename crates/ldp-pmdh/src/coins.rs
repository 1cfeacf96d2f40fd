//! Exact coins from a cryptographic generator.
