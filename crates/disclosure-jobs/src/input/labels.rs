//! Labels of columns that are read as texts: as the data have them, or as a job declares them.

use disclosure::privacy_core::{Attribute, Provenance};
use privacy_data::{AttributeSpec, DomainFile, Schema, TextRow, did_you_mean};

use crate::error::JobError;

/// How the fields of the first columns of a row of texts become labels.
#[derive(Clone, Debug)]
pub(crate) struct TextLabels {
    /// The columns in the data, in their order.
    columns: Vec<String>,
    /// What is declared of them, if anything is.
    schema: Option<Schema>,
    /// The attribute of each column; none where its texts are its labels.
    attributes: Vec<Option<usize>>,
}

impl TextLabels {
    /// The labels of columns by their names in the job: those of the attributes with these names,
    /// and the texts of the data elsewhere.
    ///
    /// # Errors
    /// Those of attributes that cannot be.
    pub(crate) fn new(names: &[String], declared: Option<&DomainFile>) -> Result<Self, JobError> {
        let listed = declared.map_or(&[][..], |declared| &declared.attributes);
        let of_name = |name: &String| listed.iter().find(|attribute| attribute.name == *name);
        let own: Vec<Option<&AttributeSpec>> = names.iter().map(of_name).collect();
        let columns = names.iter().zip(&own).map(|(name, own)| own.map_or(name.as_str(), AttributeSpec::column));
        let used: Vec<AttributeSpec> = own.iter().flatten().map(|&attribute| attribute.clone()).collect();
        let mut places = 0..;
        let attributes = own.iter().map(|own| own.and_then(|_| places.next())).collect();
        let schema = if used.is_empty() { None } else { Some(Schema::new(used, Provenance::Public)?) };
        Ok(Self { columns: columns.map(str::to_owned).collect(), schema, attributes })
    }

    /// The names of the columns in the data.
    pub(crate) fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Refuses a row with a field that is no category of its attribute.
    ///
    /// # Errors
    /// Those of the field, with its place.
    pub(crate) fn check(&self, row: &TextRow<'_>) -> Result<(), JobError> {
        let Some(schema) = &self.schema else { return Ok(()) };
        let declared = self.attributes.iter().enumerate().filter_map(|(column, own)| Some((column, (*own)?)));
        for (column, attribute) in declared {
            row.label(column, schema, attribute)?;
        }
        Ok(())
    }

    /// The labels of a row that was [checked](Self::check).
    pub(crate) fn of_row<'a>(&'a self, row: &'a TextRow<'a>) -> impl Iterator<Item = &'a str> {
        (0..self.columns.len()).map(move |column| match (&self.schema, self.attributes[column]) {
            // A row that was checked has a label in each column.
            (Some(schema), Some(attribute)) => row.label(column, schema, attribute).unwrap_or_default(),
            _ => row.field(column),
        })
    }

    /// The labels of a column in their order, where they are declared.
    pub(crate) fn declared(&self, column: usize) -> Option<&Attribute> {
        let attribute = self.attributes[column]?;
        self.schema.as_ref().map(|schema| &schema.domain().attributes()[attribute])
    }

    /// Refuses a label that a column does not have, where its labels are declared.
    ///
    /// # Errors
    /// E0274, with the label that may have been meant.
    pub(crate) fn check_label(&self, column: usize, label: &str) -> Result<(), JobError> {
        let Some(attribute) = self.declared(column) else { return Ok(()) };
        if attribute.labels().iter().any(|own| own == label) {
            return Ok(());
        }
        let meant = did_you_mean(label, attribute.labels().iter());
        Err(JobError::new("E0274", format!("attribute {:?} has no label {label:?}{meant}", attribute.name())))
    }
}

#[cfg(test)]
mod tests {
    use privacy_data::{CsvOptions, TextRows};

    use super::*;

    #[test]
    fn declared_columns_have_their_names_and_others_their_texts() {
        let sex = AttributeSpec {
            column: Some("SEX".into()),
            names: Some(vec!["female".into(), "male".into()]),
            ..AttributeSpec::of_size("sex", 2)
        };
        let names = ["town", "sex"].map(str::to_owned);
        let labels = TextLabels::new(&names, Some(&DomainFile::of(vec![sex]))).unwrap();
        assert_eq!(labels.columns(), ["town", "SEX"]);
        let columns = labels.columns().iter().map(String::as_str);
        let file = &b"SEX,town\n1,Bonn\n2,Trier\n"[..];
        let mut rows = TextRows::new(file, columns, &CsvOptions::default()).unwrap();
        let row = rows.advance().unwrap().unwrap();
        labels.check(&row).unwrap();
        assert_eq!(labels.of_row(&row).collect::<Vec<_>>(), ["Bonn", "male"]);
        assert!(labels.check(&rows.advance().unwrap().unwrap()).unwrap_err().has_code("E0318"));
        assert!(labels.check_label(0, "anywhere").is_ok() && labels.check_label(1, "male").is_ok());
        let refused = labels.check_label(1, "femal").unwrap_err();
        assert!(refused.message().ends_with("did you mean \"female\"?"), "{refused}");
    }
}
