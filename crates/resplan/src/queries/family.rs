//! Families of tables by what they have in common, so that nobody has to list them.

use std::ops::RangeInclusive;

use privacy_core::{AttrSet, Domain};

use crate::error::Error;
use crate::queries::workload::PlanLimits;

/// All sets of attributes that meet every condition.
#[derive(Clone, Debug, PartialEq)]
pub struct SetFamily {
    /// How many attributes a set has.
    pub sizes: RangeInclusive<usize>,
    /// Attributes that every set has.
    pub with: AttrSet,
    /// Attributes that a set may have; those of `with` are allowed anyway.
    pub among: AttrSet,
    /// The most cells of a table: the product of the categories of its attributes. Infinite for
    /// no condition.
    pub most_cells: f64,
}

impl SetFamily {
    /// The sets in the order of [`AttrSet`], smaller ones first. `O(attributes)` for each
    /// set that has few enough cells and attributes.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`]; [`Error::EmptyWorkload`] where no set meets the conditions;
    /// [`Error::TooLarge`] when there are more than `limits` allow of marginals.
    pub fn sets(&self, domain: &Domain, limits: &PlanLimits) -> Result<Vec<AttrSet>, Error> {
        let named = self.with.union(self.among);
        if !domain.contains(named) {
            return Err(Error::UnknownAttribute { set: named, attributes: domain.len() });
        }
        let cells = self.with.iter().map(|attribute| domain.cardinality(attribute) as f64).product();
        let free: Vec<usize> = self.among.minus(self.with).iter().collect();
        let mut search =
            Search { family: self, domain, free: &free, limit: limits.marginals, seen: 0.0, found: vec![] };
        search.grow(self.with, cells, 0)?;
        let mut found = search.found;
        found.sort_unstable();
        if found.is_empty() { Err(Error::EmptyWorkload) } else { Ok(found) }
    }
}

struct Search<'a> {
    family: &'a SetFamily,
    domain: &'a Domain,
    /// The attributes that a set may have or not.
    free: &'a [usize],
    limit: f64,
    seen: f64,
    found: Vec<AttrSet>,
}

impl Search<'_> {
    /// Looks at `set` and all that it grows to by free attributes from `next` on. A set with too
    /// many cells or attributes grows to none with fewer.
    fn grow(&mut self, set: AttrSet, cells: f64, next: usize) -> Result<(), Error> {
        if set.len() > *self.family.sizes.end() || cells > self.family.most_cells {
            return Ok(());
        }
        self.seen += 1.0;
        if self.seen > self.limit {
            return Err(Error::TooLarge { what: "marginals", needed: self.seen, limit: self.limit });
        }
        if self.family.sizes.contains(&set.len()) {
            self.found.push(set);
        }
        for place in next..self.free.len() {
            let attribute = self.free[place];
            self.grow(set.with(attribute), cells * self.domain.cardinality(attribute) as f64, place + 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain() -> Domain {
        Domain::of_cardinalities(&[2, 3, 10, 1, 7]).unwrap()
    }

    fn family() -> SetFamily {
        SetFamily { sizes: 0..=5, with: AttrSet::EMPTY, among: domain().all(), most_cells: f64::INFINITY }
    }

    #[test]
    fn a_family_is_what_a_filter_over_all_subsets_keeps() {
        let domain = domain();
        for (sizes, with, among, most_cells) in [
            (0..=5, vec![], vec![0, 1, 2, 3, 4], f64::INFINITY),
            (2..=2, vec![2], vec![0, 1, 2, 3, 4], f64::INFINITY),
            (0..=5, vec![], vec![0, 1, 2, 3, 4], 30.0),
            (1..=3, vec![4], vec![0, 1], 42.0),
        ] {
            let (with, among) = (AttrSet::from_iter(with), AttrSet::from_iter(among));
            let family = SetFamily { sizes: sizes.clone(), with, among, most_cells };
            let mut want: Vec<AttrSet> = domain
                .all()
                .subsets()
                .filter(|set| sizes.contains(&set.len()) && with.is_subset_of(*set))
                .filter(|set| set.is_subset_of(with.union(among)))
                .filter(|set| domain.cells(*set).unwrap() as f64 <= most_cells)
                .collect();
            want.sort_unstable();
            assert_eq!(family.sets(&domain, &PlanLimits::default()).unwrap(), want, "{sizes:?} {most_cells}");
        }
    }

    #[test]
    fn families_that_are_empty_unknown_or_too_large_are_refused() {
        let domain = domain();
        let none = SetFamily { most_cells: 0.5, ..family() };
        assert!(matches!(none.sets(&domain, &PlanLimits::default()), Err(Error::EmptyWorkload)));
        let unknown = SetFamily { with: AttrSet::single(9), ..family() };
        assert!(matches!(unknown.sets(&domain, &PlanLimits::default()), Err(Error::UnknownAttribute { .. })));
        let few = PlanLimits { marginals: 10.0, ..PlanLimits::default() };
        assert!(matches!(family().sets(&domain, &few), Err(Error::TooLarge { .. })));
    }
}
