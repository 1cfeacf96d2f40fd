//! A group of one published table with its number. A **guarantee**: (epsilon, delta) of the whole
//! line, which is the decision and the number; neighbours: one person more in the group.
//!
//! With the exact number beside it the person is there or not for certain, whatever the decision
//! costs: the negative control.

use std::num::NonZeroU32;

use disclosure::lcf::{
    Counted, EntityColumn, GroupLimits, GroupNumber, GroupsPerEntity, LabelledGroups, LowCountFilter, NumberNoise,
    OptimalSelection, TableOptions, ThresholdTable,
};
use disclosure::privacy_core::param::Delta;
use disclosure::privacy_core::prf::Secret;
use rand::Rng;

use super::Number;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    epsilon: f64,
    delta: f64,
    /// The noise of the number.
    number: Number,
    /// Other people of the group.
    n: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Exact numbers of rows beside a decision that keeps the promise by itself.
    ExactNumbers,
    /// Noise of a quarter of the scale that is accounted for.
    QuarterOfTheScale,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { epsilon, delta, number, n } = blueprint.spec()?;
    let number = number.number(blueprint)?;
    let (bound, most) = (
        Epsilon::new(epsilon).map_err(|error| blueprint.refuse(error))?,
        Delta::new(delta).map_err(|error| blueprint.refuse(error))?,
    );
    let law = OptimalSelection::new(bound, most, NonZeroU32::MIN, 2)
        .and_then(|law| law.beside_number(number.noise().and_then(NumberNoise::epsilon).unwrap_or(0.0)));
    let thresholds = ThresholdTable::new(law.map_err(|error| blueprint.refuse(error))?);
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon, delta },
        |fault: Option<Fault>, has_person| {
            let number = match (fault, number.noise().and_then(NumberNoise::scale)) {
                (Some(Fault::ExactNumbers), _) => GroupNumber::Exact(Counted::Rows),
                (Some(Fault::QuarterOfTheScale), Some(scale)) => Number::Published(scale / 4.0).number(blueprint)?,
                _ => number,
            };
            Ok(Line { thresholds: thresholds.clone(), number, n, has_person })
        },
        // "With" when the number is above that of the other people.
        move |shown: &Option<u64>, _| shown.is_some_and(|number| number > n),
    )
}

struct Line {
    thresholds: ThresholdTable,
    number: GroupNumber,
    n: u64,
    has_person: bool,
}

impl NeighbouringInputs for Line {
    /// The number of the group, where it is shown.
    type View = Option<u64>;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Option<u64>, Error> {
        let mut bytes = [0; 32];
        rng.fill_bytes(&mut bytes);
        let secret = Secret::new(&bytes).expect("32 bytes");
        let column = EntityColumn { kind: "user".to_owned(), thresholds: self.thresholds.clone() };
        let filter = LowCountFilter::publishing(column, GroupsPerEntity::AtMost(NonZeroU32::MIN), &secret)?;
        let filter = filter.with_number(self.number)?;
        let person = side == Side::With && self.has_person;
        let mut table = LabelledGroups::new(["group"], &filter, GroupLimits::default());
        for entity in (0..self.n + u64::from(person)).map(|_| rng.next_u64()) {
            table.row(["a"])?.insert_with(0, || entity)?;
        }
        let filtered = filter.apply(table.into_table(), TableOptions::of(filter.mode()))?;
        Ok(filtered.reported().next().and_then(|group| group.number))
    }
}
