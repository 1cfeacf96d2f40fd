//! Scenarios of `lcf`: do decisions have the odds that are tabled, who asks, and however often?

mod aliases;
mod asked;
mod averaging;
mod edges;
mod fresh_sets;
mod law;
mod many_groups;
mod one_more;
mod prediction;
mod profile;
mod published;
mod second_publication;
mod working_aid;

use crate::builder::Attackers;

pub(super) use asked::{Asked, Fault, filter_of, hasher_of, secret, set_of_strangers, strangers, xor};
pub(super) use law::{Law, OneApart};

pub(super) const ATTACKERS: Attackers = &[
    ("one-more", one_more::build),
    ("edges", edges::build),
    ("averaging", averaging::build),
    ("fresh-sets", fresh_sets::build),
    ("coarse-through-fine", working_aid::build),
    ("prediction", prediction::build),
    ("published", published::build),
    ("profile", profile::build),
    ("aliases", aliases::build),
    ("second-publication", second_publication::build),
    ("many-groups", many_groups::build),
];
