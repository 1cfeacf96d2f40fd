//! The client: one row, one randomised report.

use rand_core::CryptoRng;

use crate::bits::{write, write_bit};
use crate::coins::Coins;
use crate::error::RowError;
use crate::feature::{Protocol, SEED_BITS};
use crate::hash::bucket;
use crate::memoized::MemoizedResponse;
use crate::noise::BitNoise;
use crate::report::{Field, Layout};
use crate::schema::Schema;

/// What runs where the answers are: it sees a row and lets a report out.
#[derive(Clone, Debug)]
pub struct Client {
    schema: Schema,
    digest: [u8; 32],
    layout: Layout,
    has_constant_shape: bool,
}

impl Client {
    /// The client of a schema.
    #[must_use]
    pub fn new(schema: Schema) -> Self {
        Self { layout: Layout::of(&schema), digest: schema.digest(), schema, has_constant_shape: false }
    }

    /// The same client, whose work does not depend on the answer or on whether it is kept: both
    /// what is kept and what is shown in its place are drawn, and one is chosen without a branch.
    /// The law of the reports is the same; they are made of other draws. A report costs up to
    /// eight random bytes a coin.
    ///
    /// # Proxy
    /// Against an observer of durations, it rests on what the compiler and the processor make of
    /// code without branches. For all rows the same random words are taken, which is tested; that
    /// durations do not tell rows apart, nor kept from replaced answers, is measured by
    /// `examples/timing.rs`.
    #[must_use]
    pub fn in_constant_shape(self) -> Self {
        Self { has_constant_shape: true, ..self }
    }

    /// The schema.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Bytes of every report, whatever it says.
    #[must_use]
    pub fn report_bytes(&self) -> usize {
        self.layout.bytes()
    }

    /// Randomises a row: one value for each feature, as positions in its list.
    ///
    /// # Guarantee
    /// [`Schema::epsilon_per_report`]-local differential privacy against everyone who sees the
    /// report; exact, up to the generator. Each further report about the same row costs as much
    /// again: for many, see [`Client::memoize`]. How long it takes depends on the draws and is
    /// not hidden, unless the client [has a constant shape](Client::in_constant_shape).
    ///
    /// # Errors
    /// [`RowError`].
    pub fn randomise<R: CryptoRng + ?Sized>(&self, row: &[u32], rng: &mut R) -> Result<Vec<u8>, RowError> {
        let mut report = Vec::with_capacity(self.report_bytes());
        self.randomise_into(row, &mut report, rng)?;
        Ok(report)
    }

    /// Randomises a row, and appends its report to
    /// `reports`. Same guarantee as [`Client::randomise`].
    ///
    /// # Errors
    /// [`RowError`]; nothing is appended then.
    pub fn randomise_into<R: CryptoRng + ?Sized>(
        &self,
        row: &[u32],
        reports: &mut Vec<u8>,
        rng: &mut R,
    ) -> Result<(), RowError> {
        self.check(row)?;
        self.append(row, None, reports, &mut self.coins(&mut &mut *rng));
        Ok(())
    }

    /// Randomises many rows, one value after the other, row after row: the reports of all, one
    /// after the other. The same law as [`Client::randomise`] row by row, with less work for
    /// each.
    ///
    /// # Guarantee
    /// As [`Client::randomise`], for each row by itself.
    ///
    /// # Errors
    /// [`RowError`] of the first row that is off, or when the last is not complete; no report is
    /// made then.
    pub fn randomise_rows<R: CryptoRng + ?Sized>(&self, rows: &[u32], rng: &mut R) -> Result<Vec<u8>, RowError> {
        let features = self.schema.features().len();
        rows.chunks(features).try_for_each(|row| self.check(row))?;
        let mut reports = Vec::with_capacity(rows.len() / features * self.report_bytes());
        let rng = &mut &mut *rng;
        let mut coins = self.coins(rng);
        rows.chunks_exact(features).for_each(|row| self.append(row, None, &mut reports, &mut coins));
        Ok(reports)
    }

    /// Draws the permanent stage of every RAPPOR feature, once and for all reports about this
    /// row.
    ///
    /// # Errors
    /// [`RowError`].
    pub fn memoize<R: CryptoRng + ?Sized>(&self, row: &[u32], rng: &mut R) -> Result<MemoizedResponse, RowError> {
        self.check(row)?;
        let rng = &mut &mut *rng;
        let mut coins = self.coins(rng);
        let mut permanent_of = |(field, &value): (&Field, &u32)| match field.protocol {
            Protocol::Rappor { permanent, .. } => block(field, value, permanent, &mut coins).collect(),
            _ => Vec::new(),
        };
        let permanent = self.layout.fields().iter().zip(row).map(&mut permanent_of).collect();
        Ok(MemoizedResponse { digest: self.digest, row: row.to_vec(), permanent })
    }

    /// A report about a memoized row.
    ///
    /// # Guarantee
    /// For a RAPPOR feature, all reports from one [`MemoizedResponse`] together are
    /// [`epsilon_forever`](crate::Feature::epsilon_forever)-locally differentially private; every
    /// other feature costs its epsilon each time.
    ///
    /// # Errors
    /// [`RowError::OtherSchema`].
    pub fn report<R: CryptoRng + ?Sized>(&self, memoized: &MemoizedResponse, rng: &mut R) -> Result<Vec<u8>, RowError> {
        if !memoized.is_of(self) {
            return Err(RowError::OtherSchema);
        }
        let mut report = Vec::with_capacity(self.report_bytes());
        self.append(&memoized.row, Some(&memoized.permanent), &mut report, &mut self.coins(&mut &mut *rng));
        Ok(report)
    }

    /// Digest of the schema.
    #[must_use]
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// Draws the permanent bits of one RAPPOR feature for an answer; none for another protocol.
    pub(crate) fn draw_permanent(&self, feature: usize, value: u32, rng: &mut dyn CryptoRng) -> Vec<bool> {
        let field = &self.layout.fields()[feature];
        match field.protocol {
            Protocol::Rappor { permanent, .. } => block(field, value, permanent, &mut self.coins(rng)).collect(),
            _ => Vec::new(),
        }
    }

    /// Appends the report of a row that was checked, from permanent bits of each RAPPOR feature.
    pub(crate) fn append_memoized(
        &self,
        row: &[u32],
        permanent: &[Vec<bool>],
        reports: &mut Vec<u8>,
        rng: &mut dyn CryptoRng,
    ) {
        self.append(row, Some(permanent), reports, &mut self.coins(rng));
    }

    /// Takes `&mut &mut *rng`: a reference is sized, and a generator need not be.
    fn coins<'a>(&self, rng: &'a mut dyn CryptoRng) -> Coins<'a> {
        Coins::new(rng).with_constant_shape(self.has_constant_shape)
    }

    pub(crate) fn fields(&self) -> &[Field] {
        self.layout.fields()
    }

    /// Whether a row has a value of each feature.
    pub(crate) fn check(&self, row: &[u32]) -> Result<(), RowError> {
        let fields = self.layout.fields();
        if row.len() != fields.len() {
            return Err(RowError::Length { expected: fields.len(), got: row.len() });
        }
        let off = fields.iter().zip(row).position(|(field, &value)| value >= field.values);
        off.map_or(Ok(()), |feature| Err(self.no_such_value(feature)))
    }

    fn no_such_value(&self, feature: usize) -> RowError {
        let attribute = self.schema.features()[feature].attribute();
        RowError::NoSuchValue { feature: attribute.name().to_owned(), values: attribute.cardinality() }
    }

    /// Appends the report of a row that was checked.
    fn append(&self, row: &[u32], permanent: Option<&[Vec<bool>]>, reports: &mut Vec<u8>, coins: &mut Coins<'_>) {
        let start = reports.len();
        reports.resize(start + self.report_bytes(), 0);
        let report = &mut reports[start..];
        if let Some((parities, width)) = self.layout.parities() {
            let (question, bit) = parities.answer(row, coins);
            write(report, 0, width, question as u64);
            write_bit(report, width, bit);
            return;
        }
        let fields = self.layout.fields();
        let covered = self.layout.coverage().map(|first| {
            let covered = coins.subset(self.schema.features_per_person(), fields.len());
            (0..fields.len()).filter(|&i| covered[i]).for_each(|i| write_bit(report, first + i, true));
            covered
        });
        let is_kept = self.schema.joint_keep().map(|keep| coins.flip(keep));
        for (position, (field, &value)) in fields.iter().zip(row).enumerate() {
            if covered.as_ref().is_none_or(|covered| covered[position]) {
                let value = is_kept.map_or(value, |is_kept| coins.kept_or_any(is_kept, value, field.values));
                let bits = permanent.map(|permanent| permanent[position].as_slice());
                answer(field, value, bits, report, coins);
            }
        }
    }
}

/// The noised bits of a one-hot block.
fn block(field: &Field, value: u32, noise: BitNoise, coins: &mut Coins<'_>) -> impl Iterator<Item = bool> {
    (0..field.values).map(move |v| coins.flip_either(v == value, noise.q(), noise.p()))
}

/// Writes the randomised answer about one feature into its field.
#[inline]
fn answer(field: &Field, value: u32, permanent: Option<&[bool]>, report: &mut [u8], coins: &mut Coins<'_>) {
    let (first, width) = (field.first_bit, field.bits);
    let mut write_bits = |bits: &mut dyn Iterator<Item = bool>| {
        bits.enumerate().for_each(|(i, bit)| write_bit(report, first + i, bit));
    };
    match field.protocol {
        Protocol::RandomisedResponse(noise) => {
            write_bit(report, first, coins.flip_either(value == 1, noise.q(), noise.p()));
        }
        Protocol::SubsetSelection { size, truth } => {
            let shown = coins.subset_with(value as usize, truth, size as usize, field.values as usize);
            write_bits(&mut shown.into_iter());
        }
        // The one coin of the report was flipped before: the value is as it is shown.
        Protocol::JointSymbol { .. } => write(report, first, width, value.into()),
        // A report is about a question, which `append` wrote.
        Protocol::Parity { .. } => {}
        Protocol::UnaryEncoding(noise) => write_bits(&mut block(field, value, noise, coins)),
        Protocol::GeneralisedResponse { truth } => {
            let shown = coins.truth_or_other(truth, value, field.values);
            write(report, first, width, shown.into());
        }
        Protocol::LocalHashing { buckets, truth } => {
            let seed = coins.word();
            let own = bucket(seed, value, buckets);
            let shown = coins.truth_or_other(truth, own, buckets);
            write(report, first, SEED_BITS as usize, seed);
            write(report, first + SEED_BITS as usize, width - SEED_BITS as usize, shown.into());
        }
        Protocol::Rappor { permanent: stage, instantaneous } => {
            let drawn: Vec<bool> = match permanent {
                Some(kept) => kept.to_vec(),
                None => block(field, value, stage, coins).collect(),
            };
            let noised = |bit| coins.flip_either(bit, instantaneous.q(), instantaneous.p());
            write_bits(&mut drawn.into_iter().map(noised));
        }
    }
}

#[cfg(test)]
mod tests;
