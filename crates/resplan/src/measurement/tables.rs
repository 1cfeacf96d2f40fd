//! Measurement without a source: the caller counts, in whatever way and order, and hands over the
//! tables.

use privacy_core::AttrSet;
use privacy_core::ContingencyTable;
use rand_core::CryptoRng;

use crate::error::Error;
use crate::measurement::agreement::{Agreement, Tables};
use crate::measurement::batches::batches;
use crate::measurement::measured::{ExactNoise, Measured};
use crate::planning::design::Design;
use crate::planning::plan::Plan;

/// Tables that a plan can be measured with: all that it needs, of the right shapes, from the same
/// rows, and small enough for exact integers. Made by [`Plan::check_tables`].
pub struct CheckedTables {
    tables: Tables,
    total: u64,
}

impl CheckedTables {
    /// The number of rows that every table counts. It is exact: not for publication.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }
}

/// Shapes may be shown, counts may not.
impl std::fmt::Debug for CheckedTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedTables").field("tables", &self.tables.len()).finish_non_exhaustive()
    }
}

impl Design {
    /// The sets of attributes over which tables are needed, in batches of about 4 million cells:
    /// the arguments of the calls of
    /// [`CountSource::marginals`](privacy_core::CountSource::marginals) that [`Plan::measure`]
    /// makes.
    #[must_use]
    pub fn batches(&self) -> Vec<Vec<AttrSet>> {
        batches(self).into_iter().map(|batch| batch.marginals).collect()
    }
}

impl Plan {
    /// Checks tables that were counted by the caller: over the sets of [`Design::batches`], each
    /// once, in any order, all of the same rows. Nothing is drawn or spent, and the plan is not
    /// used up: after an error, count again.
    ///
    /// Codes are those of the plan's domain. [`ContingencyTable::from_groups`] reads groups by
    /// their labels.
    ///
    /// # Errors
    /// [`Error::DomainLearntFromData`], [`Error::WrongTable`], [`Error::TotalsDiffer`],
    /// [`Error::MarginsDiffer`], [`Error::CountsTooLarge`].
    ///
    /// # Example
    /// ```
    /// use privacy_core::accounting::PrivacyCost;
    /// use privacy_core::{AttrSet, Attribute, ContingencyTable, Domain};
    /// use resplan::{Error, Plan, PlanLimits, PlanSpec, Workload};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let domain = Domain::new(vec![Attribute::new("sex", ["f", "m"])?, Attribute::new("ill", ["no", "yes"])?])?;
    /// let spec = PlanSpec::new(domain.clone(), Workload::UpTo(1), PrivacyCost::new(1.0)?);
    /// let plan = Plan::new(spec, &PlanLimits::default())?;
    /// assert_eq!(plan.batches().concat(), [AttrSet::single(1), AttrSet::single(0)]);
    ///
    /// let by_sex = ContingencyTable::from_groups(&domain, AttrSet::single(0), [(["f"], 30), (["m"], 50)])?;
    /// // Ten people did not answer, and GROUP BY left them out.
    /// let by_ill = ContingencyTable::from_groups(&domain, AttrSet::single(1), [(["yes"], 20), (["no"], 50)])?;
    /// assert!(matches!(plan.check_tables([by_sex, by_ill]), Err(Error::TotalsDiffer { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub fn check_tables(&self, tables: impl IntoIterator<Item = ContingencyTable>) -> Result<CheckedTables, Error> {
        self.check_domain(self.domain())?;
        let mut given = Tables::default();
        for table in tables {
            let set = table.attributes();
            if given.insert(set, table).is_some() {
                return Err(Error::WrongTable { set });
            }
        }
        check_shapes(self, &given)?;
        let tables = Agreement::new(self).checked(given)?;
        let total = tables.values().map(ContingencyTable::total).max().unwrap_or(0);
        self.check_total(total)?;
        Ok(CheckedTables { tables, total })
    }

    /// Measures every residual once, from tables that were checked; the plan is used up. The same
    /// release as [`Plan::measure`] from the same tables and generator.
    ///
    /// # Guarantee
    /// As [`Plan::measure`].
    ///
    /// # Errors
    /// [`Error::WrongTable`] for tables that were checked for a plan with other tables,
    /// [`Error::NoiseOutOfRange`], [`Error::Stopped`]. Nothing is returned on an error, but a
    /// caller who keeps a ledger counts the budget as spent.
    pub fn measure_tables<R: CryptoRng + ?Sized>(
        self,
        tables: CheckedTables,
        rng: &mut R,
    ) -> Result<Measured<ExactNoise>, Error> {
        let CheckedTables { mut tables, .. } = tables;
        check_shapes(&self, &tables)?;
        self.measure_counted(rng, |_, sets| {
            sets.iter().map(|&set| Ok((set, tables.remove(&set).ok_or(Error::WrongTable { set })?))).collect()
        })
    }
}

/// Refuses tables unless they are those that the design needs, with its shapes.
fn check_shapes(design: &Design, given: &Tables) -> Result<(), Error> {
    let needed: Vec<AttrSet> = design.batches().concat();
    for &set in &needed {
        if given.get(&set).is_none_or(|table| table.counts().shape() != design.domain().shape(set)) {
            return Err(Error::WrongTable { set });
        }
    }
    let surplus = given.keys().filter(|set| !needed.contains(set)).min();
    match surplus {
        Some(&set) => Err(Error::WrongTable { set }),
        None => Ok(()),
    }
}
