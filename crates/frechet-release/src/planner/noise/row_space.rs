//! Noise that exact numbers cancel: a sum that follows from exact sums is known, whatever is
//! added to it afterwards.
//!
//! A sum `c x` follows from the exact rows `A x` when `c = sum y_i A_i`. Cells that are known to
//! be empty do not count, and cells that are in the same rows are one column. Elimination runs
//! modulo the prime `p = 2^61 - 1`: what is in the span is in the span modulo `p` unless `p`
//! divides a minor of `A`. The coefficients are made rational again and then checked over the
//! integers, so a combination that is shown is one.

use std::collections::BTreeMap;
use std::fmt;

use privacy_core::stop::StopFlag;

use crate::table::class::Region;
use crate::table::error::Error;
use crate::table::knowledge::Knowledge;
use crate::table::system::System;
use frechet_certificate::Ratio;

const PRIME: u64 = (1 << 61) - 1;
/// Numerators and denominators up to this are distinguished by their remainders.
const LARGEST_PART: i128 = 1 << 29;
/// Numbers held in echelon form, 8 bytes each.
const MOST_NUMBERS: usize = 1 << 26;

/// The linear combination of exact numbers that determines a sum.
#[derive(Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Combination {
    /// Rows and their coefficients; empty when the sum is 0 for sure, or when coefficients are
    /// beyond 2^29.
    pub terms: Vec<(usize, Ratio)>,
    names: Vec<String>,
}

impl Combination {
    /// For example `total - {place 1} - {place 2}`: names of rows, no counts.
    #[must_use]
    pub fn in_names(&self) -> String {
        self.written(self.names.iter().cloned())
    }

    /// For example `760 - 400 - 350`, with the numbers of `system`, whose rows these are. It
    /// shows published counts.
    ///
    /// # Panics
    /// If the rows are not of this system.
    #[must_use]
    pub fn in_numbers(&self, system: &System) -> String {
        self.written(self.terms.iter().map(|&(row, _)| system.rows()[row].lower().to_string()))
    }

    pub(crate) fn rows_named(&self) -> impl Iterator<Item = &String> {
        self.names.iter()
    }

    fn written(&self, parts: impl Iterator<Item = String>) -> String {
        let mut words = String::new();
        for (part, &(_, factor)) in parts.zip(&self.terms) {
            let is_first = words.is_empty();
            words += match (is_first, factor.numerator < 0) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            };
            let size = Ratio { numerator: factor.numerator.abs(), ..factor };
            if size != Ratio::whole(1) {
                words += &format!("{size} * ");
            }
            words += &part;
        }
        if words.is_empty() { "0".to_owned() } else { words }
    }
}

/// Debug output shows the names of rows.
impl fmt::Debug for Combination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Combination").field(&self.in_names()).finish()
    }
}

/// How the sum over `region` follows from the exact rows of `knowledge`; `None` when it does not,
/// so that noise on it hides something. Cost: the square of the number of rows times the number
/// of cells that rows distinguish.
///
/// ```
/// use frechet_release::{Class, Knowledge, Region, noise_implied_by_exact};
/// use privacy_core::Domain;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3])?)?;
/// let cell = |level: usize| Region::from(&Class::cell([level]));
/// knowledge.publish_count("total", &Region::everything(), 760)?;
/// knowledge.publish_count("first", &cell(0), 400)?;
/// assert!(noise_implied_by_exact(&knowledge, &cell(2))?.is_none()); // noise on it hides something
/// knowledge.publish_count("second", &cell(1), 350)?;
/// let implied = noise_implied_by_exact(&knowledge, &cell(2))?.ok_or("nothing follows")?;
/// assert_eq!(implied.in_names(), "total - first - second");
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`Error::NoSuchLevel`]; [`Error::TooManyRows`] when the elimination would take more than half
/// a gigabyte.
pub fn noise_implied_by_exact(knowledge: &Knowledge, region: &Region) -> Result<Option<Combination>, Error> {
    let system = knowledge.system();
    let exact = system.rows().iter().enumerate().filter(|(_, row)| row.lower() == row.upper());
    let mut is_empty: Vec<bool> = system.capacity().iter().map(|&most| most == 0).collect();
    let rows: Vec<NamedRow> = exact.map(|(index, row)| (index, row.name().to_owned(), row.cells().to_vec())).collect();
    for row in system.rows().iter().filter(|row| row.upper() == 0) {
        row.cells().iter().for_each(|&cell| is_empty[cell as usize] = true);
    }
    Ok(RowSpace::new(&rows, &is_empty, &StopFlag::never())?.combination(&region.cells(&knowledge.grid)?))
}

/// Position, name and cells of a row.
pub(crate) type NamedRow = (usize, String, Vec<u32>);

/// The rows in echelon form, each with its coefficients over the rows it was made from.
pub(crate) struct RowSpace<'a> {
    rows: &'a [NamedRow],
    is_empty: &'a [bool],
    echelon: Vec<Reduced>,
    column_of_cell: Vec<Option<u32>>,
    columns: usize,
}

struct Reduced {
    pivot: usize,
    values: Vec<u64>,
    of_rows: Vec<u64>,
}

impl<'a> RowSpace<'a> {
    pub(crate) fn new(rows: &'a [NamedRow], is_empty: &'a [bool], stop: &StopFlag) -> Result<Self, Error> {
        let (column_of_cell, columns) = columns(rows, is_empty);
        let limit = MOST_NUMBERS / (columns + rows.len()).max(1);
        if rows.len() > limit {
            return Err(Error::TooManyRows { got: rows.len(), limit });
        }
        let mut span = Self { rows, is_empty, echelon: Vec::new(), column_of_cell, columns };
        for (place, (_, _, cells)) in rows.iter().enumerate() {
            if stop.is_set() {
                return Err(Error::Stopped);
            }
            let mut values = vec![0; columns];
            cells.iter().filter_map(|&cell| span.column_of_cell[cell as usize]).for_each(|c| values[c as usize] = 1);
            let mut of_rows = vec![0; rows.len()];
            of_rows[place] = 1;
            span.reduce(&mut values, &mut of_rows);
            // What is left of the row is new; scaled to a pivot of 1 it joins the echelon form.
            // Nothing left: it depends.
            if let Some(pivot) = values.iter().position(|&value| value != 0) {
                let scale = inverse(values[pivot]);
                values.iter_mut().chain(&mut of_rows).for_each(|value| *value = times(*value, scale));
                span.echelon.push(Reduced { pivot, values, of_rows });
            }
        }
        Ok(span)
    }

    /// Subtracts multiples of the echelon's rows so that all its pivots are zero.
    fn reduce(&self, values: &mut [u64], of_rows: &mut [u64]) {
        for row in &self.echelon {
            let factor = values[row.pivot];
            if factor != 0 {
                add_multiple(values, &row.values, PRIME - factor);
                add_multiple(of_rows, &row.of_rows, PRIME - factor);
            }
        }
    }

    pub(crate) fn combination(&self, cells: &[u32]) -> Option<Combination> {
        let mut asked: Vec<Option<bool>> = vec![None; self.columns];
        for (cell, column) in self.column_of_cell.iter().enumerate().filter(|(cell, _)| !self.is_empty[*cell]) {
            let is_asked = cells.binary_search(&(cell as u32)).is_ok();
            match column {
                // Cells that no row distinguishes are all part of the sum, or none is.
                Some(column) => {
                    let known = asked[*column as usize].get_or_insert(is_asked);
                    if *known != is_asked {
                        return None;
                    }
                }
                None if is_asked => return None,
                None => {}
            }
        }
        let mut values: Vec<u64> = asked.iter().map(|asked| u64::from(*asked == Some(true))).collect();
        let mut of_rows = vec![0; self.rows.len()];
        self.reduce(&mut values, &mut of_rows);
        // Nothing left: the sum is in the span modulo the prime, with the multiples that were
        // subtracted.
        values.iter().all(|&value| value == 0).then(|| self.named(cells, &of_rows))
    }

    /// The combination whose negative was subtracted.
    fn named(&self, cells: &[u32], of_rows: &[u64]) -> Combination {
        let used = of_rows.iter().enumerate().filter(|(_, y)| **y != 0);
        let terms: Option<Vec<(usize, Ratio)>> =
            used.map(|(place, &y)| Some((place, rational((PRIME - y) % PRIME)?))).collect();
        let terms = terms.filter(|terms| self.is_exact(cells, terms)).unwrap_or_default();
        let names = terms.iter().map(|&(place, _)| self.rows[place].1.clone()).collect();
        Combination { terms: terms.into_iter().map(|(place, y)| (self.rows[place].0, y)).collect(), names }
    }

    /// `D c = sum (D y_i) A_i` over the integers.
    fn is_exact(&self, cells: &[u32], terms: &[(usize, Ratio)]) -> bool {
        let common = terms.iter().try_fold(1_i128, |common, (_, y)| {
            let denominator = i128::from(y.denominator);
            common.checked_mul(denominator / gcd(common, denominator)).filter(|&d| d < 1 << 62)
        });
        let Some(common) = common else { return false };
        let mut left: BTreeMap<u32, i128> = cells.iter().map(|&cell| (cell, common)).collect();
        for (place, y) in terms {
            let y = i128::from(y.numerator) * (common / i128::from(y.denominator));
            self.rows[*place].2.iter().for_each(|&cell| *left.entry(cell).or_insert(0) -= y);
        }
        left.iter().all(|(&cell, &rest)| rest == 0 || self.is_empty[cell as usize])
    }
}

/// The column of each cell that is in a row and not known to be empty: cells in the same rows
/// share one.
fn columns(rows: &[NamedRow], is_empty: &[bool]) -> (Vec<Option<u32>>, usize) {
    let mut rows_of_cell = vec![Vec::new(); is_empty.len()];
    for (place, (_, _, cells)) in rows.iter().enumerate() {
        cells.iter().for_each(|&cell| rows_of_cell[cell as usize].push(place));
    }
    let mut known: BTreeMap<Vec<usize>, u32> = BTreeMap::new();
    let mut columns = Vec::with_capacity(is_empty.len());
    for (rows, &is_empty) in rows_of_cell.into_iter().zip(is_empty) {
        let next = u32::try_from(known.len()).expect("at most 2^24 cells");
        columns.push((!is_empty && !rows.is_empty()).then(|| *known.entry(rows).or_insert(next)));
    }
    (columns, known.len())
}

/// Adds a multiple of another row, modulo the prime.
fn add_multiple(values: &mut [u64], others: &[u64], factor: u64) {
    values.iter_mut().zip(others).for_each(|(value, &other)| *value = (*value + times(factor, other)) % PRIME);
}

fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) % u128::from(PRIME);
    u64::try_from(product).expect("below the prime")
}

/// `a^(p - 2)`, which is `1 / a`.
fn inverse(a: u64) -> u64 {
    let (mut power, mut base, mut exponent) = (1, a, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = times(power, base);
        }
        base = times(base, base);
        exponent >>= 1;
    }
    power
}

/// The fraction of small parts with this remainder (Wang 1981): Euclid's algorithm, stopped half
/// way.
fn rational(remainder: u64) -> Option<Ratio> {
    let (mut r, mut s) = ((i128::from(PRIME), i128::from(remainder)), (0_i128, 1_i128));
    while r.1 > LARGEST_PART {
        let quotient = r.0 / r.1;
        r = (r.1, r.0 - quotient * r.1);
        s = (s.1, s.0 - quotient * s.1);
    }
    if s.1 == 0 || s.1.abs() > LARGEST_PART {
        return None;
    }
    let sign = s.1.signum();
    Some(Ratio::new(i64::try_from(r.1 * sign).ok()?, i64::try_from(s.1 * sign).ok()?))
}

fn gcd(a: i128, b: i128) -> i128 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn fractions_come_back_from_their_remainders() {
        for (numerator, denominator) in [(0_i64, 1_i64), (1, 1), (-1, 1), (1, 2), (-7, 12), (5_000, 4_999)] {
            let small = numerator.unsigned_abs();
            let signed = if numerator < 0 { PRIME - small } else { small };
            let remainder = times(signed % PRIME, inverse(denominator.unsigned_abs()));
            assert_eq!(rational(remainder), Some(Ratio::new(numerator, denominator)));
        }
    }

    #[test]
    fn halves_are_found_as_such() {
        // x + y, y + z, x + z tell x = (1) / 2 - (2) / 2 + (3) / 2.
        let row = |place: usize, cells: &[u32]| (place, format!("r{place}"), cells.to_vec());
        let rows = [row(0, &[0, 1]), row(1, &[1, 2]), row(2, &[0, 2])];
        let span = RowSpace::new(&rows, &[false; 3], &StopFlag::never()).unwrap();
        assert_eq!(span.combination(&[0]).unwrap().in_names(), "1/2 * r0 - 1/2 * r1 + 1/2 * r2");
        assert!(RowSpace::new(&rows[..2], &[false; 3], &StopFlag::never()).unwrap().combination(&[0]).is_none());
        let known_empty = [false, true, false];
        assert_eq!(
            RowSpace::new(&rows[..2], &known_empty, &StopFlag::never()).unwrap().combination(&[0]).unwrap().in_names(),
            "r0"
        );
    }

    proptest! {
        #[test]
        fn a_sum_is_implied_when_all_real_tables_with_the_rows_agree(masks in proptest::collection::vec(1_u32..64, 1..6), asked in 1_u32..64) {
            let cells = |mask: u32| (0..6).filter(|cell| mask >> cell & 1 == 1).collect::<Vec<u32>>();
            let rows: Vec<NamedRow> = masks.iter().enumerate().map(|(place, &mask)| (place, place.to_string(), cells(mask))).collect();
            let rank = |masks: &[u32]| rank(masks.iter().map(|&mask| (0..6).map(|cell| f64::from(mask >> cell & 1)).collect()).collect());
            let with: Vec<u32> = masks.iter().copied().chain([asked]).collect();
            let got = RowSpace::new(&rows, &[false; 6], &StopFlag::never()).unwrap().combination(&cells(asked));
            prop_assert_eq!(got.is_some(), rank(&with) == rank(&masks));
            if let Some(combination) = got {
                for cell in 0..6 {
                    let sum: f64 = combination.terms.iter().map(|&(row, y)| f64::from(masks[row] >> cell & 1) * y.numerator as f64 / y.denominator as f64).sum();
                    prop_assert!((sum - f64::from(asked >> cell & 1)).abs() < 1e-9);
                }
            }
        }
    }

    fn rank(mut rows: Vec<Vec<f64>>) -> usize {
        let mut rank = 0;
        for column in 0..6 {
            let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column].abs() > 1e-9) else { continue };
            rows.swap(rank, pivot);
            let own = rows[rank].clone();
            for row in &mut rows[rank + 1..] {
                let factor = row[column] / own[column];
                row.iter_mut().zip(&own).for_each(|(value, other)| *value -= factor * other);
            }
            rank += 1;
        }
        rank
    }
}
