//! How `cargo xtask validate` writes intervals and shares of a claim.

use attack_sim::audit::Measurement;

/// What was measured of a negative control, and of what where that is not what the row is about.
pub(crate) fn of_negative_control(control: &Measurement, attacker: &Measurement) -> String {
    if control.of == attacker.of && control.claimed == attacker.claimed {
        return interval(control);
    }
    format!("{} {} (claimed {})", control.of, interval(control), ends(control.claimed))
}

pub(crate) fn interval(measurement: &Measurement) -> String {
    ends(measurement.measured)
}

pub(crate) fn ends([low, high]: [f64; 2]) -> String {
    match (low.is_finite(), high.is_finite()) {
        _ if low == high => short(low),
        (true, false) => format!(">= {}", short(low)),
        (false, true) => format!("<= {}", short(high)),
        (false, false) => "any".to_owned(),
        (true, true) => format!("{} to {}", short(low), short(high)),
    }
}

fn short(end: f64) -> String {
    if end == 0.0 || (1e-3..1e6).contains(&end.abs()) { format!("{end:.4}") } else { format!("{end:.2e}") }
}

/// The share of a claimed loss that was shown; empty for what is no privacy loss.
pub(crate) fn reached(share: Option<f64>) -> String {
    match share {
        None => String::new(),
        Some(0.0) => "0 %: no loss shown".to_owned(),
        Some(share) if share < 0.01 => "below 1 %".to_owned(),
        // Rounded down: a claim is not said to be reached before it is.
        Some(share) if share.is_finite() => format!("{:.0} %", (100.0 * share + 1e-9).floor()),
        Some(_) => "beyond every number".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_nothing_is_said_in_words_and_no_share_is_rounded_up() {
        let shares = [None, Some(0.0), Some(1e-5), Some(0.01), Some(0.9999), Some(1.0), Some(2.1), Some(f64::INFINITY)];
        let words = ["", "0 %: no loss shown", "below 1 %", "1 %", "99 %", "100 %", "210 %", "beyond every number"];
        assert_eq!(shares.map(reached), words);
    }

    #[test]
    fn ends_that_are_infinite_or_equal_are_written_as_such() {
        let written = [[0.0, f64::INFINITY], [0.5, 0.5], [1e-4, 2.0], [f64::NEG_INFINITY, 3.0]].map(ends);
        assert_eq!(written, [">= 0.0000", "0.5000", "1.00e-4 to 2.0000", "<= 3.0000"]);
    }
}
