//! Instances of tests, and a brute-force oracle that shares no code with the crate.

use frechet_release::{Knowledge, Limits, Solver};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use serde_json::Value;

/// A table, the margins of it that are published, and how many people each cell has.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) shape: Vec<usize>,
    pub(crate) counts: Vec<u64>,
    pub(crate) margins: Vec<Vec<usize>>,
    pub(crate) capacity: Option<Vec<u64>>,
}

impl Case {
    pub(crate) fn of(shape: &[usize], counts: Vec<u64>, margins: Vec<Vec<usize>>) -> Self {
        Self { shape: shape.to_vec(), counts, margins, capacity: None }
    }

    pub(crate) fn axial(shape: &[usize], counts: Vec<u64>) -> Self {
        Self::of(shape, counts, (0..shape.len()).map(|axis| vec![axis]).collect())
    }

    pub(crate) fn with_people(mut self, people: Vec<u64>) -> Self {
        self.capacity = Some(people);
        self
    }

    pub(crate) fn knowledge(&self) -> Knowledge {
        let domain = Domain::of_cardinalities(&self.shape).unwrap();
        let table = ContingencyTable::from_cells(&domain, domain.all(), self.counts.clone()).unwrap();
        let mut knowledge = match &self.capacity {
            None => Knowledge::of_counts(domain).unwrap(),
            Some(people) => {
                let people = ContingencyTable::from_cells(&domain, domain.all(), people.clone()).unwrap();
                Knowledge::with_population(domain, &people).unwrap()
            }
        };
        for axes in &self.margins {
            let axes: AttrSet = axes.iter().copied().collect();
            knowledge.publish_margin(&table.marginal(axes).unwrap()).unwrap();
        }
        knowledge
    }

    pub(crate) fn solver(&self, limits: Limits) -> Solver {
        Solver::new(self.knowledge(), limits).unwrap()
    }

    /// Every table of whole numbers with the margins and capacities, by trying all values cell by
    /// cell.
    pub(crate) fn fiber(&self) -> Vec<Vec<u64>> {
        let strides = strides(&self.shape);
        let key = |cell: usize, axes: &[usize]| -> Vec<usize> {
            axes.iter().map(|&axis| cell / strides[axis] % self.shape[axis]).collect()
        };
        let mut sums: Vec<(u64, Vec<usize>)> = Vec::new();
        for axes in &self.margins {
            let mut cells: std::collections::BTreeMap<Vec<usize>, Vec<usize>> = std::collections::BTreeMap::new();
            (0..self.counts.len()).for_each(|cell| cells.entry(key(cell, axes)).or_default().push(cell));
            sums.extend(cells.into_values().map(|cells| (cells.iter().map(|&c| self.counts[c]).sum(), cells)));
        }
        let most: u64 = self.counts.iter().sum();
        let most: Vec<u64> = (0..self.counts.len()).map(|c| self.capacity.as_ref().map_or(most, |p| p[c])).collect();
        let mut found = Vec::new();
        let mut table = vec![0; self.counts.len()];
        extend(&mut table, 0, &most, &mut sums, &mut found);
        found
    }
}

fn extend(table: &mut Vec<u64>, cell: usize, most: &[u64], sums: &mut [(u64, Vec<usize>)], found: &mut Vec<Vec<u64>>) {
    if cell == table.len() {
        if sums.iter().all(|(left, _)| *left == 0) {
            found.push(table.clone());
        }
        return;
    }
    let room = sums.iter().filter(|(_, cells)| cells.contains(&cell)).map(|(left, _)| *left).min().unwrap_or(u64::MAX);
    for value in 0..=room.min(most[cell]) {
        table[cell] = value;
        let closes = |(left, cells): &(u64, Vec<usize>)| cells.last() != Some(&cell) || *left == value;
        if sums.iter().filter(|(_, cells)| cells.contains(&cell)).all(closes) {
            sums.iter_mut().filter(|(_, cells)| cells.contains(&cell)).for_each(|(left, _)| *left -= value);
            extend(table, cell + 1, most, sums, found);
            sums.iter_mut().filter(|(_, cells)| cells.contains(&cell)).for_each(|(left, _)| *left += value);
        }
    }
    table[cell] = 0;
}

pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect()
}

pub(crate) fn numbers(value: &Value) -> Vec<usize> {
    value.as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect()
}

/// A nested list of counts, flattened.
pub(crate) fn counts(value: &Value) -> Vec<u64> {
    match value {
        Value::Array(list) => list.iter().flat_map(counts).collect(),
        number => vec![number.as_u64().unwrap()],
    }
}

pub(crate) fn sets(value: &Value) -> Vec<Vec<usize>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

pub(crate) fn ratio(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
