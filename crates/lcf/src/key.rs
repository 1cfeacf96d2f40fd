//! The secret, the kinds of entities and their hashes.
