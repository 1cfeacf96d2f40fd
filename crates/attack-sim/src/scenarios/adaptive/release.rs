//! The release that is attacked, right or with one thing wrong, and its attackers.

use adaptive_marginals::{AdaptivePlan, AdaptiveSpec, Measurement, Model, PlanLimits};
use disclosure::privacy_core::accounting::Neighbours;
use disclosure::privacy_core::param::Rho;
use disclosure::privacy_core::{CountSource, Domain};
use rand_chacha::ChaCha20Rng;
use synthetic_people::{FitSpec, ModelSpec};

use super::evidence::{self, ChoiceEvidence};
use super::faults::{Fault, Parameters};
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
    /// Share of the budget for noise; that of the crate if left out.
    noise_share: Option<f64>,
    /// Most steps of a fit; those of the crate if left out. What is promised holds for any model.
    fit_steps: Option<usize>,
    /// The attributes of the first choice that means "with".
    first: Option<Vec<usize>>,
    /// The logarithm of the likelihood ratio from which the attacker says "with"; 0 if left out.
    #[serde(default)]
    least: f64,
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

/// A marginal that was chosen, the epsilon of the choice, and the variance of its noise.
#[derive(Clone, Copy, Debug)]
pub(super) struct FirstChoice {
    pub(super) set: AttrSet,
    pub(super) epsilon: f64,
    pub(super) variance: f64,
}

/// What is published.
#[derive(Clone, Debug)]
pub(super) struct Published {
    pub(super) first: Option<FirstChoice>,
    pub(super) tables: Vec<Measurement>,
    /// The number of people of the model: `measured_total`, and how many rows are drawn.
    pub(super) total: f64,
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
        let published = self.released(table, &mut generator)?;
        if self.fault == Some(Fault::LargestErrorChosen) {
            let largest = self.largest_error(table, &published.tables)?.zip(published.first);
            let first = largest.map(|(set, choice)| FirstChoice { set, ..choice });
            return Ok(Published { first, ..published });
        }
        if self.fault == Some(Fault::RowsTakenForPublic) {
            return Ok(Published { total: rows(table)?, ..published });
        }
        Ok(published)
    }
}

impl Adaptive {
    fn released(&self, table: &TableSource, rng: &mut ChaCha20Rng) -> Result<Published, Error> {
        let release = self.spec.plan(table.domain(), self.fault)?.release(table, rng).map_err(refused)?;
        let mut chosen = release.rounds().iter().filter_map(|round| {
            Some(FirstChoice { set: round.set, epsilon: round.epsilon?, variance: round.variance })
        });
        let first = chosen.next();
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
    /// The plan, right or with a fault.
    fn plan(&self, domain: &Domain, fault: Option<Fault>) -> Result<AdaptivePlan, Error> {
        let workload = AttrSet::first(self.sizes.len()).subsets_of_size(2).map(|pair| (pair, 1)).collect();
        let rho = Rho::new(self.rho).map_err(refused)?;
        let usual = AdaptiveSpec::new(rho, self.neighbours(), workload);
        let noise_share = self.noise_share.unwrap_or(usual.noise_share);
        let right = Parameters { rho: self.rho, noise_share, rows_per_person: self.rows_per_person };
        let parameters = right.with(fault, self.rounds);
        let steps = |fit: FitSpec| FitSpec { most_steps: self.fit_steps.unwrap_or(fit.most_steps), ..fit };
        let spec = AdaptiveSpec {
            rho: Rho::new(parameters.rho).map_err(refused)?,
            rows_per_person: parameters.rows_per_person,
            rounds: Some(self.rounds),
            noise_share: parameters.noise_share,
            fit: steps(usual.fit),
            last_fit: steps(usual.last_fit),
            ..usual
        };
        AdaptivePlan::new(domain.clone(), spec, &PlanLimits::default()).map_err(refused)
    }

    /// What the first choice costs by itself, by (A2): a part of the budget that the plan states.
    fn first_choice_rho(&self, domain: &Domain) -> Result<f64, Error> {
        Ok(self.plan(domain, None)?.first_epsilon().powi(2) / 8.0)
    }

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
    // Only the choice is looked at, and it is charged a small part of the whole budget.
    let claimed = inputs.spec.first_choice_rho(inputs.without.domain())?;
    blueprint.privacy_loss(
        PrivacyLoss::Rho(claimed),
        |fault: Option<Fault>, has_person| Ok(inputs.release(fault, has_person)),
        move |published, _| published.first.is_some_and(|choice| choice.set == first),
    )
}

/// The tables that are likelier with the person than without, by so much as the scenario says.
pub(super) fn all_tables(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let (sides, least) = ([inputs.without.clone(), inputs.with.clone()], inputs.spec.least);
    blueprint.privacy_loss(
        PrivacyLoss::Rho(inputs.spec.rho),
        |fault: Option<Fault>, has_person| Ok(inputs.release(fault, has_person)),
        move |published, _| evidence::of_tables(&published.tables, &sides).is_some_and(|ratio| ratio > least),
    )
}

/// The same, and what the first choice tells beside the tables.
pub(super) fn choice_and_tables(blueprint: &Blueprint<'_>) -> Built {
    let inputs = Inputs::read(blueprint)?;
    let (sides, least) = ([inputs.without.clone(), inputs.with.clone()], inputs.spec.least);
    let weighs = ChoiceEvidence::new(&inputs.spec.sizes, inputs.spec.rows_per_person, &sides)?;
    blueprint.privacy_loss(
        PrivacyLoss::Rho(inputs.spec.rho),
        |fault: Option<Fault>, has_person| Ok(inputs.release(fault, has_person)),
        move |published, _| {
            let tables = evidence::of_tables(&published.tables, &sides);
            tables.is_some_and(|ratio| ratio + weighs.of(published) > least)
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

pub(super) fn refused(error: impl std::error::Error) -> Error {
    Error::Scenario { id: "adaptive".to_owned(), problem: error.to_string() }
}
