//! Scenarios of `lcf`: do decisions have the odds that are tabled, who asks, and however often?

mod aliases;
mod asked;
mod averaged_numbers;
mod averaging;
mod edges;
mod fresh_sets;
mod law;
mod many_groups;
mod merged_groups;
mod number;
mod one_more;
mod planted_state;
mod prediction;
mod profile;
mod published;
mod published_line;
mod second_publication;
mod spellings;
mod working_aid;

use crate::builder::Attackers;

pub(super) use asked::{Asked, Fault, filter_of, hasher_of, secret, set_of_strangers, strangers, xor};
pub(super) use law::{Law, OneApart};
pub(super) use number::Number;

pub(super) const ATTACKERS: Attackers = &[
    ("one-more", one_more::build),
    ("edges", edges::build),
    ("averaging", averaging::build),
    ("averaged-numbers", averaged_numbers::build),
    ("fresh-sets", fresh_sets::build),
    ("coarse-through-fine", working_aid::build),
    ("prediction", prediction::build),
    ("published", published::build),
    ("profile", profile::build),
    ("aliases", aliases::build),
    ("second-publication", second_publication::build),
    ("published-line", published_line::build),
    ("merged-groups", merged_groups::build),
    ("spellings", spellings::build),
    ("planted-state", planted_state::build),
    ("many-groups", many_groups::build),
];
