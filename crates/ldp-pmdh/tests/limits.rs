//! What is refused: more bytes than allowed, too many columns, and invalid variances.

use ldp_pmdh::estimate::{Covariance, EstimateError, Population, constrain_sum};
use ldp_pmdh::{Aggregator, BitNoise, Channel, Feature, Protocol, Schema, StateDetail, StateError};
use privacy_core::Attribute;
use privacy_core::param::Probability;

/// A cube of `3^n` numbers, of which the last step holds two thirds more, and an index of `2^n`
/// numbers of four bytes.
#[test]
fn covariances_of_a_table_are_refused_beyond_their_memory_and_twenty_columns() {
    let channels = [Channel::new(0.2, 0.7).unwrap(); 4];
    let mut truth = vec![100.0; 16];
    let needed = 8.0 * (81.0 + 54.0) + 4.0 * 16.0;
    assert_eq!(Covariance::bytes(4), needed);
    let new = |truth: &[f64], most| Covariance::new(&channels, truth, Population::Fixed, most).map(drop);
    assert_eq!(new(&truth, needed), Ok(()));
    assert_eq!(new(&truth, needed - 1.0), Err(EstimateError::TooLarge { bytes: needed, most: needed - 1.0 }));
    truth.pop();
    assert_eq!(new(&truth, 1e9), Err(EstimateError::WrongLength { expected: 16, got: 15 }));
    let many = Covariance::new(&[channels[0]; 21], &truth, Population::Fixed, 1e18).map(drop);
    assert_eq!(many, Err(EstimateError::TooManyColumns { columns: 21, most: 20 }));
    // Twenty are possible, if there is memory.
    let twenty = Covariance::new(&[channels[0]; 20], &vec![0.0; 1 << 20], Population::Fixed, 1e6).map(drop);
    assert!(matches!(twenty, Err(EstimateError::TooLarge { .. })), "{twenty:?}");
}

#[test]
fn a_dense_matrix_has_eight_bytes_for_every_two_sets() {
    let channels = [Channel::new(0.2, 0.7).unwrap(); 3];
    let covariance = Covariance::new(&channels, &[100.0; 8], Population::Fixed, 1e9).unwrap();
    let needed = 8.0 * 64.0;
    assert_eq!(covariance.to_dense(needed).unwrap().dim(), (8, 8));
    let refused = covariance.to_dense(needed - 1.0).map(drop);
    assert_eq!(refused, Err(EstimateError::TooLarge { bytes: needed, most: needed - 1.0 }));
}

/// A count that is certain stays as it is; none of these are variances of anything else.
#[test]
fn a_sum_is_divided_over_variances_that_can_be() {
    assert_eq!(constrain_sum(&[5.0, 9.0], &[0.0, 2.0], 10.0).unwrap().counts, [5.0, 5.0]);
    for variances in [[0.0, 0.0], [-1.0, 3.0], [f64::INFINITY, 1.0], [f64::NAN, 1.0]] {
        let refused = constrain_sum(&[5.0, 9.0], &variances, 10.0).map(drop);
        assert_eq!(refused, Err(EstimateError::NotAVariance), "{variances:?}");
    }
}

/// The histogram of a full state, and its sums over supersets: two numbers of eight bytes for each
/// set of columns.
#[test]
fn a_full_state_needs_two_numbers_for_each_set_of_columns() {
    let [p, q] = [0.25, 0.75].map(|value| Probability::new(value).unwrap());
    let noise = Protocol::UnaryEncoding(BitNoise::new(p, q).unwrap());
    let schema = Schema::new(vec![Feature::new(Attribute::codes("a", 20).unwrap(), noise).unwrap()]).unwrap();
    let needed = 2.0 * 8.0 * 2.0_f64.powi(20);
    assert!(Aggregator::new(schema.clone(), StateDetail::Full, needed).is_ok());
    let refused = Aggregator::new(schema.clone(), StateDetail::Full, needed - 1.0).err();
    assert_eq!(refused, Some(StateError::TooLarge { needed, limit: needed - 1.0 }));
}
