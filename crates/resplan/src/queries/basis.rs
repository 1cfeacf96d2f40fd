//! What is asked about one attribute: the rows of its workload matrix W, which is never formed.
//!
//! `k` categories, `W` one row a query, `G = W^T diag(weights) W` its Gram matrix, `a, b`
//! categories from 1.
//!
//! ```text
//! identity      each category                     G = I                                      k queries
//! prefix        each x_1 + ... + x_j              G[a,b] = k + 1 - max(a, b)                 k queries
//! range         each x_i + ... + x_j              G[a,b] = min(a, b) (k + 1 - max(a, b))     k (k + 1) / 2 queries
//! hierarchical  each node of a tree               G[a,b] = nodes that hold a and b
//! ```

use std::sync::Arc;

use ndarray::Array2;
use privacy_core::Attribute;
use privacy_core::labels::Labels;

use crate::error::Error;
#[cfg(feature = "serde")]
use crate::queries::text::BasisText;
use crate::queries::tree::TreeNodes;

/// What is done with the entries of a row of W that are not 0.
type Visit<'a> = dyn FnMut(&[(usize, f64)]) + 'a;

/// The queries about one attribute.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "BasisText", into = "BasisText"))]
#[non_exhaustive]
pub enum QueryBasis {
    /// Every category by itself.
    #[default]
    Identity,
    /// Every sum of the first categories: cumulative counts.
    Prefix,
    /// Every sum of neighbouring categories, in the order (1,1), (1,2), ..., (1,k), (2,2), ...
    Range,
    /// Every node of a tree.
    Hierarchical(Arc<TreeNodes>),
    /// The rows of a matrix, one column a category.
    Queries(Arc<Array2<f64>>),
    /// Another basis, each of whose queries has a weight: the factor of its variance in the
    /// objective.
    Weighted(Box<QueryBasis>, Arc<Vec<f64>>),
}

/// What a query's variance takes from a residual with its attribute (`w C w^T`) and from one
/// without (`(w u)^2`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Form {
    pub(crate) with: f64,
    pub(crate) without: f64,
}

impl QueryBasis {
    /// Whether it fits an attribute of `k` categories.
    ///
    /// # Errors
    /// [`Error::BadBasis`] when a node or a row has other categories, a number is not finite,
    /// every query is 0, or the number of positive weights is not that of the queries.
    pub fn check(&self, k: usize) -> Result<(), Error> {
        let what = match self {
            Self::Identity | Self::Prefix | Self::Range => return Ok(()),
            Self::Hierarchical(nodes) if nodes.fits(k) => return Ok(()),
            Self::Hierarchical(_) => "a node of the tree has a category that the attribute does not have",
            Self::Queries(matrix) if matrix.ncols() != k => "a row of queries has one number for each category",
            Self::Queries(matrix) if !matrix.iter().all(|entry| entry.abs() <= LARGEST_ENTRY) => {
                "the numbers of queries are between -1e6 and 1e6"
            }
            Self::Queries(matrix) if matrix.iter().all(|&entry| entry == 0.0) => "every query is 0",
            Self::Queries(_) => return Ok(()),
            Self::Weighted(basis, _) if matches!(**basis, Self::Weighted(..)) => "weights are given once",
            Self::Weighted(basis, weights) => {
                basis.check(k)?;
                let good = weights.iter().all(|weight| (1e-12..=1e12).contains(weight));
                match good && weights.len() == basis.queries(k) {
                    true => return Ok(()),
                    false => "there is one weight a query, between 1e-12 and 1e12",
                }
            }
        };
        Err(Error::BadBasis { what })
    }

    /// How many queries there are about an attribute of `k` categories.
    #[must_use]
    pub fn queries(&self, k: usize) -> usize {
        match self {
            Self::Identity | Self::Prefix => k,
            Self::Range => k * (k + 1) / 2,
            Self::Hierarchical(nodes) => nodes.len(),
            Self::Queries(matrix) => matrix.nrows(),
            Self::Weighted(basis, _) => basis.queries(k),
        }
    }

    /// What the answers about an attribute are called, in their order: the label of a category,
    /// `<= LABEL` for a prefix, `FIRST .. LAST` for a range (the label where both are one), the
    /// name of a node, `query 1`, `query 2`, ... for the rows of a matrix. `O(answers)`.
    #[must_use]
    pub fn labels(&self, attribute: &Attribute) -> Vec<String> {
        let labels = attribute.labels();
        match self {
            Self::Identity => labels.to_vec(),
            Self::Prefix => labels.iter().map(|label| format!("<= {label}")).collect(),
            Self::Range => {
                let numbers = 0..self.queries(labels.len());
                numbers.map(|query| range_label(labels, range_of(labels.len(), query))).collect()
            }
            Self::Hierarchical(nodes) => nodes.names().map(str::to_owned).collect(),
            Self::Queries(matrix) => (1..=matrix.nrows()).map(|number| format!("query {number}")).collect(),
            Self::Weighted(basis, _) => basis.labels(attribute),
        }
    }

    /// The basis without weights.
    pub(crate) fn plain(&self) -> &Self {
        match self {
            Self::Weighted(basis, _) => basis,
            plain => plain,
        }
    }

    /// The same queries, each with its weight times this.
    pub(crate) fn weighted(&self, times: &[f64]) -> Self {
        let weights = match self {
            Self::Weighted(_, weights) => weights.iter().zip(times).map(|(weight, times)| weight * times).collect(),
            _ => times.to_vec(),
        };
        Self::Weighted(Box::new(self.plain().clone()), Arc::new(weights))
    }

    /// `G`. `O(k^2)` for identity, prefix and range.
    #[must_use]
    pub fn gram(&self, k: usize) -> Array2<f64> {
        match self {
            Self::Identity => Array2::eye(k),
            Self::Prefix => Array2::from_shape_fn((k, k), |(a, b)| (k - a.max(b)) as f64),
            Self::Range => Array2::from_shape_fn((k, k), |(a, b)| ((a.min(b) + 1) * (k - a.max(b))) as f64),
            Self::Queries(matrix) => matrix.t().dot(&**matrix),
            Self::Hierarchical(_) => self.gram_by_queries(k, None),
            Self::Weighted(basis, weights) => match **basis {
                Self::Prefix => gram_of_sums(k, |first| if first == 0 { weights } else { &[] }),
                Self::Range => gram_of_sums(k, |first| &weights[first_range(k, first)..first_range(k, first + 1)]),
                _ => basis.gram_by_queries(k, Some(weights)),
            },
        }
    }

    fn gram_by_queries(&self, k: usize, weights: Option<&[f64]>) -> Array2<f64> {
        let (mut gram, mut query) = (Array2::zeros((k, k)), 0);
        self.each_query(k, &mut |entries| {
            let weight = weights.map_or(1.0, |weights| weights[query]);
            for &(a, left) in entries {
                for &(b, right) in entries {
                    gram[[a, b]] += weight * left * right;
                }
            }
            query += 1;
        });
        gram
    }

    /// Hands over the entries of every row of W that are not 0, in the order of the answers.
    fn each_query(&self, k: usize, visit: &mut Visit<'_>) {
        match self {
            Self::Identity => (0..k).for_each(|c| visit(&[(c, 1.0)])),
            Self::Prefix => (0..k).for_each(|last| visit(&entries_of_ones(0..=last))),
            Self::Range => {
                (0..k).for_each(|first| (first..k).for_each(|last| visit(&entries_of_ones(first..=last))));
            }
            Self::Hierarchical(nodes) => {
                nodes.categories().for_each(|node| visit(&entries_of_ones(node.iter().copied())));
            }
            Self::Queries(matrix) => matrix.rows().into_iter().for_each(|row| {
                visit(&row.iter().copied().enumerate().filter(|(_, entry)| *entry != 0.0).collect::<Vec<_>>());
            }),
            Self::Weighted(basis, _) => basis.each_query(k, visit),
        }
    }

    /// `W x` of one lane: cumulative sums where they serve, `O(k + answers)` for the named bases.
    pub(crate) fn answer(&self, lane: &[f64], answers: &mut Vec<f64>) {
        answers.clear();
        match self {
            Self::Identity => answers.extend_from_slice(lane),
            Self::Prefix => answers.extend(running_sums(lane)),
            Self::Range => (0..lane.len()).for_each(|first| answers.extend(running_sums(&lane[first..]))),
            Self::Hierarchical(nodes) => {
                answers.extend(nodes.categories().map(|node| node.iter().map(|&c| lane[c]).sum::<f64>()));
            }
            Self::Queries(matrix) => {
                let rows = matrix.rows().into_iter();
                answers.extend(rows.map(|row| row.iter().zip(lane).map(|(w, x)| w * x).sum::<f64>()));
            }
            Self::Weighted(basis, _) => basis.answer(lane, answers),
        }
    }

    /// The row of W of one query. `O(k)`.
    ///
    /// # Panics
    /// If there is no such query.
    #[must_use]
    pub fn query(&self, k: usize, query: usize) -> Vec<f64> {
        match self {
            Self::Identity => row_of_ones(k, query..=query),
            Self::Prefix => row_of_ones(k, 0..=query),
            Self::Range => {
                let (first, last) = range_of(k, query);
                row_of_ones(k, first..=last)
            }
            Self::Hierarchical(nodes) => row_of_ones(k, nodes.get(query).iter().copied()),
            Self::Queries(matrix) => matrix.row(query).to_vec(),
            Self::Weighted(basis, _) => basis.query(k, query),
        }
    }

    /// The forms of every query, in the order of the answers, times the weights if there are any.
    /// `O(answers + k^2)` for the named bases.
    pub(crate) fn forms(&self, c: &Array2<f64>, u: &[f64]) -> Vec<Form> {
        match self {
            Self::Identity => u.iter().zip(c.diag()).map(|(u, &c)| Form { with: c, without: u * u }).collect(),
            Self::Prefix => forms_of_sums(c, u, 0),
            Self::Range => (0..u.len()).flat_map(|first| forms_of_sums(c, u, first)).collect(),
            Self::Weighted(basis, weights) => {
                let forms = basis.forms(c, u).into_iter().zip(&**weights);
                forms.map(|(Form { with, without }, w)| Form { with: with * w, without: without * w }).collect()
            }
            Self::Hierarchical(_) | Self::Queries(_) => {
                let mut forms = Vec::with_capacity(self.queries(u.len()));
                self.each_query(u.len(), &mut |entries| {
                    let share: f64 = entries.iter().map(|&(a, x)| x * u[a]).sum();
                    let with = entries.iter().map(|&(a, x)| {
                        let row: f64 = entries.iter().map(|&(b, y)| y * c[[a, b]]).sum();
                        x * row
                    });
                    forms.push(Form { with: with.sum::<f64>().max(0.0), without: share * share });
                });
                forms
            }
        }
    }
}

/// The categories, each with the entry 1.
fn entries_of_ones(categories: impl Iterator<Item = usize>) -> Vec<(usize, f64)> {
    categories.map(|category| (category, 1.0)).collect()
}

/// A row of W with ones at these categories.
fn row_of_ones(k: usize, categories: impl Iterator<Item = usize>) -> Vec<f64> {
    let mut row = vec![0.0; k];
    categories.for_each(|category| row[category] = 1.0);
    row
}

/// The sums of the first cell, the first two cells, and so on.
fn running_sums(cells: &[f64]) -> impl Iterator<Item = f64> {
    cells.iter().scan(0.0, |sum, cell| {
        *sum += cell;
        Some(*sum)
    })
}

/// The number of the first range that begins at `first`; see [`range_of`].
fn first_range(k: usize, first: usize) -> usize {
    first * k - first * first.saturating_sub(1) / 2
}

/// The Gram matrix of weighted sums of neighbours: entry (a, b) is the weight of all that begin
/// at or before the lesser and end at or behind the greater. `weights(first)` are those of the
/// sums that begin at `first`, by their end.
fn gram_of_sums<'a>(k: usize, weights: impl Fn(usize) -> &'a [f64]) -> Array2<f64> {
    let mut gram = Array2::zeros((k, k));
    let mut behind = vec![0.0; k];
    for a in 0..k {
        // What begins at a, by its end from the right.
        let mut sum = 0.0;
        for (offset, weight) in weights(a).iter().enumerate().rev() {
            sum += weight;
            behind[a + offset] += sum;
        }
        // `behind[b]` by now holds all sums that begin at a or before it and end at b or behind.
        for b in a..k {
            (gram[[a, b]], gram[[b, a]]) = (behind[b], behind[b]);
        }
    }
    gram
}

/// Entries of a query matrix are at most this large: their squares, summed, stay far within
/// `f64`.
const LARGEST_ENTRY: f64 = 1e6;

/// The forms of x_first, x_first + x_(first + 1), ...: each from the one before, in `O(k)`
/// additions.
fn forms_of_sums(c: &Array2<f64>, u: &[f64], first: usize) -> Vec<Form> {
    let (mut with, mut share) = (0.0, 0.0);
    (first..u.len())
        .map(|last| {
            // w C w^T for w with one more 1 at `last`: the new row and column of C, and its
            // diagonal entry.
            let column: f64 = (first..last).map(|a| c[[last, a]]).sum();
            with += 2.0 * column + c[[last, last]];
            share += u[last];
            Form { with: f64::max(with, 0.0), without: share * share }
        })
        .collect()
}

pub(crate) fn range_label(labels: &Labels, (first, last): (usize, usize)) -> String {
    if first == last { labels[first].to_owned() } else { format!("{} .. {}", &labels[first], &labels[last]) }
}

/// The ends of a range by its number.
pub(crate) fn range_of(k: usize, mut query: usize) -> (usize, usize) {
    let first = (0..k).find(|first| {
        let of_this = k - first;
        let here = query < of_this;
        query -= if here { 0 } else { of_this };
        here
    });
    let first = first.expect("a range has a number below k (k + 1) / 2");
    (first, first + query)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grams_and_forms_are_those_of_the_rows() {
        let k = 6;
        let c = Array2::from_shape_fn((k, k), |(i, j)| 1.0 / (1.0 + i as f64 + j as f64));
        let u: Vec<f64> = (0..k).map(|i| (i as f64 - 1.5) / 6.0).collect();
        let tree = TreeNodes::new([("a".to_owned(), vec![0, 3]), ("b".to_owned(), vec![5])]).unwrap();
        let matrix = Array2::from_shape_fn((3, k), |(i, j)| (i * 3 + j) as f64 % 4.0 - 1.5);
        let plain = [
            QueryBasis::Identity,
            QueryBasis::Prefix,
            QueryBasis::Range,
            QueryBasis::Hierarchical(Arc::new(tree)),
            QueryBasis::Queries(Arc::new(matrix)),
        ];
        for basis in plain.iter().flat_map(|basis| {
            let weights = (0..basis.queries(k)).map(|q| 0.5 + q as f64).collect();
            [basis.clone(), QueryBasis::Weighted(Box::new(basis.clone()), Arc::new(weights))]
        }) {
            basis.check(k).unwrap();
            let weight = |q: usize| if let QueryBasis::Weighted(_, weights) = &basis { weights[q] } else { 1.0 };
            let rows: Vec<Vec<f64>> = (0..basis.queries(k)).map(|q| basis.query(k, q)).collect();
            let gram = basis.gram(k);
            for a in 0..k {
                for b in 0..k {
                    let want: f64 = rows.iter().enumerate().map(|(q, row)| weight(q) * row[a] * row[b]).sum();
                    assert!((gram[[a, b]] - want).abs() < 1e-12, "{basis:?} {a} {b}");
                }
            }
            let lane: Vec<f64> = (0..k).map(|i| (i * i) as f64 - 3.0).collect();
            let mut answers = Vec::new();
            basis.answer(&lane, &mut answers);
            let forms = basis.forms(&c, &u);
            for (q, row) in rows.iter().enumerate() {
                let dot = |x: &[f64]| row.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
                assert!((answers[q] - dot(&lane)).abs() < 1e-12);
                assert!((forms[q].without - weight(q) * dot(&u).powi(2)).abs() < 1e-12);
                let with: f64 = (0..k).map(|a| row[a] * dot(&c.row(a).to_vec())).sum();
                assert!((forms[q].with - weight(q) * with.max(0.0)).abs() < 1e-12, "{basis:?} {q}");
            }
        }
    }

    #[test]
    fn weights_of_weights_are_products() {
        let once = QueryBasis::Prefix.weighted(&[2.0, 3.0, 0.5]);
        let prefix = |weights: Vec<f64>| QueryBasis::Weighted(Box::new(QueryBasis::Prefix), Arc::new(weights));
        assert_eq!(once, prefix(vec![2.0, 3.0, 0.5]));
        assert_eq!(once.weighted(&[5.0, 0.25, 4.0]), prefix(vec![10.0, 0.75, 2.0]));
    }

    #[test]
    fn ranges_are_numbered_row_by_row() {
        let ranges: Vec<(usize, usize)> = (0..6).map(|query| range_of(3, query)).collect();
        assert_eq!(ranges, [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]);
    }

    #[test]
    fn every_answer_has_a_label() {
        let attribute = Attribute::new("x", ["a", "b", "c"]).unwrap();
        let tree = TreeNodes::balanced(attribute.labels().iter(), 2).unwrap();
        let weighted = QueryBasis::Weighted(Box::new(QueryBasis::Prefix), Arc::new(vec![1.0; 3]));
        for (basis, want) in [
            (QueryBasis::Identity, vec!["a", "b", "c"]),
            (weighted, vec!["<= a", "<= b", "<= c"]),
            (QueryBasis::Range, vec!["a", "a .. b", "a .. c", "b", "b .. c", "c"]),
            (QueryBasis::Hierarchical(Arc::new(tree)), vec!["a .. c", "a", "b .. c", "b", "c"]),
            (QueryBasis::Queries(Arc::new(Array2::zeros((2, 3)))), vec!["query 1", "query 2"]),
        ] {
            assert_eq!(basis.labels(&attribute), want);
            assert_eq!(basis.queries(3), want.len());
        }
    }

    #[test]
    fn bases_that_do_not_fit_are_refused() {
        let weighted = |weights: Vec<f64>| QueryBasis::Weighted(Box::new(QueryBasis::Prefix), Arc::new(weights));
        let queries = |matrix: Array2<f64>| QueryBasis::Queries(Arc::new(matrix));
        for bad in [
            weighted(vec![1.0; 2]),
            weighted(vec![1.0, 0.0, 1.0]),
            weighted(vec![1.0, f64::NAN, 1.0]),
            QueryBasis::Weighted(Box::new(weighted(vec![1.0; 3])), Arc::new(vec![1.0; 3])),
            queries(Array2::zeros((2, 3))),
            queries(Array2::ones((2, 4))),
            queries(Array2::zeros((0, 3))),
            queries(Array2::from_elem((1, 3), f64::INFINITY)),
            QueryBasis::Hierarchical(Arc::new(TreeNodes::new([("a".to_owned(), vec![3])]).unwrap())),
        ] {
            assert!(bad.check(3).is_err(), "{bad:?}");
        }
        assert!(weighted(vec![1.0, 2.0, 0.5]).check(3).is_ok());
    }
}
