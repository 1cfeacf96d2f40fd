//! Every file of the corpus, and mutants of each: no target fails, and every target gets somewhere.
#![allow(clippy::unwrap_used, reason = "a test ends where something is missing")]

use fuzz_targets::{Generator, MOST_BYTES, TARGETS, corpus_of, fails, mutant};

/// Mutants of a target; `cargo xtask fuzz` makes more.
const MUTANTS: usize = 200;

#[test]
fn no_file_of_the_corpus_makes_its_target_fail() {
    let (mut all, mut refusing) = (0, Vec::new());
    for target in TARGETS {
        let corpus = corpus_of(target);
        assert!(!corpus.is_empty(), "{} has no corpus", target.name);
        for (number, bytes) in corpus.iter().enumerate() {
            assert!(bytes.len() <= MOST_BYTES, "{} {number} is too long", target.name);
            assert_eq!(fails(target, bytes), None, "{} {number}", target.name);
            all += bytes.len();
        }
        // Mutants of what is refused at once get nowhere.
        if !corpus.iter().any(|bytes| (target.run)(bytes)) {
            refusing.push(target.name);
        }
    }
    assert!(refusing.is_empty(), "targets that accept no file of their corpus: {refusing:?}");
    assert!(all <= 2 << 20, "a corpus of {all} bytes");
}

#[test]
fn no_mutant_of_the_corpus_makes_its_target_fail() {
    for target in TARGETS {
        let corpus = corpus_of(target);
        for number in 0..MUTANTS {
            let mut draw = Generator::new(number as u64);
            let [one, other] = [0, 1].map(|_| &corpus[draw.below(corpus.len())]);
            let bytes = mutant(target, one, other, &mut draw);
            assert_eq!(fails(target, &bytes), None, "{}, mutant {number}", target.name);
        }
    }
}
