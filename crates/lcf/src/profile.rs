//! (epsilon, delta) of one release.
