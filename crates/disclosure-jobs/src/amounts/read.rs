//! Rows to a table of amounts.

use std::collections::BTreeMap;

use disclosure::lcf::Spellings;
use disclosure::magnitude::{Cube, MagnitudeTable, ReadyCell, Record};
use privacy_data::{Defect, TextRow};

use crate::amounts::decimal::units;
use crate::amounts::labels::{Categories, HierarchyText};
use crate::amounts::spec::AmountsSpec;
use crate::error::JobError;
use crate::input::{DataSource, TextColumns, TextLabels};
use crate::persons::check_spellings;

/// Rows that are read, at most.
const MOST_ROWS: usize = 1 << 25;

/// Digits after the mark that a weight may have.
const WEIGHT_DECIMALS: u8 = 6;

/// Reads the data and adds up the table.
pub(super) fn read_table(
    spec: &AmountsSpec,
    labels: &TextLabels,
    hierarchies: &BTreeMap<String, HierarchyText>,
    source: &dyn DataSource,
) -> Result<MagnitudeTable, JobError> {
    let categories = (0..spec.axes.len()).map(|axis| Categories::of(labels.declared(axis))).collect();
    let mut rows = Rows { categories, ..Rows::of(spec, labels) };
    let columns: Vec<&str> = labels.columns().iter().map(String::as_str).chain(spec.columns()).collect();
    source.for_each_text_row(TextColumns::Named(&columns), &spec.csv_options(), &mut |row| rows.add(row))?;
    if rows.records.is_empty() && rows.cells.is_empty() {
        return Err(JobError::new("E0302", Defect::NoRows.to_string()).in_section(&source.name()));
    }
    if let Some(column) = &spec.respondent {
        check_spellings(&rows.spellings, "respondent", column).map_err(|error| error.in_section(&source.name()))?;
    }
    rows.table(hierarchies).map_err(|error| error.in_section(&source.name()))
}

struct Rows<'a> {
    spec: &'a AmountsSpec,
    labels: &'a TextLabels,
    categories: Vec<Categories>,
    respondents: BTreeMap<String, u32>,
    spellings: Spellings,
    records: Vec<Record>,
    cells: Vec<ReadyCell>,
}

impl<'a> Rows<'a> {
    fn of(spec: &'a AmountsSpec, labels: &'a TextLabels) -> Self {
        Self {
            spec,
            labels,
            categories: Vec::new(),
            respondents: BTreeMap::new(),
            spellings: Spellings::default(),
            records: Vec::new(),
            cells: Vec::new(),
        }
    }

    fn add(&mut self, row: &TextRow<'_>) -> Result<(), JobError> {
        if self.records.len() + self.cells.len() >= MOST_ROWS {
            return Err(JobError::new("E0640", format!("there are more than {MOST_ROWS} rows")));
        }
        let axes = self.spec.axes.len();
        self.labels.check(row)?;
        let leaves = self.categories.iter_mut().zip(self.labels.of_row(row)).map(|(own, label)| own.code(label));
        let leaves = leaves.collect();
        let amount = self.amount(row, axes)?;
        if let Some(ready) = &self.spec.ready {
            let respondents =
                row.field(axes + 1).trim().parse::<u32>().map_err(|_| row.error(axes + 1, Defect::NotACount))?;
            let mut largest = Vec::new();
            for place in 0..ready.largest.len() {
                // A cell of few respondents has fewer of the largest contributions.
                if !row.field(axes + 2 + place).trim().is_empty() {
                    largest.push(self.amount(row, axes + 2 + place)?);
                }
            }
            largest.truncate(respondents as usize);
            self.cells.push(ReadyCell { leaves, amount, respondents, largest });
            return Ok(());
        }
        let respondent = self.respondent(row, axes + 1)?;
        let amount = self.weighted(row, amount)?;
        self.records.push(Record { leaves, respondent, amount });
        Ok(())
    }

    fn amount(&self, row: &TextRow<'_>, column: usize) -> Result<i64, JobError> {
        let amount = units(row.field(column), self.spec.mark(), self.spec.decimals);
        let amount = amount.ok_or_else(|| {
            let decimals = self.spec.decimals;
            let next = format!("amounts have at most {decimals} decimals here; decimals = ... in the job allows more");
            JobError::from(row.error(column, Defect::NotANumber)).next(next)
        })?;
        if amount < 0 {
            let name = row.names().nth(column).unwrap_or_default();
            return Err(JobError::new("E0348", format!("line {}, column {name:?}: an amount is below 0", row.line())));
        }
        Ok(amount)
    }

    /// Rows of one name are one respondent; an empty name is nobody's.
    fn respondent(&mut self, row: &TextRow<'_>, column: usize) -> Result<u32, JobError> {
        let next = u32::try_from(self.records.len()).map_err(|_| JobError::new("E0640", "there are too many rows"))?;
        if self.spec.respondent.is_none() {
            return Ok(next);
        }
        let name = row.field(column).trim();
        if name.is_empty() {
            return Err(row.error(column, Defect::MissingValue).into());
        }
        if let Some(&known) = self.respondents.get(name) {
            return Ok(known);
        }
        let new = u32::try_from(self.respondents.len()).unwrap_or(u32::MAX);
        self.spellings.count(name);
        self.respondents.insert(name.to_owned(), new);
        Ok(new)
    }

    /// The amount times its weight, rounded to units.
    fn weighted(&self, row: &TextRow<'_>, amount: i64) -> Result<i64, JobError> {
        if self.spec.weight.is_none() {
            return Ok(amount);
        }
        let column = self.spec.axes.len() + self.spec.columns().len() - 1;
        let weight = units(row.field(column), self.spec.mark(), WEIGHT_DECIMALS).filter(|&weight| weight >= 0);
        let weight = weight.ok_or_else(|| JobError::from(row.error(column, Defect::NotANumber)))?;
        let scale = 10_i128.pow(u32::from(WEIGHT_DECIMALS));
        let product = (i128::from(amount) * i128::from(weight) + scale / 2) / scale;
        i64::try_from(product).map_err(|_| disclosure::magnitude::Error::TooLarge.into())
    }

    fn table(mut self, hierarchies: &BTreeMap<String, HierarchyText>) -> Result<MagnitudeTable, JobError> {
        let (mut axes, mut leaf_of) = (Vec::new(), Vec::new());
        for (name, categories) in self.spec.axes.iter().zip(&self.categories) {
            let (axis, leaves) = categories.axis(name, &self.spec.total, hierarchies.get(name))?;
            axes.push(axis);
            leaf_of.push(leaves);
        }
        let leaves = self.records.iter_mut().map(|record| &mut record.leaves);
        for leaves in leaves.chain(self.cells.iter_mut().map(|cell| &mut cell.leaves)) {
            leaves.iter_mut().zip(&leaf_of).for_each(|(code, leaf_of)| *code = leaf_of[*code]);
        }
        let cube = Cube::new(axes)?;
        if self.spec.ready.is_none() {
            return Ok(MagnitudeTable::from_records(cube, &self.records)?);
        }
        let mut seen = std::collections::BTreeSet::new();
        if let Some(row) = self.cells.iter().position(|cell| !seen.insert(cell.leaves.clone())) {
            return Err(JobError::new("E0348", format!("row {} repeats the cell of an earlier row", row + 1)));
        }
        MagnitudeTable::from_cells(cube, &self.cells).map_err(|error| match error {
            disclosure::magnitude::Error::BrokenRelation { relation } => {
                let words = "the contributions do not match the amount and the number of respondents";
                JobError::new("E0348", format!("row {}: {words}", relation + 1))
            }
            error => error.into(),
        })
    }
}
