//! Reports in files.
