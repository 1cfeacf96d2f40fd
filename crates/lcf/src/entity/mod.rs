//! Entities: what an identifier denotes, and the set of the entities of one group.

pub(crate) mod entity_set;
pub(crate) mod identifier;
pub(crate) mod wire;

pub use entity_set::{EntityCount, EntitySet};
pub use identifier::Identifier;
