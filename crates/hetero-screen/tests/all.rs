//! The tests of `hetero-screen`, in one program, since each program is linked for itself.

mod estimate;
mod exhaustive;
mod golden;
mod properties;
mod search;
mod statistics;
mod stop;
mod table;

mod support;
