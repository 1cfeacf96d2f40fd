//! What one observation tells about one more entity.
