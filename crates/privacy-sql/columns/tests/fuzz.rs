//! Every file of the corpus of `engine_columns`, and mutants of them: none makes the target fail.

#[path = "support/mod.rs"]
mod support;

use fuzz_runner::{Generator, corpus_of, fails, mutant};
use support::TARGETS;

/// Mutants of the target; `cargo xtask fuzz --only engine_columns` makes more.
const MUTANTS: u64 = 5_000;

#[test]
fn columns_are_read_as_their_texts_are() {
    for target in TARGETS {
        let corpus = corpus_of(target);
        assert!(!corpus.is_empty(), "{} has no corpus", target.name);
        for (number, bytes) in corpus.iter().enumerate() {
            assert_eq!(fails(target, bytes), None, "{} {number}", target.name);
        }
        let mut accepted = 0;
        for seed in 0..MUTANTS {
            let mut draw = Generator::new(seed);
            let [one, other] = [0, 1].map(|_| &corpus[draw.below(corpus.len())]);
            let bytes = mutant(target, one, other, &mut draw);
            assert_eq!(fails(target, &bytes), None, "{}, mutant {seed}", target.name);
            accepted += u64::from((target.run)(&bytes));
        }
        assert!(accepted > MUTANTS / 2, "{accepted} mutants had a column that is read");
    }
}
