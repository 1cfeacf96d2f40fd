//! The release that is attacked, right or with one thing wrong, and its two attackers.

use adaptive_marginals::{AdaptivePlan, AdaptiveSpec, Measurement, Model, PlanLimits};
use disclosure::privacy_core::accounting::Neighbours;
use disclosure::privacy_core::param::Rho;
use disclosure::privacy_core::{CountSource, Domain};
use rand_chacha::ChaCha20Rng;
use synthetic_people::ModelSpec;

use crate::prelude::*;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// Categories of each attribute.
    sizes: Vec<usize>,
    /// Counts of the full table without the person, the last attribute fastest.
    counts: Vec<u64>,
    /// Categories of the person.
    person: Vec<usize>,
    /// How many rows they have.
    rows_per_person: u32,
    /// Who is there instead, where persons are replaced; nobody where they are added and removed.
    #[serde(default)]
    other: Option<Other>,
    rho: f64,
    rounds: u32,
    /// The attributes of the first choice that means "with".
    first: Option<Vec<usize>>,
}

/// Another person in the place of the first.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Other {
    /// Their categories.
    person: Vec<usize>,
    /// How many rows they have: at most as many as the first.
    rows: u32,
}

/// What is wrong with a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The marginal of largest error is chosen, without noise and without cost.
    LargestErrorChosen,
    /// Every round has the whole budget.
    RoundsNotComposed,
    /// The number of rows is taken for public since persons are replaced, whatever number of rows
    /// each has.
    RowsTakenForPublic,
}

/// What is published.
#[derive(Clone, Debug)]
struct Published {
    first: Option<AttrSet>,
    tables: Vec<Measurement>,
    /// The number of people of the model: `measured_total`, and how many rows are drawn.
    total: f64,
}

#[derive(Clone, Debug)]
struct Adaptive {
    spec: Spec,
    without: TableSource,
    with: TableSource,
    fault: Option<Fault>,
}

impl NeighbouringInputs for Adaptive {
    type View = Published;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Published, Error> {
        let table = if side == Side::With { &self.with } else { &self.without };
        let mut generator = release_rng(rng);
        let times = if self.fault == Some(Fault::RoundsNotComposed) { f64::from(self.spec.rounds) } else { 1.0 };
        let published = self.released(table, times, &mut generator)?;
        if self.fault == Some(Fault::LargestErrorChosen) {
            return Ok(Published { first: self.largest_error(table, &published.tables)?, ..published });
        }
        if self.fault == Some(Fault::RowsTakenForPublic) {
            return Ok(Published { total: rows(table)?, ..published });
        }
        Ok(published)
    }
}

impl Adaptive {
    fn released(&self, table: &TableSource, times: f64, rng: &mut ChaCha20Rng) -> Result<Published, Error> {
        let rho = Rho::new(self.spec.rho * times).map_err(refused)?;
        let all = AttrSet::first(self.spec.sizes.len());
        let workload = all.subsets_of_size(2).map(|pair| (pair, 1)).collect();
        let spec = AdaptiveSpec {
            rows_per_person: self.spec.rows_per_person,
            rounds: Some(self.spec.rounds),
            ..AdaptiveSpec::new(rho, self.spec.neighbours(), workload)
        };
        let plan = AdaptivePlan::new(table.domain().clone(), spec, &PlanLimits::default()).map_err(refused)?;
        let release = plan.release(table, rng).map_err(refused)?;
        let first = release.rounds().iter().find(|round| round.epsilon.is_some()).map(|round| round.set);
        Ok(Published { first, tables: release.measurements().to_vec(), total: release.model().total() })
    }

    /// The pair that is furthest from the model of the noised attributes.
    fn largest_error(&self, table: &TableSource, tables: &[Measurement]) -> Result<Option<AttrSet>, Error> {
        let singles: Vec<Measurement> = tables.iter().filter(|table| table.set.len() == 1).cloned().collect();
        let total = singles.iter().map(|table| table.values.iter().sum::<f64>()).sum::<f64>() / singles.len() as f64;
        let model = Model::fit(&ModelSpec::new(self.spec.sizes.clone(), total.max(1.0)), &singles).map_err(refused)?;
        let pairs: Vec<AttrSet> = AttrSet::first(self.spec.sizes.len()).subsets_of_size(2).collect();
        let exact = table.marginals(&pairs).map_err(refused)?;
        let mut largest: Option<(AttrSet, f64)> = None;
        for (&pair, exact) in pairs.iter().zip(&exact) {
            let expected = model.marginal(pair, 1e6).map_err(refused)?;
            let error: f64 =
                exact.cells().iter().zip(expected).map(|(&count, model)| (count as f64 - model).abs()).sum();
            if largest.is_none_or(|(_, most)| error > most) {
                largest = Some((pair, error));
            }
        }
        Ok(largest.map(|(pair, _)| pair))
    }
}

impl Spec {
    fn neighbours(&self) -> Neighbours {
        if self.other.is_some() { Neighbours::Replace } else { Neighbours::AddRemove }
    }

    /// Whether these are one category of each attribute.
    fn has(&self, person: &[usize]) -> bool {
        person.len() == self.sizes.len() && person.iter().zip(&self.sizes).all(|(a, b)| a < b)
    }

    /// The counts with this number of rows of a person.
    fn counts_with(&self, domain: &Domain, person: &[usize], rows: u32) -> Result<TableSource, Error> {
        let place = person.iter().zip(&self.sizes).fold(0, |place, (value, size)| place * size + value);
        let mut counts = self.counts.clone();
        if let Some(count) = counts.get_mut(place) {
            *count += u64::from(rows);
        }
        TableSource::new(domain.clone(), counts).map_err(refused)
    }
}

/// The exact number of rows.
fn rows(table: &TableSource) -> Result<f64, Error> {
    let totals = table.marginals(&[AttrSet::EMPTY]).map_err(refused)?;
    Ok(totals.iter().map(|table| table.total() as f64).sum())
}

/// The two inputs.
struct Inputs {
    spec: Spec,
    without: TableSource,
    with: TableSource,
}

impl Inputs {
    fn read(blueprint: &Blueprint<'_>) -> Result<Self, Error> {
        let spec: Spec = blueprint.spec()?;
        let domain = Domain::of_cardinalities(&spec.sizes).map_err(refused)?;
        let other = spec.other.as_ref();
        if !spec.has(&spec.person) || other.is_some_and(|other| !spec.has(&other.person)) {
            return Err(blueprint.refuse("a person has one category of each attribute"));
        }
        if other.is_some_and(|other| other.rows > spec.rows_per_person) {
            return Err(blueprint.refuse("nobody has more than `rows_per_person` rows"));
        }
        let with = spec.counts_with(&domain, &spec.person, spec.rows_per_person)?;
        let (instead, rows) = other.map_or((&spec.person, 0), |other| (&other.person, other.rows));
        let without = spec.counts_with(&domain, instead, rows)?;
        Ok(Self { with, without, spec })
    }

    fn release(&self, fault: Option<Fault>, has_person: bool) -> Adaptive {
        Adaptive {
            spec: self.spec.clone(),
            without: self.without.clone(),
            with: if has_person { &self.with } else { &self.without }.clone(),
            fault,
        }
    }
}

pub(super) fn first_choice(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let Some(first) = inputs.spec.first.clone() else {
        return Err(blueprint.refuse("`first` names the choice that means \"with\""));
    };
    let first: AttrSet = first.into_iter().collect();
    blueprint.privacy_loss(
        PrivacyLoss::Rho(inputs.spec.rho),
        |fault: Option<Fault>, has_person| Ok(inputs.release(fault, has_person)),
        move |published, _| published.first == Some(first),
    )
}

/// Half of the way between the two tables, by the likelihood ratio of normal noise: the sum over
/// tables of `<y - (without + with) / 2, with - without> / variance` is above 0.
pub(super) fn all_tables(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let (without, with) = (inputs.without.clone(), inputs.with.clone());
    blueprint.privacy_loss(
        PrivacyLoss::Rho(inputs.spec.rho),
        |fault: Option<Fault>, has_person| Ok(inputs.release(fault, has_person)),
        move |published, _| {
            let sets: Vec<AttrSet> = published.tables.iter().map(|table| table.set).collect();
            let (Ok(without), Ok(with)) = (without.marginals(&sets), with.marginals(&sets)) else { return false };
            let mut ratio = 0.0;
            for (table, (without, with)) in published.tables.iter().zip(without.iter().zip(&with)) {
                for (y, (&a, &b)) in table.values.iter().zip(without.cells().iter().zip(with.cells())) {
                    let (a, b) = (a as f64, b as f64);
                    ratio += (y - 0.5 * (a + b)) * (b - a) / table.variance;
                }
            }
            ratio > 0.0
        },
    )
}

/// The number of rows that is published, beside those of the two tables.
pub(super) fn number_of_rows(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let middle = 0.5 * (rows(&inputs.without)? + rows(&inputs.with)?);
    blueprint.privacy_loss(
        PrivacyLoss::Rho(inputs.spec.rho),
        |fault: Option<Fault>, has_person| Ok(inputs.release(fault, has_person)),
        move |published, _| published.total > middle,
    )
}

fn refused(error: impl std::error::Error) -> Error {
    Error::Scenario { id: "adaptive".to_owned(), problem: error.to_string() }
}
