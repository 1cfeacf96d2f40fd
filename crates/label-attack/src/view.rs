//! What goes out, and so what an attacker sees: who matches each query, and the released counts.

use privacy_core::rng::SimRng;
use rand::RngExt;

use crate::error::Error;
use crate::incidence::Incidence;
use crate::limits::AttackLimits;
use crate::setting::{LabelRelease, Suppression};
use crate::world::{FeatureTable, LabelWorld, Units, refine};

/// All that an attacker on labels is given: known columns, public class shares, the rule of the
/// release, and the counts. There is no way from here to the labels.
///
/// ```compile_fail,E0599
/// fn peek(view: &label_attack::LabelView) -> &[u32] {
///     view.labels() // a LabelWorld has labels, a view has none
/// }
/// ```
#[derive(Clone, Debug)]
pub struct LabelView {
    features: FeatureTable,
    shares: Vec<f64>,
    release: LabelRelease,
    pub(crate) units: Units,
    queries: Incidence,
    /// By query, then class; `None` is withheld.
    answers: Vec<Option<i64>>,
}

impl LabelView {
    /// Carries a release out on a world.
    ///
    /// Cost: rows with distinct known columns times tables times columns.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`], before memory is taken; [`Error::Stopped`].
    pub fn of(
        world: &LabelWorld,
        release: &LabelRelease,
        limits: &AttackLimits,
        rng: &mut SimRng,
    ) -> Result<Self, Error> {
        let (features, classes) = (world.features(), world.class_shares().len());
        let units = features.units(&limits.stop)?;
        let estimate = release.number_of_tables(features.columns().len()) * units.sizes.len() as f64;
        if estimate > limits.entries as f64 {
            return Err(Error::TooManyEntries { estimate, limit: limits.entries });
        }
        let mut counts_of_unit = vec![0_i64; units.sizes.len() * classes];
        for (&unit, &label) in units.of_row.iter().zip(world.labels()) {
            counts_of_unit[unit as usize * classes + label as usize] += 1;
        }
        let (mut queries, mut answers) = (Incidence::new(), Vec::new());
        for table in release.tables(features.columns().len()) {
            limits.check_stop()?;
            let mut of = vec![0; units.sizes.len()];
            let mut groups = 1;
            for column in table.iter() {
                let column = &features.columns()[column];
                let codes: Vec<u32> = units.first_row.iter().map(|&row| column[row]).collect();
                groups = refine(&mut of, &codes, &limits.stop)?;
            }
            let mut counts = vec![0; groups * classes];
            for (&group, of_unit) in of.iter().zip(counts_of_unit.chunks(classes)) {
                let of_group = &mut counts[group as usize * classes..][..classes];
                of_group.iter_mut().zip(of_unit).for_each(|(sum, count)| *sum += count);
            }
            queries.push_partition(&of, groups);
            answers.extend(counts.chunks(classes).flat_map(|of_group| answer(release, of_group, rng)));
        }
        let (features, shares, release) = (features.clone(), world.class_shares().to_vec(), release.clone());
        Ok(Self { features, shares, release, units, queries, answers })
    }

    /// The known columns.
    #[must_use]
    pub fn features(&self) -> &FeatureTable {
        &self.features
    }

    /// What the public knows of the classes: their shares.
    #[must_use]
    pub fn class_shares(&self) -> &[f64] {
        &self.shares
    }

    /// The rule of the release.
    #[must_use]
    pub fn release(&self) -> &LabelRelease {
        &self.release
    }

    /// How many counts were released.
    #[must_use]
    pub fn released(&self) -> usize {
        self.answers.iter().flatten().count()
    }

    /// Every query: the rows that match it, in order, and the released count of each class;
    /// `None` is withheld.
    pub fn answers(&self) -> impl Iterator<Item = (Vec<usize>, &[Option<i64>])> {
        let mut rows_of = Incidence::new();
        rows_of.push_partition(&self.units.of_row, self.units.sizes.len());
        self.queries().map(move |(units, counts)| {
            let mut rows: Vec<usize> =
                units.iter().flat_map(|&unit| rows_of.set(unit as usize)).map(|&row| row as usize).collect();
            rows.sort_unstable();
            (rows, counts)
        })
    }

    /// The queries, as sets of units (rows with identical known columns), with their answers by
    /// class; `None` is withheld.
    pub(crate) fn queries(&self) -> impl Iterator<Item = (&[u32], &[Option<i64>])> {
        self.queries.sets().zip(self.answers.chunks(self.shares.len()))
    }
}

/// The released counts of one query, by class.
fn answer(release: &LabelRelease, counts: &[i64], rng: &mut SimRng) -> Vec<Option<i64>> {
    let (threshold, noise) = (release.suppress_below as i64, release.noise as i64);
    let rows: i64 = counts.iter().sum();
    counts
        .iter()
        .map(|&count: &i64| {
            let compared = match release.suppression {
                Suppression::PerClass => count,
                Suppression::GroupSize => rows,
            };
            // Drawn for withheld counts too: a threshold does not move the noise of other counts.
            let noisy = count + rng.random_range(-noise..=noise);
            (compared >= threshold).then_some(if release.clamp_at_zero { noisy.max(0) } else { noisy })
        })
        .collect()
}
