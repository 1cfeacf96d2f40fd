//! Criterion benches of the workspace; `cargo bench -p benches` runs them.
