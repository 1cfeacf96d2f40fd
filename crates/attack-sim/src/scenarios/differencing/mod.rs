//! Two releases, one person apart: do they isolate the person?

mod budgets;
mod guard;
mod guard_limits;
mod ladder;
mod lines;
mod rest_row;
mod subtraction;
mod with_and_without;

use crate::builder::Attackers;

pub(super) const ATTACKERS: Attackers = &[
    ("with-and-without", with_and_without::build),
    ("guarded", guard::build),
    ("guard-limits", guard_limits::build),
    ("ladder", ladder::build),
    ("rest-row", rest_row::build),
    ("lines", lines::build),
    ("subtraction", subtraction::build),
    ("budgets", budgets::build),
];
