use super::*;
use proptest::prelude::*;

/// Bit by bit.
fn naive_pairs(left: &[u64], right: &[u64], words: usize) -> Vec<u64> {
    let bit = |columns: &[u64], i: usize, row: usize| columns[i * words + row / 64] >> (row % 64) & 1;
    let n = left.len() / words;
    let pairs = (0..n).flat_map(|j| (0..j).map(move |i| (i, j)));
    pairs.map(|(i, j)| (0..64 * words).map(|row| bit(left, j, row) & bit(right, i, row)).sum()).collect()
}

fn columns(n: usize, words: usize, seed: u64) -> Vec<u64> {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    (0..n * words).map(step).collect()
}

#[test]
fn this_processor_has_a_kernel_and_the_portable_one_is_last() {
    let found = Kernel::available();
    assert_eq!(found.last().map(|kernel| kernel.name()), Some("portable"));
    assert_eq!(Kernel::best(), found[0]);
}

/// Past a group of 64 columns, with and without columns that fill no tile.
#[test]
fn every_kernel_counts_as_bits_are_counted_by_hand() {
    for (n, words) in [(1, 1), (2, 3), (4, 8), (9, 8), (67, 1), (133, 2)] {
        let (left, right) = (columns(n, words, 5), columns(n, words, 6));
        let expected = naive_pairs(&left, &right, words);
        for kernel in Kernel::available() {
            let mut counts = vec![0; pairs(n)];
            kernel.add_pairs(&left, &right, words, &mut counts);
            assert_eq!(counts, expected, "{} {n} {words}", kernel.name());
        }
    }
}

proptest! {
    #[test]
    fn kernels_agree_and_add(n in 1_usize..80, words in 1_usize..40, seed: u64) {
        let (left, right) = (columns(n, words, seed), columns(n, words, !seed));
        let all = Kernel::available();
        let run = |kernel: &Kernel| {
            let (mut singles, mut counts) = (vec![7; n], vec![3; pairs(n)]);
            kernel.add_singles(&left, words, &mut singles);
            kernel.add_pairs(&left, &right, words, &mut counts);
            (singles, counts)
        };
        let portable = run(&all[all.len() - 1]);
        for kernel in &all {
            prop_assert_eq!(run(kernel), portable.clone());
        }
        let bits = left[..words].iter().map(|word| u64::from(word.count_ones())).sum::<u64>();
        prop_assert_eq!(portable.0[0], 7 + bits);
    }
}
