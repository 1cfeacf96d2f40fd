//! States in files.
