//! Maximum likelihood by SQUAREM.
