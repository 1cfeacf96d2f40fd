//! A slab against one count and one set for each group and column, at every cap around the number
//! of entities that a line holds.

use lcf::{ColumnRule, DrawMode, EntityColumn, HardThreshold, ThresholdTable};
use privacy_core::prf::Secret;

use super::*;

const COLUMNS: usize = 2;
const GROUPS: usize = 5;

/// A filter whose sets saturate at `least` entities.
fn filter(least: u32) -> LowCountFilter {
    let column = |kind: &str| {
        let thresholds = ThresholdTable::new(HardThreshold::at_least(least).unwrap());
        EntityColumn { kind: kind.into(), thresholds }
    };
    let secret = Secret::new(&[7; 32]).unwrap();
    let columns = vec![column("user"), column("home")];
    LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap()
}

/// Reproducible numbers below `end` (Steele, Lea, Flood 2014).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) % end
    }
}

/// What a slab must equal.
struct Plain {
    rows: Vec<u64>,
    sets: Vec<Vec<EntitySet>>,
}

impl Plain {
    fn new(cap: u32) -> Self {
        Self { rows: vec![0; GROUPS], sets: vec![vec![EntitySet::new(cap); COLUMNS]; GROUPS] }
    }

    fn bytes(&self, group: usize, filter: &LowCountFilter) -> Option<Vec<u8>> {
        let rows = self.rows[group];
        (rows > 0).then(|| GroupState::bytes_of(rows, &self.sets[group], filter).unwrap())
    }
}

fn taken(slab: &mut Slab, groups: usize, filter: &LowCountFilter) -> Vec<Option<Vec<u8>>> {
    let mut states = Vec::new();
    slab.take(groups, filter, |state| states.push(state)).unwrap();
    states
}

/// Adds a row, or what was counted of a part of a group's rows.
fn step(slab: &mut Slab, plain: &mut Plain, filter: &LowCountFilter, numbers: &mut Numbers) {
    let cap = GroupState::cap(filter);
    let group = numbers.below(GROUPS as u64) as usize;
    let entities = 1 + numbers.below(2 * u64::from(cap));
    if numbers.below(8) > 0 {
        slab.add_rows(group, 1);
        plain.rows[group] += 1;
        for column in 0..COLUMNS {
            let hash = numbers.below(entities);
            slab.insert(group, column, hash);
            plain.sets[group][column].insert(hash);
        }
        return;
    }
    let mut part = GroupState { rows: entities, sets: vec![EntitySet::new(cap); COLUMNS] };
    for set in &mut part.sets {
        (0..entities).for_each(|_| set.insert(numbers.below(entities)));
    }
    slab.merge(group, &part).unwrap();
    plain.rows[group] += part.rows;
    plain.sets[group].iter_mut().zip(&part.sets).for_each(|(set, part)| set.merge(part).unwrap());
}

#[test]
fn groups_have_the_rows_and_entities_of_one_set_each() {
    for least in [2, 3, 5, 6, 7, 8, 9, 20] {
        let filter = filter(least);
        let cap = GroupState::cap(&filter);
        for seed in 0..50 {
            let mut numbers = Numbers(seed);
            let (mut slab, mut plain) = (Slab::new(cap, COLUMNS), Plain::new(cap));
            slab.grow(GROUPS);
            for _ in 0..numbers.below(400) {
                step(&mut slab, &mut plain, &filter, &mut numbers);
            }
            for (group, column) in (0..GROUPS).flat_map(|group| [(group, 0), (group, 1)]) {
                let is_saturated = plain.sets[group][column].is_saturated();
                assert_eq!(slab.is_saturated(group, column), is_saturated, "{least} {seed} {group} {column}");
            }
            let expected: Vec<_> = (0..GROUPS).map(|group| plain.bytes(group, &filter)).collect();
            let first = numbers.below(GROUPS as u64 + 1) as usize;
            let mut states = taken(&mut slab, first, &filter);
            states.extend(taken(&mut slab, usize::MAX, &filter));
            assert!(states == expected, "{least} {seed}: {first} groups first");
        }
    }
}

#[test]
fn groups_that_were_taken_are_forgotten() {
    let filter = filter(20);
    let mut slab = Slab::new(GroupState::cap(&filter), COLUMNS);
    let empty = slab.bytes();
    slab.grow(1);
    slab.add_rows(0, 1);
    (0..10).for_each(|hash| slab.insert(0, 0, hash));
    assert!(slab.bytes() >= empty + COLUMNS * 64 + 10 * BYTES_A_MEMBER);
    assert_eq!(taken(&mut slab, 9, &filter).len(), 1);
    assert_eq!(slab.bytes(), empty);
    slab.grow(1);
    assert_eq!(taken(&mut slab, 1, &filter), [None], "the next group has no row yet");
}

#[test]
fn states_of_another_cap_are_refused() {
    let mut slab = Slab::new(5, COLUMNS);
    slab.grow(1);
    let other = GroupState { rows: 1, sets: vec![EntitySet::new(6); COLUMNS] };
    assert_eq!(slab.merge(0, &other), Err(Error::OtherCap { expected: 5, got: 6 }));
}

#[test]
fn rows_beyond_64_bits_stay_at_the_most() {
    let filter = filter(2);
    let cap = GroupState::cap(&filter);
    let mut slab = Slab::new(cap, COLUMNS);
    slab.grow(1);
    slab.add_rows(0, u64::MAX);
    slab.add_rows(0, 1);
    let expected = GroupState::bytes_of(u64::MAX, &vec![EntitySet::new(cap); COLUMNS], &filter).unwrap();
    assert_eq!(taken(&mut slab, 1, &filter), [Some(expected)]);
}
