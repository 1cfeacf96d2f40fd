//! Which sets of columns can be asked for: at most one column of each feature.

use ldp_client::Schema;

use super::EstimateError;

/// All sets of one to `order` columns, at most one of each feature, smaller ones first.
///
/// ```
/// use ldp_pmdh::estimate::column_sets;
/// use ldp_pmdh::{BitNoise, Feature, Protocol, Schema};
/// use privacy_core::{Attribute, param::Epsilon};
///
/// let noise = Protocol::RandomisedResponse(BitNoise::symmetric(Epsilon::new(1.0)?)?);
/// let smokes = Feature::new(Attribute::new("smokes", ["no", "yes"])?, noise.clone())?;
/// let coughs = Feature::new(Attribute::new("coughs", ["no", "yes"])?, noise)?;
/// let schema = Schema::new(vec![smokes, coughs])?;
/// assert_eq!(column_sets(&schema, 2, 100)?, [vec![0], vec![1], vec![0, 1]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`EstimateError::TooManySets`] if there are more than `most`, before they are listed.
pub fn column_sets(schema: &Schema, order: usize, most: usize) -> Result<Vec<Vec<usize>>, EstimateError> {
    let (mut all, mut last): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (Vec::new(), vec![Vec::new()]);
    for _ in 0..order {
        let mut next = Vec::new();
        for set in &last {
            for column in columns_after(schema, set) {
                // Columns of later features alone: every set is listed once, in increasing order.
                let mut longer = set.clone();
                longer.push(column);
                next.push(longer);
                if all.len() + next.len() > most {
                    return Err(EstimateError::TooManySets { order, most });
                }
            }
        }
        all.extend(next.iter().cloned());
        last = next;
    }
    Ok(all)
}

/// The columns of the features after that of the last column of a set.
fn columns_after(schema: &Schema, set: &[usize]) -> std::ops::Range<usize> {
    let first = set.last().map_or(0, |&column| schema.columns_of(schema.columns()[column].feature).end);
    first..schema.columns().len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ldp_client::{Feature, Protocol};
    use privacy_core::Attribute;
    use privacy_core::param::Epsilon;

    #[test]
    fn sets_have_at_most_one_column_a_feature_and_none_comes_twice() {
        let protocol = Protocol::generalised_response(Epsilon::new(1.0).unwrap(), 3).unwrap();
        let feature = |name| Feature::new(Attribute::codes(name, 3).unwrap(), protocol).unwrap();
        let schema = Schema::new(["a", "b", "c"].map(feature).to_vec()).unwrap();
        let sets = column_sets(&schema, 2, 100).unwrap();
        assert_eq!(sets.len(), 9 + 27);
        assert_eq!((&sets[0], &sets[9], &sets[35]), (&vec![0], &vec![0, 3], &vec![5, 8]));
        assert_eq!(column_sets(&schema, 2, 35), Err(EstimateError::TooManySets { order: 2, most: 35 }));
    }
}
