//! The tests of `disclosure-report`, in one program, since each program is linked for itself.

mod page;
mod print;
mod properties;

mod support;
