//! Scenarios of `adaptive-marginals`: what choices and noised tables together say of one person.
//!
//! Attackers run the release path of the crate itself. One looks at the first choice alone, which
//! an exact comparison of errors would give away; one adds up the likelihood ratios of all noised
//! tables, whose budget many rounds share; one adds to them what the first choice tells; one
//! compares the published number of rows with those of the two tables, which differ where a person
//! of many rows is replaced by one of few.

mod evidence;
mod faults;
mod release;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("first-choice", release::first_choice),
    ("all-tables", release::all_tables),
    ("choice-and-tables", release::choice_and_tables),
    ("number-of-rows", release::number_of_rows),
];
