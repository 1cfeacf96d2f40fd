//! The domain of a table: its attributes, their labels, and whether all of that is public.

use std::collections::BTreeSet;

use crate::attrs::AttrSet;
use crate::labels::Labels;

/// The longest label in an error, in characters.
const LONGEST_LABEL: usize = 40;

/// Where a domain's names and labels come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
pub enum Provenance {
    /// Written down without looking at the data, or declared harmless by the user.
    Public,
    /// Read off the data: the list of labels alone may reveal that somebody is in it.
    /// A differentially private release refuses such a domain.
    LearntFromData,
}

/// A categorical attribute: a name, and one label per category.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "AttributeText"))]
pub struct Attribute {
    name: String,
    labels: Labels,
}

/// Why a domain is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// An attribute needs at least one category. Give it labels, or leave it out.
    #[error("attribute {attribute:?} has no category")]
    NoCategory {
        /// The attribute's name.
        attribute: String,
    },
    /// Two categories of one attribute have the same label. Rename or merge them.
    #[error("attribute {attribute:?} has the same label at positions {} and {}", first + 1, second + 1)]
    DuplicateLabel {
        /// The attribute's name.
        attribute: String,
        /// Position of the first of the two, from 0; the message counts from 1.
        first: usize,
        /// Position of the second, from 0.
        second: usize,
    },
    /// Two attributes have the same name. Rename one.
    #[error("two attributes are named {name:?}")]
    DuplicateAttribute {
        /// The name.
        name: String,
    },
    /// An attribute has an empty name.
    #[error("attribute number {} has an empty name", position + 1)]
    EmptyName {
        /// Position in the domain, from 0; the message counts from 1.
        position: usize,
    },
    /// More than 128 attributes. Drop those that no table uses.
    #[error("a domain has at most 128 attributes, got {got}")]
    TooManyAttributes {
        /// How many were given.
        got: usize,
    },
    /// No attribute has this name.
    #[error("no attribute is named {name:?}")]
    UnknownAttribute {
        /// The name that was asked for.
        name: String,
    },
    /// The attribute has no category with the label that was asked for. The label itself may be
    /// data and is not repeated here.
    #[error("attribute {attribute:?} has no category with this label")]
    UnknownLabel {
        /// The attribute's name.
        attribute: String,
    },
    /// A set names one attribute twice.
    #[error("attribute {name:?} is listed twice in one set")]
    RepeatedInSet {
        /// The name.
        name: String,
    },
}

impl Attribute {
    /// An attribute with one label per category, in the order of its codes `0, 1, ...`.
    ///
    /// # Errors
    /// [`DomainError::NoCategory`] and [`DomainError::DuplicateLabel`].
    pub fn new<S: AsRef<str>>(
        name: impl Into<String>,
        labels: impl IntoIterator<Item = S>,
    ) -> Result<Self, DomainError> {
        let name = name.into();
        let labels: Labels = labels.into_iter().collect();
        if labels.is_empty() {
            return Err(DomainError::NoCategory { attribute: name });
        }
        let mut order: Vec<usize> = (0..labels.len()).collect();
        order.sort_unstable_by_key(|&i| (&labels[i], i));
        if let Some(pair) = order.windows(2).find(|p| labels[p[0]] == labels[p[1]]) {
            let (first, second) = (pair[0], pair[1]);
            return Err(DomainError::DuplicateLabel { attribute: name, first, second });
        }
        Ok(Self { name, labels })
    }

    /// An attribute whose labels are its codes `0..size`.
    ///
    /// # Errors
    /// [`DomainError::NoCategory`] for size 0.
    pub fn codes(name: impl Into<String>, size: usize) -> Result<Self, DomainError> {
        let name = name.into();
        match size {
            0 => Err(DomainError::NoCategory { attribute: name }),
            // No two numbers have one text.
            _ => Ok(Self { name, labels: (0..size).map(|code| code.to_string()).collect() }),
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One label per category, in the order of the codes.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// How many categories there are; at least 1.
    #[must_use]
    pub fn cardinality(&self) -> usize {
        self.labels.len()
    }

    /// The code of the category with this label. `O(categories)`.
    ///
    /// # Errors
    /// [`DomainError::UnknownLabel`], which names the attribute alone.
    pub fn code(&self, label: &str) -> Result<usize, DomainError> {
        self.labels.position(label).ok_or_else(|| DomainError::UnknownLabel { attribute: self.name.clone() })
    }
}

/// The attributes of a table, in their order, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "DomainText"))]
pub struct Domain {
    attributes: Vec<Attribute>,
    provenance: Provenance,
}

impl Domain {
    /// A domain known without looking at the data.
    ///
    /// # Errors
    /// [`DomainError::TooManyAttributes`], [`DomainError::EmptyName`] and
    /// [`DomainError::DuplicateAttribute`].
    pub fn new(attributes: Vec<Attribute>) -> Result<Self, DomainError> {
        if attributes.len() > AttrSet::MAX_ATTRIBUTES {
            return Err(DomainError::TooManyAttributes { got: attributes.len() });
        }
        let mut seen = BTreeSet::new();
        for (position, attribute) in attributes.iter().enumerate() {
            if attribute.name.is_empty() {
                return Err(DomainError::EmptyName { position });
            }
            if !seen.insert(&attribute.name) {
                return Err(DomainError::DuplicateAttribute { name: attribute.name.clone() });
            }
        }
        Ok(Self { attributes, provenance: Provenance::Public })
    }

    /// The domain of integer codes with these cardinalities; attributes are named `a0`, `a1`, ...
    ///
    /// # Errors
    /// As [`Domain::new`] and [`Attribute::codes`].
    pub fn of_cardinalities(cardinalities: &[usize]) -> Result<Self, DomainError> {
        let attribute = |(i, &size)| Attribute::codes(format!("a{i}"), size);
        Self::new(cardinalities.iter().enumerate().map(attribute).collect::<Result<_, _>>()?)
    }

    /// The same domain with another provenance. Calling it with [`Provenance::Public`] is the
    /// user's statement that names and labels reveal nothing about the people in the data.
    #[must_use]
    pub fn with_provenance(self, provenance: Provenance) -> Self {
        Self { provenance, ..self }
    }

    /// Where names and labels come from.
    #[must_use]
    pub fn provenance(&self) -> Provenance {
        self.provenance
    }

    /// The attributes in order.
    #[must_use]
    pub fn attributes(&self) -> &[Attribute] {
        &self.attributes
    }

    /// How many attributes there are; at most 128.
    #[must_use]
    pub fn len(&self) -> usize {
        self.attributes.len()
    }

    /// Whether there is no attribute.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.attributes.is_empty()
    }

    /// All attributes.
    #[must_use]
    pub fn all(&self) -> AttrSet {
        AttrSet::first(self.len())
    }

    /// Whether every attribute of `set` exists.
    #[must_use]
    pub fn contains(&self, set: AttrSet) -> bool {
        set.is_subset_of(self.all())
    }

    /// Cardinality of one attribute.
    ///
    /// # Panics
    /// If `attribute` is not of this domain.
    #[must_use]
    pub fn cardinality(&self, attribute: usize) -> usize {
        self.attributes[attribute].cardinality()
    }

    /// Cardinalities of the attributes of `set`, in order: the shape of a table over it.
    ///
    /// # Panics
    /// If `set` is not of this domain.
    #[must_use]
    pub fn shape(&self, set: AttrSet) -> Vec<usize> {
        set.iter().map(|a| self.cardinality(a)).collect()
    }

    /// How many cells a table over `set` has; `None` above `u64::MAX`.
    ///
    /// # Panics
    /// If `set` is not of this domain.
    #[must_use]
    pub fn cells(&self, set: AttrSet) -> Option<u64> {
        set.iter().try_fold(1_u64, |cells, a| cells.checked_mul(self.cardinality(a) as u64))
    }

    /// Categories as errors name them: `age "65 and over", sex "female"`. In place of a label that
    /// was learnt from data, or is longer than 40 characters, stands its position from 1.
    ///
    /// ```
    /// use privacy_core::{Attribute, Domain, Provenance};
    ///
    /// let sex = Attribute::new("sex", ["female", "male"])?;
    /// let domain = Domain::new(vec![sex, Attribute::codes("age", 3)?])?;
    /// assert_eq!(domain.category_names([(0, 1), (1, 2)]), r#"sex "male", age "2""#);
    /// let learnt = domain.with_provenance(Provenance::LearntFromData);
    /// assert_eq!(learnt.category_names([(0, 1), (1, 2)]), "sex 2, age 3");
    /// # Ok::<(), privacy_core::domain::DomainError>(())
    /// ```
    ///
    /// # Panics
    /// If an attribute or a category is not of this domain.
    #[must_use]
    pub fn category_names(&self, categories: impl IntoIterator<Item = (usize, usize)>) -> String {
        let names = categories.into_iter().map(|(attribute, category)| {
            format!("{} {}", self.attributes[attribute].name, self.category_name(attribute, category))
        });
        names.collect::<Vec<String>>().join(", ")
    }

    /// A category as errors name it: see [`Domain::category_names`].
    ///
    /// # Panics
    /// If the attribute or the category is not of this domain.
    #[must_use]
    pub fn category_name(&self, attribute: usize, category: usize) -> String {
        let label = &self.attributes[attribute].labels()[category];
        let is_shown = self.provenance == Provenance::Public && label.chars().count() <= LONGEST_LABEL;
        if is_shown { format!("{label:?}") } else { (category + 1).to_string() }
    }

    /// The position of the attribute with this name.
    ///
    /// # Errors
    /// [`DomainError::UnknownAttribute`].
    pub fn index_of(&self, name: &str) -> Result<usize, DomainError> {
        let position = self.attributes.iter().position(|a| a.name == name);
        position.ok_or_else(|| DomainError::UnknownAttribute { name: name.to_owned() })
    }

    /// The position of an attribute and the code of one of its categories, by their names:
    /// `domain.category("sex", "f")`.
    ///
    /// # Errors
    /// [`DomainError::UnknownAttribute`] and [`DomainError::UnknownLabel`].
    pub fn category(&self, attribute: &str, label: &str) -> Result<(usize, usize), DomainError> {
        let attribute = self.index_of(attribute)?;
        Ok((attribute, self.attributes[attribute].code(label)?))
    }

    /// The set of the named attributes, in any order.
    ///
    /// # Errors
    /// [`DomainError::UnknownAttribute`] and [`DomainError::RepeatedInSet`].
    pub fn set_of<S: AsRef<str>>(&self, names: &[S]) -> Result<AttrSet, DomainError> {
        names.iter().map(AsRef::as_ref).try_fold(AttrSet::EMPTY, |set, name| {
            let attribute = self.index_of(name)?;
            if set.contains(attribute) {
                return Err(DomainError::RepeatedInSet { name: name.to_owned() });
            }
            Ok(set.with(attribute))
        })
    }

    /// Names of the attributes of `set`, in order.
    ///
    /// # Panics
    /// If `set` is not of this domain.
    pub fn names(&self, set: AttrSet) -> impl Iterator<Item = &str> {
        set.iter().map(|a| self.attributes[a].name())
    }
}

/// What deserialising checks: the same as [`Attribute::new`].
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct AttributeText {
    name: String,
    labels: Vec<String>,
}

#[cfg(feature = "serde")]
impl TryFrom<AttributeText> for Attribute {
    type Error = DomainError;

    fn try_from(AttributeText { name, labels }: AttributeText) -> Result<Self, DomainError> {
        Self::new(name, labels)
    }
}

/// What deserialising checks: the same as [`Domain::new`].
#[cfg(feature = "serde")]
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct DomainText {
    attributes: Vec<Attribute>,
    provenance: Provenance,
}

#[cfg(feature = "serde")]
impl TryFrom<DomainText> for Domain {
    type Error = DomainError;

    fn try_from(DomainText { attributes, provenance }: DomainText) -> Result<Self, DomainError> {
        Ok(Self::new(attributes)?.with_provenance(provenance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_names_are_canonical() {
        let domain = Domain::of_cardinalities(&[2, 3, 4]).unwrap();
        assert_eq!(domain.set_of(&["a2", "a0"]).unwrap(), domain.set_of(&["a0", "a2"]).unwrap());
        assert_eq!(domain.shape(domain.set_of(&["a2", "a0"]).unwrap()), [2, 4]);
        let repeated = domain.set_of(&["a0", "a0"]).unwrap_err();
        assert_eq!(repeated, DomainError::RepeatedInSet { name: "a0".into() });
        assert!(matches!(domain.set_of(&["b"]), Err(DomainError::UnknownAttribute { .. })));
        assert_eq!(domain.category("a1", "2").unwrap(), (1, 2));
        assert_eq!(domain.category("a1", "9").unwrap_err(), DomainError::UnknownLabel { attribute: "a1".into() });
    }

    #[test]
    fn attributes_that_cannot_be_are_refused() {
        let twice = Attribute::new("x", ["b", "a", "b"]).unwrap_err();
        assert_eq!(twice, DomainError::DuplicateLabel { attribute: "x".into(), first: 0, second: 2 });
        assert_eq!(twice.to_string(), "attribute \"x\" has the same label at positions 1 and 3");
        assert!(matches!(Attribute::codes("x", 0), Err(DomainError::NoCategory { .. })));
        let a = Attribute::codes("x", 2).unwrap();
        assert!(matches!(Domain::new(vec![a.clone(), a]), Err(DomainError::DuplicateAttribute { .. })));
        assert!(matches!(Domain::of_cardinalities(&[2; 129]), Err(DomainError::TooManyAttributes { got: 129 })));
        let unnamed = Attribute::codes("", 2).unwrap();
        let refused = Domain::new(vec![unnamed]).unwrap_err();
        assert_eq!(refused, DomainError::EmptyName { position: 0 });
        assert_eq!(refused.to_string(), "attribute number 1 has an empty name");
    }

    #[test]
    fn cells_are_counted_without_overflow() {
        let domain = Domain::of_cardinalities(&[1000; 8]).unwrap();
        assert_eq!(domain.cells(AttrSet::first(6)), Some(1_000_000_000_000_000_000));
        assert_eq!(domain.cells(domain.all()), None);
        assert_eq!(domain.cells(AttrSet::EMPTY), Some(1));
    }

    #[cfg(feature = "serde")]
    #[test]
    fn deserialising_goes_through_the_same_door() {
        let domain = Domain::of_cardinalities(&[2, 3]).unwrap().with_provenance(Provenance::LearntFromData);
        let text = serde_json::to_string(&domain).unwrap();
        assert_eq!(serde_json::from_str::<Domain>(&text).unwrap(), domain);
        let bad = [text.replace("a1", "a0"), text.replace("a1", ""), text.replace("[\"0\",\"1\"]", "[]")];
        assert!(bad.iter().all(|text| serde_json::from_str::<Domain>(text).is_err()));
    }
}
