//! What is shown beside a reported group.

use privacy_core::prf::StickyNoise;

use super::noise::NumberNoise;
use crate::entity::entity_set::{EntityCount, EntitySet};
use crate::error::Error;
use crate::filter::description::DrawMode;

/// How the count of a reported group is published. Whatever it is, it is at least the floor of
/// the filter.
///
/// Rounded and noisy numbers are of entities: one entity changes them by one, while it can have
/// any number of rows. They take a single column of identifiers, and groups whose sets are held
/// whole: 16 bytes for each entity of a group.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
#[non_exhaustive]
pub enum GroupNumber {
    /// No number.
    #[default]
    Hidden,
    /// The number of entities, rounded at random to a multiple of a base; in query mode.
    Rounded(NumberNoise),
    /// The number of entities with discrete Laplace noise. In query mode it is rounded as well, in
    /// publish mode it is not, and the cost of the noise is part of what the publication promises.
    Noisy(NumberNoise),
    /// The exact number. Two groups that differ by one entity then have different numbers, which
    /// proves the entity, and differences of groups are the suppressed ones. No promise covers it.
    Exact(Counted),
}

/// What an exact number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Counted {
    /// Different entities.
    Entities,
    /// Rows.
    #[default]
    Rows,
}

impl GroupNumber {
    /// What the number counts; none where there is no number.
    #[must_use]
    pub const fn counted(&self) -> Option<Counted> {
        match self {
            Self::Hidden => None,
            Self::Rounded(_) | Self::Noisy(_) => Some(Counted::Entities),
            Self::Exact(counted) => Some(*counted),
        }
    }

    /// The noise of the number; none where it is hidden or exact.
    #[must_use]
    pub const fn noise(&self) -> Option<&NumberNoise> {
        match self {
            Self::Rounded(noise) | Self::Noisy(noise) => Some(noise),
            Self::Hidden | Self::Exact(_) => None,
        }
    }

    /// Whether groups have to hold all of their entities.
    pub(crate) const fn needs_whole_sets(&self) -> bool {
        matches!(self.counted(), Some(Counted::Entities))
    }

    /// Refuses numbers that a filter cannot show, or not under its promise.
    pub(crate) fn check(&self, mode: DrawMode, columns: usize) -> Result<(), Error> {
        match (self, mode) {
            (Self::Rounded(_), DrawMode::Publish) => return Err(Error::RoundedPublication),
            (Self::Rounded(noise), DrawMode::Query) if noise.scale().is_some() => return Err(Error::NumberNoise),
            (Self::Noisy(noise), _) if noise.scale().is_none() => return Err(Error::NumberNoise),
            (Self::Rounded(noise) | Self::Noisy(noise), DrawMode::Query) => noise.check_sticky()?,
            (Self::Noisy(noise), DrawMode::Publish) if noise.base() > 1 => return Err(Error::RoundedPublication),
            _ => {}
        }
        if self.needs_whole_sets() && columns > 1 { Err(Error::NumberOfSeveral) } else { Ok(()) }
    }
}

/// How the numbers of a table are drawn.
pub(crate) struct Numbers<'a> {
    pub(crate) number: GroupNumber,
    pub(crate) noise: &'a StickyNoise,
    /// The smallest number that is shown.
    pub(crate) floor: u64,
}

impl Numbers<'_> {
    /// The number of a reported group from its rows and its entities in the first column; `tweak`
    /// is the hash of its name in publish mode.
    pub(crate) fn shown(&self, rows: u64, set: &EntitySet, tweak: Option<u64>) -> Option<u64> {
        let number = match self.number {
            GroupNumber::Hidden => return None,
            GroupNumber::Exact(Counted::Rows) => rows,
            GroupNumber::Exact(Counted::Entities) => entities(set),
            GroupNumber::Rounded(noise) | GroupNumber::Noisy(noise) => {
                // In query mode by the least member: one entity more or less rarely changes it.
                let seed = tweak.map_or_else(|| set.least(), |tweak| set.seed().unwrap_or(0) ^ tweak);
                noise.add_to(entities(set), &mut self.noise.generator(seed))
            }
        };
        Some(number.max(self.floor))
    }
}

/// Sets are held whole here, so the number is exact.
fn entities(set: &EntitySet) -> u64 {
    match set.distinct() {
        EntityCount::Exactly(n) | EntityCount::AtLeast(n) => n.into(),
    }
}

#[cfg(test)]
mod tests {
    use privacy_core::prf::Secret;
    use privacy_core::rng::SimRng;
    use rand_core::Rng;

    use super::*;

    /// Two sets and two names: the second name makes the XOR with the second set that of the first
    /// set with the first name.
    fn two_of_one_seed(rng: &mut SimRng) -> [(EntitySet, u64); 2] {
        let sets = [(); 2].map(|()| {
            let mut set = EntitySet::new(100);
            (0..7).for_each(|_| set.insert(rng.next_u64()));
            set
        });
        let [first, second] = [0, 1].map(|place| sets[place].seed().unwrap());
        let name = rng.next_u64();
        let [one, other] = sets;
        [(one, name), (other, first ^ name ^ second)]
    }

    #[test]
    fn numbers_of_a_publication_are_drawn_by_the_xor_of_set_and_name() {
        let (mut rng, mut same) = (SimRng::for_trial(1, "numbers of groups", 0), 0);
        let noise = Secret::new(&[7; 32]).unwrap().sticky_noise();
        let number = GroupNumber::Noisy(NumberNoise::laplace(1e6).unwrap());
        let numbers = Numbers { number, noise: &noise, floor: 0 };
        for _ in 0..100 {
            let [(one, name), (other, other_name)] = two_of_one_seed(&mut rng);
            let shown = numbers.shown(7, &one, Some(name));
            assert_eq!(shown, numbers.shown(7, &other, Some(other_name)));
            same += u32::from(shown == numbers.shown(7, &one, Some(other_name)));
        }
        // Half of the numbers are at the floor, and so both are with probability 1/4.
        assert!(same < 45, "{same} are the same for another name");
    }
}
