//! Changes of a few suppressed cells that all relations allow: each shows second counts.
//!
//! Where every cell is in at most two relations, the relations are the nodes of a network and the
//! cells its arcs. One count more in a cell leaves both its relations out of balance; a path of
//! other cells from the one to the other balances them again, and a cheapest path is found as
//! Dijkstra does. Repeated, this is the method of augmenting paths, so counts go as far as they
//! can. Where published cells may be passed as well, each at its price, those on the path are what
//! must be suppressed.
//!
//! In a hierarchy crossed with another attribute a cell is in three relations: its line, and the
//! sums that it is the whole and a part of. But the line of a total follows from the lines of its
//! parts, and without such relations a network is left. Whatever is found is checked against all
//! relations.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use crate::audit::linked_tables::{LinkedTable, SuppressionStatus};
use crate::engine::known_tables::Difference;

/// Relations that one search looks at, on either side of the balance.
const MOST_STATES: usize = 20_000;
/// What passing a published cell costs besides its weight, in suppressed cells.
const PUBLISHED: u64 = 8;
/// Augmenting paths for one end of a cell.
const MOST_PATHS: usize = 64;

/// A relation, and the sign of a cell in it.
type End = (u32, i8);

/// A relation out of balance, upwards or downwards.
type State = u32;

pub(super) struct LinkedMoves {
    /// The relations that stay, at most two; more for cells that are no arcs.
    ends: Vec<Vec<End>>,
    /// All relations of each cell.
    all_ends: Vec<Vec<End>>,
    /// The cells that are arcs of each relation that stays.
    arcs: Vec<Vec<(u32, i8)>>,
    is_suppressed: Vec<bool>,
    /// What suppressing each cell costs.
    weights: Vec<u64>,
    counts: Vec<i64>,
    known: Vec<(i64, i64)>,
    /// The least and the largest count of each cell in tables that were found.
    reached: Vec<(i64, i64)>,
    /// Changes that were found, each as a difference from the counts.
    pub(super) differences: Vec<Difference>,
    /// The state before each state, the cell between them and what the way costs, in the search of
    /// this number.
    before: Vec<(State, u32, u64)>,
    seen_in: Vec<u32>,
    search: u32,
    /// Whether paths may pass published cells.
    is_wide: bool,
}

impl LinkedMoves {
    pub(super) fn new(table: &LinkedTable, weights: &[u64]) -> Self {
        let cells = table.cells();
        let mut all_ends: Vec<Vec<End>> = vec![Vec::new(); cells.len()];
        for (relation, own) in (0_u32..).zip(table.relations()) {
            own.terms
                .iter()
                .for_each(|&(cell, is_taken)| all_ends[cell].push((relation, if is_taken { -1 } else { 1 })));
        }
        let is_kept = network(table, &all_ends);
        let ends: Vec<Vec<End>> = all_ends
            .iter()
            .map(|ends: &Vec<End>| ends.iter().copied().filter(|end| is_kept[end.0 as usize]).collect())
            .collect();
        let counts: Vec<i64> = cells.iter().map(|cell| signed(cell.count)).collect();
        let states = 2 * table.relations().len();
        let mut arcs: Vec<Vec<(u32, i8)>> = vec![Vec::new(); table.relations().len()];
        for (cell, own) in ends.iter().enumerate().filter(|(_, own)| own.len() <= 2) {
            own.iter().for_each(|&(relation, sign)| arcs[relation as usize].push((small(cell), sign)));
        }
        Self {
            ends,
            all_ends,
            arcs,
            is_suppressed: cells.iter().map(|cell| cell.status != SuppressionStatus::Published).collect(),
            weights: weights.to_vec(),
            reached: counts.iter().map(|&count| (count, count)).collect(),
            counts,
            known: cells.iter().map(|cell| (signed(cell.known.0), signed(cell.known.1))).collect(),
            differences: Vec::new(),
            before: vec![(0, 0, 0); states],
            seen_in: vec![0; states],
            search: 0,
            is_wide: false,
        }
    }

    /// The cell may change from now on.
    pub(super) fn suppress(&mut self, cell: usize) {
        self.is_suppressed[cell] = true;
    }

    /// The least and the largest count of a cell in tables that were found.
    pub(super) fn reached(&self, cell: usize) -> (i64, i64) {
        self.reached[cell]
    }

    /// Looks for tables in which a cell has up to `below` less than its count, or `above` more, or
    /// both ends so far apart as `across`.
    pub(super) fn look(&mut self, cell: usize, (below, above, across): (i64, i64, i64)) {
        let own = self.counts[cell];
        let (least, most) = self.reached[cell];
        if own - least < below {
            self.extend(cell, -1, below);
        }
        if most - own < above {
            self.extend(cell, 1, above);
        }
        for sign in [1, -1] {
            let (least, most) = self.reached[cell];
            if most - least < across {
                let there = if sign > 0 { most - own } else { own - least };
                self.extend(cell, sign, there + across - (most - least));
            }
        }
    }

    /// The same along published cells as well: those that change, which must be suppressed for the
    /// tables that were found to count.
    pub(super) fn look_widely(&mut self, cell: usize, wanted: (i64, i64, i64)) -> BTreeSet<usize> {
        let first = self.differences.len();
        self.is_wide = true;
        self.look(cell, wanted);
        self.is_wide = false;
        let changed = self.differences[first..].iter().flatten().map(|&(changed, _)| changed as usize);
        changed.filter(|&changed| !self.is_suppressed[changed]).collect()
    }

    /// Augmenting paths for one end.
    fn extend(&mut self, cell: usize, sign: i64, wanted: i64) {
        let mut difference: BTreeMap<u32, i64> = BTreeMap::new();
        let mut gained = 0;
        for _ in 0..MOST_PATHS {
            if gained >= wanted {
                break;
            }
            let Some(change) = self.cycle(cell, sign) else { break };
            let times = self.times(&change).min(wanted - gained);
            if times <= 0 {
                break;
            }
            for (&changed, &more) in &change {
                self.counts[changed as usize] += more * times;
                *difference.entry(changed).or_insert(0) += more * times;
            }
            gained += times * sign * change[&small(cell)];
        }
        difference.retain(|_, more| *more != 0);
        for (&changed, &more) in &difference {
            let now = self.counts[changed as usize];
            let (least, most) = &mut self.reached[changed as usize];
            (*least, *most) = ((*least).min(now), (*most).max(now));
            self.counts[changed as usize] -= more;
        }
        if !difference.is_empty() {
            self.differences.push(difference.into_iter().collect());
        }
    }

    /// How often a change can be made.
    fn times(&self, change: &BTreeMap<u32, i64>) -> i64 {
        change
            .iter()
            .filter(|(_, more)| **more != 0)
            .map(|(&cell, &more): (&u32, &i64)| {
                let (count, (least, most)) = (self.counts[cell as usize], self.known[cell as usize]);
                if more > 0 { (most - count) / more } else { (count - least) / -more }
            })
            .min()
            .unwrap_or(0)
    }

    /// One count more (`sign` 1) or less in a cell, and what balances it.
    fn cycle(&mut self, cell: usize, sign: i64) -> Option<BTreeMap<u32, i64>> {
        let count = self.counts[cell] + sign;
        if self.ends[cell].len() > 2 || !(self.known[cell].0..=self.known[cell].1).contains(&count) {
            return None;
        }
        let mut change = BTreeMap::from([(small(cell), sign)]);
        let states: Vec<State> = self.ends[cell].iter().map(|&end| state(end, sign)).collect();
        match states[..] {
            [only] => {
                self.balance(only, None, cell, &mut change)?;
            }
            // Either a path between both, or one from each to cells that are in one relation.
            [first, second] if self.balance(first, Some(opposite(second)), cell, &mut change)? => {
                self.balance(second, None, cell, &mut change)?;
            }
            _ => {}
        }
        self.fits(&change).then_some(change)
    }

    /// A cheapest path from a relation out of balance to `goal`, or to a cell that is in no other
    /// relation; whether it ended at such a cell.
    fn balance(
        &mut self,
        from: State,
        goal: Option<State>,
        without: usize,
        change: &mut BTreeMap<u32, i64>,
    ) -> Option<bool> {
        self.search += 1;
        let mut waiting = BinaryHeap::from([(Reverse(0_u64), from)]);
        (self.seen_in[from as usize], self.before[from as usize].2) = (self.search, 0);
        let mut last: Option<(u64, State, u32, bool)> = None;
        'search: for _ in 0..MOST_STATES {
            let Some((Reverse(cost), at)) = waiting.pop() else { break };
            if last.is_some_and(|(least, ..)| least <= cost) {
                break;
            }
            if cost > self.before[at as usize].2 {
                continue;
            }
            for &(cell, sign) in &self.arcs[at as usize / 2] {
                let more = balancing(at, sign);
                let Some(price) = self.price(cell as usize, more).filter(|_| cell as usize != without) else {
                    continue;
                };
                let cost = cost + price;
                let other = self.ends[cell as usize].iter().find(|end| end.0 != at / 2);
                let next = other.map(|&end| state(end, more));
                if next.is_none_or(|next| Some(next) == goal) {
                    if last.is_none_or(|(least, ..)| cost < least) {
                        last = Some((cost, at, cell, next.is_none()));
                    }
                    // Without published cells all paths cost about the same.
                    if !self.is_wide {
                        break 'search;
                    }
                    continue;
                }
                let Some(next) = next.map(|next| next as usize) else { continue };
                if self.seen_in[next] != self.search || cost < self.before[next].2 {
                    (self.seen_in[next], self.before[next]) = (self.search, (at, cell, cost));
                    waiting.push((Reverse(cost), small(next)));
                }
            }
        }
        let (_, mut at, mut cell, is_outside) = last?;
        loop {
            let sign = self.arcs[at as usize / 2].iter().find(|own| own.0 == cell)?.1;
            *change.entry(cell).or_insert(0) += balancing(at, sign);
            if at == from {
                return Some(is_outside);
            }
            (at, cell, _) = self.before[at as usize];
        }
    }

    /// What it costs to pass a cell that changes by `more`; `None` where it cannot.
    fn price(&self, cell: usize, more: i64) -> Option<u64> {
        let (least, most) = self.known[cell];
        let stays = (least..=most).contains(&(self.counts[cell] + more));
        let price = if self.is_suppressed[cell] { 1 } else { PUBLISHED.saturating_add(self.weights[cell]) };
        (stays && (self.is_wide || self.is_suppressed[cell])).then_some(price)
    }

    /// Whether a change keeps all relations and stays within what is known.
    fn fits(&self, change: &BTreeMap<u32, i64>) -> bool {
        let mut balance: BTreeMap<u32, i64> = BTreeMap::new();
        for (&cell, &more) in change {
            for &(relation, sign) in &self.all_ends[cell as usize] {
                *balance.entry(relation).or_insert(0) += i64::from(sign) * more;
            }
        }
        balance.values().all(|&sum| sum == 0) && self.times(change) > 0
    }
}

/// The change of a cell that balances a relation that is out of balance.
fn balancing(at: State, sign: i8) -> i64 {
    if at % 2 == 1 { -i64::from(sign) } else { i64::from(sign) }
}

/// The state of a relation after a cell in it changed.
fn state((relation, sign): End, more: i64) -> State {
    2 * relation + State::from(i64::from(sign) * more > 0)
}

/// The same relation out of balance the other way.
fn opposite(state: State) -> State {
    state ^ 1
}

/// Which relations stay: those go that follow from others and all of whose cells are in three.
fn network(table: &LinkedTable, all_ends: &[Vec<End>]) -> Vec<bool> {
    let mut degree: Vec<usize> = all_ends.iter().map(Vec::len).collect();
    let mut is_kept = vec![true; table.relations().len()];
    for relation in 0..table.relations().len() {
        let terms = &table.relations()[relation].terms;
        let is_over = terms.iter().all(|&(cell, _)| degree[cell] >= 3);
        if !terms.is_empty() && is_over && follows(table, all_ends, &is_kept, relation) {
            is_kept[relation] = false;
            terms.iter().for_each(|&(cell, _)| degree[cell] -= 1);
        }
    }
    is_kept
}

/// Whether a relation is the sum of others: each of its cells is the whole of a relation, and the
/// parts of all of them make up relations.
fn follows(table: &LinkedTable, all_ends: &[Vec<End>], is_kept: &[bool], relation: usize) -> bool {
    let mut parts: BTreeSet<usize> = BTreeSet::new();
    for &(cell, _) in &table.relations()[relation].terms {
        let others = all_ends[cell].iter().filter(|end| end.0 as usize != relation && is_kept[end.0 as usize]);
        let Some(sum) = others.filter(|end| end.1 < 0).map(|end| end.0 as usize).next() else { return false };
        parts.extend(table.relations()[sum].terms.iter().map(|&(part, _)| part).filter(|&part| part != cell));
    }
    parts.iter().all(|&part| {
        all_ends[part].iter().any(|end: &End| {
            let terms = &table.relations()[end.0 as usize].terms;
            is_kept[end.0 as usize] && terms.iter().all(|(part, _)| parts.contains(part))
        })
    })
}

fn small(cell: usize) -> u32 {
    u32::try_from(cell).expect("cells are counted in 32 bits")
}

fn signed(count: u64) -> i64 {
    i64::try_from(count).expect("counts are at most 2^53")
}
