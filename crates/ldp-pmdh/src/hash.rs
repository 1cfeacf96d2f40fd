//! The seeded hash of local hashing.
