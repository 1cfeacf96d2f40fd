//! How answers are named, so that no two lines of a table look alike.
//!
//! ```text
//! identity       the label
//! prefix         <= LABEL
//! range          FIRST .. LAST, or the label where both are the same
//! hierarchical   the name of the node
//! queries        the name in the file, or "query 1", "query 2", ...
//! ```

use disclosure::privacy_core::{AttrSet, Attribute};
use disclosure::resplan::{Design, PlannedAttribute, QueryBasis};

use crate::error::JobError;

/// The names of all answers about each attribute, in the order of its basis.
#[derive(Debug)]
pub(super) struct AnswerNames(Vec<AttributeNames>);

#[derive(Debug)]
struct AttributeNames {
    names: Vec<String>,
    /// Whether a query counts every category with the same weight. If all queries of an answer
    /// do, the answer is a multiple of the total.
    whole: Vec<bool>,
}

impl AnswerNames {
    /// The names of a plan's answers. `given` are the names in files of queries: one entry for
    /// each attribute, or none at all.
    pub(super) fn new(plan: &Design, given: &[Option<Vec<String>>]) -> Result<Self, JobError> {
        let attributes = plan.domain().attributes().iter().zip(plan.attributes()).enumerate();
        let named = attributes.map(|(index, (attribute, planned))| {
            AttributeNames::new(attribute, &planned, given.get(index).and_then(Option::as_deref))
        });
        named.collect::<Result<_, _>>().map(Self)
    }

    /// The names along each attribute of a marginal.
    pub(super) fn axes(&self, set: AttrSet) -> Vec<&[String]> {
        set.iter().map(|attribute| self.0[attribute].names.as_slice()).collect()
    }

    /// Whether the answer at an index, in row-major order, is the total or a multiple of it.
    pub(super) fn counts_all(&self, set: AttrSet, index: usize) -> bool {
        let mut rest = index;
        let attributes: Vec<usize> = set.iter().collect();
        attributes.iter().rev().all(|&attribute| {
            let whole = &self.0[attribute].whole;
            let query = rest % whole.len();
            rest /= whole.len();
            whole[query]
        })
    }
}

impl AttributeNames {
    fn new(attribute: &Attribute, planned: &PlannedAttribute<'_>, given: Option<&[String]>) -> Result<Self, JobError> {
        let names = names(planned.basis, attribute, given);
        check(&names, attribute.name())?;
        let k = attribute.cardinality();
        let whole = (0..planned.queries).map(|query| counts_all(planned.basis, k, query)).collect();
        Ok(Self { names, whole })
    }
}

fn names(basis: &QueryBasis, attribute: &Attribute, given: Option<&[String]>) -> Vec<String> {
    match (basis, given) {
        (QueryBasis::Weighted(basis, _), _) => names(basis, attribute, given),
        (QueryBasis::Queries(_), Some(given)) => given.to_vec(),
        _ => basis.labels(attribute),
    }
}

/// Refuses names that are not all different: a label may look like a range of others.
fn check(names: &[String], attribute: &str) -> Result<(), JobError> {
    let mut sorted: Vec<&String> = names.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        None => Ok(()),
        Some(pair) => {
            let message = format!("attribute {attribute:?} would have two answers named {:?}", pair[0]);
            Err(JobError::new("E0219", message))
        }
    }
}

fn counts_all(basis: &QueryBasis, k: usize, query: usize) -> bool {
    match basis {
        // The first range that ends at the last category begins at the first one.
        QueryBasis::Prefix | QueryBasis::Range => query == k - 1,
        QueryBasis::Hierarchical(nodes) => nodes.get(query).len() == k,
        QueryBasis::Queries(matrix) => matrix.row(query).iter().all(|&entry| entry == matrix[[query, 0]]),
        QueryBasis::Weighted(basis, _) => counts_all(basis, k, query),
        _ => k == 1,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use disclosure::resplan::TreeNodes;

    use super::*;

    fn attribute() -> Attribute {
        Attribute::new("x", ["a", "b", "c"]).unwrap()
    }

    #[test]
    fn answers_are_named_after_what_they_count() {
        let of = |basis: &QueryBasis| names(basis, &attribute(), None);
        assert_eq!(of(&QueryBasis::Prefix), ["<= a", "<= b", "<= c"]);
        assert_eq!(of(&QueryBasis::Range), ["a", "a .. b", "a .. c", "b", "b .. c", "c"]);
        let tree = QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(attribute().labels().iter(), 2).unwrap()));
        assert_eq!(of(&tree), ["a .. c", "a", "b .. c", "b", "c"]);
        assert_eq!(of(&QueryBasis::Queries(Arc::new(ndarray::arr2(&[[1.0, 1.0, 0.0]])))), ["query 1"]);
        let weighted = QueryBasis::Weighted(Box::new(QueryBasis::Prefix), Arc::new(vec![1.0; 3]));
        assert_eq!(of(&weighted), of(&QueryBasis::Prefix));
    }

    #[test]
    fn the_answers_that_count_everybody_are_those_whose_query_is_constant() {
        let tree = QueryBasis::Hierarchical(Arc::new(TreeNodes::balanced(attribute().labels().iter(), 2).unwrap()));
        let queries = QueryBasis::Queries(Arc::new(ndarray::arr2(&[[2.0, 2.0, 2.0], [1.0, 1.0, 0.0]])));
        for basis in [QueryBasis::Identity, QueryBasis::Prefix, QueryBasis::Range, tree, queries] {
            for query in 0..basis.queries(3) {
                let row = basis.query(3, query);
                assert_eq!(counts_all(&basis, 3, query), row.iter().all(|&entry| entry == row[0]), "{basis:?} {query}");
            }
        }
        assert!(counts_all(&QueryBasis::Identity, 1, 0));
    }

    #[test]
    fn labels_that_look_like_ranges_of_others_are_refused() {
        let odd = Attribute::new("x", ["a", "b", "a .. b"]).unwrap();
        assert!(check(&names(&QueryBasis::Range, &odd, None), "x").is_err());
        assert!(check(&names(&QueryBasis::Prefix, &odd, None), "x").is_ok());
    }
}
