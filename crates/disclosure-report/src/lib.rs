#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod chart;
mod model;
pub mod number;
mod promise;
mod table;

mod fragment;
mod html;
mod markup;
mod svg;
mod text;

pub use chart::{Amount, Bar, Bars, Chart, IntervalBar, Intervals, Lines, Mark, Series, Share, Shares};
pub use fragment::{STYLE_SHEET, escaped, fragment};
pub use html::render;
pub use model::{Audience, Block, Page, Section, Tone};
pub use promise::{PromiseCard, PromiseSection, StatementKind};
pub use table::{Cell, Column, Table};
