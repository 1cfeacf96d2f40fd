//! The data of a table to be screened: which column is the target, which are known.

use std::path::Path;
use std::rc::Rc;

use disclosure::core::Domain;
use disclosure::screen::{CodedColumn, Records};
use privacy_data::{CsvOptions, Microdata, read_csv};

use super::spec::SpecFile;
use crate::domains::{written, written_or_learnt};
use crate::error::Failure;
use crate::files::{open, say};
use crate::progress;
use disclosure_jobs::screening::of_table;

/// A table that was read, with the parts its columns play.
pub(super) struct Data {
    pub(super) rows: Rc<Microdata>,
    pub(super) target: usize,
    pub(super) known: Vec<usize>,
}

impl Data {
    pub(super) fn read(spec: &SpecFile, beside: &Path, data: &Path) -> Result<Self, Failure> {
        let options = CsvOptions {
            encoding: spec.encoding.unwrap_or_default().into(),
            count_column: spec.count.clone(),
            ..CsvOptions::default()
        };
        let mut columns =
            written_or_learnt(written(beside, spec.domain.as_deref(), &spec.attributes)?, data, &options)?;
        columns.attributes.retain(|attribute| Some(&attribute.name) != spec.count.as_ref());
        let schema = columns.into_schema()?;
        let (target, known) = parts(spec, schema.domain())?;
        let reader = open(data)?;
        let read = progress::during("reading", || read_csv(reader, &schema, &options));
        let rows = Rc::new(read.map_err(|error| Failure::from(error).within(data))?);
        Ok(Self { rows, target, known })
    }

    /// The parts that the columns of a table play that others have read.
    pub(super) fn of(spec: &SpecFile, rows: Rc<Microdata>) -> Result<Self, Failure> {
        let (target, known) = parts(spec, rows.domain())?;
        Ok(Self { rows, target, known })
    }

    /// The rows as the screening takes them.
    pub(super) fn records(&self) -> Result<Records, Failure> {
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

    pub(super) fn name(&self, attribute: usize) -> &str {
        self.rows.domain().attributes()[attribute].name()
    }
}

/// The target, and the known columns in the order of the domain.
fn parts(spec: &SpecFile, domain: &Domain) -> Result<(usize, Vec<usize>), Failure> {
    let place = |name: &String| domain.index_of(name).map_err(|error| Failure::new("E0254", error.to_string()));
    let Some(last) = domain.len().checked_sub(1) else {
        return Err(Failure::new("E0381", "the table takes at least two people and a column besides the target"));
    };
    let target = match &spec.target {
        Some(target) => place(target)?,
        None => {
            say(&format!(
                "The target is {:?}, the last attribute: write target = \"...\" for another.",
                domain.attributes()[last].name()
            ));
            last
        }
    };
    let known = match &spec.known {
        Some(names) => domain.set_of(names).map_err(|error| Failure::new("E0254", error.to_string()))?,
        None => domain.all().minus(disclosure::core::AttrSet::single(target)),
    };
    if known.contains(target) {
        return Err(Failure::new("E0254", "the target is among the known columns: a solver would have nothing to do"));
    }
    if known.is_empty() {
        return Err(Failure::new("E0254", "known is empty: name the columns that an attacker knows"));
    }
    Ok((target, known.iter().collect()))
}
