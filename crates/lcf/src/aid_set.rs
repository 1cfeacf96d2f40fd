//! The entities of one group: exact up to a cap, and mergeable.
