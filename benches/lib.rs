//! Criterion benches of the workspace: `cargo bench -p benches`. Data is made here, from named
//! constant seeds.

use lcf::{ClampedNormal, ColumnRule, DrawMode, EntityColumn, LowCountFilter, ThresholdTable};
use privacy_core::Domain;
use privacy_core::param::StdDev;
use privacy_core::prf::Secret;
use privacy_data::Microdata;
use rand_chacha::ChaCha20Rng;
use rand_core::{Rng, SeedableRng};

/// Sizes of the 14 attributes of the Adult table (UCI; Becker and Kohavi 1996), as coded in the
/// planning literature.
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

/// Independent rows whose codes are skewed towards 0, like those of real tables (density 1 / (3
/// u^(2/3)) on [0, 1]).
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

/// Rows of a table of people: who, in which region, how old, and a code of many values.
pub struct LcfRows {
    /// Identifiers.
    pub people: Vec<i64>,
    /// Regions, ages and codes.
    pub labels: [Vec<u16>; 3],
}

impl LcfRows {
    /// The group of a row by region and age.
    #[must_use]
    pub fn two(&self, row: usize) -> u64 {
        u64::from(self.labels[0][row]) << 16 | u64::from(self.labels[1][row])
    }

    /// The group of a row by region, age and code.
    #[must_use]
    pub fn three(&self, row: usize) -> u64 {
        self.two(row) << 16 | u64::from(self.labels[2][row])
    }
}

/// Rows of a million people, in 50 regions, of 100 ages, with 1,000 codes, each skewed towards 0;
/// a person keeps region and age. About 5,000 groups by two columns and 360,000 by three, most of
/// them of few people.
#[must_use]
pub fn lcf_rows(rows: usize) -> LcfRows {
    const PEOPLE: u64 = 1_000_000;
    let mut rng = ChaCha20Rng::from_seed(SEED);
    let skewed = |draw: u64, size: f64, power: i32| ((draw as f64 / 2.0_f64.powi(64)).powi(power) * size) as u16;
    let of_people: Vec<(u16, u16)> =
        (0..PEOPLE).map(|_| (skewed(rng.next_u64(), 50.0, 4), skewed(rng.next_u64(), 100.0, 4))).collect();
    let mut table = LcfRows { people: Vec::new(), labels: [const { Vec::new() }; 3] };
    for _ in 0..rows {
        let person = rng.next_u64() % PEOPLE;
        let (region, age) = of_people[person as usize];
        table.people.push(person as i64);
        table.labels[0].push(region);
        table.labels[1].push(age);
        table.labels[2].push(skewed(rng.next_u64(), 200.0, 14));
    }
    table
}

/// The filter of the benches: one kind of entity, mean 8, standard deviation 1.5, bound 2.
///
/// # Panics
/// Never: these parameters are a law.
#[must_use]
pub fn lcf_filter() -> LowCountFilter {
    let sd = StdDev::new(1.5).expect("a standard deviation");
    let thresholds = ThresholdTable::new(ClampedNormal::new(8.0, sd, 2.0).expect("a law"));
    let columns = vec![EntityColumn { kind: "user".to_owned(), thresholds }];
    let secret = Secret::new(&SEED).expect("32 bytes");
    LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).expect("one column")
}

/// The most memory that this process ever held; Linux alone says.
#[must_use]
pub fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.map_or("unknown", str::trim).to_owned()
}
