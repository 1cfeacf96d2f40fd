//! All rows of one person more or less, where people have more rows than the promise counts.
//!
//! The release chooses at most `rows_per_person` rows of each person under a fresh key and then
//! measures. The negative control measures all rows and takes `rows_per_person` on trust. The
//! attacker knows everybody else's rows and the person's, and not the key.

use std::sync::Arc;

use disclosure::privacy_core::prf::Secret;
use disclosure::resplan::ContributionBound;
use rand_chacha::ChaCha20Rng;

use super::mechanism::Mechanism;
use super::setting::Setting;
use super::statistic::{Counts, Distinguisher, Statistic};
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// `rows_per_person` is believed: all rows are counted.
    RowsOnTrust,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    plan: Setting,
    /// Cells of the full table that the rows of everybody else are in, by person.
    others: Vec<Vec<usize>>,
    /// Cells of the full table that the person's rows are in.
    person: Vec<usize>,
    /// Cells of the rows of whom they take the place, where persons are replaced.
    instead: Option<Vec<usize>>,
    /// Where "with" begins, as a part of the way between the expected tables.
    threshold: f64,
}

/// Keys over which the attacker averages what is counted of everybody else.
const KEYS: u64 = 200;

/// The release of a file with or without a person.
#[derive(Clone, Debug)]
struct OnePerson {
    setting: Arc<Setting>,
    mechanism: Mechanism,
    fault: Option<Fault>,
    /// The cells of the rows of everybody else, by person.
    others: Vec<Vec<usize>>,
    /// What the attacker expects to be counted of them, over every measured set.
    expected: Vec<Vec<f64>>,
    /// The rows of whom the file has without the person in question, and with them.
    sides: [Option<Vec<usize>>; 2],
}

impl NeighbouringInputs for OnePerson {
    type View = Counts;

    /// The released counts, less what the attacker expects of everybody else.
    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Counts, Error> {
        let mut generator = release_rng(rng);
        let person = &self.sides[usize::from(side == Side::With)];
        let people: Vec<&[usize]> = self.others.iter().chain(person).map(Vec::as_slice).collect();
        let table = self.setting.table_of(self.counted(&people, &mut generator)?)?;
        let mut cells = self.mechanism.cells(&table, &mut generator)?;
        cells.iter_mut().flatten().zip(self.expected.iter().flatten()).for_each(|(cell, expected)| *cell -= expected);
        Ok(vec![cells])
    }
}

impl OnePerson {
    fn new(spec: &Spec, mechanism: &Mechanism, fault: Option<Fault>, has_person: bool) -> Result<Self, Error> {
        let person = if has_person { Some(spec.person.clone()) } else { spec.instead.clone() };
        let (setting, others) = (Arc::new(spec.plan.clone()), spec.others.clone());
        let sides = [spec.instead.clone(), person];
        let mut world = Self { setting, mechanism: mechanism.clone(), fault, others, expected: Vec::new(), sides };
        world.expected = world.expected_of_others()?;
        Ok(world)
    }

    fn expected_of_others(&self) -> Result<Vec<Vec<f64>>, Error> {
        let people: Vec<&[usize]> = self.others.iter().map(Vec::as_slice).collect();
        let mut mean: Vec<Vec<f64>> = Vec::new();
        for trial in 0..KEYS {
            let mut generator = release_rng(&mut SimRng::for_trial(0, "resplan/contributor/others", trial));
            let truth = self.mechanism.truth(&self.setting.table_of(self.counted(&people, &mut generator)?)?)?;
            mean.resize_with(truth.len(), Vec::new);
            for (mean, cells) in mean.iter_mut().zip(truth) {
                mean.resize(cells.len(), 0.0);
                mean.iter_mut().zip(cells).for_each(|(mean, cell)| *mean += cell / KEYS as f64);
            }
        }
        Ok(mean)
    }

    /// The counts of the rows that are counted.
    fn counted(&self, people: &[&[usize]], generator: &mut ChaCha20Rng) -> Result<Vec<u64>, Error> {
        let rows = (0..).zip(people).flat_map(|(person, cells)| cells.iter().map(move |&cell| (person, cell)));
        let (persons, cells): (Vec<u32>, Vec<usize>) = rows.unzip();
        let names: Vec<String> = (0..people.len()).map(|person| person.to_string()).collect();
        let key = Secret::new(&generator.random::<[u8; 32]>()).expect("a key has 32 bytes");
        let kept = match self.fault {
            None => {
                ContributionBound::new(self.setting.rows_per_person, &key)
                    .kept(&persons, &names, |row, content| content.extend(cells[row].to_le_bytes()))
            }
            Some(Fault::RowsOnTrust) => vec![true; cells.len()],
        };
        let mut counts = self.setting.counts()?;
        for (&cell, _) in cells.iter().zip(kept).filter(|(_, is_kept)| *is_kept) {
            counts[cell] += 1;
        }
        Ok(counts)
    }
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let mechanism = Mechanism::new(&spec.plan, None)?;
    // The rows of the person are in one cell, so that what is counted of them is known.
    let honest = OnePerson::new(&spec, &mechanism, None, true)?;
    let mut tables = Vec::new();
    for person in &honest.sides {
        let mut generator = release_rng(&mut SimRng::for_trial(0, "resplan/contributor", 0));
        let people: Vec<&[usize]> = person.iter().map(Vec::as_slice).collect();
        tables.push(spec.plan.table_of(honest.counted(&people, &mut generator)?)?);
    }
    let statistic = Statistic::between(&mechanism, &tables[0], &tables[1])?;
    let distinguisher = Distinguisher { threshold: spec.threshold * statistic.mu, statistic };
    blueprint.privacy_loss(
        PrivacyLoss::Rho(0.5 * spec.plan.pcost),
        |fault, has_person| OnePerson::new(&spec, &mechanism, fault, has_person),
        move |counts, _| distinguisher.says_with(counts),
    )
}
