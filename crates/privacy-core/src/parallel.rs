//! Maps over many items: on rayon with the feature `parallel`, in order without it; the same
//! results either way.
//!
//! What is mapped must not depend on which item is done first: then no result depends on the
//! number of threads.

#[cfg(feature = "parallel")]
use rayon::prelude::*;

/// Starts the threads that maps run on: as many as rayon starts by itself at the first map, or as
/// many as the system gives; without any, the calling thread does all. For programs, before work
/// that must not end in the middle: a map that has to start threads panics where it cannot.
pub fn start_threads() {
    #[cfg(feature = "parallel")]
    threads::start();
}

#[cfg(feature = "parallel")]
mod threads {
    use std::num::NonZero;
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{Builder, available_parallelism};

    use rayon::{ThreadBuilder, ThreadPoolBuilder};

    /// Threads wait for their part in the pool before it is built, since a pool that is short of a
    /// thread is no pool.
    pub(super) fn start() {
        let mut waiting: Vec<Sender<ThreadBuilder>> = (0..wanted()).map_while(|_| waiting_thread()).collect();
        let builder = ThreadPoolBuilder::new().num_threads(waiting.len().max(1));
        // Threads that are running already are as good.
        let _ = match waiting.is_empty() {
            true => builder.use_current_thread().build_global(),
            false => builder
                .spawn_handler(|thread| {
                    let waits =
                        waiting.pop().ok_or_else(|| std::io::Error::other("more threads than were asked for"))?;
                    waits.send(thread).map_err(|_| std::io::Error::other("a thread has ended"))
                })
                .build_global(),
        };
    }

    /// More than any machine has processors: beyond, a system may end a process for its threads.
    const MOST: usize = 1024;

    /// As many as rayon starts, within reason.
    fn wanted() -> usize {
        let wish = std::env::var("RAYON_NUM_THREADS").ok().and_then(|number| number.parse().ok());
        wish.filter(|&number| number > 0)
            .map_or_else(|| available_parallelism().map_or(1, NonZero::get), |number: usize| number.min(MOST))
    }

    /// A thread that becomes one of the pool when it is sent its part, and ends where it is not.
    fn waiting_thread() -> Option<Sender<ThreadBuilder>> {
        let (part, parts) = channel::<ThreadBuilder>();
        let wait = move || {
            if let Ok(part) = parts.recv() {
                part.run();
            }
        };
        Builder::new().spawn(wait).ok().map(|_| part)
    }
}

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
