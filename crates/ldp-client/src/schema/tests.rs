use privacy_core::Attribute;
use privacy_core::param::{Epsilon, Probability};

use super::*;
use crate::error::FormatError;
use crate::noise::BitNoise;

fn eps(value: f64) -> Epsilon {
    Epsilon::new(value).unwrap()
}

fn feature(name: &str, values: usize, protocol: Protocol) -> Feature {
    Feature::new(Attribute::codes(name, values).unwrap(), protocol).unwrap()
}

fn bit(epsilon: f64) -> Protocol {
    Protocol::RandomisedResponse(BitNoise::symmetric(eps(epsilon)).unwrap())
}

fn five() -> Vec<Feature> {
    let unary = BitNoise::optimised_unary(eps(1.0)).unwrap();
    let rappor = Protocol::Rappor {
        permanent: BitNoise::symmetric_unary(eps(2.0)).unwrap(),
        instantaneous: BitNoise::new(Probability::new(0.25).unwrap(), Probability::new(0.75).unwrap()).unwrap(),
    };
    vec![
        feature("a", 2, bit(1.0)),
        feature("b", 3, Protocol::UnaryEncoding(unary)),
        feature("c", 4, Protocol::generalised_response(eps(2.0), 4).unwrap()),
        feature("d", 5, Protocol::local_hashing(eps(1.0), None).unwrap()),
        feature("e", 2, rappor),
    ]
}

#[test]
fn columns_stand_in_the_order_of_features_and_values() {
    let schema = Schema::new(five()).unwrap();
    assert_eq!(schema.columns().len(), 1 + 3 + 4 + 5 + 2);
    assert_eq!(schema.column_of(0, 0), None);
    assert_eq!(schema.column_of(0, 1), Some(0));
    assert_eq!(schema.column_of(2, 3), Some(7));
    assert_eq!(schema.columns_of(3), 8..13);
    assert_eq!([0, 1, 7].map(|c| schema.column_name(c)), ["a", "b=0", "c=3"]);
    for (position, column) in schema.columns().iter().enumerate() {
        assert_eq!(schema.column_of(column.feature, column.value), Some(position));
    }
}

#[test]
fn epsilons_of_features_add_up_and_sampling_takes_the_largest() {
    let schema = Schema::new(vec![feature("a", 2, bit(1.0)), feature("b", 2, bit(2.0)), feature("c", 2, bit(0.5))]);
    let schema = schema.unwrap();
    assert!((schema.epsilon_per_report() - 3.5).abs() < 1e-12);
    let sampled = schema.with_features_per_person(2).unwrap();
    assert!((sampled.epsilon_per_report() - 3.0).abs() < 1e-12);
}

#[test]
fn two_stages_cost_less_than_the_first_alone() {
    let rappor = &five()[4];
    let forever = rappor.epsilon_forever().unwrap();
    assert!((forever - 2.0).abs() < 1e-12 && rappor.epsilon() < 0.5 * forever + 0.1);
}

#[test]
fn the_digest_tells_apart_whatever_reports_depend_on() {
    let digest = |features: Vec<Feature>| Schema::new(features).unwrap().digest();
    let base = || vec![feature("a", 2, bit(1.0)), feature("b", 2, bit(1.0))];
    let mut others = vec![digest(base())];
    others.push(Schema::new(base()).unwrap().with_features_per_person(1).unwrap().digest());
    others.push(digest(vec![feature("b", 2, bit(1.0)), feature("a", 2, bit(1.0))]));
    others.push(digest(vec![feature("a", 2, bit(1.0)), feature("b", 2, bit(1.0 + 1e-9))]));
    others.push(digest(vec![feature("a", 2, bit(1.0))]));
    let labels = Feature::new(Attribute::new("b", ["1", "0"]).unwrap(), bit(1.0)).unwrap();
    others.push(digest(vec![feature("a", 2, bit(1.0)), labels]));
    let block = Protocol::UnaryEncoding(BitNoise::symmetric(eps(1.0)).unwrap());
    others.push(digest(vec![feature("a", 2, bit(1.0)), feature("b", 2, block)]));
    let distinct: BTreeSet<[u8; 32]> = others.iter().copied().collect();
    assert_eq!(distinct.len(), others.len());
    assert_eq!(others[0], digest(base()));
}

#[test]
fn schemas_that_cannot_be_are_refused() {
    use SchemaError as E;
    assert_eq!(Schema::new(vec![]), Err(E::NoFeature));
    let twice = vec![feature("a", 2, bit(1.0)), feature("a", 2, bit(1.0))];
    assert!(matches!(Schema::new(twice), Err(E::DuplicateFeature { .. })));
    assert!(matches!(Schema::new(vec![feature("", 2, bit(1.0))]), Err(E::NoName { position: 0 })));
    let labelled = |name: &str, values: [&str; 2], protocol| {
        Feature::new(Attribute::new(name, values).unwrap(), protocol).unwrap()
    };
    let symbols = Protocol::generalised_response(eps(1.0), 2).unwrap();
    for (other, is_refused) in [
        (labelled("a=b", ["c", "d"], symbols), true),
        (labelled("a=b=c", ["no", "yes"], bit(1.0)), true),
        (labelled("a=b", ["no", "c"], bit(1.0)), true),
        (labelled("a=b", ["d", "e"], symbols), false),
    ] {
        let both = Schema::new(vec![labelled("a", ["x", "b=c"], symbols), other]);
        assert_eq!(matches!(both, Err(E::DuplicateColumn { .. })), is_refused);
    }
    for got in [0, 2] {
        let schema = Schema::new(vec![feature("a", 2, bit(1.0))]).unwrap();
        assert!(matches!(schema.with_features_per_person(got), Err(E::FeaturesPerPerson { .. })));
    }
    let three = Feature::new(Attribute::codes("a", 3).unwrap(), bit(1.0));
    assert!(matches!(three, Err(E::NotBinary { values: 3, .. })));
    let one = Feature::new(Attribute::codes("a", 1).unwrap(), bit(1.0));
    assert!(matches!(one, Err(E::OneValue { .. })));
    let quarter = Protocol::generalised_response_with_truth(Probability::new(0.25).unwrap());
    assert!(matches!(Feature::new(Attribute::codes("a", 4).unwrap(), quarter), Err(E::Uninformative)));
    assert!(matches!(Protocol::local_hashing(eps(1.0), Some(1)), Err(E::Buckets { got: 1 })));
    let wide = vec![feature("a", MAX_COLUMNS, Protocol::generalised_response(eps(9.0), 1 << 16).unwrap())];
    assert!(Schema::new(wide.clone()).is_ok());
    let wider = [wide, vec![feature("b", 2, bit(1.0))]].concat();
    assert!(matches!(Schema::new(wider), Err(E::TooManyColumns { .. })));
}

#[test]
fn columns_are_found_by_the_names_of_features_and_values() {
    let schema = Schema::new(five()).unwrap();
    assert_eq!((schema.column("a", "1"), schema.column("b", "2"), schema.column("e", "0")), (Ok(0), Ok(3), Ok(13)));
    assert!(matches!(schema.column("a", "0"), Err(ColumnError::NoColumn { .. })));
    assert!(matches!(schema.column("b", "3"), Err(ColumnError::UnknownValue { .. })));
    assert!(matches!(schema.column("f", "0"), Err(ColumnError::UnknownFeature { .. })));
    for column in 0..schema.columns().len() {
        assert_eq!(schema.column_named(&schema.column_name(column)), Some(column));
    }
    // A bit is also named by its second value.
    assert_eq!(
        (schema.column_named("a=1"), schema.column_named("a=0"), schema.column_named("c")),
        (Some(0), None, None)
    );
}

#[test]
fn combinations_of_many_values_are_not_counted_low() {
    let attributes: Vec<Attribute> = (0..80).map(|i| Attribute::codes(format!("f{i}"), 3).unwrap()).collect();
    for taken in 1..=80 {
        let (exact, found) = (3_u128.pow(taken), largest_combinations(attributes.iter(), taken as usize));
        // Each of the products is rounded once.
        assert!(found as u128 >= exact && found <= exact as f64 * (1.0 + 80.0 * f64::EPSILON), "3^{taken}: {found}");
    }
}

#[test]
fn the_shortest_file_has_no_content_and_is_damaged() {
    let header = &Schema::new(five()).unwrap().to_bytes()[..8];
    let bytes = [header, &Sha256::digest([])[..]].concat();
    assert_eq!(Schema::from_bytes(&bytes).err(), Some(FormatError::Damaged));
    assert_eq!(Schema::from_bytes(&bytes[..39]).err(), Some(FormatError::Length { expected: 40, got: 39 }));
}
