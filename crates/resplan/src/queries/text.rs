//! Bases as text: what serde writes and reads, in specifications and in stored plans.

use std::sync::Arc;

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::queries::basis::QueryBasis;
use crate::queries::tree::TreeNodes;

/// A [`QueryBasis`] with the rows of matrices one by one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum BasisText {
    Identity,
    Prefix,
    Range,
    Hierarchical(Vec<(String, Vec<usize>)>),
    Queries(Vec<Vec<f64>>),
    Weighted(Box<BasisText>, Vec<f64>),
}

impl From<QueryBasis> for BasisText {
    fn from(basis: QueryBasis) -> Self {
        match basis {
            QueryBasis::Identity => Self::Identity,
            QueryBasis::Prefix => Self::Prefix,
            QueryBasis::Range => Self::Range,
            QueryBasis::Hierarchical(nodes) => {
                let nodes = nodes.names().zip(nodes.categories());
                Self::Hierarchical(nodes.map(|(name, node)| (name.to_owned(), node.to_vec())).collect())
            }
            QueryBasis::Queries(matrix) => Self::Queries(matrix.rows().into_iter().map(|row| row.to_vec()).collect()),
            QueryBasis::Weighted(basis, weights) => Self::Weighted(Box::new((*basis).into()), weights.to_vec()),
        }
    }
}

impl TryFrom<BasisText> for QueryBasis {
    type Error = Error;

    fn try_from(basis: BasisText) -> Result<Self, Error> {
        Ok(match basis {
            BasisText::Identity => Self::Identity,
            BasisText::Prefix => Self::Prefix,
            BasisText::Range => Self::Range,
            BasisText::Hierarchical(nodes) => Self::Hierarchical(Arc::new(TreeNodes::new(nodes)?)),
            BasisText::Queries(rows) => {
                let columns = rows.first().map_or(0, Vec::len);
                let matrix = Array2::from_shape_vec((rows.len(), columns), rows.concat());
                Self::Queries(Arc::new(
                    matrix.map_err(|_| Error::BadBasis { what: "rows of queries are equally long" })?,
                ))
            }
            BasisText::Weighted(basis, weights) => Self::Weighted(Box::new((*basis).try_into()?), Arc::new(weights)),
        })
    }
}
