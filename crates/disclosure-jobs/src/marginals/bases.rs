//! What a spec asks about each attribute, with the files that say it.

use std::path::Path;
use std::sync::Arc;

use disclosure::privacy_core::{Attribute, Domain};
use disclosure::resplan::{QueryBasis, TreeNodes};
use ndarray::Array2;
use privacy_data::{AttributeSpec, BasisKind, BasisSpec, DataError, QueryFile, read_hierarchy, read_queries};

use crate::error::JobError;
use crate::input::{Files, read_text};

/// The bases of all attributes, in the order of the domain.
#[derive(Debug, Default)]
pub(super) struct Bases {
    pub(super) bases: Vec<QueryBasis>,
    /// Names of the queries of each attribute that has a file of queries.
    pub(super) names: Vec<Option<Vec<String>>>,
    /// The texts of the files, in the order of the attributes.
    pub(super) texts: String,
}

impl Bases {
    /// The bases of `attributes`, which make `domain`; the files are in `directory`.
    pub(super) fn read(
        files: &dyn Files,
        directory: &Path,
        attributes: &[AttributeSpec],
        domain: &Domain,
    ) -> Result<Self, JobError> {
        let mut all = Self::default();
        for (spec, attribute) in attributes.iter().zip(domain.attributes()) {
            let BasisParts { basis, names, texts } = match &spec.basis {
                Some(spec) => BasisParts::read(files, directory, spec, attribute)?,
                None => BasisParts::default(),
            };
            let checked = basis.check(attribute.cardinality());
            checked.map_err(|error| JobError::from(error).in_section(&format!("attribute {:?}", attribute.name())))?;
            all.bases.push(basis);
            all.names.push(names);
            all.texts += &texts;
        }
        Ok(all)
    }
}

/// The basis of one attribute, with what its file says.
struct BasisParts {
    basis: QueryBasis,
    names: Option<Vec<String>>,
    texts: String,
}

impl Default for BasisParts {
    fn default() -> Self {
        Self { basis: QueryBasis::Identity, names: None, texts: String::new() }
    }
}

impl BasisParts {
    fn read(files: &dyn Files, directory: &Path, spec: &BasisSpec, attribute: &Attribute) -> Result<Self, JobError> {
        let labels = attribute.labels();
        let parts = match &spec.kind {
            BasisKind::Prefix => Self { basis: QueryBasis::Prefix, ..Self::default() },
            BasisKind::Range => Self { basis: QueryBasis::Range, ..Self::default() },
            BasisKind::Hierarchical { branching } => {
                let nodes = TreeNodes::balanced(labels.iter(), *branching)?;
                Self { basis: QueryBasis::Hierarchical(Arc::new(nodes)), ..Self::default() }
            }
            BasisKind::Hierarchy { file } => {
                let (nodes, texts) =
                    parse_file(files, &directory.join(file), PATH, |text| read_hierarchy(text, labels))?;
                Self { basis: QueryBasis::Hierarchical(Arc::new(TreeNodes::new(nodes)?)), names: None, texts }
            }
            BasisKind::Queries { file } => {
                let (queries, texts) =
                    parse_file(files, &directory.join(file), QUERY, |text| read_queries(text, labels))?;
                let QueryFile { names, rows } = queries;
                let matrix = Array2::from_shape_vec((rows.len(), labels.len()), rows.concat());
                let matrix = matrix.expect("every row has a number for each category");
                Self { basis: QueryBasis::Queries(Arc::new(matrix)), names: Some(names), texts }
            }
            _ => Self::default(),
        };
        Ok(match &spec.weights {
            Some(weights) => {
                let basis = QueryBasis::Weighted(Box::new(parts.basis), Arc::new(weights.clone()));
                Self { basis, ..parts }
            }
            None => parts,
        })
    }
}

/// Most memory for the queries of a file, in bytes.
const MOST_BYTES: usize = 48_000_000;
/// What a line and a field of a file of queries take: a name twice, and a number in two tables.
const QUERY: (usize, usize) = (220, 16);
/// The same of a hierarchy: every field is a name.
const PATH: (usize, usize) = (100, 230);

/// Refuses a text whose lines and fields take too much.
fn check_size(text: &str, (line, field): (usize, usize)) -> Result<(), JobError> {
    let mut bytes = 0;
    let is_too_large = text.bytes().any(|byte| {
        bytes += match byte {
            b'\n' => line + field,
            b',' | b';' => field,
            _ => 0,
        };
        bytes > MOST_BYTES
    });
    match is_too_large {
        true => {
            let message =
                format!("the queries of the file would take more than {} MB of memory", MOST_BYTES / 1_000_000);
            Err(JobError::new("E0611", message).next("request fewer queries, or merge categories"))
        }
        false => Ok(()),
    }
}

/// A file that a basis names: what it says, and its text.
fn parse_file<T>(
    files: &dyn Files,
    path: &Path,
    each: (usize, usize),
    parse: impl FnOnce(&[u8]) -> Result<T, DataError>,
) -> Result<(T, String), JobError> {
    let text = read_text(files, path)?;
    check_size(&text, each).map_err(|error| error.within(&files.shown(path)))?;
    let parsed = parse(text.as_bytes()).map_err(|error| JobError::from(error).within(&files.shown(path)))?;
    Ok((parsed, text))
}
