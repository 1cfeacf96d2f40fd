//! The tests of `label-attack`, in one program, since each program is linked for itself.

mod attacks;
mod exhaustive;
mod golden;
