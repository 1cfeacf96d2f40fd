//! How far numbers that contradict each other are from being satisfied, and what they tell when
//! that much is granted.

use disclosure::frechet::{Class, Scope, Slack};
use disclosure::privacy_core::promise::PromiseKind;
use serde::{Deserialize, Serialize};

use crate::error::JobError;
use crate::exact::attackers::strongest;
use crate::exact::documents::{ClassLabels, all_cells};
use crate::exact::job::LoadedJob;
use crate::exact::schemas::SlackSchema;
use crate::observer::{Observer, during};

/// The least slack, and windows at it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlackDocument {
    /// `disclosure.frechet-slack/1`.
    pub schema: SlackSchema,
    /// The title of the job.
    pub title: String,
    /// A guarantee.
    pub kind: PromiseKind,
    /// What holds of the windows.
    pub statement: String,
    /// The least slack.
    pub slack: LeastSlack,
    /// The classes in scope.
    pub classes: Vec<WindowDocument>,
}

/// The least number of people by which each statistic may be off, so that some table satisfies
/// all of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeastSlack {
    /// The number.
    pub people: i64,
    /// As a share of everybody; null without the population.
    pub share: Option<f64>,
}

/// A class, and where its count lies when the least slack is granted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowDocument {
    /// The labels of the class.
    pub class: ClassLabels,
    /// The least count.
    pub lower: i64,
    /// The largest count.
    pub upper: i64,
}

impl LoadedJob {
    /// By how many people the numbers contradict each other, and the window of each class when
    /// that much is granted.
    ///
    /// # Errors
    /// As [`Slack::least`].
    pub fn slack(&self, scope: Scope, observer: &dyn Observer) -> Result<SlackDocument, JobError> {
        during(observer, "measuring", || {
            let knowledge = self.problem.knowledge(&self.disclosed, strongest(self))?;
            let mut slack = Slack::least(knowledge, &self.limits)?;
            let mut classes = Vec::new();
            for axes in scope.sets(self.problem.profile()) {
                let axes = self.problem.with_response(axes);
                for levels in all_cells(self.problem.domain.shape(axes)) {
                    let class = Class::new(axes, levels);
                    let (lower, upper) = slack.window(&class)?;
                    classes.push(WindowDocument { class: ClassLabels::of(&self.problem.domain, &class), lower, upper });
                }
            }
            let statement = "in every table that is consistent with the numbers when each margin and each other number \
                 may be off by the slack, each count is within its bounds";
            Ok(SlackDocument {
                schema: SlackSchema::V1,
                title: self.title.clone(),
                kind: PromiseKind::Guarantee,
                statement: statement.to_owned(),
                slack: LeastSlack { people: slack.people(), share: slack.share() },
                classes,
            })
        })
    }
}
