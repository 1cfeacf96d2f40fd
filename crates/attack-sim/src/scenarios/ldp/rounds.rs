//! `rounds`: a person reports in many rounds from a stored permanent stage, and the attacker
//! averages.
//!
//! The average of a bit over rounds tends to one of two values, by the permanent bit behind it.
//! The attacker says "with" where the permanent bits are those that `with` makes likeliest in
//! every phase, or where they changed between phases.

use disclosure::ldp::{ChangedAnswer, Client, Protocol, ResponseMemory, Schema, StateError};

use super::schema::{SchemaSpec, check_row};
use crate::prelude::*;
use crate::wire::{Said, Wire};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    schema: SchemaSpec,
    /// The answers on either side, phase by phase.
    with: Vec<Vec<u32>>,
    without: Vec<Vec<u32>>,
    /// Rounds of each phase.
    rounds: usize,
    changed: Changed,
    reads: Reads,
}

/// What becomes of a changed answer.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Changed {
    Refuse,
    KeepFirst,
    DrawAgain,
}

impl From<Changed> for ChangedAnswer {
    fn from(changed: Changed) -> Self {
        match changed {
            Changed::Refuse => Self::Refuse,
            Changed::KeepFirst => Self::KeepFirst,
            Changed::DrawAgain => Self::DrawAgain,
        }
    }
}

/// What the attacker looks for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Reads {
    /// The permanent bits of the two answers.
    Bits,
    /// A permanent bit that changed.
    Changes,
}

/// A fault of who keeps the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Lapse {
    /// Every round starts without a memory, as a second run of a command that stores nothing.
    MemoryLost,
    /// A changed answer is drawn for, as in RAPPOR, where the first one was to be kept.
    ChangedAnswerDrawn,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let schema = spec.schema.build(blueprint)?;
    spec.with.iter().chain(&spec.without).try_for_each(|row| check_row(row, &schema, blueprint))?;
    let Some(Protocol::Rappor { instantaneous, .. }) = schema.features().first().map(|feature| feature.protocol())
    else {
        return Err(blueprint.refuse("the first feature is not RAPPOR"));
    };
    if spec.with.len() != spec.without.len() || spec.with.is_empty() || spec.rounds == 0 {
        return Err(blueprint.refuse("both sides have the same phases, of at least one round"));
    }
    let people = |lapse: Option<Lapse>, has_person: bool| {
        let with = if has_person { &spec.with } else { &spec.without }.clone();
        let client = Client::new(schema.clone());
        Rounds { client, with, without: spec.without.clone(), rounds: spec.rounds, changed: spec.changed.into(), lapse }
    };
    let least = instantaneous.p().to_f64().midpoint(instantaneous.q().to_f64());
    let averaging = Averaging {
        answers: spec.with.iter().zip(&spec.without).map(|(with, without)| (with[0], without[0])).collect(),
        rounds: spec.rounds,
        least,
        reads: spec.reads,
    };
    blueprint.privacy_loss(
        PrivacyLoss::Epsilon { epsilon: people(None, true).epsilon(&schema)?, delta: 0.0 },
        |lapse, has_person| Ok(people(lapse, has_person)),
        move |view, _| averaging.says_with(view),
    )
}

/// Reports of a person with one of two histories.
#[derive(Clone, Debug)]
struct Rounds {
    client: Client,
    with: Vec<Vec<u32>>,
    without: Vec<Vec<u32>>,
    rounds: usize,
    changed: ChangedAnswer,
    lapse: Option<Lapse>,
}

impl Rounds {
    /// The reports of a history, and what was stored last: in every round the memory is read from
    /// its bytes and written before the report is made.
    fn report(&self, history: &[Vec<u32>], rng: &mut SimRng) -> Result<(Vec<u8>, ResponseMemory), Error> {
        let changed = match self.lapse {
            Some(Lapse::ChangedAnswerDrawn) => ChangedAnswer::DrawAgain,
            _ => self.changed,
        };
        let (client, mut coins) = (&self.client, release_rng(rng));
        let (mut stored, mut reports) = (ResponseMemory::new(client).to_bytes(), Vec::new());
        for row in history.iter().flat_map(|row| std::iter::repeat_n(row, self.rounds)) {
            let mut memory = match self.lapse {
                Some(Lapse::MemoryLost) => ResponseMemory::new(client),
                _ => ResponseMemory::from_bytes(&stored, client).map_err(StateError::from)?,
            };
            memory.begin_round();
            memory.recall(client, "person", row, changed, &mut coins)?;
            stored = memory.to_bytes();
            memory.report(client, "person", row, changed, &mut reports, &mut coins)?;
        }
        Ok((reports, ResponseMemory::from_bytes(&stored, client).map_err(StateError::from)?))
    }

    /// What the memory says that all rounds cost.
    fn epsilon(&self, schema: &Schema) -> Result<f64, Error> {
        let (_, memory) = self.report(&self.with, &mut SimRng::for_trial(0, "epsilon", 0))?;
        Ok(memory.epsilon(schema))
    }
}

impl NeighbouringInputs for Rounds {
    type View = Vec<Said>;

    fn view(&self, side: Side, rng: &mut SimRng) -> Result<Vec<Said>, Error> {
        let history = match side {
            Side::With => &self.with,
            Side::Without => &self.without,
        };
        let (reports, _) = self.report(history, rng)?;
        let wire = Wire::of(self.client.schema());
        Ok(reports.chunks(wire.bytes()).map(|report| wire.read(report)).collect())
    }
}

/// Knows the schema, the histories and when they change.
#[derive(Clone, Debug)]
struct Averaging {
    /// The answers to the first feature, phase by phase.
    answers: Vec<(u32, u32)>,
    rounds: usize,
    /// The least average of a permanent 1.
    least: f64,
    reads: Reads,
}

impl Averaging {
    fn says_with(&self, view: &[Said]) -> bool {
        let mut phases = view.chunks(self.rounds);
        let points_to_with =
            |(phase, &(with, without)): (&[Said], &(u32, u32))| self.bit(phase, with) && !self.bit(phase, without);
        match self.reads {
            Reads::Bits => phases.zip(&self.answers).all(points_to_with),
            Reads::Changes => {
                let bits =
                    |phase: &[Said]| self.answers.iter().map(|&(with, _)| self.bit(phase, with)).collect::<Vec<_>>();
                let first = phases.next().map(bits);
                phases.any(|phase| Some(bits(phase)) != first)
            }
        }
    }

    /// The permanent bit of a value, as its average tells.
    fn bit(&self, phase: &[Said], value: u32) -> bool {
        let ones = phase.iter().filter(|said| said[0].is_some_and(|said| said >> value & 1 == 1)).count();
        ones as f64 >= self.least * phase.len() as f64
    }
}
