use rand_chacha::ChaCha20Rng;
use rand_core::{Infallible, SeedableRng, TryCryptoRng, TryRng};

use super::*;

/// Bytes that are given, then zeros.
struct Script(Vec<u8>);

impl TryRng for Script {
    type Error = Infallible;
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        unreachable!("coins take eight bytes at a time")
    }
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let taken: Vec<u8> = self.0.drain(..self.0.len().min(8)).collect();
        Ok(taken.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
    }
    fn try_fill_bytes(&mut self, _: &mut [u8]) -> Result<(), Infallible> {
        unreachable!("coins take eight bytes at a time")
    }
}
impl TryCryptoRng for Script {}

/// Every value of the first two bytes: the accumulated mass is that of the threshold's first two
/// bytes.
#[test]
fn the_mass_of_heads_is_the_threshold_over_all_scripts_of_two_bytes() {
    for threshold in [0_u64, 1 << 48, 0x1234 << 48, 0x8000 << 48, 0xffff << 48] {
        let heads = (0..=u16::MAX).filter(|pair| {
            let mut script = Script(pair.to_be_bytes().to_vec());
            Coins::new(&mut script).is_below(threshold)
        });
        assert_eq!(heads.count() as u64, threshold >> 48, "{threshold:x}");
    }
}

#[test]
fn all_eight_bytes_decide() {
    let threshold = 0x0102_0304_0506_0708_u64;
    for (offset, expected) in [(-1_i64, true), (0, false), (1, false)] {
        let drawn = threshold.checked_add_signed(offset).unwrap();
        let mut script = Script(drawn.to_be_bytes().to_vec());
        assert_eq!(Coins::new(&mut script).is_below(threshold), expected, "{offset}");
    }
}

#[test]
fn certainty_and_impossibility_draw_as_they_should() {
    let mut rng = ChaCha20Rng::from_seed([1; 32]);
    let mut coins = Coins::new(&mut rng);
    assert!((0..1000).all(|_| coins.flip(FixedProbability::ALWAYS) && !coins.flip(FixedProbability::NEVER)));
}

#[test]
fn numbers_below_a_bound_have_equal_mass() {
    for bound in [1_u32, 2, 3, 7, 200, 256] {
        let mut seen = vec![0; bound as usize];
        for first in 0..=u8::MAX {
            let mut script = Script(vec![first]);
            let mask = bound.next_power_of_two() - 1;
            if u32::from(first) & mask < bound {
                seen[Coins::new(&mut script).below(bound) as usize] += 1;
            }
        }
        assert!(seen.iter().all(|&n| n == seen[0] && n > 0), "{bound}");
    }
}

#[test]
fn the_value_left_out_never_comes_and_all_others_do() {
    let mut rng = ChaCha20Rng::from_seed([2; 32]);
    let mut coins = Coins::new(&mut rng);
    for but in 0..5 {
        let mut seen = [0; 5];
        (0..1000).for_each(|_| seen[coins.below_but(5, but) as usize] += 1);
        assert!((0..5).all(|i| (seen[i as usize] == 0) == (i == but)), "{but}");
    }
}

#[test]
fn subsets_have_their_size_and_every_one_comes_as_often() {
    let mut rng = ChaCha20Rng::from_seed([3; 32]);
    let mut coins = Coins::new(&mut rng);
    let mut seen = std::collections::BTreeMap::new();
    const DRAWS: u64 = 60_000;
    for _ in 0..DRAWS {
        *seen.entry(coins.subset(2, 5)).or_insert(0_u64) += 1;
    }
    assert_eq!(seen.len(), 10);
    // Each is binomial with p = 1/10, sd 73; ten of them beyond 7 sd have a probability below
    // 1e-10.
    assert!(seen.values().all(|&n| n.abs_diff(DRAWS / 10) < 7 * 74));
}

#[test]
fn a_number_of_several_bytes_has_the_first_one_highest() {
    for (bound, drawn) in [(1 << 16, 0x0102), (300, 0x0102), (1 << 24, 0x01_0203), (1 << 9 | 1, 0x0102)] {
        let mut script = Script(vec![1, 2, 3]);
        assert_eq!(Coins::new(&mut script).below(bound), drawn, "{bound}");
    }
}

#[test]
fn a_subset_has_its_size_with_and_without_its_own_member_in_either_shape() {
    let mut rng = ChaCha20Rng::from_seed([4; 32]);
    for has_constant_shape in [false, true] {
        let mut coins = Coins::new(&mut rng).with_constant_shape(has_constant_shape);
        for (size, own, truth) in
            (1..6).flat_map(|size| (0..6).flat_map(move |own| [(size, own, true), (size, own, false)]))
        {
            let chance = if truth { FixedProbability::ALWAYS } else { FixedProbability::NEVER };
            let is_in = coins.subset_with(own, chance, size, 6);
            assert_eq!((is_in.iter().filter(|&&is_in| is_in).count(), is_in[own]), (size, truth), "{own}");
        }
    }
}
