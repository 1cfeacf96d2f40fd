//! Who contributes how much to every cell.
//!
//! A respondent with several records in a cell is one contributor of it, so a holding whose plants
//! are rows counts once, with the sum of its plants.

use std::fmt;

/// What a respondent contributes to a cell.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Contribution {
    /// The respondent, from 0.
    pub respondent: u32,
    /// The amount, in units.
    pub amount: i64,
}

/// Debug output shows no amount.
impl fmt::Debug for Contribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contribution").field("respondent", &self.respondent).finish_non_exhaustive()
    }
}

/// Contributions to every cell, the largest first, and the cells of every respondent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Contributions {
    by_cell: Vec<Vec<Contribution>>,
    by_respondent: Vec<Vec<(usize, i64)>>,
}

impl Contributions {
    /// From contributions in any order, where a respondent may be named several times in a cell.
    pub(crate) fn new(cells: Vec<Vec<Contribution>>) -> Self {
        let by_cell: Vec<Vec<Contribution>> = cells.into_iter().map(merged).collect();
        let respondents = by_cell.iter().flatten().map(|own| own.respondent as usize + 1).max().unwrap_or(0);
        let mut by_respondent = vec![Vec::new(); respondents];
        for (cell, own) in by_cell.iter().enumerate() {
            own.iter().for_each(|own| by_respondent[own.respondent as usize].push((cell, own.amount)));
        }
        Self { by_cell, by_respondent }
    }

    /// One more cell: the sum of others. It is not among the cells of a respondent, since what a
    /// respondent knows of it follows from its parts.
    pub(crate) fn push_sum_of(&mut self, parts: &[usize]) {
        let all = parts.iter().flat_map(|&part| self.by_cell[part].iter().copied()).collect();
        self.by_cell.push(merged(all));
    }

    /// Takes the last cell back.
    pub(crate) fn pop(&mut self) {
        self.by_cell.pop();
    }

    /// The contributions to a cell, the largest first.
    pub(crate) fn of_cell(&self, cell: usize) -> &[Contribution] {
        &self.by_cell[cell]
    }

    /// The cells of a respondent, with the amounts there.
    pub(crate) fn of_respondent(&self, respondent: u32) -> &[(usize, i64)] {
        self.by_respondent.get(respondent as usize).map_or(&[], Vec::as_slice)
    }

    /// What a coalition contributes to a cell, and how many of its members do.
    pub(crate) fn of_coalition(&self, cell: usize, coalition: &[u32]) -> (i64, usize) {
        let own = self.by_cell[cell].iter().filter(|own| coalition.contains(&own.respondent));
        own.fold((0, 0), |(amount, members), own| (amount + own.amount, members + 1))
    }
}

/// One contribution for each respondent, the largest first.
fn merged(mut all: Vec<Contribution>) -> Vec<Contribution> {
    all.sort_unstable_by_key(|own| own.respondent);
    let mut merged: Vec<Contribution> = Vec::with_capacity(all.len());
    for own in all {
        match merged.last_mut() {
            Some(last) if last.respondent == own.respondent => last.amount += own.amount,
            _ => merged.push(own),
        }
    }
    merged.sort_by_key(|own| (std::cmp::Reverse(own.amount), own.respondent));
    merged
}
