//! The choices that bounds are about, with the models before them.

use privacy_core::AttrSet;
use synthetic_people::Model;

use crate::budget::Step;
use crate::plan::cells_of;

/// A choice, and the model that it was made with.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    /// The round, counted from 0.
    pub(crate) round: usize,
    pub(crate) chosen: AttrSet,
    pub(crate) step: Step,
    /// What the round cost, as a share of the budget.
    pub(crate) share: f64,
    /// How many candidates took part.
    pub(crate) took_part: usize,
    /// Those of which no later choice is kept.
    pub(crate) sets: Vec<AttrSet>,
    /// The model before the choice.
    pub(crate) model: Model,
}

/// For each candidate the last choice in which it took part. Models take memory: besides the last
/// one they have at most as many cells together as one model may have, and later ones come first.
#[derive(Clone, Debug)]
pub(crate) struct Choices {
    sizes: Vec<usize>,
    most_cells: f64,
    /// In the order of rounds.
    all: Vec<Choice>,
}

impl Choices {
    pub(crate) fn new(sizes: Vec<usize>, most_cells: f64) -> Self {
        Self { sizes, most_cells, all: Vec::new() }
    }

    /// Keeps a choice, and of earlier ones what is still needed.
    pub(crate) fn push(&mut self, choice: Choice) {
        for before in &mut self.all {
            before.sets.retain(|set| !choice.sets.contains(set));
        }
        self.all.retain(|before| !before.sets.is_empty());
        let mut cells = 0.0;
        let kept = self.all.iter().rev().take_while(|before| {
            cells += model_size(&self.sizes, &before.model);
            cells <= self.most_cells
        });
        let dropped = self.all.len() - kept.count();
        self.all.drain(..dropped);
        self.all.push(choice);
    }

    /// The last choice in which a candidate took part, if it is kept.
    pub(crate) fn last_with(&self, set: AttrSet) -> Option<&Choice> {
        self.all.iter().rev().find(|choice| choice.sets.contains(&set))
    }
}

/// How many cells the tables of a model have together.
fn model_size(sizes: &[usize], model: &Model) -> f64 {
    model.cliques().map(|clique| cells_of(sizes, clique)).sum()
}
