//! Taking a set of margins apart at separators that are themselves within a margin.
//!
//! Two axes are neighbours when a margin holds both. If a set `S` within a margin cuts the axes
//! `V` into sides `V1` and `V2` that meet in `S`, a table over `V` is a table over `V1` and one
//! over `V2` with equal sums on `S`: the problem falls apart. When every last part lies within a
//! margin, the margins are decomposable: their graph is chordal *and* each of its cliques is
//! published. Chordal alone is not enough: all three two-way margins of three axes make a
//! triangle that does not fall apart.

use std::collections::BTreeSet;

use privacy_core::AttrSet;

/// Margins with more axes offer only their intersections as separators, not all their subsets.
const MOST_SUBSETS: usize = 12;

/// What a set of axes falls into.
#[derive(Clone, Debug)]
pub(crate) enum Component {
    /// Within a margin.
    Margin(AttrSet),
    /// One axis that no margin holds.
    Free(usize),
    /// Not to be taken apart.
    Prime(AttrSet),
    /// Two sides that meet in `separator`.
    Split { axes: AttrSet, separator: AttrSet, sides: Box<[Component; 2]> },
}

impl Component {
    /// The parts of `axes` under these margins.
    pub(crate) fn of(axes: AttrSet, margins: &[AttrSet]) -> Self {
        if margins.iter().any(|&margin| axes.is_subset_of(margin)) {
            return Self::Margin(axes);
        }
        for separator in separators(axes, margins) {
            let rest = axes.minus(separator);
            let Some(first) = rest.iter().next() else { continue };
            let side = connected(first, rest, margins);
            if side != rest {
                let sides = [side.union(separator), axes.minus(side)].map(|side| Self::of(side, margins));
                return Self::Split { axes, separator, sides: Box::new(sides) };
            }
        }
        match axes.iter().next() {
            Some(axis) if axes.len() == 1 => Self::Free(axis),
            _ => Self::Prime(axes),
        }
    }

    pub(crate) fn axes(&self) -> AttrSet {
        match self {
            Self::Margin(axes) | Self::Prime(axes) | Self::Split { axes, .. } => *axes,
            Self::Free(axis) => AttrSet::single(*axis),
        }
    }

    /// The parts that are not taken apart further.
    pub(crate) fn leaves(&self) -> Vec<&Self> {
        match self {
            Self::Split { sides, .. } => sides.iter().flat_map(Self::leaves).collect(),
            leaf => vec![leaf],
        }
    }
}

/// Sets of axes within a margin that might cut `axes`, the smallest first. Nothing is published:
/// no separator.
fn separators(axes: AttrSet, margins: &[AttrSet]) -> BTreeSet<AttrSet> {
    let mut found = BTreeSet::new();
    for &margin in margins {
        let within = margin.intersection(axes);
        if within.len() <= MOST_SUBSETS {
            found.extend(within.subsets());
        } else {
            found.insert(AttrSet::EMPTY);
            found.extend(margins.iter().map(|other| other.intersection(within)));
        }
    }
    found
}

/// The axes of `among` that can be reached from `first` over margins.
pub(crate) fn connected(first: usize, among: AttrSet, margins: &[AttrSet]) -> AttrSet {
    let mut reached = AttrSet::single(first);
    loop {
        let touching = margins.iter().filter(|margin| !margin.intersection(reached).is_empty());
        let wider = touching.fold(reached, |set, margin| set.union(margin.intersection(among)));
        if wider == reached {
            return reached;
        }
        reached = wider;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(lists: &[&[usize]]) -> Vec<AttrSet> {
        lists.iter().map(|list| list.iter().copied().collect()).collect()
    }

    fn primes(axes: usize, lists: &[&[usize]]) -> usize {
        let part = Component::of(AttrSet::first(axes), &sets(lists));
        part.leaves().iter().filter(|leaf| matches!(leaf, Component::Prime(_))).count()
    }

    #[test]
    fn a_chordal_graph_falls_apart_only_if_its_cliques_are_published() {
        assert_eq!(primes(3, &[&[0, 1], &[1, 2]]), 0);
        assert_eq!(primes(3, &[&[0, 1], &[1, 2], &[0, 2]]), 1, "a triangle without its face");
        assert_eq!(primes(4, &[&[0, 1], &[1, 2], &[2, 3], &[0, 3]]), 1, "a cycle of four");
        assert_eq!(primes(4, &[&[0, 1, 2], &[1, 2, 3], &[0, 3]]), 1);
        assert_eq!(primes(6, &[&[0, 4], &[1, 3, 4, 5], &[1, 2, 5]]), 0);
    }

    #[test]
    fn reducible_margins_keep_their_prime_parts_only() {
        let part = Component::of(AttrSet::first(6), &sets(&[&[4, 5], &[3, 4], &[2, 3], &[2, 5], &[0, 1]]));
        let primes: Vec<AttrSet> = part
            .leaves()
            .iter()
            .filter_map(|leaf| if let Component::Prime(axes) = leaf { Some(*axes) } else { None })
            .collect();
        assert_eq!(primes, sets(&[&[2, 3, 4, 5]]));
    }

    /// Neither margin with the last axis holds both axes that cut it off.
    #[test]
    fn any_set_within_a_margin_of_12_axes_may_cut() {
        let margins = [AttrSet::first(12), [0, 12].into_iter().collect(), [1, 12].into_iter().collect()];
        let part = Component::of(AttrSet::first(13), &margins);
        let leaves: Vec<AttrSet> = part.leaves().iter().map(|leaf| leaf.axes()).collect();
        assert_eq!(leaves.len(), 2, "{leaves:?}");
        assert!(
            leaves.contains(&AttrSet::first(12)) && leaves.contains(&[0, 1, 12].into_iter().collect()),
            "{leaves:?}"
        );
    }

    #[test]
    fn an_axis_in_no_margin_is_free_and_without_margins_nothing_falls_apart() {
        let part = Component::of(AttrSet::first(2), &sets(&[&[0]]));
        assert!(part.leaves().iter().any(|leaf| matches!(leaf, Component::Free(1))));
        assert!(matches!(Component::of(AttrSet::first(2), &[]), Component::Prime(_)));
    }
}
