//! Which units are in which set: a sparse 0/1 matrix in compressed rows.

use privacy_core::stop::StopFlag;

/// Sets of units, each in increasing order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Incidence {
    starts: Vec<usize>,
    members: Vec<u32>,
}

impl Incidence {
    pub(crate) fn new() -> Self {
        Self { starts: vec![0], members: Vec::new() }
    }

    pub(crate) fn push(&mut self, members: impl IntoIterator<Item = u32>) {
        self.members.extend(members);
        self.starts.push(self.members.len());
    }

    /// Adds one set for each of `0 .. sets`: unit `i` goes into set `set_of[i]`.
    pub(crate) fn push_partition(&mut self, set_of: &[u32], sets: usize) {
        let first = self.starts.len() - 1;
        let base = self.members.len();
        let mut next = vec![0; sets + 1];
        set_of.iter().for_each(|&set| next[set as usize + 1] += 1);
        (0..sets).for_each(|set| next[set + 1] += next[set]);
        self.members.resize(base + set_of.len(), 0);
        for (unit, &set) in (0_u32..).zip(set_of) {
            self.members[base + next[set as usize]] = unit;
            next[set as usize] += 1;
        }
        // By now `next` holds the ends.
        self.starts.extend(next[..sets].iter().map(|&end| base + end));
        debug_assert_eq!(self.starts.len() - 1, first + sets);
    }

    /// How many sets there are.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there is no set.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many memberships there are, over all sets.
    #[must_use]
    pub(crate) fn entries(&self) -> usize {
        self.members.len()
    }

    /// The units of a set, in increasing order.
    ///
    /// # Panics
    /// If there is no such set.
    #[must_use]
    pub(crate) fn set(&self, set: usize) -> &[u32] {
        &self.members[self.starts[set]..self.starts[set + 1]]
    }

    /// Position of the first membership of a set among all memberships.
    pub(crate) fn start(&self, set: usize) -> usize {
        self.starts[set]
    }

    pub(crate) fn sets(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|pair| &self.members[pair[0]..pair[1]])
    }

    /// The sets in order, up to the one at which the flag is found set.
    pub(crate) fn sets_until(&self, stop: &StopFlag) -> impl Iterator<Item = &[u32]> {
        self.sets().take_while(|_| !stop.is_set())
    }

    /// The sets of each of `units` units.
    pub(crate) fn transposed(&self, units: usize) -> Self {
        let mut starts = vec![0; units + 1];
        self.members.iter().for_each(|&unit| starts[unit as usize + 1] += 1);
        (0..units).for_each(|unit| starts[unit + 1] += starts[unit]);
        let (mut next, mut members) = (starts.clone(), vec![0; self.members.len()]);
        for (set, units) in (0_u32..).zip(self.sets()) {
            for &unit in units {
                members[next[unit as usize]] = set;
                next[unit as usize] += 1;
            }
        }
        Self { starts, members }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_is_pushed_set_by_set_and_transposes() {
        let mut sets = Incidence::new();
        sets.push([1, 3]);
        sets.push_partition(&[2, 0, 2, 1], 3);
        let all: Vec<&[u32]> = sets.sets().collect();
        assert_eq!(all, [&[1, 3][..], &[1], &[3], &[0, 2]]);
        let back = sets.transposed(4);
        let all: Vec<&[u32]> = back.sets().collect();
        assert_eq!(all, [&[3][..], &[0, 1], &[3], &[0, 2]]);
        assert_eq!(back.transposed(4), sets);
    }
}
