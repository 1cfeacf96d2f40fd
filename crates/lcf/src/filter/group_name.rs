//! Names of groups, in bytes that no two groups share.
//!
//! ```text
//! columns sorted by name, for each:   length of name u64, name, 1, length of label u64, label
//!                                     length of name u64, name, 0   where labels were merged ("*")
//! ```

/// The name of a group: its label in every grouping column. The order of the columns does not
/// matter.
///
/// Publish mode draws by it. Names must come from the data alone: anything that an analyst can
/// vary, such as the text of a query, an alias or a date format, would give a fresh draw for each
/// variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupName(Vec<u8>);

impl GroupName {
    /// The name of the group with these labels, as pairs of column and label; `None` where labels
    /// were merged.
    #[must_use]
    pub fn new<'a>(labels: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Self {
        let mut labels: Vec<(&str, Option<&str>)> = labels.into_iter().collect();
        labels.sort_unstable();
        let mut bytes = Vec::new();
        for (column, label) in labels {
            push_text(&mut bytes, column);
            bytes.push(u8::from(label.is_some()));
            if let Some(label) = label {
                push_text(&mut bytes, label);
            }
        }
        Self(bytes)
    }

    /// The bytes that are hashed.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The length goes first: no two lists of texts have the same bytes.
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend_from_slice(&(text.len() as u64).to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_columns_does_not_matter() {
        let name = GroupName::new([("city", Some("a")), ("age", Some("7"))]);
        assert_eq!(name, GroupName::new([("age", Some("7")), ("city", Some("a"))]));
    }

    #[test]
    fn no_two_groups_share_a_name() {
        let names = [
            GroupName::new([]),
            GroupName::new([("", Some(""))]),
            GroupName::new([("", None)]),
            GroupName::new([("a", Some("bc"))]),
            GroupName::new([("ab", Some("c"))]),
            GroupName::new([("a", Some("b")), ("c", Some("d"))]),
            GroupName::new([("a", Some("d")), ("c", Some("b"))]),
            GroupName::new([("a", Some("*")), ("c", Some("b"))]),
            GroupName::new([("a", None), ("c", Some("b"))]),
        ];
        for (i, name) in names.iter().enumerate() {
            assert!(names[..i].iter().all(|other| other != name), "{i}");
        }
    }
}
