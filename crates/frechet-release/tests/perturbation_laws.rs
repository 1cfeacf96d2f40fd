//! Rounded and perturbed tables against the joint law of all their numbers: some draws each time,
//! and as many as a release of the project asks for with
//! `cargo test --release -p frechet-release-tests -- --ignored ten_million`.

use frechet_release::{ControlledRounding, KeyedCounts, PerturbationTable};
use privacy_core::prf::Secret;
use privacy_core::stop::StopFlag;
use privacy_core::{ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use testkit::law::{assert_law, refute_law};
use testkit::masses::listed;

const SOME: usize = 100_000;
const TEN_MILLION: usize = 10_000_000;

/// Two counts and their total, rounded: bit 0 where the first is rounded up, bit 1 where the second
/// is. How the total is rounded follows from both.
fn roundings(cells: [u64; 2], base: u64, draws: usize) -> Vec<i64> {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let table = ContingencyTable::from_cells(&domain, domain.all(), cells.to_vec()).unwrap();
    let (rounding, mut rng) = (ControlledRounding::new(base).unwrap(), ChaCha20Rng::from_seed([21; 32]));
    let draw = |_| {
        let rounded = rounding.round(&domain, &table, &StopFlag::never(), &mut rng).unwrap();
        let is_up = |place: usize| i64::from(rounded.table().cells()[place] > cells[place]);
        is_up(0) + 2 * is_up(1)
    };
    (0..draws).map(draw).collect()
}

/// The one law whose three numbers have their counts as expected values: with residues `r` and `s`
/// both are up where the total is two bases up, `r + s - b` of `b` times.
fn rounding_law(first: f64, second: f64, base: f64) -> Vec<f64> {
    let both = (first + second - base).max(0.0);
    let times = [base - first - second + both, first - both, second - both, both];
    times.map(|times| times.max(0.0) / base).to_vec()
}

fn roundings_have_their_law(draws: usize) {
    for (cells, base) in [([4, 11], 10), ([17, 8], 10), ([2, 7], 3), ([5, 300], 200)] {
        let drawn = roundings(cells, base, draws);
        let [first, second] = cells.map(|count| (count % base) as f64);
        assert_law(&drawn, listed(rounding_law(first, second, base as f64)));
        // Two hundredths more, or a fifth where draws are few.
        let wrong = if draws < TEN_MILLION { 1.2 } else { 1.02 };
        refute_law(&drawn, listed(rounding_law(first * wrong, second, base as f64)));
    }
}

/// The deviations of two cells and of their total, one digit each, under as many secrets.
fn deviations(design: &PerturbationTable, cells: [u64; 2], draws: usize) -> Vec<i64> {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let mut rng = ChaCha20Rng::from_seed([22; 32]);
    let mut draw = |_| {
        let mut key = [0; 32];
        rng.fill_bytes(&mut key);
        let secret = Secret::new(&key).unwrap();
        let mut people = KeyedCounts::new(domain.clone(), &secret).unwrap();
        for (cell, count) in cells.into_iter().enumerate() {
            people.add(&[cell], &[cell as u8], count).unwrap();
        }
        let table = design.perturb(&people.finish().unwrap(), domain.all(), &secret).unwrap();
        // The total, and both cells.
        let published = table.margins().flat_map(|(_, margin)| margin.cells().to_vec());
        let counts = [cells.iter().sum(), cells[0], cells[1]];
        let most = i64::from(design.max_deviation());
        let digits = published.zip(counts).map(|(number, count)| number as i64 - count as i64 + most);
        digits.fold(0, |code, digit| code * (2 * most + 1) + digit)
    };
    (0..draws).map(&mut draw).collect()
}

/// Of different people the draws are independent.
fn deviation_law(design: &PerturbationTable, cells: [u64; 2]) -> Vec<f64> {
    let most = i64::from(design.max_deviation());
    let digits = 2 * most + 1;
    let mut masses = vec![1.0];
    for count in [cells.iter().sum(), cells[0], cells[1]] {
        let mut next = vec![0.0; masses.len() * digits as usize];
        for (code, mass) in masses.iter().enumerate() {
            for (deviation, probability) in design.law(count) {
                next[code * digits as usize + (deviation + most) as usize] = mass * probability;
            }
        }
        masses = next;
    }
    masses
}

fn deviations_have_their_law(draws: usize) {
    let wrong = if draws < TEN_MILLION { 1.1 } else { 1.02 };
    for (cells, (most, variance, smallest)) in [([1, 3], (2, 1.0, 1)), ([2, 40], (3, 2.0, 2))] {
        let design = PerturbationTable::new(most, variance, smallest).unwrap();
        let drawn = deviations(&design, cells, draws);
        assert_law(&drawn, listed(deviation_law(&design, cells)));
        let other = PerturbationTable::new(most, wrong * variance, smallest).unwrap();
        refute_law(&drawn, listed(deviation_law(&other, cells)));
    }
}

#[test]
fn two_counts_and_their_total_are_rounded_by_the_one_law_that_is_unbiased() {
    roundings_have_their_law(SOME);
}

#[test]
fn two_cells_and_their_total_are_perturbed_independently() {
    deviations_have_their_law(SOME);
}

#[test]
#[ignore = "ten million draws of each law"]
fn ten_million_roundings_have_their_law() {
    roundings_have_their_law(TEN_MILLION);
}

#[test]
#[ignore = "ten million draws of each law"]
fn ten_million_perturbations_have_their_law() {
    deviations_have_their_law(TEN_MILLION);
}
