//! State as bytes.
