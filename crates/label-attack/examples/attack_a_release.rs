//! Draw a table, release noisy counts of it, and let solvers reconstruct a secret column:
//! `cargo run -p label-attack --example attack_a_release --features parallel`
#![allow(clippy::print_stdout, reason = "an example prints what it found")]

use label_attack::{
    AttackLimits, Error, Features, LabelRelease, LabelSource, MeanOverTrials, Population, simulate_labels,
};

fn main() -> Result<(), Error> {
    // 100 people, four known columns, a secret bit; counts below 3 are withheld, the others have
    // noise of at most 1.
    let people = Population::new(100, Features::uniform(&[3, 3, 4, 4]), &[0.6, 0.4])?;
    let release = LabelRelease::new(3, 1)?;
    let limits = AttackLimits { visits: 1_000_000, proofs: 10, ..AttackLimits::default() };
    let trials = simulate_labels(&LabelSource::Population(people), &release, &limits, 5, 1)?;

    let blind = MeanOverTrials::of(&trials, |trial| trial.blind);
    let solver = MeanOverTrials::of(&trials, |trial| trial.with_suppressed.accuracy);
    let ceiling = MeanOverTrials::of(&trials, |trial| trial.ceiling);
    println!("guessing the most frequent class  {:.2}", blind.mean);
    println!("the strongest solver              {:.2} +- {:.2}", solver.mean, solver.standard_error);
    println!("ceiling                           {:.2}", ceiling.mean);
    Ok(())
}
