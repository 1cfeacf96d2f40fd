//! The model: what is asked of it.

use std::fmt;

use privacy_core::AttrSet;

use crate::beliefs::potentials_of;
use crate::cells::{Within, check_set, count};
use crate::entropy::largest_entropy;
use crate::error::Error;
use crate::fit::{FitReport, FitSpec, Problem};
use crate::measurement::Measurement;
use crate::tree::JunctionTree;
use crate::zeros::{PossibleCells, StructuralZero};

/// What a model is fitted to, and how large it may be.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelSpec {
    /// The number of categories of each attribute.
    pub sizes: Vec<usize>,
    /// How many people there are: above 0, as it was measured.
    pub total: f64,
    /// Combinations that nobody has.
    pub zeros: Vec<StructuralZero>,
    /// The most cells of a table of the model. 4 million by default.
    pub most_cells: f64,
    /// How long it is fitted.
    pub fit: FitSpec,
}

impl ModelSpec {
    /// A model of `total` people with attributes of these sizes.
    #[must_use]
    pub fn new(sizes: Vec<usize>, total: f64) -> Self {
        Self { sizes, total, zeros: Vec::new(), most_cells: 4e6, fit: FitSpec::default() }
    }
}

/// Share of the uniform distribution in what a fit begins with.
const START_UNIFORM: f64 = 1e-6;

/// A distribution over all combinations of categories: of those that fit the measurements best the
/// one of largest entropy.
///
/// It says what the measurements say and nothing else about people: a function of the
/// measurements, with whatever guarantee they have.
#[derive(Clone)]
pub struct Model {
    pub(crate) tree: JunctionTree,
    /// Probabilities over each clique.
    pub(crate) beliefs: Vec<Vec<f64>>,
    total: f64,
    report: FitReport,
}

/// Shapes may be shown, probabilities may not.
impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model").field("cliques", &self.tree.cliques.len()).finish_non_exhaustive()
    }
}

impl Model {
    /// Fits a model. Every step costs some passes over the tables of all cliques.
    ///
    /// # Errors
    /// [`Error::TooWide`] names the clique; the other errors say what does not fit.
    ///
    /// # Example
    /// ```
    /// use privacy_core::AttrSet;
    /// use synthetic_people::{Measurement, Model, ModelSpec};
    ///
    /// # fn main() -> Result<(), synthetic_people::Error> {
    /// let (smoker, ill) = (AttrSet::single(0), AttrSet::single(1));
    /// let measured = [
    ///     Measurement::cells(smoker, vec![70.0, 30.0], 4.0),
    ///     Measurement::cells(smoker.union(ill), vec![66.0, 4.5, 19.5, 10.0], 4.0),
    /// ];
    /// let model = Model::fit(&ModelSpec::new(vec![2, 2], 100.0), &measured)?;
    /// let table = model.marginal(smoker.union(ill), 1e6)?;
    /// assert!((table.iter().sum::<f64>() - 100.0).abs() < 1e-9);
    /// assert!((table[1] - 4.5).abs() < 1.0);
    /// # Ok(())
    /// # }
    /// ```
    pub fn fit(spec: &ModelSpec, measurements: &[Measurement]) -> Result<Self, Error> {
        Self::fitted(spec, measurements, None)
    }

    /// The same from the probabilities of another model of the same attributes, such as one that
    /// was fitted to fewer measurements: fewer steps to the same fit.
    ///
    /// # Errors
    /// As [`Model::fit`].
    ///
    /// # Panics
    /// If the other model has other attributes.
    pub fn fit_from(&self, spec: &ModelSpec, measurements: &[Measurement]) -> Result<Self, Error> {
        assert!(self.tree.sizes == spec.sizes, "both models have the same attributes");
        Self::fitted(spec, measurements, Some(self))
    }

    fn fitted(spec: &ModelSpec, measurements: &[Measurement], start: Option<&Self>) -> Result<Self, Error> {
        let measured: Vec<AttrSet> = measurements.iter().map(|measurement| measurement.set).collect();
        let possible = PossibleCells::new(&spec.sizes, &spec.zeros, spec.most_cells)?;
        let sets: Vec<AttrSet> = measured.into_iter().chain(possible.sets()).collect();
        let tree = JunctionTree::new(&spec.sizes, &sets, spec.most_cells)?;
        let possible = potentials_of_zeros(&tree, &possible);
        let problem = Problem::new(&tree, measurements, spec.total, possible.clone())?;
        let start = start.map(|start| start.potentials(&tree, spec.most_cells)).transpose()?;
        let (beliefs, report) = problem.solve(spec.fit, start)?;
        let beliefs = largest_entropy(&tree, beliefs, &sets, &possible);
        Ok(Self { tree, beliefs, total: spec.total, report })
    }

    /// The potentials over the cliques of another tree whose distribution has this model's
    /// marginals there, but for a little of the uniform one: a probability of 0 would stay.
    fn potentials(&self, tree: &JunctionTree, most_cells: f64) -> Result<Vec<Vec<f64>>, Error> {
        let beliefs = tree.cliques.iter().map(|clique| -> Result<Vec<f64>, Error> {
            let even = START_UNIFORM / clique.cells as f64;
            let mut table = self.marginal(clique.set, most_cells)?;
            table.iter_mut().for_each(|p| *p = (1.0 - START_UNIFORM) * *p / self.total + even);
            Ok(table)
        });
        Ok(potentials_of(tree, &beliefs.collect::<Result<Vec<_>, _>>()?))
    }

    /// How well it fits its measurements.
    #[must_use]
    pub fn report(&self) -> FitReport {
        self.report
    }

    /// How many people it has.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total
    }

    pub(crate) fn sizes(&self) -> &[usize] {
        &self.tree.sizes
    }

    /// The attributes of its tables: what it holds beyond these follows from independence given
    /// what two tables share.
    pub fn cliques(&self) -> impl ExactSizeIterator<Item = AttrSet> {
        self.tree.cliques.iter().map(|clique| clique.set)
    }

    /// Expected counts over `set`, row-major, measured or not. Variable elimination over the
    /// cliques between the attributes.
    ///
    /// # Errors
    /// [`Error::UnknownAttribute`]; [`Error::TooWide`] when the table, or one on the way to it,
    /// has more than `most_cells`.
    pub fn marginal(&self, set: AttrSet, most_cells: f64) -> Result<Vec<f64>, Error> {
        let sizes = &self.tree.sizes;
        check_set(sizes, set)?;
        let mut cells = match self.tree.holder(set) {
            Some(clique) => Within::new(sizes, self.tree.cliques[clique].set, set).sums(&self.beliefs[clique]),
            None => self.eliminated(set, most_cells)?,
        };
        cells.iter_mut().for_each(|cell| *cell *= self.total);
        Ok(cells)
    }

    /// Probabilities over `set`, which is in no clique.
    fn eliminated(&self, set: AttrSet, most_cells: f64) -> Result<Vec<f64>, Error> {
        let mut factors = self.factors(set);
        let sizes = &self.tree.sizes;
        loop {
            let left = factors.iter().fold(AttrSet::EMPTY, |all, factor| all.union(factor.set)).minus(set);
            // The attribute whose elimination makes the smallest table goes first.
            let joint = |attribute: usize| {
                let with = factors.iter().filter(|factor| factor.set.contains(attribute));
                with.fold(AttrSet::EMPTY, |all, factor| all.union(factor.set))
            };
            let next = left.iter().min_by(|&a, &b| count(sizes, joint(a)).total_cmp(&count(sizes, joint(b))));
            let Some(attribute) = next else { break };
            let (with, others): (Vec<_>, Vec<_>) =
                factors.into_iter().partition(|factor| factor.set.contains(attribute));
            let product = Factor::product(sizes, &with, most_cells)?;
            factors = others;
            factors.push(product.without(sizes, attribute));
        }
        let product = Factor::product(sizes, &factors, most_cells)?;
        Ok(Within::new(sizes, product.set, set).sums(&product.cells))
    }

    /// The conditional probabilities of the cliques that matter for `set`: a clique without an
    /// attribute of its own in the set, and without a child that matters, sums to one.
    fn factors(&self, set: AttrSet) -> Vec<Factor> {
        let cliques = &self.tree.cliques;
        let mut matters = vec![false; cliques.len()];
        for clique in (0..cliques.len()).rev() {
            let own = cliques[clique]
                .parent
                .as_ref()
                .map_or(cliques[clique].set, |parent| cliques[clique].set.minus(parent.separator));
            matters[clique] |= clique == 0 || !own.intersection(set).is_empty();
            if let (true, Some(parent)) = (matters[clique], &cliques[clique].parent) {
                matters[parent.clique] = true;
            }
        }
        let kept = (0..cliques.len()).filter(|&clique| matters[clique]);
        kept.map(|clique| Factor { set: cliques[clique].set, cells: self.conditional(clique) }).collect()
    }

    /// The probabilities of a clique given what it shares with its parent; 0 where that has
    /// probability 0.
    pub(crate) fn conditional(&self, clique: usize) -> Vec<f64> {
        let mut table = self.beliefs[clique].clone();
        if let Some(parent) = &self.tree.cliques[clique].parent {
            let shared = parent.here.sums(&table);
            parent.here.combine(&mut table, &shared, |value, by| *value = if by > 0.0 { *value / by } else { 0.0 });
        }
        table
    }
}

struct Factor {
    set: AttrSet,
    cells: Vec<f64>,
}

impl Factor {
    fn product(sizes: &[usize], factors: &[Self], most_cells: f64) -> Result<Self, Error> {
        let set = factors.iter().fold(AttrSet::EMPTY, |all, factor| all.union(factor.set));
        let cells = count(sizes, set);
        if cells > most_cells {
            return Err(Error::TooWide { clique: set, cells, limit: most_cells });
        }
        let mut table = vec![1.0; cells as usize];
        for factor in factors {
            Within::new(sizes, set, factor.set).combine(&mut table, &factor.cells, |value, by| *value *= by);
        }
        Ok(Self { set, cells: table })
    }

    fn without(&self, sizes: &[usize], attribute: usize) -> Self {
        let set = self.set.minus(AttrSet::single(attribute));
        Self { set, cells: Within::new(sizes, self.set, set).sums(&self.cells) }
    }
}

/// The structural zeros as potentials, each in a clique that has its attributes.
fn potentials_of_zeros(tree: &JunctionTree, possible: &PossibleCells) -> Vec<Vec<f64>> {
    let mut potentials = tree.zeros();
    for (set, table) in possible.tables() {
        let clique = tree.holder(*set).expect("the tree was made for the sets of the zeros");
        let marks: Vec<f64> =
            table.iter().map(|&is_possible| if is_possible { 0.0 } else { f64::NEG_INFINITY }).collect();
        let within = Within::new(&tree.sizes, tree.cliques[clique].set, *set);
        within.combine(&mut potentials[clique], &marks, |value, by| *value += by);
    }
    potentials
}
