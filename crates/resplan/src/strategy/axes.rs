//! The attributes of a domain as they are measured, and products over sets of them.

use std::sync::Arc;

use privacy_core::{AttrSet, Domain};

use crate::queries::basis::Form;
use crate::strategy::axis::{Axis, Residual};

/// One [`Axis`] an attribute, and one for all attributes of a block where these are measured
/// together.
#[derive(Clone, Debug)]
pub(crate) struct Axes {
    each: Vec<Arc<Axis>>,
    joint: Option<Joint>,
}

/// Attributes that one strategy measures together: their cells, the last attribute fastest, are
/// the categories of one axis.
#[derive(Clone, Debug)]
pub(crate) struct Joint {
    /// At least one attribute, each of at least two categories.
    pub(crate) block: AttrSet,
    pub(crate) axis: Arc<Axis>,
}

impl Axes {
    pub(crate) fn new(each: Vec<Arc<Axis>>) -> Self {
        Self { each, joint: None }
    }

    /// These attributes, of which a block is measured together.
    pub(crate) fn with_joint(self, joint: Option<Joint>) -> Self {
        Self { joint, ..self }
    }

    /// The block that is measured together.
    pub(crate) fn joint(&self) -> Option<&Joint> {
        self.joint.as_ref()
    }

    /// Every attribute of a domain asked for its categories.
    pub(crate) fn identity(domain: &Domain) -> Self {
        Self::new(
            domain.attributes().iter().map(|attribute| Arc::new(Axis::identity(attribute.cardinality()))).collect(),
        )
    }

    pub(crate) fn get(&self, attribute: usize) -> &Axis {
        &self.each[attribute]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Axis> {
        self.each.iter().map(|axis| &**axis)
    }

    pub(crate) fn of(&self, set: AttrSet) -> impl Iterator<Item = &Axis> {
        set.iter().map(|attribute| self.get(attribute))
    }

    /// What the residual over `set` is measured along: an axis for each attribute, or one for all
    /// of a block.
    pub(crate) fn measured(&self, set: AttrSet) -> impl Iterator<Item = &Axis> {
        let joint = self.joint.as_ref().filter(|joint| joint.block == set);
        let each = if joint.is_some() { AttrSet::EMPTY } else { set };
        joint.map(|joint| &*joint.axis).into_iter().chain(self.of(each))
    }

    /// The attributes of `set` with at least two categories.
    pub(crate) fn varying(&self, set: AttrSet) -> AttrSet {
        set.iter().filter(|&attribute| self.get(attribute).varies()).collect()
    }

    /// Answers about `set`, as a float: they may be more than an integer holds.
    pub(crate) fn queries(&self, set: AttrSet) -> f64 {
        self.of(set).map(|axis| axis.queries() as f64).product()
    }

    /// Of what the residual over `set` is measured along, how many have a matrix of integers.
    pub(crate) fn dense(&self, set: AttrSet) -> usize {
        self.measured(set).filter(|axis| matches!(axis.residual(), Residual::Dense(_))).count()
    }

    /// Every residual within `set` with `start` times the product of one form an attribute: of
    /// `with` over the residual and of `without` over the others. By doubling, into `terms`.
    pub(crate) fn products(
        &self,
        set: AttrSet,
        start: f64,
        form: impl Fn(usize) -> Form,
        terms: &mut Vec<(AttrSet, f64)>,
    ) {
        terms.clear();
        let varying = self.varying(set);
        let constant: f64 = set.minus(varying).iter().map(|attribute| form(attribute).without).product();
        terms.push((AttrSet::EMPTY, start * constant));
        for attribute in varying.iter() {
            let Form { with, without } = form(attribute);
            for i in 0..terms.len() {
                let (subset, term) = terms[i];
                terms.push((subset.with(attribute), term * with));
                terms[i].1 = term * without;
            }
        }
    }

    /// Every residual within `set`, in the order of [`Axes::products`].
    pub(crate) fn residuals(&self, set: AttrSet) -> Vec<AttrSet> {
        let mut terms = Vec::new();
        self.products(set, 1.0, |_| Form { with: 1.0, without: 1.0 }, &mut terms);
        terms.into_iter().map(|(residual, _)| residual).collect()
    }

    /// `p_B`: the cost of residual B at noise 1, within `2 |B|` roundings.
    pub(crate) fn cost(&self, residual: AttrSet) -> f64 {
        self.measured(residual).map(|axis| axis.columns().0).product()
    }
}

/// One attribute more: tables of `queries` times as many answers, for the subsets of the
/// attributes still to come. The attribute is the lowest bit of a position, if it varies; its
/// queries are fastest in the new tables.
pub(crate) fn grown(tables: Vec<Vec<f64>>, varies: bool, forms: &[Form]) -> Vec<Vec<f64>> {
    match varies {
        true => tables.chunks_exact(2).map(|pair| answered(&pair[0], Some(&pair[1]), forms)).collect(),
        false => tables.iter().map(|table| answered(table, None, forms)).collect(),
    }
}

/// Every query of one attribute for every entry of a table without it, and of the table with it if
/// there is one.
fn answered(without: &[f64], with: Option<&[f64]>, forms: &[Form]) -> Vec<f64> {
    let answers = without.iter().enumerate().flat_map(|(place, without)| {
        let with = with.map_or(0.0, |with| with[place]);
        forms.iter().map(move |form| form.without * without + form.with * with)
    });
    answers.collect()
}
