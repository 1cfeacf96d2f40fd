//! How the types are written in JSON, both ways.
//!
//! Written out rather than derived: the derive macros alone are more crates than the checker and
//! its parser together. `cfg_attr(any(), derive(..))` on a type is never true: it tells the
//! generator of `docs/schemas`, which reads the sources, what these implementations write.
//!
//! Objects take exactly their fields: an unknown, a repeated or a missing one is an error.

use std::fmt;

use serde_core::de::{DeserializeSeed, Deserializer, EnumAccess, Error as _, MapAccess, VariantAccess, Visitor};
use serde_core::ser::{SerializeStruct, Serializer};
use serde_core::{Deserialize, Serialize};

use crate::bound::{Bound, Ratio, Witness};
use crate::document::{Certificates, Claim, Document, SCHEMA, Summary};
use crate::proof::{Multipliers, Node, Proof, Side, Split};
use crate::row::Row;
use crate::table::SparseTable;

/// One of the names that an object or an enum knows.
struct Name(&'static [&'static str]);

impl<'de> DeserializeSeed<'de> for Name {
    type Value = &'static str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<&'static str, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Name {
    type Value = &'static str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "one of {}", self.0.join(", "))
    }

    fn visit_str<E: serde_core::de::Error>(self, name: &str) -> Result<&'static str, E> {
        let known = self.0.iter().find(|known| **known == name);
        known.copied().ok_or_else(|| E::unknown_field(name, self.0))
    }
}

/// A struct as an object of its fields, in this order.
macro_rules! object {
    ($type:ident { $($field:ident),+ }) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let mut object = serializer.serialize_struct(stringify!($type), [$(stringify!($field)),+].len())?;
                $(object.serialize_field(stringify!($field), &self.$field)?;)+
                object.end()
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                const FIELDS: &[&str] = &[$(stringify!($field)),+];

                struct Fields;

                impl<'de> Visitor<'de> for Fields {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        write!(f, "an object of {}", FIELDS.join(", "))
                    }

                    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<$type, A::Error> {
                        $(let mut $field = None;)+
                        while let Some(name) = map.next_key_seed(Name(FIELDS))? {
                            $(if name == stringify!($field) && $field.replace(map.next_value()?).is_some() {
                                return Err(A::Error::duplicate_field(name));
                            })+
                        }
                        $(let $field = $field.ok_or_else(|| A::Error::missing_field(stringify!($field)))?;)+
                        Ok($type { $($field),+ })
                    }
                }

                deserializer.deserialize_struct(stringify!($type), FIELDS, Fields)
            }
        }
    };
}

object!(Row { name, cells, lower, upper });
object!(Ratio { numerator, denominator });
object!(Witness { value, table });
object!(Bound { value, relaxed, proof, witness });
object!(Multipliers { denominator, numerators });
object!(Split { cell, at_most, below, above });
object!(Claim { cells, side, value, witness, proof });
object!(Document { schema, capacities, rows, tables, claims });
object!(Summary { rows, cells, tables, bounds, attained });

/// A list of its cells and counts.
impl Serialize for SparseTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.counts().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SparseTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::as_listed)
    }
}

/// A list of its nodes.
impl Serialize for Proof {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.nodes.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Proof {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|nodes| Self { nodes })
    }
}

const NODES: &[&str] = &["bound", "empty", "split"];

/// An object with one field, which says what the node is.
impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bound(multipliers) => serializer.serialize_newtype_variant("Node", 0, NODES[0], multipliers),
            Self::Empty(multipliers) => serializer.serialize_newtype_variant("Node", 1, NODES[1], multipliers),
            Self::Split(split) => serializer.serialize_newtype_variant("Node", 2, NODES[2], split),
        }
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Variant;

        impl<'de> Visitor<'de> for Variant {
            type Value = Node;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node of a proof")
            }

            fn visit_enum<A: EnumAccess<'de>>(self, data: A) -> Result<Node, A::Error> {
                match data.variant_seed(Name(NODES))? {
                    ("bound", content) => content.newtype_variant().map(Node::Bound),
                    ("empty", content) => content.newtype_variant().map(Node::Empty),
                    (_, content) => content.newtype_variant().map(Node::Split),
                }
            }
        }

        deserializer.deserialize_enum("Node", NODES, Variant)
    }
}

const SIDES: &[&str] = &["lower", "upper"];

impl Serialize for Side {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Lower => serializer.serialize_unit_variant("Side", 0, SIDES[0]),
            Self::Upper => serializer.serialize_unit_variant("Side", 1, SIDES[1]),
        }
    }
}

impl<'de> Deserialize<'de> for Side {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(Name(SIDES))? {
            "lower" => Ok(Self::Lower),
            _ => Ok(Self::Upper),
        }
    }
}

/// The file, with its schema first.
impl Serialize for Certificates {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Certificates", 5)?;
        object.serialize_field("schema", SCHEMA)?;
        object.serialize_field("capacities", &self.capacities)?;
        object.serialize_field("rows", &self.rows)?;
        object.serialize_field("tables", &self.tables)?;
        object.serialize_field("claims", &self.claims)?;
        object.end()
    }
}

impl<'de> Deserialize<'de> for Certificates {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let document = Document::deserialize(deserializer)?;
        Self::from_document(document).ok_or_else(|| D::Error::custom("another schema"))
    }
}
