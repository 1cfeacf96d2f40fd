//! The count of some people, from honest and false reports, and how far it is from the truth.

use disclosure::ldp::estimate::Estimator;
use disclosure::ldp::{Aggregator, Client, StateDetail};

use crate::prelude::*;

/// Memory for the counts.
const MOST_BYTES: f64 = 1e8;

/// An estimate from honest and false reports, where all honest people answer alike.
#[derive(Clone, Debug)]
pub(super) struct Collected {
    pub(super) client: Client,
    /// Sets of columns: the people who are counted have one of them.
    pub(super) sets: Vec<Vec<usize>>,
    pub(super) honest: u32,
    /// What an honest person answers.
    pub(super) row: Vec<u32>,
    /// How many people are counted, the false ones among them where everybody is.
    pub(super) truth: f64,
    /// By how many people false reports are said to move the count.
    pub(super) stated: f64,
}

impl Collected {
    /// How far false reports move the estimate from the truth.
    fn moved(&self, honest: &[u8], false_reports: &[u8]) -> Result<f64, Error> {
        let bytes = self.client.report_bytes();
        let mut aggregator = Aggregator::new(self.client.schema().clone(), StateDetail::UpTo(2), MOST_BYTES)?;
        for report in honest.chunks(bytes).chain(false_reports.chunks(bytes)) {
            aggregator.push(report)?;
        }
        let state = aggregator.finish()?;
        let estimator = Estimator::new(self.client.schema(), &state);
        let mut count = 0.0;
        for set in &self.sets {
            count += estimator.estimate(set)?.count;
        }
        // Down where everybody is counted, up where nobody is.
        Ok(if self.truth > 0.0 { self.truth - count } else { count })
    }
}

/// Honest reports, and whether the false ones reach their collector.
pub(super) struct World {
    honest: Vec<u8>,
    is_reached: bool,
}

impl Audit for Collected {
    type World = World;
    type View = ();
    type Answer = Vec<u8>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let rows = self.row.repeat(self.honest as usize);
        let honest = self.client.randomise_rows(&rows, &mut release_rng(rng))?;
        Ok(World { honest, is_reached: true })
    }

    fn view(&self, _: &World, _: &mut SimRng) -> Result<(), Error> {
        Ok(())
    }

    /// The counts of another collector.
    fn outsiders(&self, world: &World, _: &mut SimRng) -> World {
        World { honest: world.honest.clone(), is_reached: false }
    }

    fn measure(&self, world: &World, answer: &Vec<u8>, measured: &mut [Option<f64>]) {
        let sent = if world.is_reached { answer.as_slice() } else { &[] };
        // A report that no client makes would be refused: then nothing is measured, and the run ends.
        measured[0] = Some(self.moved(&world.honest, sent).map_or(f64::NAN, |moved| moved / self.stated));
    }
}
