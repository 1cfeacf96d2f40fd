//! Maps over many items: on rayon with the feature `parallel`, in order without it; the same
//! results either way.
//!
//! What is mapped must not depend on which item is done first: then no result depends on the
//! number of threads.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// `f` of every item, in order.
pub fn map<T: Sync, U: Send>(items: &[T], f: impl Fn(&T) -> U + Sync) -> Vec<U> {
    #[cfg(feature = "parallel")]
    return items.par_iter().map(&f).collect();
    #[cfg(not(feature = "parallel"))]
    items.iter().map(f).collect()
}

/// `f` of every item, in order, consuming them.
pub fn map_into<T: Send, U: Send>(items: Vec<T>, f: impl Fn(T) -> U + Sync) -> Vec<U> {
    #[cfg(feature = "parallel")]
    return items.into_par_iter().map(&f).collect();
    #[cfg(not(feature = "parallel"))]
    items.into_iter().map(f).collect()
}

/// [`map_into`] if there is much to do, and in order on this thread otherwise: waking other
/// threads takes longer than a little work.
pub fn map_into_if<T: Send, U: Send>(is_much: bool, items: Vec<T>, f: impl Fn(T) -> U + Sync) -> Vec<U> {
    if is_much { map_into(items, f) } else { items.into_iter().map(f).collect() }
}
