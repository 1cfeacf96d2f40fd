//! Numbers as text: narrow spaces between thousands, and no more digits than the error supports.

/// Formats an estimate to two significant digits of its error.
///
/// An error of zero, or NaN, gives a whole number; at most six decimals are shown.
///
/// ```
/// use disclosure_report::number::with_error;
/// assert_eq!(with_error(12_345.678, 2.3), "12\u{202f}345.7");
/// assert_eq!(with_error(17.0, 0.0), "17");
/// ```
#[must_use]
pub fn with_error(value: f64, error: f64) -> String {
    let decimals = if error > 0.0 { (1.0 - error.log10().floor()).clamp(0.0, 6.0) as usize } else { 0 };
    thousands(&format!("{value:.decimals$}"))
}

/// Formats a count with spaces between thousands; from 1e15 on in scientific notation.
///
/// ```
/// use disclosure_report::number::count;
/// assert_eq!(count(1_234.0), "1\u{202f}234");
/// ```
#[must_use]
pub fn count(value: f64) -> String {
    if value < 1e15 { thousands(&format!("{value:.0}")) } else { format!("{value:.2e}") }
}

/// Formats a number to three significant digits, rounded to nearest.
///
/// ```
/// use disclosure_report::number::short;
/// assert_eq!((short(2.3456), short(1e-20)), ("2.35".into(), "1.00e-20".into()));
/// ```
#[must_use]
pub fn short(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e15).contains(&value.abs()) {
        return format!("{value:.2e}");
    }
    with_error(value, value.abs() / 9.999)
}

/// Formats a cost to six significant digits, rounded up: the text never understates it.
///
/// ```
/// use disclosure_report::number::short_up;
/// assert_eq!(short_up(1.234_561), "1.23457");
/// ```
#[must_use]
pub fn short_up(value: f64) -> String {
    plain(six_digits(value, f64::ceil))
}

/// Formats a remaining budget to six significant digits, rounded down: the text never overstates
/// it.
///
/// ```
/// use disclosure_report::number::short_down;
/// assert_eq!(short_down(1.234_569), "1.23456");
/// ```
#[must_use]
pub fn short_down(value: f64) -> String {
    plain(six_digits(value, f64::floor))
}

/// The shortest decimal that reads back as the number; scientific where that would be mostly
/// zeros.
fn plain(value: f64) -> String {
    if value == 0.0 || (1e-6..1e15).contains(&value.abs()) { format!("{value}") } else { format!("{value:e}") }
}

/// Rounds to six significant digits by `rounded`, which is `ceil` or `floor`. Returns the number
/// itself outside of `1e-9..1e9`, where the power of ten is not exact.
fn six_digits(value: f64, rounded: fn(f64) -> f64) -> f64 {
    if !(1e-9..1e9).contains(&value) {
        return value;
    }
    let unit = 10.0_f64.powi(5 - value.log10().floor() as i32);
    let stated = rounded(value * unit) / unit;
    // The division rounds to nearest, which may undo the direction asked for.
    let holds = if rounded(0.5) > 0.5 { stated >= value } else { stated <= value };
    if holds { stated } else { value }
}

/// Separates thousands before the decimal point by narrow spaces and sets a typographic minus.
fn thousands(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |rest| ("−", rest));
    let (whole, fraction) = digits.find('.').map_or((digits, ""), |at| digits.split_at(at));
    let mut grouped = String::new();
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push('\u{202f}');
        }
        grouped.push(digit);
    }
    format!("{sign}{grouped}{fraction}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_that_their_error_supports() {
        assert_eq!(with_error(12_345.678, 2.3), "12\u{202f}345.7");
        assert_eq!(with_error(-12.345, 0.023), "−12.345");
        assert_eq!(with_error(1e6, 4_000.0), "1\u{202f}000\u{202f}000");
        assert_eq!(with_error(17.0, 0.0), "17");
        assert_eq!(short(2.3456), "2.35");
        assert_eq!(short(1234.5), "1\u{202f}234");
        assert_eq!((short(1e-20), short(1e308)), ("1.00e-20".into(), "1.00e308".into()));
    }

    #[test]
    fn a_stated_cost_is_never_too_low_and_a_stated_remainder_never_too_high() {
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
