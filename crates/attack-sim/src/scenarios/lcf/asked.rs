//! The filter as an attacker asks it, and the same with one mistake.
//!
//! `n` distinct entities, `s` the XOR of their keyed hashes. The promise goes through
//! `LowCountFilter`; a mistake is that filter made otherwise, or the three steps *how many, which
//! seed, which law* done here, one of them wrongly.

use disclosure::lcf::{
    ColumnRule, DrawMode, EntityColumn, EntitySet, GroupLimits, GroupName, GroupsPerEntity, Identifier, LabelledGroups,
    LabelledTable, LowCountFilter, TableOptions, ThresholdTable,
};
use disclosure::privacy_core::prf::{EntityHasher, Secret, StickyDraw};
use rand::Rng;

use super::law::{Law, LawFault};
use crate::prelude::*;

/// What is wrong with a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// [`LawFault::HardThreshold`] and so on.
    HardThreshold,
    OffByOne,
    MeanTwentiethHigh,
    SdFivePercentWide,
    TruncatedTail,
    StrictComparison,
    OlderProgram,
    NoUpperClamp,
    CapOneShort,
    WithoutRoot,
    /// Rows are counted, not people.
    RowsCounted,
    /// A row without an identifier counts as a person.
    MissingIsAPerson,
    /// A person spelled as a text is another one than the same number: pg_diffix's 4-byte and
    /// 8-byte integers.
    SpellingCounted,
    /// The seed is the XOR over rows: somebody with two rows cancels.
    RowsInTheSeed,
    /// The seed depends on the order of rows.
    OrderInTheSeed,
    /// The seed depends on labels and names of columns, as in publish mode: pg_diffix 355.
    LabelsInTheSeed,
    /// A new draw for every question.
    FreshNoise,
    /// One draw for all sets of people.
    SeedWithoutEntities,
    /// The secret is not used.
    KeyIgnored,
    /// The secret is one byte, 32 times.
    OneByteKey,
    /// The second question meets another secret.
    SecretRotated,
}

impl Fault {
    const fn of_law(self) -> Option<LawFault> {
        Some(match self {
            Self::HardThreshold => LawFault::HardThreshold,
            Self::OffByOne => LawFault::OffByOne,
            Self::MeanTwentiethHigh => LawFault::MeanTwentiethHigh,
            Self::SdFivePercentWide => LawFault::SdFivePercentWide,
            Self::TruncatedTail => LawFault::TruncatedTail,
            Self::StrictComparison => LawFault::StrictComparison,
            Self::OlderProgram => LawFault::OlderProgram,
            Self::NoUpperClamp => LawFault::NoUpperClamp,
            Self::CapOneShort => LawFault::CapOneShort,
            Self::WithoutRoot => LawFault::WithoutRoot,
            _ => return None,
        })
    }
}

/// Whom a row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Person {
    pub(crate) number: i64,
    /// Written as a text here.
    pub(crate) is_spelled: bool,
}

impl Person {
    pub(crate) const fn new(number: i64) -> Self {
        Self { number, is_spelled: false }
    }
}

/// A row of a group; nobody's where the identifier is missing.
pub(crate) type Row = Option<Person>;

/// A group as a query words it: what its columns and labels are called, the rows in some order,
/// and whether they come in parts.
#[derive(Clone, Debug)]
pub(crate) struct Wording {
    pub(crate) columns: Vec<String>,
    pub(crate) labels: Vec<String>,
    pub(crate) rows: Vec<Row>,
    pub(crate) second_part: usize,
}

/// A filter that can be asked about groups.
pub(crate) struct Asked {
    filter: LowCountFilter,
    wrong: Option<Wrong>,
}

struct Wrong {
    fault: Fault,
    draws: StickyDraw,
    chances: Vec<f64>,
    rotated: LowCountFilter,
}

/// The secret of a scenario: 32 bytes of its seed.
pub(crate) fn secret(blueprint: &Blueprint<'_>, name: &str) -> Result<Secret, Error> {
    let mut bytes = [0; 32];
    SimRng::for_trial(blueprint.entry.seed, name, 0).fill_bytes(&mut bytes);
    Secret::new(&bytes).map_err(|error| blueprint.refuse(error))
}

/// A secret of one byte, 32 times.
pub(super) fn weak_secret(blueprint: &Blueprint<'_>, byte: u8) -> Result<Secret, Error> {
    Secret::new(&[byte; 32]).map_err(|error| blueprint.refuse(error))
}

/// A filter over one column of people.
pub(crate) fn filter_of(cutoffs: &ThresholdTable, mode: DrawMode, secret: &Secret) -> Result<LowCountFilter, Error> {
    let column = EntityColumn { kind: "user".to_owned(), thresholds: cutoffs.clone() };
    if mode == DrawMode::Publish {
        // Everybody is in one group of these tables.
        return Ok(LowCountFilter::publishing(column, GroupsPerEntity::OneRow, secret)?);
    }
    Ok(LowCountFilter::new(vec![column], ColumnRule::WorkingColumn, mode, secret)?)
}

impl Asked {
    /// The filter of a law, or one with a fault.
    pub(crate) fn new(law: Law, fault: Option<Fault>, blueprint: &Blueprint<'_>) -> Result<Self, Error> {
        Self::under(0, law, fault, blueprint)
    }

    /// The same under one of several secrets.
    pub(crate) fn under(number: u32, law: Law, fault: Option<Fault>, blueprint: &Blueprint<'_>) -> Result<Self, Error> {
        let cutoffs = law.cutoffs(blueprint)?;
        let secret = match fault {
            Some(Fault::KeyIgnored) => weak_secret(blueprint, 0)?,
            Some(Fault::OneByteKey) => weak_secret(blueprint, blueprint.entry.seed.to_le_bytes()[0])?,
            _ => secret(blueprint, &format!("secret {number}"))?,
        };
        let mode = if fault == Some(Fault::LabelsInTheSeed) { DrawMode::Publish } else { DrawMode::Query };
        let filter = filter_of(&cutoffs, mode, &secret)?;
        let Some(fault) = fault else { return Ok(Self { filter, wrong: None }) };
        let chances = match fault.of_law() {
            Some(fault) => fault.chances(law, blueprint)?,
            None => (0..cutoffs.cap()).map(|n| cutoffs.reporting_probability(n).reported).collect(),
        };
        let rotated = filter_of(&cutoffs, mode, &self::secret(blueprint, "next secret")?)?;
        Ok(Self { filter, wrong: Some(Wrong { fault, draws: secret.sticky_draw(), chances, rotated }) })
    }

    /// Whether a group of these rows is shown.
    pub(crate) fn is_shown(&self, rows: &[Row], rng: &mut SimRng) -> Result<bool, Error> {
        match &self.wrong {
            Some(wrong) if !wrong.is_in_the_filter() => Ok(wrong.is_shown(&self.filter, rows, rng)),
            _ => decided(&self.filter, rows),
        }
    }

    /// The same on another day.
    pub(crate) fn is_shown_later(&self, rows: &[Row], rng: &mut SimRng) -> Result<bool, Error> {
        match &self.wrong {
            Some(wrong) if wrong.fault == Fault::SecretRotated => decided(&wrong.rotated, rows),
            _ => self.is_shown(rows, rng),
        }
    }

    /// Whether the group is shown that a query words so: a whole table of one group.
    pub(crate) fn is_shown_as(&self, wording: &Wording, rng: &mut SimRng) -> Result<bool, Error> {
        match &self.wrong {
            Some(wrong) if !wrong.is_in_the_filter() => Ok(wrong.is_shown(&self.filter, &wording.rows, rng)),
            _ => {
                let table = wording.table(&self.filter)?;
                let options = TableOptions::of(self.filter.mode());
                let is_shown = self.filter.apply(table, options)?.reported().next().is_some();
                Ok(is_shown)
            }
        }
    }
}

pub(super) fn decided(filter: &LowCountFilter, rows: &[Row]) -> Result<bool, Error> {
    let mut set = EntitySet::new(filter.cap());
    rows.iter().flatten().for_each(|person| set.insert(hash(filter, *person)));
    // Publish mode has one name for all of these groups.
    Ok(filter.decide(&[set], Some(&GroupName::new([])))?.is_reported())
}

fn hash(filter: &LowCountFilter, person: Person) -> u64 {
    match person.is_spelled {
        true => Identifier::of_text(&person.number.to_string()).hash(hasher_of(filter)),
        false => Identifier::from(person.number).hash(hasher_of(filter)),
    }
}

/// What hashes the people of a filter over one column.
pub(crate) fn hasher_of(filter: &LowCountFilter) -> &EntityHasher {
    filter.hasher(0).expect("the filter has this column")
}

/// The XOR of some hashes: the seed of a set, of its distinct ones.
pub(crate) fn xor(hashes: &[u64]) -> u64 {
    hashes.iter().fold(0, |seed, hash| seed ^ hash)
}

impl Wrong {
    /// Made wrongly, asked rightly.
    const fn is_in_the_filter(&self) -> bool {
        matches!(self.fault, Fault::LabelsInTheSeed | Fault::KeyIgnored | Fault::OneByteKey | Fault::SecretRotated)
    }

    fn is_shown(&self, filter: &LowCountFilter, rows: &[Row], rng: &mut SimRng) -> bool {
        let people = rows.iter().flatten();
        let all: Vec<u64> = people
            .map(|person| match (self.fault, person.is_spelled) {
                (Fault::SpellingCounted, true) => hasher_of(filter).hash_str(&person.number.to_string()),
                _ => hash(filter, *person),
            })
            .collect();
        let mut distinct = all.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let count = match self.fault {
            Fault::RowsCounted => all.len(),
            Fault::MissingIsAPerson => distinct.len() + usize::from(rows.iter().any(Option::is_none)),
            _ => distinct.len(),
        };
        let seed = match self.fault {
            Fault::RowsInTheSeed => xor(&all),
            Fault::OrderInTheSeed => all.iter().fold(0, |seed: u64, hash| seed.rotate_left(1) ^ hash),
            Fault::SeedWithoutEntities => 0,
            _ => xor(&distinct),
        };
        let draw = if self.fault == Fault::FreshNoise { rng.random() } else { self.draws.draw(seed) };
        self.chances.get(count).is_none_or(|chance| (draw as f64) < chance * 2.0_f64.powi(64))
    }
}

impl Wording {
    fn table(&self, filter: &LowCountFilter) -> Result<LabelledTable, Error> {
        let (first, second) = self.rows.split_at(self.rows.len() - self.second_part);
        let mut groups = self.groups(first, filter)?;
        if !second.is_empty() {
            groups.merge(&self.groups(second, filter)?.into_table())?;
        }
        Ok(groups.into_table())
    }

    fn groups(&self, rows: &[Row], filter: &LowCountFilter) -> Result<LabelledGroups, Error> {
        let mut groups = LabelledGroups::new(self.columns.iter().map(String::as_str), filter, GroupLimits::default());
        for row in rows {
            let mut group = groups.row(self.labels.iter().map(String::as_str))?;
            row.iter().try_for_each(|person| group.insert_with(0, || hash(filter, *person)))?;
        }
        Ok(groups)
    }
}

/// A set of people whom nobody has seen before, `count` of them.
pub(crate) fn set_of_strangers(filter: &LowCountFilter, count: u64, rng: &mut SimRng) -> EntitySet {
    let mut set = EntitySet::new(filter.cap());
    (0..count).for_each(|_| set.insert(hasher_of(filter).hash_u64(rng.next_u64())));
    set
}

/// People whom nobody has seen before, `count` of them.
pub(crate) fn strangers(count: u64, rng: &mut SimRng) -> Vec<Row> {
    (0..count).map(|_| Some(Person::new(rng.random()))).collect()
}
