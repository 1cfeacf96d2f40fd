//! Every coalition that may attack a cell, without asking about each.
//!
//! A second table that shows a cell to be protected against one coalition shows it against every
//! other that thinks the table possible too and needs no more. So only the coalitions that rule
//! the table out are asked about next: those that contribute more to a cell than the table leaves
//! it, that know a cell which moves, or that make the cell itself more sensitive.
//!
//! Complete: a coalition either accepts the table of a subset of it that was asked about, or
//! contains one of the extensions below, which is asked about in turn, and has more members.

use std::collections::BTreeSet;

use crate::attack::attacked::Attacked;
use crate::attack::program::{End, Shift};
use crate::error::Error;
use crate::rule::SensitivityRule;

/// Finds a table for a coalition, in which a cell is as far from the truth as asked; `None` where
/// no table goes so far.
pub(crate) type Reach<'a> = &'a mut dyn FnMut(&[u32], i64) -> Result<Option<Shift>, Error>;

/// One end of a sensitive cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) cell: usize,
    pub(crate) end: End,
}

/// Calls `reach` with every coalition that no earlier table answers, and how far it must think the
/// cell can be from the truth; `reach` returns a table that shows it, or `None` without one.
pub(crate) fn face_all(
    attacked: &Attacked,
    rule: &SensitivityRule,
    target: Target,
    reach: Reach<'_>,
) -> Result<(), Error> {
    let (mut seen, mut to_come) = (BTreeSet::new(), vec![Vec::new()]);
    while let Some(coalition) = to_come.pop() {
        let need = needed(attacked, rule, target, &coalition);
        let shift = if need == 0 { Some(Shift::none()) } else { reach(&coalition, need)? };
        let Some(shift) = shift else { continue };
        for extension in extensions(attacked, rule, target, &coalition, &shift) {
            let mut larger: Vec<u32> = coalition.iter().copied().chain(extension).collect();
            larger.sort_unstable();
            if seen.insert(larger.clone()) {
                to_come.push(larger);
            }
        }
    }
    Ok(())
}

/// How far from the truth a coalition must think the cell possible. Nobody can think it below what
/// the coalition contributes itself.
pub(crate) fn needed(attacked: &Attacked, rule: &SensitivityRule, target: Target, coalition: &[u32]) -> i64 {
    let level = rule.level(attacked.contributions.of_cell(target.cell), coalition);
    match target.end {
        End::Upper => level,
        End::Lower => {
            let (own, _) = attacked.contributions.of_coalition(target.cell, coalition);
            level.min(attacked.table.amounts[target.cell] - own)
        }
    }
}

/// The least sets of further members that make a coalition rule the shifted table out.
fn extensions(
    attacked: &Attacked,
    rule: &SensitivityRule,
    target: Target,
    coalition: &[u32],
    shift: &Shift,
) -> Vec<Vec<u32>> {
    let room = rule.coalition().saturating_sub(coalition.len());
    if room == 0 {
        return Vec::new();
    }
    let search = Search { attacked, rule, target, coalition, shift };
    let mut singles = BTreeSet::new();
    search.singles_of_cells(&mut singles);
    search.singles_of_target(&mut singles);
    let mut found: Vec<Vec<u32>> = singles.iter().map(|&one| vec![one]).collect();
    if room > 1 {
        let mut pairs = BTreeSet::new();
        search.pairs_of_cells(&mut pairs);
        search.pairs_of_target(&mut pairs);
        found.extend(pairs.into_iter().filter(|pair| pair.iter().all(|one| !singles.contains(one))).map(Vec::from));
    }
    found
}

struct Search<'a> {
    attacked: &'a Attacked,
    rule: &'a SensitivityRule,
    target: Target,
    coalition: &'a [u32],
    shift: &'a Shift,
}

impl Search<'_> {
    /// Contributors outside the coalition, the largest first, with their amounts.
    fn outside(&self, cell: usize) -> impl Iterator<Item = (u32, i128)> {
        let own = self.attacked.contributions.of_cell(cell).iter();
        own.filter(|own| !self.coalition.contains(&own.respondent)).map(|own| (own.respondent, i128::from(own.amount)))
    }

    /// Cells that move, and how much more than the coalition somebody must contribute to rule
    /// that out, times the denominator; `None` where the cell grows.
    fn moves(&self) -> impl Iterator<Item = (usize, Option<i128>)> {
        let moves = self.shift.moves.iter().filter(|own| own.0 < self.attacked.own_cells);
        moves.map(|&(cell, by)| {
            let (own, _) = self.attacked.contributions.of_coalition(cell, self.coalition);
            let left = i128::from(self.attacked.table.amounts[cell] - own) * self.shift.denominator + by;
            (cell, (by < 0).then_some(left))
        })
    }

    fn singles_of_cells(&self, found: &mut BTreeSet<u32>) {
        for (cell, left) in self.moves() {
            let mut outside = self.outside(cell);
            if let (Some((only, _)), None) = (outside.next(), outside.next()) {
                found.insert(only);
            }
            let left = left.unwrap_or(i128::MAX);
            let outside = self.outside(cell);
            found.extend(outside.take_while(|own| own.1 * self.shift.denominator > left).map(|own| own.0));
        }
    }

    fn pairs_of_cells(&self, found: &mut BTreeSet<[u32; 2]>) {
        for (cell, left) in self.moves() {
            let mut outside = self.outside(cell);
            if let (Some((one, _)), Some((other, _)), None) = (outside.next(), outside.next(), outside.next()) {
                found.insert(sorted(one, other));
            }
            let Some(left) = left else { continue };
            let outside: Vec<(u32, i128)> = self.outside(cell).collect();
            for (place, &(one, first)) in outside.iter().enumerate() {
                let smaller = outside[place + 1..].iter();
                let too_much = smaller.take_while(|own| (first + own.1) * self.shift.denominator > left);
                found.extend(too_much.map(|&(other, _)| sorted(one, other)));
            }
        }
    }

    /// How far the shown table is from the truth, in the direction that is asked for.
    fn shown(&self) -> i128 {
        self.shift.of(self.target.cell) * i128::from(self.target.end.sign())
    }

    fn asks_more(&self, further: &[u32]) -> bool {
        let coalition: Vec<u32> = self.coalition.iter().chain(further).copied().collect();
        let need = needed(self.attacked, self.rule, self.target, &coalition);
        i128::from(need) * self.shift.denominator > self.shown()
    }

    /// No coalition whose further members contribute `more` asks for more than this: what (1) asks
    /// falls with it, and what (2) and (3) ask never exceeds what they ask without them.
    fn is_out_of_reach(&self, more: i128) -> bool {
        let Some(p) = self.rule.p_percent() else { return true };
        let own = self.attacked.contributions.of_cell(self.target.cell);
        let total: i128 = self.outside(self.target.cell).map(|own| own.1).sum();
        let largest = own.first().map_or(0, |own| i128::from(own.amount));
        (p.of(largest) + largest - (total - more)) * self.shift.denominator <= self.shown()
    }

    fn singles_of_target(&self, found: &mut BTreeSet<u32>) {
        for (one, amount) in self.outside(self.target.cell) {
            if self.is_out_of_reach(amount) {
                break;
            }
            if self.asks_more(&[one]) {
                found.insert(one);
            }
        }
    }

    fn pairs_of_target(&self, found: &mut BTreeSet<[u32; 2]>) {
        let outside: Vec<(u32, i128)> = self.outside(self.target.cell).collect();
        for (place, &(one, first)) in outside.iter().enumerate() {
            for &(other, second) in &outside[place + 1..] {
                if self.is_out_of_reach(first + second) {
                    break;
                }
                if self.asks_more(&[one, other]) {
                    found.insert(sorted(one, other));
                }
            }
        }
    }
}

fn sorted(one: u32, other: u32) -> [u32; 2] {
    [one.min(other), one.max(other)]
}
