//! How large a schema may be.

/// Most bytes of a file that [`DomainFile::load`](crate::DomainFile::load) reads: the most
/// categories, with labels of 64 bytes.
pub const MAX_DOMAIN_BYTES: u64 = 1 << 24;

/// Most categories that the attributes of one schema have together: labels are held in memory.
pub const MAX_CATEGORIES: usize = 1 << 20;
