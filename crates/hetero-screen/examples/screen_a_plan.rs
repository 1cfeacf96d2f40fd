//! How strong must suppression be, so that a solver is not expected to reconstruct most labels?
//! `cargo run -p hetero-screen --example screen_a_plan`
#![allow(clippy::print_stdout, reason = "an example prints what it found")]

use hetero_screen::{
    Classes, Column, Error, ScreenLimits, ScreenSpec, ScreenTargets, Suppression, TargetLevel, UniformNoise, screen,
    smallest_threshold,
};

fn main() -> Result<(), Error> {
    // 400 people, four known columns, a diagnosis with three classes; counts below 3 withheld,
    // noise of at most 2.
    let columns = [2, 3, 5, 10].map(Column::uniform).into_iter().collect::<Result<_, _>>()?;
    let classes = Classes::with_shares(&[0.5, 0.3, 0.2])?;
    let release = ScreenSpec::new(400, columns, classes, Suppression::ClassCount(3), UniformNoise::uniform(2))?;

    let limits = ScreenLimits::default();
    let report = screen(&release, &ScreenTargets::default(), &limits)?;
    let estimate = report.estimate;
    println!("a solver is expected to reconstruct {:.0} % of the labels", 100.0 * estimate.accuracy);
    println!("guessing the most frequent class: {:.0} %", 100.0 * estimate.floor);

    let target = TargetLevel::new("target", 0.6)?;
    match smallest_threshold(&release, target, &limits)? {
        Some(safer) => println!("withhold counts below {} to keep it at 60 %", safer.spec.suppression().below()),
        None => println!("no threshold keeps it at 60 %"),
    }
    Ok(())
}
