//! The tilt of each attribute that makes the weighted sum of variances least.
//!
//! The least sum at cost 1 is `T = (sum over B of sqrt(v_B p_B))^2`, and depends on a strategy
//! through its `L = p v` and `s` alone. T is walked down over a grid of tilts: first one tilt for
//! all attributes, then one kind of attribute after the other. Attributes with equal queries and
//! equally many categories share a tilt.

use std::sync::Arc;

use ndarray::Array2;
#[cfg(feature = "linalg")]
use privacy_core::linalg::LinalgError;
use privacy_core::stop::StopFlag;
use privacy_core::{AttrSet, Domain};
use rustc_hash::FxHashMap;

use crate::error::Error;
use crate::queries::basis::{Form, QueryBasis};
use crate::strategy::axes::Axes;
use crate::strategy::axis::{Axis, digits_for};
use crate::strategy::kinds::{Settled, Strategy};
#[cfg(feature = "linalg")]
use crate::strategy::precision::{Precision, SHARES, precision};

/// Gap at which a strategy is taken as found.
const GAP: f64 = 1e-6;
/// Where the walk begins: tau = 1.
const MIDDLE: usize = 13;
/// Tilts of the grid: 0, and from 0.01 to 100,000, six a decade.
const TILTS: usize = 44;
/// Tilts are compared on at most this many categories: cumulative sums and ranges of more behave
/// alike.
const COMPARED: usize = 256;
/// Attributes of more categories than this whose queries have no smaller likeness keep tau = 1.
const LARGEST_COMPARED: usize = 512;
/// Walks over all kinds of attributes.
const SWEEPS: usize = 3;

fn tilt(index: usize) -> f64 {
    if index == 0 { 0.0 } else { 10_f64.powf((index as f64 - 1.0) / 6.0 - 2.0) }
}

/// How every attribute will be measured.
pub(crate) struct Choice {
    kinds: Vec<Kind>,
    /// The kind of each attribute.
    kind_of: Vec<usize>,
    strategy: Strategy,
}

impl Choice {
    /// Finds the tilts, where they are asked for.
    pub(crate) fn new(
        domain: &Domain,
        bases: &[QueryBasis],
        workload: &[(AttrSet, f64)],
        strategy: Strategy,
        stop: &StopFlag,
    ) -> Result<Self, Error> {
        let varying = (0..bases.len()).filter(|&attribute| domain.cardinality(attribute) > 1);
        let dense: AttrSet = varying.filter(|&attribute| bases[attribute] != QueryBasis::Identity).collect();
        // Integers of all dense attributes of a marginal are multiplied: the more of them, the
        // fewer digits each.
        let digits = digits_for(workload.iter().map(|(set, _)| set.intersection(dense).len()).max().unwrap_or(0));
        let mut kinds: Vec<Kind> = Vec::new();
        let mut kind_of = Vec::with_capacity(bases.len());
        for (number, (attribute, basis)) in domain.attributes().iter().zip(bases).enumerate() {
            basis.check(attribute.cardinality())?;
            let same = kinds.iter().position(|kind| kind.size == attribute.cardinality() && kind.basis == *basis);
            let at = same.unwrap_or_else(|| {
                kinds.push(Kind::new(number, basis.clone(), attribute.cardinality(), digits, stop.clone()));
                kinds.len() - 1
            });
            kind_of.push(at);
        }
        if strategy.is_chosen() {
            choose(&mut kinds, &kind_of, domain, workload)?;
        }
        Ok(Self { kinds, kind_of, strategy })
    }

    /// Whether nothing is left to choose.
    pub(crate) fn is_settled(&self) -> bool {
        !self.strategy.is_chosen() || !self.kinds.iter().any(Kind::is_free)
    }

    /// Every attribute as it will be measured.
    pub(crate) fn axes(&mut self) -> Result<Axes, Error> {
        let measured = self.kinds.iter_mut().map(|kind| {
            kind.settle(match self.strategy {
                Strategy::Automatic | Strategy::Joint => Settled::Tilted(tilt(kind.tilt)),
                Strategy::Tilted(tilt) => Settled::Tilted(tilt.get()),
                Strategy::Orthogonal => Settled::Orthogonal,
                Strategy::Isotropic => Settled::Isotropic,
            })
        });
        let measured: Vec<Arc<Axis>> = measured.collect::<Result<_, _>>()?;
        Ok(self.with(&measured))
    }

    /// The attributes of every kind that has a choice, and how many queries there are about each;
    /// 0 where they are too many categories to try strategies on.
    pub(crate) fn free(&self) -> Vec<(Vec<usize>, usize)> {
        let free = self.kinds.iter().enumerate().filter(|(_, kind)| kind.is_free());
        let free = free.map(|(number, kind)| {
            let queries = if kind.size <= COMPARED { kind.basis.queries(kind.size) } else { 0 };
            (self.attributes_of(number), queries)
        });
        free.collect()
    }

    fn attributes_of(&self, kind: usize) -> Vec<usize> {
        (0..self.kind_of.len()).filter(|&attribute| self.kind_of[attribute] == kind).collect()
    }

    /// Every attribute as it would be measured if the queries of the kinds in [`Choice::free`]
    /// counted so much more in the choice of strategies; kinds without weights as they are.
    pub(crate) fn weighted_axes(&mut self, weights: &[Vec<f64>]) -> Result<Axes, Error> {
        let mut weights = weights.iter();
        let mut measured = Vec::with_capacity(self.kinds.len());
        for kind in &mut self.kinds {
            let own = if kind.is_free() { weights.next().filter(|weights| !weights.is_empty()) } else { None };
            measured.push(match own {
                Some(weights) => kind.weighted(weights)?,
                None => kind.settle(Settled::Tilted(tilt(kind.tilt)))?,
            });
        }
        Ok(self.with(&measured))
    }

    fn with(&self, measured: &[Arc<Axis>]) -> Axes {
        Axes::new(self.kind_of.iter().map(|&kind| Arc::clone(&measured[kind])).collect())
    }
}

/// Attributes that are asked the same.
struct Kind {
    /// The first of them, for messages.
    attribute: usize,
    basis: QueryBasis,
    size: usize,
    /// Binary digits of its integers.
    digits: u32,
    /// Index of the tilt.
    tilt: usize,
    tried: FxHashMap<usize, Tried>,
    /// Where the next weighted strategy begins.
    multipliers: Option<Vec<f64>>,
    stop: StopFlag,
}

/// What a tilt gives, on as many categories as are compared.
struct Tried {
    axis: Arc<Axis>,
    multipliers: Vec<f64>,
}

impl Kind {
    fn new(attribute: usize, basis: QueryBasis, size: usize, digits: u32, stop: StopFlag) -> Self {
        Self { attribute, basis, size, digits, tilt: MIDDLE, tried: FxHashMap::default(), multipliers: None, stop }
    }

    /// Whether there is anything to choose. Where no smaller problem is alike and each look would
    /// take seconds, tau = 1 it is.
    fn is_free(&self) -> bool {
        self.size > 1 && self.basis != QueryBasis::Identity && self.compared() <= LARGEST_COMPARED
    }

    /// How many categories tilts are compared on.
    fn compared(&self) -> usize {
        match self.basis {
            QueryBasis::Prefix | QueryBasis::Range => self.size.min(COMPARED),
            _ => self.size,
        }
    }

    /// `(L, s)` under a tilt.
    fn forms(&mut self, tilt_index: usize) -> Result<Form, Error> {
        if !self.is_free() {
            return Ok(forms_of(&*self.settle(Settled::Tilted(tilt(MIDDLE)))?));
        }
        if !self.tried.contains_key(&tilt_index) {
            // A neighbouring tilt has nearly the same multipliers: some steps instead of dozens.
            let near = [tilt_index + 1, tilt_index.wrapping_sub(1)].into_iter().find_map(|near| self.tried.get(&near));
            let start = near.map(|tried| tried.multipliers.clone());
            let gram = self.basis.gram(self.compared());
            let tried = self.found(&gram, Settled::Tilted(tilt(tilt_index)), start.as_deref())?;
            self.tried.insert(tilt_index, tried);
        }
        Ok(forms_of(&self.tried[&tilt_index].axis))
    }

    #[cfg(feature = "linalg")]
    fn found(&self, gram: &Array2<f64>, strategy: Settled, start: Option<&[f64]>) -> Result<Tried, Error> {
        let scaled = scaled(gram);
        let mut cause = LinalgError::NotConverged;
        for share in SHARES {
            let found = precision(&scaled, strategy, GAP, share, start, &self.stop);
            let tried = found.and_then(|Precision { matrix, gap, multipliers }| {
                let axis = Axis::of_precision(self.basis.clone(), &matrix, self.digits, gap)?;
                Ok(Tried { axis: Arc::new(axis), multipliers })
            });
            match tried {
                Ok(tried) => return Ok(tried),
                // A set flag ends the search; the caller looks at it.
                Err(error) if self.stop.is_set() => {
                    return Err(Error::NoStrategy { attribute: self.attribute, cause: error });
                }
                Err(error) => cause = error,
            }
        }
        Err(Error::NoStrategy { attribute: self.attribute, cause })
    }

    #[cfg(not(feature = "linalg"))]
    fn found(&self, _: &Array2<f64>, _: Settled, _: Option<&[f64]>) -> Result<Tried, Error> {
        Err(Error::NeedsLinalg { attribute: self.attribute })
    }

    /// The attribute as it is measured under a strategy.
    fn settle(&mut self, strategy: Settled) -> Result<Arc<Axis>, Error> {
        if self.size == 1 {
            return Ok(Arc::new(Axis::constant(self.basis.clone())));
        }
        if self.basis == QueryBasis::Identity {
            return Ok(Arc::new(Axis::identity(self.size)));
        }
        // What was compared on fewer categories is computed again on all.
        let tried = self.tried.get(&self.tilt).filter(|tried| tried.axis.size() == self.size);
        if let Some(tried) = tried.filter(|_| strategy == Settled::Tilted(tilt(self.tilt))) {
            return Ok(Arc::clone(&tried.axis));
        }
        let tried = self.found(&self.basis.gram(self.size), strategy, None)?;
        let axis = Arc::clone(&tried.axis);
        if strategy == Settled::Tilted(tilt(self.tilt)) {
            self.tried.insert(self.tilt, tried);
        }
        Ok(axis)
    }

    /// The attribute as it is measured if its queries count so much more.
    fn weighted(&mut self, weights: &[f64]) -> Result<Arc<Axis>, Error> {
        let (basis, strategy) = (self.basis.weighted(weights), Settled::Tilted(tilt(self.tilt)));
        let found = self.found(&basis.gram(self.size), strategy, self.multipliers.as_deref())?;
        self.multipliers = Some(found.multipliers);
        Ok(found.axis)
    }
}

/// Queries of extreme sizes, times a power of 4: the strategy is the same, and numbers on the way
/// to it neither overflow nor vanish. At ordinary sizes nothing is changed.
#[cfg(feature = "linalg")]
fn scaled(gram: &Array2<f64>) -> std::borrow::Cow<'_, Array2<f64>> {
    let largest = gram.diag().iter().copied().fold(0.0, f64::max);
    if (1e-30..=1e30).contains(&largest) || !largest.is_normal() {
        return std::borrow::Cow::Borrowed(gram);
    }
    // Two factors: their product may be no number.
    let half = (-0.5 * largest.log2()).round().exp2();
    std::borrow::Cow::Owned(gram.mapv(|entry| entry * half * half))
}

/// `(L, s)`.
fn forms_of(axis: &Axis) -> Form {
    let Form { with, without } = axis.loss();
    Form { with: with * axis.columns().0, without }
}

/// Sets the tilt of every kind.
fn choose(kinds: &mut [Kind], kind_of: &[usize], domain: &Domain, workload: &[(AttrSet, f64)]) -> Result<(), Error> {
    let free: Vec<usize> = (0..kinds.len()).filter(|&kind| kinds[kind].is_free()).collect();
    if free.is_empty() {
        return Ok(());
    }
    let sums = &Sums::of(domain, workload);
    // One tilt for all first: coordinate descent from a common start does not get stuck between
    // unlike attributes.
    walk(kinds, kind_of, sums, &free)?;
    for _ in 0..if free.len() > 1 { SWEEPS } else { 0 } {
        let before: Vec<usize> = kinds.iter().map(|kind| kind.tilt).collect();
        free.iter().try_for_each(|&kind| walk(kinds, kind_of, sums, &[kind]))?;
        if kinds.iter().map(|kind| kind.tilt).eq(before) {
            break;
        }
    }
    Ok(())
}

/// Moves the tilt of some kinds together, downhill to where no neighbour is lower.
fn walk(kinds: &mut [Kind], kind_of: &[usize], sums: &Sums, moved: &[usize]) -> Result<(), Error> {
    let start = kinds[moved[0]].tilt;
    let value_at = |kinds: &mut [Kind], tilt: usize| -> Result<f64, Error> {
        moved.iter().for_each(|&kind| kinds[kind].tilt = tilt);
        let forms: Vec<Form> = kinds.iter_mut().map(|kind| kind.forms(kind.tilt)).collect::<Result<_, _>>()?;
        Ok(sums.root(&kind_of.iter().map(|&kind| forms[kind]).collect::<Vec<_>>()))
    };
    let (mut best, mut least) = (start, value_at(kinds, start)?);
    for up in [true, false] {
        loop {
            let next = if up { best + 1 } else { best.wrapping_sub(1) };
            if next >= TILTS {
                break;
            }
            // Downhill only: every look costs a fixed point, and a tilt next to the best loses
            // little.
            let value = value_at(kinds, next)?;
            if value >= least {
                break;
            }
            (best, least) = (next, value);
        }
        // Who went up need not look back.
        if best != start {
            break;
        }
    }
    moved.iter().for_each(|&kind| kinds[kind].tilt = best);
    Ok(())
}

/// The pairs of a marginal and a residual within it, listed once for many looks.
struct Sums {
    /// Which attributes vary; their forms come later.
    axes: Axes,
    marginals: Vec<(AttrSet, f64)>,
    /// Position of every residual of every marginal, in the order of [`Axes::products`].
    positions: Vec<u32>,
    residuals: usize,
}

impl Sums {
    fn of(domain: &Domain, workload: &[(AttrSet, f64)]) -> Self {
        let axes = Axes::identity(domain);
        let (mut known, mut positions) = (FxHashMap::default(), Vec::new());
        for residual in workload.iter().flat_map(|&(set, _)| axes.residuals(set)) {
            let next = known.len() as u32;
            positions.push(*known.entry(residual).or_insert(next));
        }
        Self { axes, marginals: workload.to_vec(), positions, residuals: known.len() }
    }

    /// `sum over B of sqrt(L_B)`: the root of T, from `(L, s)` of every attribute.
    fn root(&self, forms: &[Form]) -> f64 {
        let (mut loss, mut terms) = (vec![0.0; self.residuals], Vec::new());
        let mut positions = self.positions.iter();
        for &(set, weight) in &self.marginals {
            self.axes.products(set, weight, |attribute| forms[attribute], &mut terms);
            terms.iter().zip(positions.by_ref()).for_each(|((_, term), &at)| loss[at as usize] += term);
        }
        loss.iter().map(|loss| loss.sqrt()).sum()
    }
}

#[cfg(test)]
#[cfg(feature = "linalg")]
mod tests {
    use super::*;

    #[test]
    fn equal_attributes_share_a_strategy_and_unequal_ones_do_not() {
        let domain = Domain::of_cardinalities(&[10, 10, 10, 12]).unwrap();
        let bases = [QueryBasis::Prefix, QueryBasis::Identity, QueryBasis::Prefix, QueryBasis::Prefix];
        let workload = [(domain.all(), 1.0)];
        let axes =
            Choice::new(&domain, &bases, &workload, Strategy::Automatic, &StopFlag::never()).unwrap().axes().unwrap();
        assert!(std::ptr::eq(axes.get(0), axes.get(2)));
        assert_eq!(axes.get(1).basis(), &QueryBasis::Identity);
        assert_eq!((axes.get(3).size(), axes.get(3).basis()), (12, &QueryBasis::Prefix));
    }
}
