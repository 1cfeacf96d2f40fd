//! Reports as an eavesdropper reads them: bytes to supported values, from the format's
//! description alone (`docs/formats.md`).

use disclosure::ldp::{Protocol, Schema};
use siphasher::sip::SipHasher24;

/// What a report says of each feature: the set of values that it supports, bit `v` for value `v`;
/// `None` where it is not covered. Of parities the same of each question, features first, then
/// pairs: the set of yes, or of no.
pub(crate) type Said = Vec<Option<u64>>;

const SEED_BITS: usize = 64;

/// Where things are in a report.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    fields: Vec<Field>,
    coverage: Option<usize>,
    bits: usize,
    /// How many questions of parities there are.
    questions: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    protocol: Protocol,
    values: usize,
    first: usize,
}

/// How many bits the field of a feature has.
pub(crate) fn width(protocol: Protocol, values: usize) -> usize {
    match protocol {
        Protocol::RandomisedResponse(_) => 1,
        Protocol::GeneralisedResponse { .. } | Protocol::JointSymbol { .. } => bits_below(values),
        Protocol::LocalHashing { buckets, .. } => SEED_BITS + bits_below(buckets as usize),
        // A question and its answer are no field of a feature.
        Protocol::Parity { .. } => 0,
        _ => values,
    }
}

/// How many bits a number below `bound` has.
fn bits_below(bound: usize) -> usize {
    bound.next_power_of_two().trailing_zeros() as usize
}

/// The bucket of a value under a seed.
pub(crate) fn bucket(seed: u64, value: u32, buckets: u32) -> u32 {
    let hash = SipHasher24::new_with_keys(seed, 0).hash(&value.to_le_bytes());
    ((u128::from(hash) * u128::from(buckets)) >> 64) as u32
}

impl Wire {
    /// The reports of a schema whose features have at most 64 values.
    pub(crate) fn of(schema: &Schema) -> Self {
        let mut bits = 0;
        let mut fields = Vec::new();
        for feature in schema.features() {
            let (protocol, values) = (feature.protocol(), feature.attribute().cardinality());
            fields.push(Field { protocol, values, first: bits });
            bits += width(protocol, values);
        }
        let is_parity = matches!(schema.features()[0].protocol(), Protocol::Parity { .. });
        if is_parity {
            let questions = fields.len() * (fields.len() + 1) / 2;
            return Self { bits: bits_below(questions) + 1, fields, coverage: None, questions: Some(questions) };
        }
        let coverage = schema.is_sampled().then_some(bits);
        let covering = if coverage.is_some() { fields.len() } else { 0 };
        Self { bits: bits + covering, fields, coverage, questions: None }
    }

    /// What a report says.
    pub(crate) fn read(&self, report: &[u8]) -> Said {
        if let Some(questions) = self.questions {
            let width = self.bits - 1;
            let (about, answer) = (number(report, 0, width), number(report, width, 1));
            return (0..questions).map(|question| (question as u64 == about).then_some(1 << answer)).collect();
        }
        let said = self.fields.iter().enumerate().map(|(place, field)| {
            let is_covered = self.coverage.is_none_or(|first| number(report, first + place, 1) == 1);
            is_covered.then(|| field.supported(report))
        });
        said.collect()
    }

    /// Bytes of a report.
    pub(crate) fn bytes(&self) -> usize {
        self.bits.div_ceil(8)
    }
}

impl Field {
    fn supported(&self, report: &[u8]) -> u64 {
        match self.protocol {
            Protocol::RandomisedResponse(_) => number(report, self.first, 1) << 1,
            Protocol::JointSymbol { .. } if self.values == 2 => number(report, self.first, 1) << 1,
            Protocol::GeneralisedResponse { .. } | Protocol::JointSymbol { .. } => {
                1 << number(report, self.first, width(self.protocol, self.values))
            }
            Protocol::LocalHashing { buckets, .. } => {
                let seed = number(report, self.first, SEED_BITS);
                let after = self.first + SEED_BITS;
                let shown = number(report, after, width(self.protocol, self.values) - SEED_BITS) as u32;
                (0..self.values as u32)
                    .filter(|&value| bucket(seed, value, buckets) == shown)
                    .fold(0, |set, value| set | 1 << value)
            }
            _ => number(report, self.first, self.values),
        }
    }
}

/// `width` bits from bit `first`, at most 64.
pub(crate) fn number(bytes: &[u8], first: usize, width: usize) -> u64 {
    (0..width).fold(0, |number, i| {
        let at = first + i;
        number | u64::from(bytes[at / 8] >> (at % 8) & 1) << i
    })
}

/// Writes `width` bits of `number` from bit `first` of bytes that are zero there.
pub(crate) fn write(bytes: &mut [u8], first: usize, width: usize, number: u64) {
    for i in 0..width {
        let at = first + i;
        bytes[at / 8] |= ((number >> i & 1) as u8) << (at % 8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use disclosure::ldp::{Aggregator, BitNoise, Client, Feature, StateDetail};
    use disclosure::privacy_core::Attribute;
    use disclosure::privacy_core::param::Epsilon;
    use disclosure::privacy_core::rng::SimRng;

    use crate::audit::release_rng;

    fn schema_of(protocols: impl IntoIterator<Item = (usize, Protocol)>) -> Schema {
        let feature = |(place, (values, protocol)): (usize, (usize, Protocol))| {
            Feature::new(Attribute::codes(place.to_string(), values).unwrap(), protocol).unwrap()
        };
        Schema::new(protocols.into_iter().enumerate().map(feature).collect()).unwrap()
    }

    fn schema() -> Schema {
        let epsilon = Epsilon::new(1.0).unwrap();
        let noise = BitNoise::symmetric(epsilon).unwrap();
        schema_of([
            (2, Protocol::RandomisedResponse(noise)),
            (3, Protocol::UnaryEncoding(noise)),
            (3, Protocol::generalised_response(epsilon, 3).unwrap()),
            (4, Protocol::local_hashing(epsilon, None).unwrap()),
            (2, Protocol::Rappor { permanent: noise, instantaneous: noise }),
        ])
    }

    /// Sets of values; the other schema has as many columns as a full state holds.
    fn subsets() -> Schema {
        let epsilon = Epsilon::new(1.0).unwrap();
        schema_of([3, 5].map(|values| (values as usize, Protocol::subset_selection(epsilon, values, None).unwrap())))
    }

    /// The crate's own reading: the combination of columns that came once.
    fn read_by_the_crate(schema: &Schema, report: &[u8]) -> Said {
        let mut aggregator = Aggregator::new(schema.clone(), StateDetail::Full, 1e9).unwrap();
        aggregator.push(report).unwrap();
        let state = aggregator.finish().unwrap();
        let seen = state.histogram().unwrap().iter().position(|&count| count == 1).unwrap();
        let columns = schema.columns();
        if let Some(parities) = schema.parities() {
            let questions = parities.questions();
            let answer_to =
                |question: usize| (seen >> (questions + question) & 1 == 1).then_some(1 << (seen >> question & 1));
            return (0..questions).map(answer_to).collect();
        }
        let answer_to = |feature: usize| {
            let is_covered = !schema.is_sampled() || seen >> (columns.len() + feature) & 1 == 1;
            let supported = schema.columns_of(feature).filter(|column| seen >> column & 1 == 1);
            is_covered.then(|| supported.fold(0, |set, column| set | 1 << columns[column].value))
        };
        (0..schema.features().len()).map(answer_to).collect()
    }

    #[test]
    fn reports_read_from_the_description_are_those_that_the_crate_reads() {
        let mut rng = SimRng::for_trial(1, "wire", 0);
        let attributes = [2, 3, 3, 4, 2].into_iter().enumerate();
        let attributes: Vec<_> =
            attributes.map(|(place, values)| Attribute::codes(place.to_string(), values).unwrap()).collect();
        let joint = |asked| Schema::of_joint_symbol(attributes.clone(), asked, Epsilon::new(1.0).unwrap()).unwrap();
        let two = |place: usize| Attribute::codes(place.to_string(), 2).unwrap();
        let parities = Schema::of_parities((0..3).map(two).collect(), Epsilon::new(1.0).unwrap(), None).unwrap();
        let (mut coins, wire) = (release_rng(&mut rng), Wire::of(&parities));
        let client = Client::new(parities.clone());
        for _ in 0..100 {
            let report = client.randomise(&[1, 0, 1], &mut coins).unwrap();
            assert_eq!(wire.read(&report), read_by_the_crate(&parities, &report));
        }
        let row = [1, 2, 0, 3, 1].as_slice();
        let drawn = schema().with_features_per_person(3).unwrap();
        let (sets, one_set) = (subsets(), subsets().with_features_per_person(1).unwrap());
        let cases =
            [(schema(), row), (drawn, row), (joint(5), row), (joint(3), row), (sets, &[2, 4]), (one_set, &[2, 4])];
        for (schema, row) in cases {
            let (client, wire) = (Client::new(schema.clone()), Wire::of(&schema));
            let mut coins = release_rng(&mut rng);
            for _ in 0..200 {
                let report = client.randomise(row, &mut coins).unwrap();
                assert_eq!(report.len(), wire.bytes());
                assert_eq!(wire.read(&report), read_by_the_crate(&schema, &report));
            }
        }
    }
}
