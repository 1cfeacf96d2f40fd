//! Numbers in sentences: no more digits than they deserve, and costs that never read low.

pub use disclosure_report::number::{count, with_error};

/// A number of things, in words: "1 table", "12 tables".
#[must_use]
pub fn number(number: usize, one: &str, many: &str) -> String {
    format!("{} {}", count(number as f64), if number == 1 { one } else { many })
}

/// A share with one decimal.
#[must_use]
pub fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Three significant digits, to the nearest.
#[must_use]
pub fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e15).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    with_error(value, value.abs() / 9.999)
}

/// Six significant digits, none below the value: what is stated as a cost holds.
#[must_use]
pub fn short_up(value: f64) -> String {
    plain(six_digits(value, f64::ceil))
}

/// Six significant digits, none above the value: what is left is there.
#[must_use]
pub fn short_down(value: f64) -> String {
    plain(six_digits(value, f64::floor))
}

/// A number in full, unless that would be mostly zeros.
fn plain(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// A number to six significant digits by `rounded`; the number itself where powers of ten are not exact.
#[must_use]
pub fn six_digits(value: f64, rounded: fn(f64) -> f64) -> f64 {
    if !(1e-9..1e9).contains(&value) {
        return value;
    }
    let unit = 10.0_f64.powi(5 - value.log10().floor() as i32);
    let stated = rounded(value * unit) / unit;
    // The division rounds: never to the wrong side.
    let holds = if rounded(0.5) > 0.5 { stated >= value } else { stated <= value };
    if holds { stated } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stated_cost_is_never_below_the_cost_and_what_is_left_never_above() {
        for (value, up) in [(0.499_999_999_93, "0.5"), (1.234_561, "1.23457"), (0.0, "0"), (2.0, "2"), (1e-7, "1e-7")] {
            assert_eq!(short_up(value), up);
        }
        for i in 1..10_000 {
            let value = f64::from(i).powf(3.7) * 1e-9;
            let (up, down) = (six_digits(value, f64::ceil), six_digits(value, f64::floor));
            assert!(down <= value && value <= up && up <= value * 1.000_02 && down >= value * 0.999_98, "{value}");
        }
    }
}
