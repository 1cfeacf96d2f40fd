//! What a spec asks about each attribute, with the files that say it.

use std::path::Path;
use std::sync::Arc;

use disclosure::core::{Attribute, Domain};
use disclosure::resplan::{QueryBasis, TreeNodes};
use ndarray::Array2;
use privacy_data::{AttributeSpec, BasisKind, BasisSpec, QueryFile, read_hierarchy, read_queries};

use crate::error::Failure;
use crate::files::read_text;

/// One basis an attribute, in the order of the domain.
#[derive(Debug, Default)]
pub(super) struct Bases {
    pub(super) bases: Vec<QueryBasis>,
    /// Names of the queries of an attribute that has a file of queries.
    pub(super) names: Vec<Option<Vec<String>>>,
    /// The texts of the files, in the order of the attributes.
    pub(super) texts: String,
}

impl Bases {
    /// The bases of `attributes`, which make `domain`; files are looked for in `directory`.
    pub(super) fn read(directory: &Path, attributes: &[AttributeSpec], domain: &Domain) -> Result<Self, Failure> {
        let mut all = Self::default();
        for (spec, attribute) in attributes.iter().zip(domain.attributes()) {
            let basis = all.basis(directory, spec.basis.as_ref(), attribute)?;
            let named = |error| Failure::from(error).in_section(&format!("attribute {:?}", spec.name));
            basis.check(attribute.cardinality()).map_err(named)?;
            all.bases.push(basis);
        }
        Ok(all)
    }

    fn basis(
        &mut self,
        directory: &Path,
        spec: Option<&BasisSpec>,
        attribute: &Attribute,
    ) -> Result<QueryBasis, Failure> {
        let labels = attribute.labels();
        let mut names = None;
        let Some(BasisSpec { kind, weights }) = spec else {
            self.names.push(None);
            return Ok(QueryBasis::Identity);
        };
        let basis = match kind {
            BasisKind::Prefix => QueryBasis::Prefix,
            BasisKind::Range => QueryBasis::Range,
            BasisKind::Hierarchical { branching } => {
                QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(labels, *branching)?))
            }
            BasisKind::Hierarchy { file } => {
                let nodes = self.file(directory, file, |text| read_hierarchy(text, labels))?;
                QueryBasis::Hierarchical(Arc::new(TreeNodes::new(nodes)?))
            }
            BasisKind::Queries { file } => {
                let QueryFile { names: given, rows } = self.file(directory, file, |text| read_queries(text, labels))?;
                names = Some(given);
                let matrix = Array2::from_shape_vec((rows.len(), labels.len()), rows.concat());
                QueryBasis::Queries(Arc::new(matrix.expect("every row has a number for each category")))
            }
            _ => QueryBasis::Identity,
        };
        self.names.push(names);
        Ok(match weights {
            Some(weights) => QueryBasis::Weighted(Box::new(basis), Arc::new(weights.clone())),
            None => basis,
        })
    }

    fn file<T>(
        &mut self,
        directory: &Path,
        name: &str,
        read: impl FnOnce(&[u8]) -> Result<T, privacy_data::DataError>,
    ) -> Result<T, Failure> {
        let path = directory.join(name);
        let text = read_text(&path)?;
        let made =
            read(text.as_bytes()).map_err(|error| Failure::from(error).in_section(&path.display().to_string()))?;
        self.texts += &text;
        Ok(made)
    }
}
