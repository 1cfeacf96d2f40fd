//! What tables call bins of numbers: "18 to 29" and "65 and over", and not "[18, 30)".

/// A name for each bin between these edges, the first and the last of which may be infinite.
///
/// With `are_integers` the numbers are whole, and a bin is named by its first and last number.
///
/// ```
/// use privacy_data::bin_names;
///
/// let edges = [0.0, 18.0, 65.0, f64::INFINITY];
/// assert_eq!(bin_names(&edges, true), ["0 to 17", "18 to 64", "65 and over"]);
/// assert_eq!(bin_names(&edges, false), ["0 to under 18", "18 to under 65", "65 and over"]);
/// ```
#[must_use]
pub fn bin_names(edges: &[f64], are_integers: bool) -> Vec<String> {
    let last = edges.len().saturating_sub(2);
    let bins = edges.windows(2).enumerate();
    bins.map(|(bin, pair)| name([pair[0] + 0.0, pair[1] + 0.0], are_integers, bin == last)).collect()
}

fn name([low, high]: [f64; 2], are_integers: bool, is_last: bool) -> String {
    match (low.is_finite(), high.is_finite()) {
        (false, false) => "any number".to_owned(),
        (false, true) if is_last => format!("{high} or less"),
        (false, true) => format!("under {high}"),
        (true, false) => format!("{low} and over"),
        // The last bin holds its upper edge.
        (true, true) if is_last => format!("{low} to {high}"),
        (true, true) => match last_integer(low, high).filter(|_| are_integers) {
            Some(end) if end == low => format!("{low}"),
            Some(end) => format!("{low} to {end}"),
            None => format!("{low} to under {high}"),
        },
    }
}

/// The largest whole number below `high`, where both edges are whole and small enough to tell.
fn last_integer(low: f64, high: f64) -> Option<f64> {
    let is_whole = low.fract() == 0.0 && high.fract() == 0.0 && low.abs().max(high.abs()) < 9e15;
    is_whole.then_some(high - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_bin_has_a_name() {
        let open = [f64::NEG_INFINITY, 0.5, 2.0, 3.0, 7.0, f64::INFINITY];
        let names = ["under 0.5", "0.5 to under 2", "2", "3 to 6", "7 and over"];
        assert_eq!(bin_names(&open, true), names);
        assert_eq!(bin_names(&[-0.0, 10.0, 20.0], true), ["0 to 9", "10 to 20"]);
        assert_eq!(bin_names(&[f64::NEG_INFINITY, 4.0], false), ["4 or less"]);
        assert_eq!(bin_names(&[f64::NEG_INFINITY, f64::INFINITY], true), ["any number"]);
        assert!(bin_names(&[1.0], true).is_empty());
    }
}
