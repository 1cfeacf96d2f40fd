//! The same job with wider bins for an attribute.

use disclosure::privacy_core::{AttrSet, Attribute, ContingencyTable, Domain};
use ndarray::{Array, Axis, IxDyn};
use privacy_data::{AttributeSpec, DomainFile};

use crate::exact::job::LoadedJob;
use crate::exact::problem::UnknownTable;

/// An attribute with some of the edges of its bins.
#[derive(Clone, Debug)]
pub(super) struct Coarser {
    axis: usize,
    /// The attribute as it is declared.
    declared: AttributeSpec,
    /// The edges that stay.
    edges: Vec<f64>,
}

/// Half and a quarter as many bins for each attribute with bins that a margin has. None where
/// facts or a hierarchy name its categories, which would have to change with it.
pub(super) fn coarser_bins(job: &LoadedJob) -> Vec<Coarser> {
    if !job.disclosed.publish.is_empty() || !job.disclosed.known.is_empty() {
        return Vec::new();
    }
    let mut all = Vec::new();
    for (axis, attribute) in job.problem.domain.attributes().iter().enumerate() {
        let declared = job.binned.iter().find(|declared| declared.name == attribute.name());
        let is_asked = job.disclosed.margins.keys().any(|set| set.contains(axis));
        let Some(declared) = declared.filter(|_| is_asked && !job.hierarchies.contains_key(&axis)) else { continue };
        let edges = declared.bins.as_deref().unwrap_or_default();
        for step in [2, 4] {
            // At least two bins are left.
            if edges.len() > 2 * step {
                all.push(Coarser { axis, declared: declared.clone(), edges: every(step, edges) });
            }
        }
    }
    all
}

/// Every edge at a multiple of `step`, and the last.
fn every(step: usize, edges: &[f64]) -> Vec<f64> {
    let last = edges.len() - 1;
    let is_kept = |place: usize| place == last || (place.is_multiple_of(step) && last - place >= step);
    edges.iter().enumerate().filter(|(place, _)| is_kept(*place)).map(|(_, &edge)| edge).collect()
}

impl Coarser {
    /// The job with its table over the wider bins.
    pub(super) fn applied_to(&self, job: &LoadedJob) -> Option<LoadedJob> {
        let mut changed = job.clone();
        let UnknownTable { domain, table, people, .. } = &mut changed.problem;
        let attribute = self.attribute()?;
        let levels = self.levels(domain.cardinality(self.axis), attribute.cardinality())?;
        let mut attributes = domain.attributes().to_vec();
        *attributes.get_mut(self.axis)? = attribute;
        *domain = Domain::new(attributes).ok()?;
        for counts in [table, people].into_iter().flatten() {
            *counts = self.recoded(counts, domain, &levels)?;
        }
        Some(changed)
    }

    /// `bins = [18, 35, 65, inf]` of the attribute.
    pub(super) fn words(&self) -> String {
        let edges: Vec<String> = self.edges.iter().map(f64::to_string).collect();
        format!("bins = [{}] for {:?}", edges.join(", "), self.declared.name)
    }

    /// The attribute as a job with the wider bins would have it.
    fn attribute(&self) -> Option<Attribute> {
        let bins = Some(self.edges.clone());
        let spec = AttributeSpec { bins, names: None, ..self.declared.clone() };
        let schema = DomainFile::of(vec![spec]).into_schema().ok()?;
        schema.domain().attributes().first().cloned()
    }

    /// The wider bin of each level. Categories behind the bins (missing) stay by themselves.
    fn levels(&self, fine: usize, coarse: usize) -> Option<Vec<usize>> {
        let edges = self.declared.bins.as_deref()?;
        let (bins, wide) = (edges.len() - 1, self.edges.len() - 1);
        if fine.checked_sub(bins)? != coarse.checked_sub(wide)? {
            return None;
        }
        let bin_of = |edge: &f64| self.edges.iter().filter(|own| *own <= edge).count() - 1;
        Some(edges[..bins].iter().map(bin_of).chain(wide..coarse).collect())
    }

    /// A table with the counts of the levels of each wider bin added up.
    fn recoded(&self, table: &ContingencyTable, domain: &Domain, levels: &[usize]) -> Option<ContingencyTable> {
        let set: AttrSet = table.attributes();
        let axis = Axis(set.iter().position(|axis| axis == self.axis)?);
        let mut sums = Array::<u64, _>::zeros(IxDyn(&domain.shape(set)));
        for (level, &wide) in levels.iter().enumerate() {
            let mut sum = sums.index_axis_mut(axis, wide);
            sum += &table.counts().index_axis(axis, level);
        }
        ContingencyTable::from_cells(domain, set, sums.iter().copied().collect()).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::every;

    #[test]
    fn the_last_edge_stays_and_no_bin_is_narrower_than_the_step() {
        let edges = [18.0, 25.0, 35.0, 45.0, 55.0, 65.0, 75.0, f64::INFINITY];
        assert_eq!(every(2, &edges), [18.0, 35.0, 55.0, f64::INFINITY]);
        assert_eq!(every(2, &edges[..7]), [18.0, 35.0, 55.0, 75.0]);
        assert_eq!(every(4, &edges[..6]), [18.0, 65.0]);
    }
}
