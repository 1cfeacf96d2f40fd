//! What can be wrong with a schema, a report or a state, and what to change.
