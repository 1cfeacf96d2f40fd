//! The labels of an attribute: one text for all of them, so that a million categories take a few
//! bytes each, and copies of an attribute share it.

use std::fmt;
use std::ops::Index;
use std::sync::Arc;

/// One label per category, in the order of the codes.
///
/// ```
/// use privacy_core::Attribute;
///
/// let sex = Attribute::new("sex", ["female", "male"])?;
/// let labels = sex.labels();
/// assert_eq!((labels.len(), &labels[1], labels.get(2)), (2, "male", None));
/// assert_eq!(labels.position("male"), Some(1));
/// # Ok::<(), privacy_core::domain::DomainError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Labels {
    text: Arc<str>,
    /// Where each label ends, in bytes.
    ends: Arc<[usize]>,
}

impl Labels {
    /// How many there are; at least 1.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none: never, for an attribute.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The label of a code; `None` from [`len`](Self::len) on.
    #[must_use]
    pub fn get(&self, code: usize) -> Option<&str> {
        let end = *self.ends.get(code)?;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        Some(&self.text[start..end])
    }

    /// All of them, in the order of the codes.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator + Clone {
        (0..self.len()).map(|code| &self[code])
    }

    /// The code of a label. `O(categories)`.
    #[must_use]
    pub fn position(&self, label: &str) -> Option<usize> {
        self.iter().position(|own| own == label)
    }

    /// Each as a text of its own.
    #[must_use]
    pub fn to_vec(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }
}

impl Index<usize> for Labels {
    type Output = str;

    /// The label of a code.
    ///
    /// # Panics
    /// If there is no such code.
    fn index(&self, code: usize) -> &str {
        self.get(code).expect("a code of the attribute")
    }
}

impl<S: AsRef<str>> FromIterator<S> for Labels {
    fn from_iter<I: IntoIterator<Item = S>>(labels: I) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for label in labels {
            text.push_str(label.as_ref());
            ends.push(text.len());
        }
        Self { text: text.into(), ends: ends.into() }
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Labels {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_those_that_were_given_in_their_order() {
        let given = ["b", "", "äöü", "a"];
        let labels: Labels = given.into_iter().collect();
        assert_eq!(labels.iter().collect::<Vec<_>>(), given);
        assert_eq!(labels.to_vec(), given);
        assert_eq!((labels.len(), labels.get(3), labels.get(4)), (4, Some("a"), None));
        assert_eq!((&labels[2], labels.position(""), labels.position("c")), ("äöü", Some(1), None));
        assert_eq!(format!("{labels:?}"), format!("{given:?}"));
        assert_ne!(labels, ["b", "ä", "öü", "a"].into_iter().collect());
        assert!(!labels.is_empty() && [""; 0].into_iter().collect::<Labels>().is_empty());
    }
}
