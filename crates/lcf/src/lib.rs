#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

// What a group of n people is worth: laws of the threshold, and what they give away.
mod cutoffs;
mod law;

mod odds;
mod posterior;
mod profile;

mod utility;

mod advise;

mod attack;

// What the filter does to data: identifiers, bounded state, decisions, groups.
mod error;
mod key;

mod aid_set;
mod state_bytes;

mod decision;
mod filter;

mod grouping;

mod low_effect;
mod rest;

mod audit;
mod guard;
mod near;
