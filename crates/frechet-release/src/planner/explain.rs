//! A plan in words.

use privacy_core::AttrSet;

use crate::planner::action::{CellStatus, MarginAction, Treatment};
use crate::planner::plan::ReleasePlan;
use crate::planner::problem::DecisionData;

impl ReleasePlan {
    /// What happens to each margin and why, then what a reader must know: one line each. No count
    /// appears.
    #[must_use]
    pub fn explain(&self) -> String {
        let lines = self.actions.iter().map(|action| self.line(action));
        lines.chain(self.notes()).collect::<Vec<String>>().join("\n")
    }

    /// What a reader of the release must know: one sentence each.
    #[must_use]
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.decision_data() {
            DecisionData::PublicSizes => notes.push(
                "The plan was decided on public sizes alone: what is recoded or noised reveals nothing about the counts.".to_owned(),
            ),
            DecisionData::Counts => notes.push(
                "The plan was decided on the counts: the pattern itself, that is which numbers are exact, recoded, withheld \
                 or noised, reveals something about them."
                    .to_owned(),
            ),
            DecisionData::Robust => notes.push(
                "The plan was decided on the counts by a rule that withholds more until knowledge of the rule \
                 discloses nothing further: among the tables for which the same is published, every requested number \
                 that is not published exactly ranges over more than the minimum interval width, and no class in scope \
                 is disclosed."
                    .to_owned(),
            ),
            DecisionData::Private => notes.push(
                "Which numbers are published, and in which groups, was drawn from the counts with differential \
                 privacy, at the stated cost. The published numbers themselves are exact and have no differential \
                 privacy."
                    .to_owned(),
            ),
        }
        let Some(schedule) = &self.schedule else { return notes };
        let statement = &schedule.statement;
        notes.push(format!(
            "Noise: epsilon {:.6} between tables that differ in one respect: {} (L1 sensitivity {} for each margin). \
             It is conditional on the exact numbers, does not limit priors that tie responses together, and does not \
             change what the exact numbers reveal.",
            statement.epsilon,
            statement.change.words(),
            statement.sensitivity
        ));
        if self.decision_data() != DecisionData::PublicSizes {
            notes.push(
                "The statement about the noise takes the pattern as given: it does not cover that the pattern depends \
                 on the counts."
                    .to_owned(),
            );
        }
        if !statement.has_neighbours {
            notes.push(format!(
                "No exchange of two responses keeps every exact number; the smallest change that does costs more: \
                 epsilon / {} for each change of one in a cell of the full table.",
                statement.sensitivity
            ));
        }
        if let Some(composed) = statement.at_delta {
            notes.push(format!(
                "At delta {:e}: epsilon {:.6}, the smallest of basic {:.6}, advanced {:.6} and zCDP {:.6}.",
                composed.delta.get(),
                composed.least(),
                composed.basic,
                composed.advanced,
                composed.zcdp
            ));
        }
        notes
    }

    fn line(&self, action: &MarginAction) -> String {
        let axes: AttrSet = action.axes.iter().copied().collect();
        let names: Vec<&str> = self.problem.background.domain().names(axes).collect();
        let subject = if names.is_empty() { "total".to_owned() } else { names.join(" x ") };
        let all = action.statuses.len();
        let what = match action.treatment {
            Treatment::Exact => "published exactly".to_owned(),
            Treatment::Coarsened => format!("published exactly in {all} groups ({})", self.groups(action)),
            Treatment::Suppressed => {
                format!("{} of {all} cells withheld, the others exact", action.count(CellStatus::Suppressed))
            }
            Treatment::Noised => {
                format!("{} of {all} cells with noise, the others exact", action.count(CellStatus::Noised))
            }
            Treatment::Withheld => "withheld".to_owned(),
        };
        format!("{subject}: {what}: {}.", action.reasons.join("; "))
    }

    fn groups(&self, action: &MarginAction) -> String {
        let attributes = self.problem.background.domain().attributes();
        let margin = action.margin.iter().flat_map(|margin| margin.axes.iter().zip(&margin.recodings));
        let coarse = margin.filter(|(_, recoding)| !recoding.is_finest());
        coarse
            .map(|(&axis, recoding): (&usize, &crate::planner::margin::recoding::Recoding)| {
                let labels: Vec<&str> = recoding.groups().iter().map(|group| group.label.as_str()).collect();
                format!("{}: {}", attributes[axis].name(), labels.join(", "))
            })
            .collect::<Vec<String>>()
            .join("; ")
    }
}
