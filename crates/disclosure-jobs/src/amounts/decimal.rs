//! Amounts as they are written, to whole numbers of a unit and back.

pub(super) use privacy_data::decimal_text as text;

/// The largest number of decimals.
pub(super) const MOST_DECIMALS: u8 = 9;

/// A decimal number in units of `10^-decimals`; `None` for text that is no such number, has more
/// decimals than that, or leaves 2^53 units.
pub(super) fn units(text: &str, mark: char, decimals: u8) -> Option<i64> {
    let text = text.trim();
    let (is_negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once(mark).unwrap_or((digits, ""));
    let is_number = !whole.is_empty() && whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit());
    let fraction = fraction.trim_end_matches('0');
    if !is_number || fraction.len() > usize::from(decimals) {
        return None;
    }
    let zeros = usize::from(decimals) - fraction.len();
    let units = format!("{whole}{fraction}{}", "0".repeat(zeros)).parse::<i64>().ok()?;
    (units <= 1 << 53).then_some(if is_negative { -units } else { units })
}

/// An amount for a document: a number, to the precision of a float.
pub(super) fn number(units: f64, decimals: u8) -> f64 {
    units / 10_f64.powi(i32::from(decimals))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_exactly_or_refused() {
        assert_eq!(units("1234.5", '.', 2), Some(123_450));
        assert_eq!(units(" 1234,50 ", ',', 1), Some(12_345));
        assert_eq!(units("-7", '.', 0), Some(-7));
        assert_eq!(units("90071992547.40992", '.', 5), Some(9_007_199_254_740_992));
        for wrong in ["", ".", ".5", "1.234", "1,5", "1e3", "nan", "1 000", "9007199254740993", "0x1"] {
            assert_eq!(units(wrong, '.', 2), None, "{wrong}");
        }
    }

    #[test]
    fn amounts_are_written_with_all_their_decimals() {
        for (number, decimals, written) in
            [(123_450, 2, "1234.50"), (5, 2, "0.05"), (0, 1, "0.0"), (12, 0, "12"), (-5, 1, "-0.5")]
        {
            assert_eq!(text(number, decimals), written);
            assert_eq!(units(written, '.', decimals), Some(number));
        }
    }
}
