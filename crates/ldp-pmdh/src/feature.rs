//! Features and their protocols.
