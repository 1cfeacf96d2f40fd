//! The tests of `ldp-client`, in one program, since each program is linked for itself.

mod constant_shape;
mod local_hashing;
mod vectors;
