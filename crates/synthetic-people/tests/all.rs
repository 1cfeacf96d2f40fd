//! The tests of `synthetic-people`, in one program, since each program is linked for itself.

mod model;
mod weights;
