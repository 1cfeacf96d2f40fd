//! The text of a ledger: a chain of lines of which none can change unnoticed.
//!
//! JSON Lines. Line 1 opens the ledger, every other line is a charge. A line is
//! `{"entry":...,"hash":"..."}` where the hash is the SHA-256 of the hash before (empty for
//! line 1) and the text of the entry. A chain cannot show that its last lines were cut off;
//! the hash of the line that a release was charged to is in its `release.json`. Line 1 has random
//! digits, so that nobody who sees that hash finds out what was charged by trying.

use disclosure::privacy_core::accounting::DominatingPair;
use disclosure::privacy_core::param::{Delta, Rho};
use disclosure::privacy_core::round::{add_up, sub_down};
use rand_core::CryptoRng;
use serde::{Deserialize, Serialize};

use super::{ChargeRequest, ChargeSubject, LedgerError, LedgerTerms};
use crate::budget::EpsilonAtDelta;
use crate::digest::{is_sha256, sha256};

/// A release that was charged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charge {
    /// Rho of zCDP, rounded up.
    pub rho: f64,
    /// What dominates the release. Absent where no such pair is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dominated_by: Option<DominatingPair>,
    /// SHA-256 of the spec that was carried out.
    pub spec_sha256: String,
    /// What the job was; absent in lines of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<ChargeSubject>,
    /// Seconds since 1970.
    pub time: u64,
}

/// A line of a ledger.
#[derive(Serialize)]
struct Line<'a> {
    /// What is recorded.
    entry: &'a Entry,
    /// SHA-256 of the hash of the line before (nothing for the first line) and the text of the
    /// entry, in hexadecimal digits.
    hash: &'a str,
}

/// An entry of the chain.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Entry {
    /// The first line.
    Open {
        /// The format of the file.
        schema: FileSchema,
        /// The whole budget, in rho of zCDP.
        budget_rho: f64,
        /// What every charge protects.
        promise: LedgerTerms,
        /// 32 random hexadecimal digits: hashes of later lines are published, and without them
        /// anybody could try which lines have such a hash. Absent from older ledgers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        salt: Option<String>,
    },
    /// Every other line: a release that was charged.
    Spend(Charge),
}

/// The format of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum FileSchema {
    #[serde(rename = "disclosure.ledger/1")]
    V1,
}

/// The random digits of a first line.
#[derive(Clone)]
pub(super) struct Salt(String);

impl Salt {
    pub(super) fn draw(rng: &mut dyn CryptoRng) -> Self {
        Self(format!("{:016x}{:016x}", rng.next_u64(), rng.next_u64()))
    }
}

/// Digits that are to stay private stay out of logs.
impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Salt").finish_non_exhaustive()
    }
}

/// A ledger whose every line was checked.
#[derive(Clone, Debug)]
pub struct Chain {
    text: String,
    hash: String,
    budget: f64,
    terms: LedgerTerms,
    charges: Vec<Charge>,
}

/// A ledger as programs read it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerDocument {
    /// The whole budget, in rho of zCDP.
    pub budget_rho: f64,
    /// What the whole budget means in epsilon, rounded up: also where jobs are chosen with
    /// knowledge of earlier releases, and what they cost as well.
    #[serde(default)]
    pub budget_epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// What is spent means this in epsilon, rounded up, for costs that were not chosen with
    /// knowledge of earlier releases.
    #[serde(default)]
    pub epsilon_at_delta: Vec<EpsilonAtDelta>,
    /// Hash of the last line.
    pub hash: String,
    /// What is left, rounded down.
    pub left_rho: f64,
    /// What every charge protects.
    pub promise: LedgerTerms,
    /// Every charge, in order.
    pub releases: Vec<Charge>,
    /// The format of this document.
    pub schema: LedgerSchema,
    /// What is spent, rounded up.
    pub spent_rho: f64,
}

/// The format of [`LedgerDocument`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum LedgerSchema {
    /// The first version.
    #[serde(rename = "disclosure.ledger-state/1")]
    V1,
}

impl Chain {
    /// A new chain of one line.
    ///
    /// # Errors
    /// [`LedgerError::Budget`] unless the budget is finite and above 0.
    pub fn open(budget: f64, terms: LedgerTerms, rng: &mut dyn CryptoRng) -> Result<Self, LedgerError> {
        Self::salted(budget, terms, &Salt::draw(rng))
    }

    pub(super) fn salted(budget: f64, terms: LedgerTerms, salt: &Salt) -> Result<Self, LedgerError> {
        let budget = Rho::new(budget)?.get();
        let salt = Some(salt.0.clone());
        let entry = Entry::Open { schema: FileSchema::V1, budget_rho: budget, promise: terms, salt };
        let (text, hash) = line_of(&entry, "");
        Ok(Self { text, hash, budget, terms, charges: Vec::new() })
    }

    /// Checks every line of a text; `name` is what messages call the ledger.
    ///
    /// # Errors
    /// [`LedgerError::Tampered`] with the first line that is wrong.
    pub fn parse(text: String, name: &str) -> Result<Self, LedgerError> {
        let tampered = |line| LedgerError::Tampered { ledger: name.to_owned(), line };
        let (mut chain, mut spent): (Option<Self>, f64) = (None, 0.0);
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let before = chain.as_ref().map_or("", |chain| &chain.hash);
            let (entry, hash) = checked(line, before).ok_or_else(|| tampered(number))?;
            match (&mut chain, entry) {
                (None, Entry::Open { budget_rho: budget, promise: terms, .. }) if Rho::new(budget).is_ok() => {
                    chain = Some(Self { text: String::new(), hash, budget, terms, charges: Vec::new() });
                }
                // No release is charged beyond the budget, so no line is either.
                (Some(chain), Entry::Spend(charge))
                    if charge.is_plausible() && add_up(spent, charge.rho) <= chain.budget =>
                {
                    spent = add_up(spent, charge.rho);
                    chain.charges.push(charge);
                    chain.hash = hash;
                }
                _ => return Err(tampered(number)),
            }
        }
        let chain = chain.ok_or_else(|| tampered(1))?;
        Ok(Self { text, ..chain })
    }

    /// The text, which [`parse`](Self::parse) reads back.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Hash of the last line.
    #[must_use]
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The whole budget, in rho of zCDP.
    #[must_use]
    pub fn budget(&self) -> f64 {
        self.budget
    }

    /// What every charge protects.
    #[must_use]
    pub fn terms(&self) -> LedgerTerms {
        self.terms
    }

    /// Every charge, in order.
    #[must_use]
    pub fn charges(&self) -> &[Charge] {
        &self.charges
    }

    /// What is spent, rounded up.
    #[must_use]
    pub fn spent(&self) -> f64 {
        self.charges.iter().fold(0.0, |sum, charge| add_up(sum, charge.rho))
    }

    /// What is left, rounded down.
    #[must_use]
    pub fn left(&self) -> f64 {
        let left = sub_down(self.budget, self.spent());
        // Rounded down, nothing at all has a sign.
        if left > 0.0 { left } else { 0.0 }
    }

    /// What dominates all releases together; `None` where that of one is not known. Of no release:
    /// the pair that tells nothing.
    #[must_use]
    pub fn dominated_by(&self) -> Option<DominatingPair> {
        self.charges.iter().try_fold(DominatingPair::default(), |all, charge| {
            charge.dominated_by.as_ref().map(|pair| all.compose(pair))
        })
    }

    /// What is spent means this in epsilon at each of some deltas, rounded up: the smaller of the
    /// zCDP bound and of what all releases are dominated by. Nothing before the first release.
    ///
    /// For releases whose costs were not chosen with knowledge of earlier ones. What is asked may
    /// be.
    #[must_use]
    pub fn epsilons(&self, deltas: &[Delta]) -> Vec<EpsilonAtDelta> {
        let (rho, pair) = (Rho::new(self.spent()).ok(), self.dominated_by());
        let some = !self.charges.is_empty();
        deltas.iter().filter(|_| some).filter_map(|&d| EpsilonAtDelta::new(rho, pair.as_ref(), d)).collect()
    }

    /// What the whole budget means in epsilon at each of some deltas, rounded up, by zCDP:
    /// whatever the releases that it admits have learnt from each other.
    #[must_use]
    pub fn budget_epsilons(&self, deltas: &[Delta]) -> Vec<EpsilonAtDelta> {
        let rho = Rho::new(self.budget).ok();
        deltas.iter().filter_map(|&delta| EpsilonAtDelta::new(rho, None, delta)).collect()
    }

    /// The ledger as programs read it.
    #[must_use]
    pub fn document(&self) -> LedgerDocument {
        LedgerDocument {
            budget_rho: self.budget,
            budget_epsilon_at_delta: self.budget_epsilons(&customary_deltas()),
            epsilon_at_delta: self.epsilons(&customary_deltas()),
            hash: self.hash.clone(),
            left_rho: self.left(),
            promise: self.terms,
            releases: self.charges.clone(),
            schema: LedgerSchema::V1,
            spent_rho: self.spent(),
        }
    }

    /// Whether a request is covered by what is left.
    ///
    /// # Errors
    /// [`LedgerError::OtherTerms`], [`LedgerError::Exhausted`].
    pub fn check(&self, request: &ChargeRequest<'_>) -> Result<(), LedgerError> {
        let &ChargeRequest { rho, terms, .. } = request;
        if terms != self.terms {
            return Err(LedgerError::OtherTerms { ledger: self.terms.describe(), release: terms.describe() });
        }
        // Written so that a NaN is refused; a cost below 0 would give budget back.
        if rho >= 0.0 && add_up(self.spent(), rho) <= self.budget {
            Ok(())
        } else {
            Err(LedgerError::Exhausted { asked: rho, left: self.left(), budget: self.budget })
        }
    }

    /// Adds a charge at a time in seconds since 1970.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn charge(&mut self, request: &ChargeRequest<'_>, time: u64) -> Result<(), LedgerError> {
        self.check(request)?;
        let ChargeRequest { rho, dominated_by, spec_sha256, subject, .. } = request.clone();
        let spec_sha256 = spec_sha256.to_owned();
        let charge = Charge { rho, dominated_by, spec_sha256, subject: Some(subject), time };
        let (line, hash) = line_of(&Entry::Spend(charge.clone()), &self.hash);
        self.text += &line;
        self.hash = hash;
        self.charges.push(charge);
        Ok(())
    }
}

impl Charge {
    /// Whether a release can have written it, under a budget that is large enough.
    fn is_plausible(&self) -> bool {
        self.rho >= 0.0 && is_sha256(&self.spec_sha256)
    }
}

/// The deltas at which a ledger is stated in epsilon when nobody names one.
const CUSTOMARY: [f64; 2] = [1e-6, 1e-9];

/// The same, checked.
fn customary_deltas() -> Vec<Delta> {
    CUSTOMARY.into_iter().filter_map(|delta| Delta::new(delta).ok()).collect()
}

const HEAD: &str = "{\"entry\":";
const MIDDLE: &str = ",\"hash\":\"";
const TAIL: &str = "\"}\n";

/// A line and its hash.
pub(super) fn line_of(entry: &Entry, before: &str) -> (String, String) {
    let finite = "an entry has string keys and finite numbers";
    let hash = sha256(format!("{before}{}", serde_json::to_string(entry).expect(finite)).as_bytes());
    let line = serde_json::to_string(&Line { entry, hash: &hash }).expect(finite);
    (line + "\n", hash)
}

/// The entry and the hash of a line, unless a byte of it differs from what was written.
fn checked(line: &str, before: &str) -> Option<(Entry, String)> {
    let rest = line.strip_prefix(HEAD)?.strip_suffix(TAIL)?;
    let (entry, hash) = rest.split_at_checked(rest.len().checked_sub(64)?)?;
    let entry = entry.strip_suffix(MIDDLE)?;
    if sha256(format!("{before}{entry}").as_bytes()) != hash {
        return None;
    }
    Some((serde_json::from_str(entry).ok()?, hash.to_owned()))
}
