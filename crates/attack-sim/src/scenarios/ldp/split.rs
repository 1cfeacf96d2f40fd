//! `any-split`: reports are divided between collectors, whose counts travel as files and are
//! merged in a random order. The attacker has the merged counts and looks for a trace of the
//! division: any byte that is not as if one collector had counted all.

use disclosure::ldp::{Aggregator, Client, Schema, StateDetail, Tally};

use super::schema::{SchemaSpec, check_row};
use crate::prelude::*;

/// Memory for the counts of a collector.
const MOST_BYTES: f64 = 1e8;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    schema: SchemaSpec,
    /// Rows of the people, one report each.
    rows: Vec<Vec<u32>>,
    /// How often each row comes.
    times: usize,
    /// How many collectors there are.
    collectors: usize,
    /// What they keep: `"full"`, `"reports"`, or all sets up to an order.
    keep: Vec<Kept>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged, expecting = "\"full\", \"reports\" or an order")]
enum Kept {
    UpTo(usize),
    Named(Name),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Name {
    Full,
    Reports,
}

impl From<Kept> for StateDetail {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::UpTo(order) => Self::UpTo(order),
            Kept::Named(Name::Full) => Self::Full,
            Kept::Named(Name::Reports) => Self::Reports,
        }
    }
}

/// A fault of those who merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mishap {
    /// The first file is sent again, and merged twice.
    MergedTwice,
    /// The last report of the first collector is lost.
    ReportLost,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let spec: Spec = blueprint.spec()?;
    let schema = spec.schema.build(blueprint)?;
    for row in &spec.rows {
        check_row(row, &schema, blueprint)?;
    }
    if spec.collectors == 0 || spec.rows.is_empty() || spec.times == 0 {
        return Err(blueprint.refuse("there are neither reports nor collectors"));
    }
    blueprint.trials(
        Quantity::shares_of(0.0, &["counts that differ"])?,
        |mishap| {
            Ok(Split {
                client: Client::new(schema.clone()),
                rows: spec.rows.concat().repeat(spec.times),
                collectors: spec.collectors,
                keeps: spec.keep.iter().copied().map(StateDetail::from).collect(),
                mishap,
            })
        },
        |merged, _| merged.clone(),
        |_, _| Vec::new(),
    )
}

/// Reports, divided in a random way.
#[derive(Clone, Debug)]
struct Split {
    client: Client,
    rows: Vec<u32>,
    collectors: usize,
    keeps: Vec<StateDetail>,
    mishap: Option<Mishap>,
}

/// All reports, and what is kept of them.
struct World {
    reports: Vec<u8>,
    keep: StateDetail,
}

impl Split {
    fn schema(&self) -> &Schema {
        self.client.schema()
    }

    fn counted<'a>(&self, keep: StateDetail, reports: impl Iterator<Item = &'a [u8]>) -> Result<Tally, Error> {
        let mut aggregator = Aggregator::new(self.schema().clone(), keep, MOST_BYTES)?;
        for report in reports {
            aggregator.push(report)?;
        }
        Ok(aggregator.finish()?.tally().clone())
    }

    fn reports(&self, rng: &mut SimRng) -> Result<Vec<u8>, Error> {
        Ok(self.client.randomise_rows(&self.rows, &mut release_rng(rng))?)
    }
}

impl Audit for Split {
    type World = World;
    type View = Vec<u8>;
    type Answer = Vec<u8>;

    fn world(&self, rng: &mut SimRng) -> Result<World, Error> {
        let keep = self.keeps[rng.random_range(0..self.keeps.len())];
        Ok(World { reports: self.reports(rng)?, keep })
    }

    fn view(&self, world: &World, rng: &mut SimRng) -> Result<Vec<u8>, Error> {
        let mut parts: Vec<Vec<&[u8]>> = vec![Vec::new(); self.collectors];
        for report in world.reports.chunks(self.client.report_bytes()) {
            parts[rng.random_range(0..self.collectors)].push(report);
        }
        if self.mishap == Some(Mishap::ReportLost) {
            parts.iter_mut().find(|part| !part.is_empty()).map(Vec::pop);
        }
        let files = parts.into_iter().map(|part| Ok(self.counted(world.keep, part.into_iter())?.to_bytes()));
        let mut files = files.collect::<Result<Vec<_>, Error>>()?;
        if self.mishap == Some(Mishap::MergedTwice) {
            files.push(files[0].clone());
        }
        let mut merged = Tally::from_bytes(&files.swap_remove(rng.random_range(0..files.len())))?;
        while !files.is_empty() {
            let next = rng.random_range(0..files.len());
            merged.merge(&Tally::from_bytes(&files.swap_remove(next))?)?;
        }
        Ok(merged.to_bytes())
    }

    /// Other reports of the same people: the trace of a division would be there all the same.
    fn outsiders(&self, world: &World, rng: &mut SimRng) -> World {
        // Rows were checked when the scenario was built; without reports everything would differ.
        let reports = self.reports(rng).unwrap_or_default();
        World { reports, keep: world.keep }
    }

    fn measure(&self, world: &World, answer: &Vec<u8>, measured: &mut [Option<f64>]) {
        let at_once = self.counted(world.keep, world.reports.chunks(self.client.report_bytes()));
        let is_same = at_once.is_ok_and(|tally| tally.to_bytes() == *answer);
        measured[0] = Some(f64::from(!is_same));
    }
}
