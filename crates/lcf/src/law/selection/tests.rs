//! Optimal selection against exact numbers: its steps, the shares of one group, its tables.

mod shares;
mod steps;
mod tables;
