//! One person more, or another: does the release tell by more than it promises?
//!
//! The promise is `rho = pcost / 2` of zero-concentrated differential privacy; for a budget in mu
//! also `mu = sqrt(pcost)` of Gaussian differential privacy, which discrete noise keeps by being a
//! little larger than continuous noise. Where a plan has no budget in mu, its noise is many steps
//! of its integers wide, so that the difference is below what trials see.

use super::mechanism::{Fault, Mechanism};
use super::setting::Setting;
use super::statistic::{Counts, Distinguisher, Statistic};
use crate::prelude::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    plan: Setting,
    loss: LossName,
    /// Categories of the person.
    person: Vec<usize>,
    /// Of whom they take the place, where rows are replaced.
    instead: Option<Vec<usize>>,
    /// Where "with" begins, as a part of the way from the table without to the table with.
    threshold: f64,
    /// Whether an earlier release of the table without the person is known.
    #[serde(default)]
    after_an_earlier_release: bool,
    /// Whether only adjusted tables are published.
    #[serde(default)]
    adjusted: bool,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum LossName {
    Mu,
    Rho,
}

/// The release of one of two tables.
#[derive(Clone, Debug)]
struct OnePerson {
    mechanism: Mechanism,
    without: TableSource,
    with: TableSource,
    after_an_earlier_release: bool,
}

impl NeighbouringInputs for OnePerson {
    type View = Counts;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Counts, Error> {
        let mut generator = release_rng(rng);
        let mut later = if self.mechanism.reuses_seeds() { generator.clone() } else { release_rng(rng) };
        let table = if side == Side::With { &self.with } else { &self.without };
        let earlier = self.after_an_earlier_release.then(|| self.mechanism.cells(&self.without, &mut generator));
        earlier.into_iter().chain([self.mechanism.cells(table, &mut later)]).collect()
    }
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let rows = spec.plan.rows_per_person;
    let without = match &spec.instead {
        Some(row) => spec.plan.table_with(row, rows)?,
        None => spec.plan.table()?,
    };
    let with = spec.plan.table_with(&spec.person, rows)?;
    let statistic = Statistic::between(&Mechanism::new(&spec.plan, None)?, &without, &with)?;
    let loss = match spec.loss {
        LossName::Mu => PrivacyLoss::Mu(spec.plan.pcost.sqrt()),
        LossName::Rho => PrivacyLoss::Rho(0.5 * spec.plan.pcost),
    };
    let distinguisher = Distinguisher { threshold: spec.threshold * statistic.mu, statistic };
    blueprint.privacy_loss(
        loss,
        |fault: Option<Fault>, has_person| {
            let mechanism = Mechanism::new(&spec.plan, fault)?;
            Ok(OnePerson {
                mechanism: if spec.adjusted { mechanism.adjusted() } else { mechanism },
                without: without.clone(),
                with: if has_person { &with } else { &without }.clone(),
                after_an_earlier_release: spec.after_an_earlier_release,
            })
        },
        move |counts, _| distinguisher.says_with(counts),
    )
}
