//! Which stream of random numbers serves which cells: fixed numbers, so that results do not
//! depend on the thread count.

use privacy_core::parallel;

/// Cells that share one stream.
const CELLS_PER_STREAM: usize = 1 << 16;
/// Streams of one residual: 2^40 cells have no room in memory.
const STREAMS_PER_RESIDUAL: u64 = 1 << 24;

/// Calls `fill` with a stream number and its cells, for all cells of the residual at `position`.
/// No two calls of one measurement have the same number.
pub(crate) fn for_streams<T: Send, U: Send>(
    position: usize,
    cells: &mut [T],
    fill: impl Fn(u64, &mut [T]) -> U + Sync,
) -> Vec<U> {
    let first = position as u64 * STREAMS_PER_RESIDUAL;
    let streams = (first..first + STREAMS_PER_RESIDUAL).zip(cells.chunks_mut(CELLS_PER_STREAM)).collect();
    parallel::map_into(streams, |(stream, cells)| fill(stream, cells))
}
