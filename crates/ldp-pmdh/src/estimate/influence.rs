//! What false reports can do to an estimate.
//!
//! A false report is one that no client made: its bits, and the features that it says it covers,
//! are chosen. `N` reports, `k` of them false; an honest one covers the set with probability `s`;
//! `Z` between `least` and `most` over all reports of the schema.
//!
//! ```text
//! up    N k most / (s (N - k) + k)            from a share of 0
//! down  N k (1 - least) / (s (N - k) + k)     from a share of 1
//! ```
//!
//! A pair of a parity schema is half of each of three questions, to which false reports are divided
//! as they move it most: `N / 2 worse sum of k_S / (s_S (N - k) + k_S)`, attained from a share of
//! 1.
//!
//! For one column `most = (1 - p) / (q - p)` and `1 - least = q / (q - p)`, so one false report
//! among many moves a count by up to `max(q, 1 - p) / (q - p) / s`. Exact for the expected number
//! of honest reports that cover the set. `docs/math/ldp-pmdh.md` (1.13).

use super::EstimateError;
use super::union::Union;
use ldp_client::{Channel, Parities, Schema};

/// How far false reports can move the estimate of a set of columns.
///
/// Kind: guarantee, for the formula: no report of the schema moves the estimate further.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Influence {
    /// The largest reading of the set, in people.
    most: f64,
    /// The smallest reading, at most 0.
    least: f64,
    /// Share of honest reports that cover the set; of a pair of a parity schema, that are about one
    /// of its features.
    covering: f64,
    /// Share of honest reports about the parity of a pair, of which half each of three questions
    /// counts; 0 for other sets.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "is_zero"))]
    parity: f64,
}

/// Whether there is no parity.
#[cfg(feature = "serde")]
fn is_zero(share: &f64) -> bool {
    *share == 0.0
}

impl Influence {
    /// Of a set of support columns, at most one per feature.
    ///
    /// # Errors
    /// An unknown column, two columns of a feature, or a joint symbol of which a report says
    /// nothing.
    pub fn new(schema: &Schema, set: &[usize]) -> Result<Self, EstimateError> {
        let union = Union::new(set, &[], schema.columns())?;
        let channels = match schema.joint_channel(&union.columns) {
            None => union.columns.iter().map(|&column| schema.columns()[column].channel).collect(),
            Some(_) if set.is_empty() => Vec::new(),
            Some(channel) => vec![channel.map_err(|_| EstimateError::NothingToRead { columns: set.len() })?],
        };
        if let Some(parities) = schema.parities() {
            return match union.columns.len() {
                0 => Ok(Self::between(0.0, 1.0, 1.0)),
                columns @ (1 | 2) => Ok(Self::of_parities(parities, columns == 2)),
                columns => Err(EstimateError::BeyondPairs { columns }),
            };
        }
        let (features, asked) = (schema.features().len() as f64, schema.features_per_person() as f64);
        // A set of more features than a person reports is covered by nobody.
        let of_next = |i: usize| ((asked - i as f64) / (features - i as f64)).max(0.0);
        Ok(Self::of_channels(&channels, (0..set.len()).map(of_next).product()))
    }

    /// Of a product of readings of columns, and the share of honest reports that cover all of them.
    #[must_use]
    pub fn of_channels(channels: &[Channel], covering: f64) -> Self {
        // Largest and smallest product of readings, column by column.
        let ends = channels.iter().fold([1.0, 1.0], |[least, most]: [f64; 2], channel| {
            let products = [false, true].map(|bit| channel.reading(bit)).map(|y| [least * y, most * y]);
            let all = products.concat();
            [all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(f64::NEG_INFINITY, f64::max)]
        });
        Self::between(ends[0], ends[1], covering)
    }

    /// Of readings between two numbers.
    #[must_use]
    pub fn between(least: f64, most: f64, covering: f64) -> Self {
        Self { most, least, covering, parity: 0.0 }
    }

    /// Of one feature of a parity schema, or of a pair.
    #[must_use]
    pub fn of_parities(parities: Parities, is_pair: bool) -> Self {
        let [least, most] = [false, true].map(|bit| parities.channel().reading(bit));
        let parity = if is_pair { parities.chance(2) } else { 0.0 };
        Self { most, least, covering: parities.chance(1), parity }
    }

    /// By how many people one false report among very many can move a count, in the worse
    /// direction.
    ///
    /// ```
    /// use ldp_pmdh::estimate::Influence;
    /// use ldp_pmdh::{BitNoise, Feature, Protocol, Schema};
    /// use privacy_core::{Attribute, param::Epsilon};
    ///
    /// let noise = Protocol::RandomisedResponse(BitNoise::symmetric(Epsilon::new(1.0)?)?);
    /// let schema = Schema::new(vec![Feature::new(Attribute::new("smokes", ["no", "yes"])?, noise)?])?;
    /// let influence = Influence::new(&schema, &[schema.column("smokes", "yes")?])?;
    /// // q / (q - p) = e / (e - 1): a person who lies counts for more than one and a half.
    /// assert!((influence.of_one() - 1.582).abs() < 1e-3);
    /// assert!((influence.of_many(100, 10_000) - 158.2).abs() < 0.1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_one(&self) -> f64 {
        match self.parity > 0.0 {
            true => 0.5 * self.worse() / self.covering.min(self.parity),
            false => self.worse() / self.covering,
        }
    }

    /// By how many people `false_reports` of `reports` can move a count, in the worse direction;
    /// `false_reports` is at most `reports`.
    #[must_use]
    pub fn of_many(&self, false_reports: u64, reports: u64) -> f64 {
        let (k, n) = (false_reports.min(reports) as f64, reports as f64);
        if k <= 0.0 {
            0.0
        } else if self.parity > 0.0 {
            0.5 * n * self.worse() * most_of_three(k, [self.covering, self.covering, self.parity].map(|s| s * (n - k)))
        } else {
            n * k * self.worse() / (self.covering * (n - k) + k)
        }
    }

    /// From a share of 0 upwards, or from a share of 1 downwards.
    fn worse(&self) -> f64 {
        self.most.max(1.0 - self.least)
    }
}

/// The largest sum of `k_i / (m_i + k_i)` over three questions with `m_i` honest reports each, for
/// `k` false ones in all: a false report is worth `m_i / (m_i + k_i)^2` where it goes, so all that
/// get some are worth the same, `m_i + k_i = c sqrt(m_i)`, and the largest may get none.
fn most_of_three(k: f64, mut honest: [f64; 3]) -> f64 {
    honest.sort_by(f64::total_cmp);
    let mut taken = 3;
    loop {
        let (sum, roots) = honest[..taken].iter().fold((0.0, 0.0), |(sum, roots), m| (sum + m, roots + m.sqrt()));
        if roots == 0.0 {
            return taken as f64;
        }
        let c = (k + sum) / roots;
        if taken == 1 || c >= honest[taken - 1].sqrt() {
            return taken as f64 - roots / c;
        }
        taken -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_client::{BitNoise, Feature, Protocol};
    use privacy_core::Attribute;
    use privacy_core::param::Epsilon;

    #[test]
    fn one_column_has_the_closed_form() {
        for (p, q) in [(0.1, 0.8), (0.4, 0.9), (0.25, 0.5), (0.0, 1.0)] {
            let channel = Channel::new(p, q).unwrap();
            let of_one = Influence::of_channels(&[channel], 0.05).of_one();
            assert!((of_one - f64::max(q, 1.0 - p) / (q - p) * 20.0).abs() < 1e-9 * of_one, "{p} {q}");
        }
    }

    #[test]
    fn sampled_features_multiply_it() {
        // Two of forty features: 780 pairs, of which a report covers one.
        let noise = BitNoise::symmetric(Epsilon::new(1.0).unwrap()).unwrap();
        let feature = |i: usize| {
            let attribute = Attribute::codes(format!("f{i}"), 2).unwrap();
            Feature::new(attribute, Protocol::RandomisedResponse(noise)).unwrap()
        };
        let schema = Schema::new((0..40).map(feature).collect()).unwrap().with_features_per_person(2).unwrap();
        let reading = schema.columns()[0].channel.reading(true);
        let pair = Influence::new(&schema, &[3, 17]).unwrap();
        assert!((pair.of_one() - 780.0 * reading * reading).abs() < 1e-6);
        assert!((Influence::new(&schema, &[3]).unwrap().of_one() - 20.0 * reading).abs() < 1e-9);
        assert!(Influence::new(&schema, &[3, 3]).is_err());
    }

    #[test]
    fn many_false_reports_move_it_no_further_than_their_readings() {
        let influence = Influence::between(-1.0, 3.0, 0.25);
        assert_eq!(influence.of_many(0, 100), 0.0);
        // All reports false: everybody is shown as three people.
        assert!((influence.of_many(100, 100) - 300.0).abs() < 1e-9);
        let curve: Vec<f64> = (0..=100).map(|k| influence.of_many(k, 100)).collect();
        assert!(curve.windows(2).all(|two| two[0] < two[1]));
        assert!((influence.of_many(1, 1_000_000_000) - influence.of_one()).abs() < 1e-6);
    }
}
