//! What runs where the answers are: the client of `ldp-pmdh`, and clients that get it wrong.

use disclosure::ldp::{Client, Feature, Protocol, Schema, SchemaError};

use super::flaw::Flaw;
use crate::prelude::*;
use crate::wire::{Wire, bucket, number, width, write};

/// Makes reports about rows.
#[derive(Clone, Debug)]
pub(super) enum Device {
    /// The client, a fresh report each time.
    Client(Client),
    /// The client, with the permanent stage of a row drawn once.
    Remembers(Client),
    /// A client for each feature, and their fields put together by hand.
    Assembled(Assembled),
}

/// Fields of clients of one feature each.
#[derive(Clone, Debug)]
pub(super) struct Assembled {
    parts: Vec<Part>,
    bytes: usize,
    has_same_coins: bool,
}

#[derive(Clone, Debug)]
struct Part {
    client: Client,
    width: usize,
    quirk: Quirk,
}

#[derive(Clone, Copy, Debug)]
enum Quirk {
    None,
    /// The other of two answers.
    Swapped,
    /// The client is a generalised response over these buckets of the hash under seed 0.
    FixedHash(u32),
}

impl Device {
    /// The device of a schema, with a flaw.
    pub(super) fn new(stated: &Schema, remembers: bool, flaw: Option<Flaw>) -> Result<Self, Error> {
        let schema = flaw.map_or_else(|| Ok(stated.clone()), |flaw| flaw.schema(stated))?;
        Ok(match flaw {
            Some(flaw @ (Flaw::SameCoins | Flaw::PAndQSwapped | Flaw::HashSeedFixed)) => {
                Self::Assembled(Assembled::new(&schema, flaw)?)
            }
            Some(Flaw::FreshPermanentStage) => Self::Client(Client::new(schema)),
            _ if remembers => Self::Remembers(Client::new(schema)),
            _ => Self::Client(Client::new(schema)),
        })
    }

    /// Some reports about a row, one after the other.
    pub(super) fn reports(&self, row: &[u32], count: usize, rng: &mut SimRng) -> Result<Vec<u8>, Error> {
        let mut coins = release_rng(rng);
        match self {
            Self::Client(client) => Ok(client.randomise_rows(&row.repeat(count), &mut coins)?),
            Self::Remembers(client) => {
                let memoized = client.memoize(row, &mut coins)?;
                let mut reports = Vec::with_capacity(count * client.report_bytes());
                for _ in 0..count {
                    reports.extend(client.report(&memoized, &mut coins)?);
                }
                Ok(reports)
            }
            Self::Assembled(parts) => parts.reports(&row.repeat(count), rng),
        }
    }

    /// A report about each of many rows, which stand one after the other.
    pub(super) fn reports_of(&self, rows: &[u32], rng: &mut SimRng) -> Result<Vec<u8>, Error> {
        match self {
            Self::Client(client) | Self::Remembers(client) => Ok(client.randomise_rows(rows, &mut release_rng(rng))?),
            Self::Assembled(parts) => parts.reports(rows, rng),
        }
    }
}

impl Assembled {
    fn new(schema: &Schema, flaw: Flaw) -> Result<Self, Error> {
        if schema.is_sampled() {
            let (features, got) = (schema.features().len(), schema.features_per_person());
            return Err(SchemaError::FeaturesPerPerson { features, got }.into());
        }
        let parts = schema.features().iter().enumerate().map(|(place, feature)| -> Result<Part, Error> {
            let (attribute, protocol) = (feature.attribute(), feature.protocol());
            let (feature, quirk) = match (flaw, protocol) {
                (Flaw::HashSeedFixed, Protocol::LocalHashing { buckets, truth }) => {
                    let symbols = disclosure::privacy_core::Attribute::codes("bucket", buckets as usize);
                    let symbols = symbols.map_err(|_| Error::BadClaim { name: "buckets" })?;
                    let feature = Feature::new(symbols, Protocol::GeneralisedResponse { truth })?;
                    (feature, Quirk::FixedHash(buckets))
                }
                (Flaw::PAndQSwapped, Protocol::RandomisedResponse(_)) if place == 0 => {
                    (feature.clone(), Quirk::Swapped)
                }
                _ => (feature.clone(), Quirk::None),
            };
            let width = width(protocol, attribute.cardinality());
            Ok(Part { client: Client::new(Schema::new(vec![feature])?), width, quirk })
        });
        let parts = parts.collect::<Result<_, _>>()?;
        Ok(Self { parts, bytes: Wire::of(schema).bytes(), has_same_coins: flaw == Flaw::SameCoins })
    }

    fn reports(&self, rows: &[u32], rng: &mut SimRng) -> Result<Vec<u8>, Error> {
        let mut reports = vec![0; rows.len() / self.parts.len() * self.bytes];
        let mut coins = release_rng(rng);
        for (row, report) in rows.chunks(self.parts.len()).zip(reports.chunks_mut(self.bytes)) {
            let (seeded, mut first) = (coins.clone(), 0);
            for (part, &value) in self.parts.iter().zip(row) {
                if self.has_same_coins {
                    coins = seeded.clone();
                }
                let field = part.client.randomise(&[part.quirk.shown(value)], &mut coins)?;
                part.copy(&field, report, first);
                first += part.width;
            }
        }
        Ok(reports)
    }
}

impl Part {
    /// Copies the field of a report of its client.
    fn copy(&self, field: &[u8], report: &mut [u8], first: usize) {
        let seed = if matches!(self.quirk, Quirk::FixedHash(_)) { 64 } else { 0 };
        for i in seed..self.width {
            write(report, first + i, 1, number(field, i - seed, 1));
        }
    }
}

impl Quirk {
    /// What the client receives in place of a value.
    fn shown(self, value: u32) -> u32 {
        match self {
            Self::None => value,
            Self::Swapped => 1 - value,
            Self::FixedHash(buckets) => bucket(0, value, buckets),
        }
    }
}
