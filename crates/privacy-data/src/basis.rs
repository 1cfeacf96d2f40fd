//! What a schema asks about an attribute. Read here, carried out by a planner.

use std::fmt;

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, IntoDeserializer, MapAccess, Visitor};

/// The `basis` of an attribute: its queries, and the weight of each.
///
/// A name (`"prefix"`), or a table with one of `name`, `hierarchical`, `hierarchy` and `queries`,
/// and with `weights` if the queries do not count alike.
#[derive(Clone, Debug, PartialEq)]
pub struct BasisSpec {
    /// Which queries.
    pub kind: BasisKind,
    /// One weight a query, in the order of the queries.
    pub weights: Option<Vec<f64>>,
}

/// Which queries are asked about an attribute.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BasisKind {
    /// Each category.
    Identity,
    /// The sums of the first categories.
    Prefix,
    /// The sums of neighbouring categories.
    Range,
    /// The nodes of a balanced tree over neighbouring categories.
    Hierarchical {
        /// Into how many parts a node is cut; at least 2.
        branching: usize,
    },
    /// The nodes of a tree that a file gives; see [`read_hierarchy`](crate::read_hierarchy).
    Hierarchy {
        /// Path of the file.
        file: String,
    },
    /// Weighted sums of categories that a file gives; see [`read_queries`](crate::read_queries).
    Queries {
        /// Path of the file.
        file: String,
    },
}

impl From<BasisKind> for BasisSpec {
    fn from(kind: BasisKind) -> Self {
        Self { kind, weights: None }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Name {
    Identity,
    Prefix,
    Range,
    Hierarchical,
}

impl From<Name> for BasisKind {
    fn from(name: Name) -> Self {
        match name {
            Name::Identity => Self::Identity,
            Name::Prefix => Self::Prefix,
            Name::Range => Self::Range,
            Name::Hierarchical => Self::Hierarchical { branching: 2 },
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    name: Option<Name>,
    hierarchical: Option<usize>,
    hierarchy: Option<String>,
    queries: Option<String>,
    weights: Option<Vec<f64>>,
}

impl Table {
    fn spec(self) -> Result<BasisSpec, &'static str> {
        let kind = match (self.name, self.hierarchical, self.hierarchy, self.queries) {
            (Some(name), None, None, None) => name.into(),
            (None, Some(branching), None, None) if branching < 2 => {
                return Err("the branching of a tree must be at least 2");
            }
            (None, Some(branching), None, None) => BasisKind::Hierarchical { branching },
            (None, None, Some(file), None) => BasisKind::Hierarchy { file },
            (None, None, None, Some(file)) => BasisKind::Queries { file },
            _ => return Err("a basis needs exactly one of name, hierarchical, hierarchy and queries"),
        };
        Ok(BasisSpec { kind, weights: self.weights })
    }
}

impl<'de> Deserialize<'de> for BasisSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;
        impl<'de> Visitor<'de> for NameOrTable {
            type Value = BasisSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a basis in quotes, or a table")
            }
            fn visit_str<E: Error>(self, name: &str) -> Result<BasisSpec, E> {
                Ok(BasisKind::from(Name::deserialize(name.into_deserializer())?).into())
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BasisSpec, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(map))?.spec().map_err(Error::custom)
            }
        }
        deserializer.deserialize_any(NameOrTable)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_toml;

    #[derive(Debug, Deserialize)]
    struct Holder {
        basis: BasisSpec,
    }

    fn read(basis: &str) -> Result<BasisSpec, String> {
        let read = parse_toml::<Holder>(&format!("basis = {basis}"));
        read.map(|holder| holder.basis).map_err(|error| error.to_string())
    }

    #[test]
    fn a_basis_is_a_name_or_a_table() {
        let tree = |branching| BasisKind::Hierarchical { branching }.into();
        let file = || "CANARY.csv".to_owned();
        let cases = [
            ("'identity'", BasisKind::Identity.into()),
            ("{ name = 'prefix' }", BasisKind::Prefix.into()),
            ("'hierarchical'", tree(2)),
            ("{ hierarchical = 16 }", tree(16)),
            ("{ hierarchy = 'CANARY.csv' }", BasisKind::Hierarchy { file: file() }.into()),
            (
                "{ queries = 'CANARY.csv', weights = [1, 0.5] }",
                BasisSpec { weights: Some(vec![1.0, 0.5]), ..BasisKind::Queries { file: file() }.into() },
            ),
            ("{ name = 'range', weights = [] }", BasisSpec { weights: Some(vec![]), ..BasisKind::Range.into() }),
        ];
        for (text, want) in cases {
            assert_eq!(read(text).unwrap(), want, "{text}");
        }
    }

    #[test]
    fn other_words_are_refused_in_the_words_of_the_format() {
        let one = "exactly one of name, hierarchical, hierarchy and queries";
        let cases = [
            ("'CANARY'", "unknown word, expected one of `identity`, `prefix`, `range`, `hierarchical`"),
            ("7777", "expected the name of a basis in quotes, or a table, found a whole number"),
            ("{}", one),
            ("{ weights = [1] }", one),
            ("{ name = 'prefix', queries = 'CANARY' }", one),
            ("{ hierarchical = 1 }", "at least 2"),
            ("{ hierarchical = 'CANARY' }", "expected a whole number, 0 or more, found a text"),
            ("{ querys = 'CANARY' }", "unknown field `querys`"),
            ("{ queries = 'CANARY', weights = ['CANARY'] }", "expected a number, found a text"),
        ];
        for (text, reason) in cases {
            let got = read(text).unwrap_err();
            assert!(got.contains(reason) && got.starts_with("line 1, "), "{text}: {got}");
            assert!(!got.contains("CANARY") && !got.contains("7777"), "{got}");
        }
    }
}
