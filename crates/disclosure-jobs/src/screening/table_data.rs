//! The data of a table to be screened: which column is the target, which columns are known.

use std::rc::Rc;

use disclosure::privacy_core::labels::Labels;
use disclosure::privacy_core::{AttrSet, Domain};
use disclosure::screen::{CodedColumn, Records, ScreenSpec};
use label_attack::{FeatureTable, LabelWorld};
use privacy_data::Microdata;

use super::error::of_table;
use super::spec::ScreeningSpec;
use crate::error::JobError;
use crate::input::{DataSource, DeclaredDomain, Files, declared_or_learnt, domain_error};
use crate::observer::{Observer, during};

/// A table that was read, and the roles of its columns.
#[derive(Clone)]
pub(super) struct TableData {
    rows: Rc<Microdata>,
    target: usize,
    known: Vec<usize>,
}

impl TableData {
    pub(super) fn read(
        spec: &ScreeningSpec,
        files: &dyn Files,
        source: &dyn DataSource,
        observer: &dyn Observer,
    ) -> Result<Self, JobError> {
        let options = spec.csv_options();
        let declared = DeclaredDomain::read(files, spec.domain.as_deref(), &spec.attributes)?;
        let mut columns = declared_or_learnt(declared.map(|declared| declared.file), source, &options, observer)?;
        columns.attributes.retain(|attribute| Some(&attribute.name) != spec.count.as_ref());
        let schema = columns.into_schema()?;
        let (target, known) = roles(spec, schema.domain(), observer)?;
        let rows = during(observer, "reading", || source.read_rows(&schema, &options))?;
        Ok(Self { rows: Rc::new(rows), target, known })
    }

    /// The roles of the columns of a table that was read already.
    pub(super) fn of_rows(
        spec: &ScreeningSpec,
        rows: Rc<Microdata>,
        observer: &dyn Observer,
    ) -> Result<Self, JobError> {
        let (target, known) = roles(spec, rows.domain(), observer)?;
        Ok(Self { rows, target, known })
    }

    /// The rows as the screening takes them.
    pub(super) fn records(&self) -> Result<Records, JobError> {
        let codes: Vec<Vec<u32>> = self.known.iter().map(|&known| self.rows.codes(known).collect()).collect();
        let domain = self.rows.domain();
        let columns: Vec<CodedColumn<'_>> = codes
            .iter()
            .zip(&self.known)
            .map(|(codes, &known)| CodedColumn { codes, cardinality: domain.cardinality(known) })
            .collect();
        let labels: Vec<u32> = self.rows.codes(self.target).collect();
        let target = CodedColumn { codes: &labels, cardinality: domain.cardinality(self.target) };
        Records::new(&columns, target, self.rows.weights()).map_err(of_table)
    }

    /// The table as the attackers' world: a line that stands for several people becomes as many
    /// rows.
    pub(super) fn world(&self, release: &ScreenSpec, max_entries: u64) -> Result<LabelWorld, JobError> {
        if release.rows().saturating_mul(self.known.len() as u64) > max_entries {
            let message =
                format!("the number of people times the number of known columns exceeds the limit of {max_entries}");
            return Err(JobError::new("E0635", message));
        }
        let features = FeatureTable::new(self.known.iter().map(|&known| self.person_by_person(known)).collect());
        let world = features.and_then(|features| {
            LabelWorld::of_table(features, self.person_by_person(self.target), release.classes().shares())
        });
        world.map_err(|error| JobError::new("E0257", error.to_string()))
    }

    fn person_by_person(&self, attribute: usize) -> Vec<u32> {
        let people = |row: usize| self.rows.weights().map_or(1, |weights| weights[row]) as usize;
        let codes = self.rows.codes(attribute).enumerate();
        codes.flat_map(|(row, code)| std::iter::repeat_n(code, people(row))).collect()
    }

    /// The name of the target.
    pub(super) fn target(&self) -> &str {
        self.name(self.target)
    }

    /// The labels of the target, in the order of its classes.
    pub(super) fn classes(&self) -> &Labels {
        self.rows.domain().attributes()[self.target].labels()
    }

    /// The names of the known columns.
    pub(super) fn known(&self) -> impl Iterator<Item = &str> {
        self.known.iter().map(|&known| self.name(known))
    }

    fn name(&self, attribute: usize) -> &str {
        self.rows.domain().attributes()[attribute].name()
    }
}

/// The target, and the known columns in the order of the domain.
fn roles(spec: &ScreeningSpec, domain: &Domain, observer: &dyn Observer) -> Result<(usize, Vec<usize>), JobError> {
    let Some(last) = domain.len().checked_sub(1) else {
        return Err(JobError::new("E0381", "the table needs at least two people and one column besides the target"));
    };
    let target = match &spec.target {
        Some(target) => domain.index_of(target).map_err(|error| domain_error("E0254", domain, &error))?,
        None => {
            observer.note(&format!(
                "The target is {:?}, the last attribute. Write target = \"...\" for another one.",
                domain.attributes()[last].name()
            ));
            last
        }
    };
    let known = match &spec.known {
        Some(names) => domain.set_of(names).map_err(|error| domain_error("E0254", domain, &error))?,
        None => domain.all().minus(AttrSet::single(target)),
    };
    if known.contains(target) {
        return Err(JobError::new("E0254", "the target is among the known columns, which leaves nothing to infer"));
    }
    if known.is_empty() {
        return Err(JobError::new("E0254", "known is empty: name the columns that an attacker knows"));
    }
    Ok((target, known.iter().collect()))
}
