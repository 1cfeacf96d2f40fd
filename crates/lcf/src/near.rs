//! Groups that differ by one entity.
