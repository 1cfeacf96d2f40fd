//! Entities: which ones a row stands for, and the set of the entities of one group.

pub(crate) mod entity_set;
mod fields;
pub(crate) mod identifier;
mod spellings;
pub(crate) mod wire;

pub use entity_set::{EntityCount, EntitySet};
pub use fields::{FieldIdentifier, IdentifierField, IdentifierForm, RowEntities};
pub use identifier::Identifier;
pub use spellings::Spellings;
