//! The score of a candidate, and a bound on it that needs no table of the model.
//!
//! ```text
//! score = w (|counts - expected|_1 - sqrt(2 / pi) sigma n)  <=  w (people + people of the model - sqrt(2 / pi) sigma n)
//! ```
//!
//! In units of 1 / 1024 person. `expected` and the noise are rounded to units before the counts are
//! seen, so a score is an integer that one person moves by at most w times what they move the
//! counts. Source: McKenna et al. (2022), equation 1.

use privacy_core::noise::Rational;

/// Units of scores in one person: rounding a model to them moves no score by more than a person
/// would.
pub(crate) const UNITS: f64 = (1_u32 << 10) as f64;
/// `E |z|` of a standard normal z.
const MEAN_ABSOLUTE: f64 = 0.797_884_560_802_865_4;
/// How far the sum of a table of the model may be from the model's total: far more than rounding.
const ROOM: f64 = 1e-6;

/// What a score has besides counts: its weight, and the noise that is expected over the n possible
/// cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    weight: u64,
    cells: f64,
    noise: i128,
}

impl Scale {
    pub(crate) fn new(weight: u64, cells: f64, sigma2: Rational) -> Self {
        Self { weight, cells, noise: (mean_noise(sigma2, cells) * UNITS).round() as i128 }
    }

    /// The score. `None` beyond 128 bits.
    pub(crate) fn score(&self, counts: &[u64], expected: &[f64], possible: Option<&[bool]>) -> Option<i128> {
        let mut error = 0_i128;
        for (place, (&count, &expected)) in counts.iter().zip(expected).enumerate() {
            if possible.is_some_and(|possible| !possible[place]) {
                continue;
            }
            let apart = i128::from(count) * UNITS as i128 - (expected * UNITS).round() as i128;
            error = error.checked_add(apart.checked_abs()?)?;
        }
        error.checked_sub(self.noise)?.checked_mul(i128::from(self.weight))
    }

    /// At least every score of a table with this many people and a model with that many: a
    /// difference is at most the sum of what is subtracted. `None` beyond 128 bits.
    pub(crate) fn bound(&self, people: u64, of_model: f64) -> Option<i128> {
        // Rounding to units adds at most half a unit a cell.
        let expected = (of_model * UNITS * (1.0 + ROOM) + 0.5 * self.cells).ceil() as i128 + 1;
        let people = i128::from(people).checked_mul(UNITS as i128)?;
        people.checked_add(expected)?.checked_sub(self.noise)?.checked_mul(i128::from(self.weight))
    }

    /// `error - least_offset()` is at least, `error - largest_offset()` at most the score per
    /// weight, in people: the noise that is expected, and half a unit for each rounded cell.
    pub(crate) fn least_offset(&self) -> f64 {
        (self.noise as f64 - 0.5 * self.cells) / UNITS
    }

    /// See [`Scale::least_offset`].
    pub(crate) fn largest_offset(&self) -> f64 {
        (self.noise as f64 + 0.5 * self.cells) / UNITS
    }
}

/// The mean of the sum of absolute noise over this number of cells, for normal noise.
pub(crate) fn mean_noise(sigma2: Rational, cells: f64) -> f64 {
    MEAN_ABSOLUTE * sigma2.to_f64().sqrt() * cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_score_is_the_weighted_distance_less_the_noise() {
        let scale = Scale::new(3, 4.0, Rational::new(25, 1).unwrap());
        let noise = (4.0 * 5.0 * (2.0 / std::f64::consts::PI).sqrt() * UNITS).round() as i128;
        let score = scale.score(&[10, 0, 7, 3], &[8.5, 1.0, 7.0, 3.25], None).unwrap();
        assert_eq!(score, 3 * ((1.5 + 1.0 + 0.25) * UNITS) as i128 - 3 * noise);
        // Cells that nobody may have are left out.
        let possible = [true, false, true, true];
        let score = scale.score(&[10, 0, 7, 3], &[8.5, 1.0, 7.0, 3.25], Some(&possible)).unwrap();
        assert_eq!(score, 3 * ((1.5 + 0.25) * UNITS) as i128 - 3 * noise);
    }

    /// Tables that share no cell, where the bound is reached but for what rounding is given, and
    /// cells whose expected counts are all rounded up.
    #[test]
    fn no_score_is_above_its_bound() {
        let half = 0.5 / UNITS;
        let cases: [(&[u64], &[f64]); 5] = [
            (&[40, 0, 0], &[0.0, 30.0, 10.0]),
            (&[0, 0, 0], &[half, half, half]),
            (&[5, 5, 5], &[5.0, 5.0, 5.0]),
            (&[0, 0, 9], &[12.3, 0.0, 9.0]),
            (&[0; 3], &[0.0; 3]),
        ];
        for (counts, expected) in cases {
            let scale = Scale::new(7, 3.0, Rational::new(1, 4).unwrap());
            let (people, of_model) = (counts.iter().sum(), expected.iter().sum());
            let (score, bound) = (scale.score(counts, expected, None).unwrap(), scale.bound(people, of_model).unwrap());
            assert!(score <= bound, "{score} {bound}");
        }
        // Counts and model apart: nothing is given away but rounding.
        let scale = Scale::new(1, 3.0, Rational::new(1, 4).unwrap());
        let (score, bound) = (scale.score(&[40, 0, 0], &[0.0, 30.0, 10.0], None), scale.bound(40, 40.0));
        assert!(bound.unwrap() - score.unwrap() <= 4);
    }
}
