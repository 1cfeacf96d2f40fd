//! Putting two tables together that agree on the axes they share.
//!
//! A cell over a set of axes is written as its offset: the number of the full cell with these
//! levels and level 0 elsewhere. Offsets of two sides add up, less the offset of what they share.

use std::collections::BTreeMap;

use privacy_core::AttrSet;

use crate::table::grid::Grid;
use frechet_certificate::Side;

/// Offsets and counts.
pub(crate) type Entries = Vec<(u32, i64)>;

/// One of two tables to be put together: its entries, the marked ones first.
pub(crate) struct Half<'a> {
    pub(crate) entries: &'a [(u32, i64)],
    pub(crate) is_marked: &'a dyn Fn(usize) -> bool,
}

/// The table over both sets of axes in which entries marked on both sides have as much in common
/// as they can, or as little. Within each value of the shared axes, marked entries take the first
/// places on the left; on the right the first for [`Side::Upper`], the last for [`Side::Lower`]:
/// the overlap is `min(a, b)` or `max(0, a + b - total)`.
pub(crate) fn couple(grid: &Grid, shared: AttrSet, left: &Half<'_>, right: &Half<'_>, side: Side) -> Entries {
    let mut groups: BTreeMap<u32, [Entries; 2]> = BTreeMap::new();
    for (place, half) in [left, right].into_iter().enumerate() {
        for &(cell, count) in half.entries {
            groups.entry(offset_on(grid, cell, shared)).or_default()[place].push((cell, count));
        }
    }
    let mut joined = Entries::new();
    for (offset, [mut ones, mut others]) in groups {
        ones.sort_by_key(|&(cell, _)| !(left.is_marked)(cell as usize));
        others.sort_by_key(|&(cell, _)| (right.is_marked)(cell as usize) == (side == Side::Lower));
        pair_up(&ones, &others, offset, &mut joined);
    }
    joined
}

/// Walks along both lists as along two subdivisions of one line.
fn pair_up(left: &[(u32, i64)], right: &[(u32, i64)], offset: u32, joined: &mut Entries) {
    let (mut left, mut right) = (left.iter().copied(), right.iter().copied());
    let (mut one, mut other) = (left.next(), right.next());
    while let (Some((a, x)), Some((b, y))) = (one, other) {
        let both = x.min(y);
        if both > 0 {
            joined.push((a + b - offset, both));
        }
        one = if x > both { Some((a, x - both)) } else { left.next() };
        other = if y > both { Some((b, y - both)) } else { right.next() };
    }
}

/// The offset of a cell's levels on a set of axes.
pub(crate) fn offset_on(grid: &Grid, cell: u32, axes: AttrSet) -> u32 {
    let offset: usize = axes.iter().map(|axis| grid.level(cell as usize, axis) * grid.stride(axis)).sum();
    u32::try_from(offset).expect("cells are numbered in 32 bits")
}
