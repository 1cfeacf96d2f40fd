//! Labels of the axes: those of a hierarchy, or those that the data have, in order.

use std::collections::{BTreeMap, BTreeSet};

use disclosure::frechet::hierarchy::Hierarchy;
use disclosure::magnitude::{Axis, AxisNode};
use disclosure::privacy_core::Attribute;

use crate::error::JobError;

/// The categories of an axis while rows are read.
#[derive(Debug, Default)]
pub(super) struct Categories {
    codes: BTreeMap<String, usize>,
    /// The labels in their order, where a job declares them; else they are in byte order.
    order: Vec<String>,
}

impl Categories {
    /// No categories yet, of an attribute that a job may declare.
    pub(super) fn of(declared: Option<&Attribute>) -> Self {
        Self { order: declared.map(|attribute| attribute.labels().to_vec()).unwrap_or_default(), ..Self::default() }
    }

    /// The code of a label, in the order in which labels come first.
    pub(super) fn code(&mut self, label: &str) -> usize {
        if let Some(&code) = self.codes.get(label) {
            return code;
        }
        let code = self.codes.len();
        self.codes.insert(label.to_owned(), code);
        code
    }

    /// The axis of these categories, and the leaf of each code.
    ///
    /// # Errors
    /// E0235 for a hierarchy that does not hold them; E0246 for an axis that cannot be.
    pub(super) fn axis(
        &self,
        name: &str,
        total: &str,
        hierarchy: Option<&HierarchyText>,
    ) -> Result<(Axis, Vec<usize>), JobError> {
        let mut labels: Vec<&str> = self.codes.keys().map(String::as_str).collect();
        labels.sort_by_cached_key(|label| self.order.iter().position(|own| own == label));
        let axis = match hierarchy {
            None => Axis::flat(name, total, labels.iter().copied())?,
            Some(own) => own.axis(name, total)?,
        };
        if axis.nodes().iter().skip(1).any(|node| node.label == total) {
            let message =
                format!("axis {name:?} has a category with the label of totals; choose another label for total");
            return Err(JobError::new("E0246", message));
        }
        let place: BTreeMap<&str, usize> =
            axis.leaves().iter().enumerate().map(|(leaf, &node)| (axis.nodes()[node].label.as_str(), leaf)).collect();
        let mut leaf_of = vec![0; labels.len()];
        for (label, &code) in &self.codes {
            let leaf = place.get(label.as_str()).copied();
            leaf_of[code] = leaf.ok_or_else(|| {
                JobError::new("E0235", format!("axis {name:?}: a label in the data is not a leaf of its hierarchy"))
            })?;
        }
        Ok((axis, leaf_of))
    }
}

/// The text of a hierarchy.
#[derive(Clone, Debug)]
pub(super) struct HierarchyText {
    pub(super) shown: std::path::PathBuf,
    pub(super) is_hrc: bool,
    pub(super) text: String,
}

impl HierarchyText {
    /// The hierarchy says which categories there are.
    fn axis(&self, name: &str, total: &str) -> Result<Axis, JobError> {
        let labels: BTreeSet<String> = self.leaves().into_iter().collect();
        let attribute = Attribute::new(name, labels).map_err(|error| self.refuse(&error.to_string()))?;
        let read = if self.is_hrc { Hierarchy::from_hrc } else { Hierarchy::from_parents };
        let hierarchy = read(&self.text, &attribute).map_err(|error| JobError::from(error).within(&self.shown))?;
        let nodes = hierarchy.nodes().iter().map(|node| AxisNode {
            label: if node.parent.is_none() { total.to_owned() } else { node.label.clone() },
            parent: node.parent,
        });
        Ok(Axis::new(name, nodes.collect())?)
    }

    fn refuse(&self, words: &str) -> JobError {
        JobError::new("E0235", words.to_owned()).within(&self.shown)
    }

    /// Codes that nothing deeper follows, or the first of each line.
    fn leaves(&self) -> Vec<String> {
        let text = self.text.strip_prefix('\u{feff}').unwrap_or(&self.text);
        let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        if !self.is_hrc {
            return lines.iter().map(|line| line.split(';').next().unwrap_or_default().trim().to_owned()).collect();
        }
        let depths: Vec<usize> = lines.iter().map(|line| line.len() - line.trim_start_matches('@').len()).collect();
        let is_leaf = |&place: &usize| depths.get(place + 1).is_none_or(|next| *next <= depths[place]);
        let code = |place: usize| {
            let code = lines[place].trim_start_matches('@');
            code.strip_prefix('\\').unwrap_or(code).to_owned()
        };
        (0..lines.len()).filter(is_leaf).map(code).collect()
    }
}
