//! The tests of `magnitude-release`, in one program, since each program is linked for itself.

mod attacks;
mod golden;
mod published;
mod replay;
mod respondents;
mod scale;

mod support;
