//! A coarse identifier attacked through a fine one: the users of a few branches.
//!
//! The attacker asks for the same branches with other users each time. The working column is the
//! one with the fewest entities, here the branches, so that every question has one draw and
//! averaging gains nothing. Beside that, a group of one branch is never shown, however many users
//! it has, and where both columns have `n` entities the group is shown with the chance of `n`.
//! Source: "Operation of LCF", Algorithm, note on the working AID.

use disclosure::lcf::{ColumnRule, DrawMode, EntityColumn, EntitySet, LowCountFilter, ThresholdTable};
use disclosure::privacy_core::prf::StickyDraw;

use super::asked::{secret, xor};
use super::averaging::{Guess, Shown, Spec, average, one_answer};
use super::law::OneApart;
use crate::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// The seed is the XOR over the entities of all columns.
    OneSeedOverAll,
    /// The filter does not know that branches are entities.
    BranchesForgotten,
    /// The column with the most entities decides.
    LargestSetDecides,
    /// The seed itself is the draw: the smaller of two seeds is biased.
    SeedIsTheDraw,
    /// Every column has to report: two draws.
    AllColumns,
}

/// Of `n` branches, or one more.
pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, n, questions } = blueprint.spec()?;
    let cutoffs = law.cutoffs(blueprint)?;
    let sizes = OneApart::of(&cutoffs, n);
    let claims = vec![
        Quantity::exactly("one answer to all questions", 1.0)?,
        Quantity::exactly("N distinguished from N + 1", sizes.distinguished())?,
        Quantity::exactly("one branch shown", 0.0)?,
        Quantity::exactly("as many users as branches, shown", sizes.more.reported)?,
    ];
    blueprint.trials(
        claims,
        |fault| Ok(CoarseThroughFine { two_columns: TwoColumns::new(&cutoffs, fault, blueprint)?, n, questions }),
        average(sizes.middle()),
        one_answer,
    )
}

/// A filter over users and branches.
struct TwoColumns {
    filter: LowCountFilter,
    users_alone: LowCountFilter,
    cutoffs: ThresholdTable,
    draws: StickyDraw,
    fault: Option<Fault>,
}

impl TwoColumns {
    fn new(cutoffs: &ThresholdTable, fault: Option<Fault>, blueprint: &Blueprint<'_>) -> Result<Self, Error> {
        let secret = secret(blueprint, "secret")?;
        let rule = if fault == Some(Fault::AllColumns) { ColumnRule::All } else { ColumnRule::WorkingColumn };
        let columns =
            ["user", "branch"].map(|kind| EntityColumn { kind: kind.to_owned(), thresholds: cutoffs.clone() });
        let users_alone = LowCountFilter::new(columns[..1].to_vec(), rule, DrawMode::Query, &secret)?;
        let filter = LowCountFilter::new(columns.to_vec(), rule, DrawMode::Query, &secret)?;
        Ok(Self { filter, users_alone, cutoffs: cutoffs.clone(), draws: secret.sticky_draw(), fault })
    }

    fn hashes(&self, column: usize, entities: &[i64]) -> Vec<u64> {
        let hasher = self.filter.hasher(column).expect("the filter has this column");
        entities.iter().map(|&entity| hasher.hash_i64(entity)).collect()
    }

    fn set(&self, hashes: &[u64]) -> EntitySet {
        let mut set = EntitySet::new(self.filter.cap());
        hashes.iter().for_each(|hash| set.insert(*hash));
        set
    }

    fn is_shown(&self, users: &[i64], branches: &[i64]) -> Result<bool, Error> {
        let hashes = [self.hashes(0, users), self.hashes(1, branches)];
        Ok(match self.fault {
            None | Some(Fault::AllColumns) => {
                self.filter.decide(&hashes.each_ref().map(|hashes| self.set(hashes)), None)?.is_reported()
            }
            Some(Fault::BranchesForgotten) => self.users_alone.decide(&[self.set(&hashes[0])], None)?.is_reported(),
            Some(fault) => self.is_shown_wrongly(fault, &hashes),
        })
    }

    fn is_shown_wrongly(&self, fault: Fault, hashes: &[Vec<u64>; 2]) -> bool {
        let [users, branches] = hashes.each_ref().map(|hashes| (hashes.len() as u64, xor(hashes)));
        let (count, seed) = match fault {
            Fault::LargestSetDecides => users.max(branches),
            Fault::OneSeedOverAll => (users.0.min(branches.0), users.1 ^ branches.1),
            _ => users.min(branches),
        };
        let draw = if fault == Fault::SeedIsTheDraw { seed } else { self.draws.draw(seed) };
        self.cutoffs.is_reported(count, draw)
    }
}

struct CoarseThroughFine {
    two_columns: TwoColumns,
    n: u64,
    questions: u32,
}

/// What a trial is about.
#[derive(Clone, Copy)]
enum World {
    /// `n` branches, or one more, and more users.
    Average { is_more: bool },
    /// One branch of many users.
    OneBranch,
    /// `n + 1` branches and as many users.
    Tie,
}

impl Audit for CoarseThroughFine {
    type World = World;
    type View = Shown;
    type Answer = Guess;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        Ok(match rng.random_range(0..4) {
            0 | 1 => World::Average { is_more: rng.random() },
            2 => World::OneBranch,
            _ => World::Tie,
        })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<Shown, Error> {
        let (branches, users, questions) = match world {
            World::Average { is_more } => {
                let branches = self.n + u64::from(*is_more);
                (branches, self.n + 2..self.n + 6, self.questions)
            }
            World::OneBranch => (1, 40..41, 1),
            World::Tie => (self.n + 1, self.n + 1..self.n + 2, 1),
        };
        let branches: Vec<i64> = (0..branches).map(|_| rng.random()).collect();
        let mut times = 0;
        for _ in 0..questions {
            let users: Vec<i64> = (0..rng.random_range(users.clone())).map(|_| rng.random()).collect();
            times += u32::from(self.two_columns.is_shown(&users, &branches)?);
        }
        Ok(Shown { times, questions })
    }

    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        match world {
            World::Average { .. } => World::Average { is_more: rng.random() },
            other => *other,
        }
    }

    fn measure(&self, world: &World, guess: &Guess, measured: &mut [Option<f64>]) {
        match world {
            World::Average { is_more } => guess.measure(*is_more, measured),
            // One question: more is said when the group is shown.
            World::OneBranch => measured[2] = Some(f64::from(guess.says_more)),
            World::Tie => measured[3] = Some(f64::from(guess.says_more)),
        }
    }
}
