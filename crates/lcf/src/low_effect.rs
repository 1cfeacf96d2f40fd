//! Low-effect detection.
