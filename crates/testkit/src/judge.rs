//! Many laws at many draws each, for a program that prints what it measured.
#![expect(clippy::print_stdout, reason = "what a program prints")]

use std::process::ExitCode;

use crate::law::{ERROR_RATE, check_law};

/// Compares samplers with their laws, and says how it went.
#[derive(Clone, Debug)]
pub struct LawJudge<R> {
    rng: R,
    draws: usize,
    /// Only laws with this in their name.
    part: String,
    laws: usize,
    faults: usize,
}

impl<R> LawJudge<R> {
    /// The judge that a command line asks for, `[DRAWS] [PART OF A NAME]`: 10,000,000 draws of
    /// every law by default. `None` where it says something else.
    #[must_use]
    pub fn of_command_line(rng: R, mut words: impl Iterator<Item = String>) -> Option<Self> {
        let draws = words.next().map_or(Ok(10_000_000), |word| word.parse()).ok()?;
        Some(Self { rng, draws, part: words.next().unwrap_or_default(), laws: 0, faults: 0 })
    }

    /// Compares as many draws with the law, and with the wrong one, which they must not follow.
    pub fn compare(
        &mut self,
        name: &str,
        mut draw: impl FnMut(&mut R) -> i64,
        law: impl Fn(i64) -> f64,
        wrong: impl Fn(i64) -> f64,
    ) {
        if !name.contains(&self.part) {
            return;
        }
        let samples: Vec<i64> = (0..self.draws).map(|_| draw(&mut self.rng)).collect();
        let follows = check_law(&samples, law, ERROR_RATE);
        let is_sharp = check_law(&samples, wrong, ERROR_RATE).is_err();
        let said = match &follows {
            Ok(()) => "follows its law".to_owned(),
            Err(rejected) => format!("REJECTED: {rejected:?}"),
        };
        println!("{name:58} {said}; the wrong law is {}", if is_sharp { "rejected" } else { "NOT REJECTED" });
        self.laws += 1;
        self.faults += usize::from(follows.is_err()) + usize::from(!is_sharp);
    }

    /// Says how many laws were compared, and fails where any was not as it must be.
    pub fn end(self) -> ExitCode {
        println!("{} laws, {} draws each: {} faults", self.laws, self.draws, self.faults);
        if self.faults == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}
