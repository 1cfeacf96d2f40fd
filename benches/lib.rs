//! Criterion benches of the workspace: `cargo bench -p benches`. Data is made here, from named constant seeds.

use privacy_core::Domain;
use privacy_data::Microdata;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Sizes of the 14 attributes of the Adult table (UCI; Becker and Kohavi 1996), as coded in the planning literature.
pub const ADULT: [usize; 14] = [85, 9, 100, 16, 7, 15, 6, 5, 2, 100, 100, 99, 42, 2];
/// Sizes of the CPS table of the same literature: income, age, and three small ones.
pub const CPS: [usize; 5] = [50, 100, 7, 4, 2];
/// Sizes of its Loans table.
pub const LOANS: [usize; 12] = [101, 101, 101, 101, 3, 8, 36, 6, 51, 4, 5, 15];
/// Rows of [`ADULT`].
pub const ADULT_ROWS: usize = 48_842;
/// Seed of all data made here.
pub const SEED: [u8; 32] = [26; 32];

/// A domain of integer codes.
///
/// # Panics
/// If a size is 0 or there are more than 128.
#[must_use]
pub fn domain(sizes: &[usize]) -> Domain {
    Domain::of_cardinalities(sizes).expect("sizes above 0, at most 128 of them")
}

/// Independent rows whose codes are skewed towards 0, like those of real tables (density 1 / (3 u^(2/3)) on [0, 1]).
///
/// # Panics
/// As [`domain`].
#[must_use]
pub fn skewed_rows(sizes: &[usize], rows: usize) -> Microdata {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    let mut code = |size: usize| {
        let u = (rng.next_u64() >> 11) as f64 / 2.0_f64.powi(53);
        ((u * u * u * size as f64) as u32).min(size as u32 - 1)
    };
    let columns = sizes.iter().map(|&size| (0..rows).map(|_| code(size)).collect()).collect();
    Microdata::from_codes(domain(sizes), columns).expect("every code is below its size")
}

/// Counts below `below`, drawn evenly.
///
/// # Panics
/// If `below` is 0.
#[must_use]
pub fn counts(cells: usize, below: u64) -> Vec<u64> {
    let mut rng = ChaCha20Rng::from_seed(SEED);
    (0..cells).map(|_| rng.next_u64() % below).collect()
}

/// The most memory that this process ever held; Linux alone says.
#[must_use]
pub fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown", str::trim).to_owned()
}
