//! Numbers of reports against the power and the error that they give.

use ldp_pmdh::Channel;
use ldp_pmdh::derived::{SampleSizeError, reports_for_error, reports_for_independence};
use privacy_core::normal;
use privacy_core::param::Probability;

fn channel(p: f64, q: f64) -> Channel {
    Channel::new(p, q).unwrap()
}

/// The power of the two-sided test at this number of reports: one fewer has less than was asked
/// for.
#[test]
fn so_many_reports_have_the_power_and_one_fewer_has_not() {
    for (phi, significance, power) in [(0.1, 0.05, 0.8), (-0.4, 0.3, 0.35), (1.0, 1e-6, 0.99), (0.02, 0.2, 0.21)] {
        let columns = [(channel(0.2, 0.7), 0.3), (channel(0.05, 0.6), 0.6)];
        let found = reports_for_independence(phi, columns[0], columns[1], significance, power).unwrap();
        let kept = columns.map(|(channel, f)| {
            let g = channel.p() + (channel.q() - channel.p()) * f;
            (channel.q() - channel.p()) * (f * (1.0 - f) / (g * (1.0 - g))).sqrt()
        });
        let critical = normal::upper_quantile(Probability::new(significance / 2.0).unwrap());
        let power_of = |reports: u64| {
            let shift = (reports as f64).sqrt() * phi * kept[0] * kept[1];
            normal::at_least(critical - shift) + normal::at_least(critical + shift)
        };
        assert!(
            power_of(found) >= power - 1e-12 && power_of(found - 1) < power,
            "{phi} {significance} {power}: {found}"
        );
    }
}

#[test]
fn numbers_of_reports_that_there_are_not_are_refused() {
    let column = (channel(0.2, 0.7), 0.3);
    let independence =
        |phi, f, significance, power| reports_for_independence(phi, (column.0, f), column, significance, power);
    assert!(independence(0.1, 0.3, 0.05, 0.8).is_ok() && independence(1.0, 0.3, 0.05, 0.8).is_ok());
    for (phi, f, significance, power) in [
        (0.0, 0.3, 0.05, 0.8),
        (1.1, 0.3, 0.05, 0.8),
        (f64::NAN, 0.3, 0.05, 0.8),
        (0.1, 0.0, 0.05, 0.8),
        (0.1, 1.0, 0.05, 0.8),
        (0.1, 0.3, 0.0, 0.8),
        (0.1, 0.3, 1.5, 0.8),
        (0.1, 0.3, 0.05, 1.0),
        (0.1, 0.3, 0.05, 0.05),
    ] {
        let refused = independence(phi, f, significance, power);
        assert!(matches!(refused, Err(SampleSizeError::OutOfRange { .. })), "{phi} {f} {significance} {power}");
    }
    assert_eq!(reports_for_error(0.3, 0.1), Ok(30));
    assert_eq!(reports_for_error(1.0, 0.3), Ok(12), "rounded up");
    assert_eq!(reports_for_error(1e-9, 1.0), Ok(1), "one at least");
    assert_eq!(reports_for_error(2.0_f64.powi(53), 1.0), Ok(1 << 53));
    assert_eq!(reports_for_error(1e17, 1.0), Err(SampleSizeError::TooMany));
    for (variance, error) in [(0.0, 0.1), (f64::INFINITY, 0.1), (0.2, 0.0), (0.2, f64::INFINITY), (-1.0, 0.1)] {
        assert!(matches!(reports_for_error(variance, error), Err(SampleSizeError::OutOfRange { .. })));
    }
}
