#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod labels;
mod parts;

mod choices;
mod data;
mod folder;
mod form;
mod project;

mod amounts;
mod attributes;
mod check;
mod checked;
mod command;
mod heat;
mod jobfile;
mod opening;
mod prepare;
mod releases;
mod reports;
mod screening;
mod specs;
mod synthetic;
mod tradeoff;

mod app;
mod runner;

mod connections;
mod guard;
mod pages;
mod reply;
mod server;

pub use app::{App, Rng, Shell, Start};
pub use server::{router, serve};
