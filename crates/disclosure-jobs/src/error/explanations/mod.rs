//! What every code of the jobs and of the command means, and what to do: one paragraph each.

mod data;
mod engines;
mod environment;
mod limits;
mod records;
mod refusals;
mod tables;
mod workbench;

/// A code with its explanation.
pub type Explanation = (&'static str, &'static str);

/// The explanations by the kind of failure, in the order of their codes.
const BY_KIND: [&[Explanation]; 8] = [
    environment::EXPLANATIONS,
    tables::EXPLANATIONS,
    records::EXPLANATIONS,
    data::EXPLANATIONS,
    refusals::EXPLANATIONS,
    limits::EXPLANATIONS,
    workbench::EXPLANATIONS,
    engines::EXPLANATIONS,
];

/// The codes of the jobs and of the command with their explanations, in order. Those of data and
/// files are in `privacy-data`.
pub fn explanations() -> impl Iterator<Item = Explanation> {
    BY_KIND.into_iter().flatten().copied()
}
