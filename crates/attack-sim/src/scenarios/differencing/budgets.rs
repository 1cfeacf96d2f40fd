//! Two noisy releases of `resplan`, one person apart: their budgets add.
//!
//! Both releases spend `rho` of zero-concentrated differential privacy. A person who is in both
//! loses `2 rho`, one who came between them `rho`: a **guarantee**. Noise is many steps of the
//! lattice wide, so that it is as good as normal, and what is lost is `mu = sqrt(2 rho)` of
//! Gaussian differential privacy for each release, which a threshold measures in full. The
//! attacker adds up the counts of the person's cell, or takes the second one and looks whether
//! the two have their noise in common.

use disclosure::privacy_core::accounting::PrivacyCost;
use disclosure::privacy_core::{Attribute, Domain};
use disclosure::resplan::{Plan, PlanLimits, PlanSpec, Workload};
use rand_chacha::ChaCha20Rng;

use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    /// Of each release.
    rho: f64,
    person: Person,
}

/// Where the person is, if anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Person {
    InBoth,
    CameBetween,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The second release has the noise of the first.
    ReusedNoise,
    /// The sensitivity is halved: four times the cost.
    SensitivityHalved,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { rho, person } = blueprint.spec()?;
    // Squares of mu add.
    let squared = if person == Person::InBoth { 4.0 * rho } else { 2.0 * rho };
    blueprint.privacy_loss(
        PrivacyLoss::Mu(squared.sqrt()),
        |fault, has_person| {
            let cost = if fault == Some(Fault::SensitivityHalved) { 4.0 } else { 1.0 } * 2.0 * rho;
            let releases = TwoReleases::new(cost, Where { person, has_person }, fault);
            releases.map_err(|error| blueprint.refuse(error))
        },
        move |counts, _| says_with(person, *counts),
    )
}

#[derive(Clone, Copy)]
struct Where {
    person: Person,
    has_person: bool,
}

struct TwoReleases {
    plan: Plan,
    /// Without the person, and with.
    tables: [TableSource; 2],
    place: Where,
    reuses_noise: bool,
}

/// Of the two cells; the person is in the first.
const COUNTS: [u64; 2] = [300, 200];
/// Rows of the person.
const ROWS: u32 = 50;

impl TwoReleases {
    fn new(cost: f64, place: Where, fault: Option<Fault>) -> Result<Self, Box<dyn std::error::Error>> {
        let domain = Domain::new(vec![Attribute::new("answer", ["yes", "no"])?])?;
        let tables = [
            TableSource::new(domain.clone(), COUNTS.to_vec())?,
            TableSource::new(domain.clone(), vec![COUNTS[0] + u64::from(ROWS), COUNTS[1]])?,
        ];
        // One table of categories, so that its cells have noise of their own, and the person's
        // cell is all that matters.
        let workload = Workload::from_sets([AttrSet::single(0)]);
        let mut spec = PlanSpec::new(domain.clone(), workload, PrivacyCost::new(cost)?);
        spec.rows_per_person = ROWS;
        let plan = Plan::new(spec, &PlanLimits::default())?;
        Ok(Self { plan, tables, place, reuses_noise: fault == Some(Fault::ReusedNoise) })
    }

    /// The count of the person's cell.
    fn released(&self, has_person: bool, rng: &mut ChaCha20Rng) -> Result<f64, Error> {
        let measured = self.plan.duplicate().measure(&self.tables[usize::from(has_person)], rng).map_err(refused)?;
        Ok(measured.cells(AttrSet::single(0)).map_err(refused)?[[0]])
    }
}

impl NeighbouringInputs for TwoReleases {
    /// The count of the person's cell in each release.
    type View = [f64; 2];

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<[f64; 2], Error> {
        let is_there = side == Side::With && self.place.has_person;
        let was_there = is_there && self.place.person == Person::InBoth;
        let mut noise = release_rng(rng);
        let mut again = if self.reuses_noise { noise.clone() } else { release_rng(rng) };
        Ok([self.released(was_there, &mut noise)?, self.released(is_there, &mut again)?])
    }
}

fn refused(error: disclosure::resplan::Error) -> Error {
    Error::Scenario { id: "differencing".to_owned(), problem: error.to_string() }
}

/// Whether the counts are beyond halfway between what is expected without the person and with.
fn says_with(person: Person, [first, second]: [f64; 2]) -> bool {
    let rows = f64::from(ROWS);
    match person {
        Person::InBoth => first + second > 2.0 * COUNTS[0] as f64 + rows,
        Person::CameBetween => {
            let apart = second - first;
            is_near(apart, rows) || !is_near(apart, 0.0) && second > COUNTS[0] as f64 + 0.5 * rows
        }
    }
}

/// Whether noise that two counts have in common has cancelled.
fn is_near(apart: f64, rows: f64) -> bool {
    (apart - rows).abs() < 1e-6
}
