//! Numbers in words: thin spaces between thousands, no more digits than the error deserves.

/// A number with as many decimals as its error deserves: two significant digits of the error.
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

/// A count, with spaces between thousands; from 1e15 on in powers of ten.
#[must_use]
pub fn count(value: f64) -> String {
    if value < 1e15 { thousands(&format!("{value:.0}")) } else { format!("{value:.2e}") }
}

/// Thin groups of three digits before the decimal point.
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
