//! The tests of `adaptive-marginals`, in one program, since each program is linked for itself.

mod bounds;
mod privacy;
mod release;
