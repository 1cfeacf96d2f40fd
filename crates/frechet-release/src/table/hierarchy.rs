//! Hierarchies of the levels of an axis: a tree whose leaves are the labels of an attribute.
//!
//! Two notations are read. `.hrc`: one code a line, as many leading `@` as the code is deep; a
//! code followed by a deeper one is a group, the others are leaves. `\` after the `@`s makes the
//! rest literal, for codes that begin with `@` or `\`. Parent lists: one leaf a line,
//! `category;parent;grandparent`, the top group last; lines may differ in length. Codes keep dots
//! and inner spaces; groups of one member are groups.

use std::collections::{BTreeMap, BTreeSet};

use privacy_core::Attribute;

/// Steps from the root to the deepest leaf, at most.
const MOST_DEPTH: usize = 256;

/// A group or a leaf.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Node {
    /// The code; empty for the root.
    pub label: String,
    /// The group it belongs to; `None` for the root.
    pub parent: Option<usize>,
    /// Members, in the order of the file.
    pub children: Vec<usize>,
    /// Positions of the leaves below it among the labels of the attribute, in increasing order.
    pub levels: Vec<usize>,
}

/// A tree over the labels of one attribute. Node 0 is the root, which holds everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hierarchy {
    nodes: Vec<Node>,
}

/// Why a hierarchy cannot be read. Lines count from 1; labels are not shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchyError {
    /// A line is more than one step deeper than the one before it. Write the group in between.
    #[error("line {line} is more than one step deeper than the line before it")]
    TooDeep {
        /// The line.
        line: usize,
    },
    /// A leaf or group is more than 256 steps below the root. Leave out groups that hold what
    /// their parent holds.
    #[error("line {line} is more than 256 steps deep")]
    TooTall {
        /// The line.
        line: usize,
    },
    /// A code is empty. Remove the line, or name the group.
    #[error("line {line} has an empty code")]
    EmptyCode {
        /// The line.
        line: usize,
    },
    /// A leaf is no label of the attribute. Correct the spelling, or add the label.
    #[error("the leaf on line {line} is not a label of the attribute")]
    UnknownLeaf {
        /// The line.
        line: usize,
    },
    /// A leaf stands twice. Remove one line.
    #[error("the leaf on line {line} also occurs on an earlier line")]
    RepeatedLeaf {
        /// The line.
        line: usize,
    },
    /// One group has two parents, so its members would count twice. Rename one of the groups.
    #[error("a group on line {line} has another parent than on an earlier line")]
    TwoParents {
        /// The line.
        line: usize,
    },
    /// A label of the attribute is in no line. Add it.
    #[error("{missing} labels of the attribute do not occur, the first of them at position {first}")]
    MissingLeaves {
        /// How many are missing.
        missing: usize,
        /// Position of the first, from 1.
        first: usize,
    },
}

impl Hierarchy {
    /// One group, of all labels.
    #[must_use]
    pub fn flat(attribute: &Attribute) -> Self {
        let mut tree = Builder::new(attribute);
        for (level, label) in attribute.labels().iter().enumerate() {
            let leaf = tree.group(label, 0);
            tree.nodes[leaf].levels.push(level);
            tree.nodes[0].levels.push(level);
        }
        Self { nodes: tree.nodes }
    }

    /// Reads `.hrc`.
    ///
    /// # Errors
    /// [`HierarchyError`]; [`HierarchyError::TwoParents`] cannot occur.
    pub fn from_hrc(text: &str, attribute: &Attribute) -> Result<Self, HierarchyError> {
        let lines: Vec<(usize, usize, String)> = lines(text).map(hrc_line).collect::<Result<_, _>>()?;
        let mut tree = Builder::new(attribute);
        let mut path = vec![0];
        for (position, (line, depth, code)) in lines.iter().enumerate() {
            if *depth + 1 > path.len() {
                return Err(HierarchyError::TooDeep { line: *line });
            }
            if *depth >= MOST_DEPTH {
                return Err(HierarchyError::TooTall { line: *line });
            }
            path.truncate(depth + 1);
            let is_group = lines.get(position + 1).is_some_and(|(_, next, _)| next > depth);
            let parent = path[*depth];
            path.push(if is_group { tree.group(code, parent) } else { tree.leaf(code, parent, *line)? });
        }
        tree.finish()
    }

    /// Reads parent lists, separated by `;`.
    ///
    /// # Errors
    /// [`HierarchyError`]; [`HierarchyError::TooDeep`] cannot occur.
    pub fn from_parents(text: &str, attribute: &Attribute) -> Result<Self, HierarchyError> {
        let mut tree = Builder::new(attribute);
        let mut groups: BTreeMap<(usize, String), usize> = BTreeMap::new();
        for (line, text) in lines(text) {
            let codes: Vec<&str> = text.split(';').map(str::trim).collect();
            if codes.iter().any(|code| code.is_empty()) {
                return Err(HierarchyError::EmptyCode { line });
            }
            if codes.len() > MOST_DEPTH {
                return Err(HierarchyError::TooTall { line });
            }
            let mut parent = 0;
            // Groups are distinguished by their depth from the top: lines may differ in length.
            for (depth, &code) in codes[1..].iter().rev().enumerate() {
                let known = groups.get(&(depth, code.to_owned())).copied();
                if known.is_some_and(|group| tree.nodes[group].parent != Some(parent)) {
                    return Err(HierarchyError::TwoParents { line });
                }
                parent = known.unwrap_or_else(|| tree.group(code, parent));
                groups.insert((depth, code.to_owned()), parent);
            }
            tree.leaf(codes[0], parent, line)?;
        }
        tree.finish()
    }

    /// The nodes, each after its parent.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The levels that the groups called `label` hold, or a leaf of that name.
    #[must_use]
    pub fn levels_of(&self, label: &str) -> Option<&[usize]> {
        self.nodes.iter().find(|node| node.parent.is_some() && node.label == label).map(|node| node.levels.as_slice())
    }
}

/// Lines with something on them, numbered from 1.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty())
}

fn hrc_line((line, text): (usize, &str)) -> Result<(usize, usize, String), HierarchyError> {
    let text = text.trim();
    let code = text.trim_start_matches('@');
    let depth = text.len() - code.len();
    let code = code.strip_prefix('\\').unwrap_or(code);
    if code.is_empty() { Err(HierarchyError::EmptyCode { line }) } else { Ok((line, depth, code.to_owned())) }
}

struct Builder<'a> {
    nodes: Vec<Node>,
    labels: BTreeMap<&'a str, usize>,
    seen: BTreeSet<usize>,
}

impl<'a> Builder<'a> {
    fn new(attribute: &'a Attribute) -> Self {
        let labels = attribute.labels().iter().enumerate().map(|(level, label)| (label, level)).collect();
        let root = Node { label: String::new(), parent: None, children: Vec::new(), levels: Vec::new() };
        Self { nodes: vec![root], labels, seen: BTreeSet::new() }
    }

    fn group(&mut self, label: &str, parent: usize) -> usize {
        let node = self.nodes.len();
        self.nodes[parent].children.push(node);
        self.nodes.push(Node { label: label.to_owned(), parent: Some(parent), children: vec![], levels: vec![] });
        node
    }

    fn leaf(&mut self, label: &str, parent: usize, line: usize) -> Result<usize, HierarchyError> {
        let level = *self.labels.get(label).ok_or(HierarchyError::UnknownLeaf { line })?;
        if !self.seen.insert(level) {
            return Err(HierarchyError::RepeatedLeaf { line });
        }
        let leaf = self.group(label, parent);
        let mut above = Some(leaf);
        while let Some(node) = above {
            self.nodes[node].levels.push(level);
            above = self.nodes[node].parent;
        }
        Ok(leaf)
    }

    fn finish(mut self) -> Result<Hierarchy, HierarchyError> {
        let missing: Vec<usize> = self.labels.values().copied().filter(|level| !self.seen.contains(level)).collect();
        if let Some(first) = missing.iter().min() {
            return Err(HierarchyError::MissingLeaves { missing: missing.len(), first: first + 1 });
        }
        self.nodes.iter_mut().for_each(|node| node.levels.sort_unstable());
        Ok(Hierarchy { nodes: self.nodes })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attribute() -> Attribute {
        Attribute::new("place", ["a.1", "@b", "c c", "d"]).unwrap()
    }

    #[test]
    fn both_notations_give_the_same_groups() {
        let hrc = Hierarchy::from_hrc("north\n@a.1\n@\\@b\nsouth\n@inner\n@@c c\n@d\n", &attribute()).unwrap();
        let csv = Hierarchy::from_parents("a.1;north\n@b;north\nc c;inner;south\nd;south\n", &attribute()).unwrap();
        for tree in [&hrc, &csv] {
            assert_eq!(tree.levels_of("north"), Some(&[0, 1][..]));
            assert_eq!(tree.levels_of("south"), Some(&[2, 3][..]));
            assert_eq!(tree.levels_of("inner"), Some(&[2][..]), "a group of one member is a group");
            assert_eq!(tree.levels_of("@b"), Some(&[1][..]));
            assert_eq!(tree.nodes()[0].levels, [0, 1, 2, 3]);
            assert_eq!(tree.levels_of("west"), None);
        }
        assert_eq!(hrc.nodes().len(), csv.nodes().len());
    }

    #[test]
    fn files_that_do_not_cover_the_labels_once_are_refused() {
        let hrc = |text| Hierarchy::from_hrc(text, &attribute()).unwrap_err();
        assert_eq!(hrc("north\n@@a.1\n"), HierarchyError::TooDeep { line: 2 });
        assert_eq!(hrc("@a.1\n"), HierarchyError::TooDeep { line: 1 });
        assert_eq!(hrc("a.1\n@\n"), HierarchyError::EmptyCode { line: 2 });
        assert_eq!(hrc("a.1\n\nz\n"), HierarchyError::UnknownLeaf { line: 3 });
        assert_eq!(hrc("a.1\na.1\n"), HierarchyError::RepeatedLeaf { line: 2 });
        assert_eq!(hrc("a.1\nd\n"), HierarchyError::MissingLeaves { missing: 2, first: 2 });
        let csv = |text| Hierarchy::from_parents(text, &attribute()).unwrap_err();
        assert_eq!(csv("a.1;x;p\nd;x;q\n"), HierarchyError::TwoParents { line: 2 });
        assert_eq!(csv("a.1;;p\n"), HierarchyError::EmptyCode { line: 1 });
    }

    #[test]
    fn hierarchies_that_nobody_meant_are_refused() {
        let chain = |depth: usize| -> String {
            let groups: String = (0..depth).map(|depth| format!("{}g{depth}\n", "@".repeat(depth))).collect();
            groups + &"@".repeat(depth) + "a.1\n\\@b\nc c\nd\n"
        };
        assert_eq!(Hierarchy::from_hrc(&chain(255), &attribute()).unwrap().nodes().len(), 255 + 5);
        assert_eq!(Hierarchy::from_hrc(&chain(256), &attribute()).unwrap_err(), HierarchyError::TooTall { line: 257 });
        let parents = |depth: usize| format!("a.1{}\n@b\nc c\nd\n", ";g".repeat(depth));
        assert!(Hierarchy::from_parents(&parents(255), &attribute()).is_ok());
        assert_eq!(
            Hierarchy::from_parents(&parents(256), &attribute()).unwrap_err(),
            HierarchyError::TooTall { line: 1 }
        );
    }

    #[test]
    fn messages_show_no_label() {
        let message = Hierarchy::from_hrc("secret\n", &attribute()).unwrap_err().to_string();
        assert!(!message.contains("secret"), "{message}");
    }
}
