//! Made-up reports: the laws of the protocols without their guarantees.
//!
//! Support bits are drawn as the collector would see them. Local hashing is drawn with an ideal
//! hash, which in law is unary encoding with `p = 1 / buckets` (1.7). Nothing here may leave as a
//! report: a [`SimRng`](privacy_core::rng::SimRng) will do.

use rand_core::Rng;

use ldp_client::{Parities, Protocol, Schema};

/// Draws the support bits of reports, one row after the other.
#[derive(Clone, Debug)]
pub struct Simulator<'a> {
    schema: &'a Schema,
    support: Vec<bool>,
    /// Features in a random order: the first ones are reported.
    order: Vec<usize>,
}

impl<'a> Simulator<'a> {
    /// A simulator of reports under this schema.
    #[must_use]
    pub fn new(schema: &'a Schema) -> Self {
        let coverage = if schema.is_sampled() { schema.features().len() } else { 0 };
        let stored = schema.parities().map_or(schema.columns().len() + coverage, |parities| 2 * parities.questions());
        let support = vec![false; stored];
        Self { schema, support, order: (0..schema.features().len()).collect() }
    }

    /// The support bits of a report about `row` (a position among the values of each feature), as
    /// [`Aggregator::push_support`](crate::Aggregator::push_support) takes them.
    ///
    /// # Panics
    /// If the row does not have a value for each feature.
    pub fn report<R: Rng + ?Sized>(&mut self, row: &[u32], rng: &mut R) -> &[bool] {
        self.draw(row, &mut &mut *rng)
    }

    // Not generic: compiled once, here, whatever a simulation draws from.
    fn draw(&mut self, row: &[u32], rng: &mut dyn Rng) -> &[bool] {
        assert_eq!(row.len(), self.schema.features().len(), "a value for each feature");
        self.support.fill(false);
        if let Some(parities) = self.schema.parities() {
            self.ask(parities, row, rng);
            return &self.support;
        }
        // Drawn before any answer is looked at, so coverage says nothing about answers.
        let reported = self.draw_features(rng);
        // One draw decides for all features that are answered together.
        let is_kept = self.schema.joint_keep().is_none_or(|keep| uniform(rng) < keep.to_f64());
        for position in 0..reported {
            let feature = self.order[position];
            if self.schema.is_sampled() {
                self.support[self.schema.columns().len() + feature] = true;
            }
            let value = row[feature] as usize;
            match self.schema.joint_keep() {
                Some(_) => self.show(feature, if is_kept { value } else { self.any_value(feature, rng) }),
                None => self.answer(feature, value, rng),
            }
        }
        &self.support
    }

    /// One question of a parity schema, and its answer.
    fn ask(&mut self, parities: Parities, row: &[u32], rng: &mut dyn Rng) {
        let features = row.len() as f64;
        let is_alone = uniform(rng) < parities.alone().to_f64();
        let one = below(features, rng);
        let (set, truth) = if is_alone {
            (vec![one], row[one])
        } else {
            let other = below(features - 1.0, rng);
            let other = other + usize::from(other >= one);
            (vec![one.min(other), one.max(other)], row[one] ^ row[other])
        };
        let question = parities.question(&set).expect("one or two features of the schema are a question");
        let channel = parities.channel();
        self.support[parities.questions() + question] = true;
        self.support[question] = uniform(rng) < if truth == 1 { channel.q() } else { channel.p() };
    }

    /// Brings the features that are reported to the front; how many they are.
    fn draw_features(&mut self, rng: &mut dyn Rng) -> usize {
        let (reported, features) = (self.schema.features_per_person(), self.order.len());
        // The first steps of a Fisher-Yates shuffle are enough: every subset is as likely.
        if self.schema.is_sampled() {
            for position in 0..reported {
                let left = (features - position) as f64;
                let other = position + (uniform(rng) * left) as usize;
                self.order.swap(position, other.min(features - 1));
            }
        }
        reported
    }

    /// Supports this number of the columns of a feature, without one value, every set of them
    /// alike.
    fn support_others(&mut self, columns: std::ops::Range<usize>, but: usize, count: usize, rng: &mut dyn Rng) {
        // Each in turn with the chance that it is among those that are still to be drawn.
        let (mut wanted, mut left) = (count, columns.len() - 1);
        for column in columns.clone().filter(|column| column - columns.start != but) {
            let is_drawn = uniform(rng) * (left as f64) < wanted as f64;
            self.support[column] = is_drawn;
            (wanted, left) = (wanted - usize::from(is_drawn), left - 1);
        }
    }

    /// A value of a feature, all alike.
    fn any_value(&self, feature: usize, rng: &mut dyn Rng) -> usize {
        let values = self.schema.features()[feature].attribute().cardinality();
        ((uniform(rng) * values as f64) as usize).min(values - 1)
    }

    /// Supports a value, if it has a column.
    fn show(&mut self, feature: usize, value: usize) {
        if let Some(column) = self.schema.column_of(feature, value) {
            self.support[column] = true;
        }
    }

    fn answer(&mut self, feature: usize, value: usize, rng: &mut dyn Rng) {
        let columns = self.schema.columns_of(feature);
        if let Protocol::GeneralisedResponse { .. } = self.schema.features()[feature].protocol() {
            let q = self.schema.columns()[columns.start].channel.q();
            // One of the other values, all alike: those above the true one move up by one.
            let others = columns.len() - 1;
            let other = ((uniform(rng) * others as f64) as usize).min(others - 1);
            let shown = if uniform(rng) < q { value } else { other + usize::from(other >= value) };
            self.support[columns.start + shown] = true;
            return;
        }
        if let Protocol::SubsetSelection { size, truth } = self.schema.features()[feature].protocol() {
            let has_truth = uniform(rng) < truth.to_f64();
            self.support[columns.start + value] = has_truth;
            let left = size as usize - usize::from(has_truth);
            return self.support_others(columns, value, left, rng);
        }
        // Given the truth the bits of all other protocols are independent.
        for column in columns {
            let ldp_client::SupportColumn { value: own, channel, .. } = self.schema.columns()[column];
            let one = if own == value { channel.q() } else { channel.p() };
            self.support[column] = uniform(rng) < one;
        }
    }
}

/// Uniform in `0 .. bound`, a whole number.
fn below(bound: f64, rng: &mut dyn Rng) -> usize {
    ((uniform(rng) * bound) as usize).min(bound as usize - 1)
}

/// Uniform in `0 .. 1`.
fn uniform(rng: &mut dyn Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 * 2.0_f64.powi(-53)
}
