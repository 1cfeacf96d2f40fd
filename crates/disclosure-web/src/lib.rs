#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod parts;

mod choices;
mod folder;
mod form;
mod project;

mod heat;
mod jobfile;
mod opening;
mod prepare;
mod releases;
mod screening;
mod tradeoff;

mod app;
mod runner;

mod guard;
mod pages;
mod reply;
mod server;

pub use app::{App, Rng, Shell};
pub use server::{router, serve};
