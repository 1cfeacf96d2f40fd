//! The pages of the workbench. Every text of a person or of the data goes through
//! [`layout::text`] or an attribute that is escaped.

pub(crate) mod layout;

pub(crate) mod failure;
pub(crate) mod job;

pub(crate) mod budget;
pub(crate) mod sets;

pub(crate) mod amounts;
pub(crate) mod answers;
pub(crate) mod check;
pub(crate) mod columns;
pub(crate) mod exact;
pub(crate) mod filter;
pub(crate) mod labels;
pub(crate) mod noise;
pub(crate) mod randomised;
pub(crate) mod releases;
pub(crate) mod rows;
pub(crate) mod run;
pub(crate) mod screening;
pub(crate) mod start;
pub(crate) mod tables;
pub(crate) mod ways;
