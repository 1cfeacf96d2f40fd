#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chart;
mod model;
pub mod number;

mod html;
mod markup;
mod svg;
mod text;

pub use chart::{Amount, Bar, Bars, Chart, Interval, Intervals, Lines, Mark, Multiples, Panel, Series, Share, Shares};
pub use html::render;
pub use model::{Audience, Block, Cell, Column, Kind, Page, Promise, Section, Table, Tone};
