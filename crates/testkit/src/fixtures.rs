//! Golden values: where the files are, and how their numbers are read and compared.

use std::path::{Path, PathBuf};

/// The file `relative` under `fixtures/` at the root of the workspace.
#[must_use]
pub fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(relative)
}

/// The text of a fixture.
///
/// # Panics
/// If the file cannot be read as UTF-8.
#[must_use]
#[track_caller]
pub fn text(relative: &str) -> String {
    std::fs::read_to_string(path(relative)).unwrap_or_else(|e| panic!("fixture {relative}: {e}"))
}

/// A fixture in JSON.
///
/// # Panics
/// If the file cannot be read or is not JSON.
#[must_use]
#[track_caller]
pub fn json(relative: &str) -> serde_json::Value {
    serde_json::from_str(&text(relative)).unwrap_or_else(|e| panic!("fixture {relative}: {e}"))
}

/// The number that a C99 hexadecimal literal such as `-0x1.8p-3` denotes (C99, 6.4.4.2).
///
/// # Panics
/// If `literal` is not one, or is not exactly a `f64`: a golden argument must not be rounded on
/// its way in.
#[must_use]
#[track_caller]
pub fn hex_f64(literal: &str) -> f64 {
    parse_hex(literal).unwrap_or_else(|| panic!("{literal:?} is not the hexadecimal literal of a f64"))
}

fn parse_hex(literal: &str) -> Option<f64> {
    let (sign, magnitude) = match literal.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, literal.strip_prefix('+').unwrap_or(literal)),
    };
    let (significand, exponent) =
        magnitude.strip_prefix("0x").or(magnitude.strip_prefix("0X"))?.split_once(['p', 'P'])?;
    let (whole, fraction) = significand.split_once('.').unwrap_or((significand, ""));
    let digits = format!("{whole}{fraction}");
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let integer = u64::from_str_radix(&digits, 16).ok()?;
    let exponent = exponent.parse::<i32>().ok()?.checked_sub(4 * i32::try_from(fraction.len()).ok()?)?;
    scale_exactly(integer, exponent).map(|value| sign * value)
}

/// `integer * 2^exponent`, or `None` when no `f64` equals it.
fn scale_exactly(integer: u64, exponent: i32) -> Option<f64> {
    if integer == 0 {
        return Some(0.0);
    }
    let zeros = integer.trailing_zeros();
    let odd = integer >> zeros;
    let exponent = exponent.checked_add(i32::try_from(zeros).ok()?)?;
    let top_bit = exponent.checked_add(63 - i32::try_from(odd.leading_zeros()).ok()?)?;
    let exact = odd < 1 << 53 && exponent >= -1074 && top_bit <= 1023;
    // Two factors, each a normal power of two: 2^exponent alone may be subnormal or too large.
    let half = exponent / 2;
    exact.then(|| odd as f64 * 2_f64.powi(half) * 2_f64.powi(exponent - half))
}

/// `|got - want| / |want|`: 0 for equal numbers, infinite where it has no value (NaN, or `want`
/// zero and `got` not),
/// so that a fold with `f64::max` cannot lose a failure.
#[must_use]
pub fn relative_error(got: f64, want: f64) -> f64 {
    if got == want {
        return 0.0;
    }
    let error = ((got - want) / want).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hexadecimal_literals_are_read_exactly() {
        for (literal, want) in [
            ("0x1.8p-3", 0.1875),
            ("0x1p0", 1.0),
            ("-0x1.921fb54442d18p+1", -std::f64::consts::PI),
            ("0x1.fffffffffffffp+1023", f64::MAX),
            ("0x0.0000000000001p-1022", f64::from_bits(1)),
            ("0x1p-1074", f64::from_bits(1)),
            ("0x1.0000000000000p-1022", f64::MIN_POSITIVE),
            ("0X.8P1", 1.0),
            ("0x1999999999999ap-56", 0.1),
        ] {
            assert_eq!(hex_f64(literal).to_bits(), want.to_bits(), "{literal}");
        }
        assert!(hex_f64("-0x0.0p+0").is_sign_negative());
    }

    #[test]
    fn literals_that_are_no_f64_are_refused() {
        let not_a_number = ["", "1.5", "0x", "0xp1", "0x1.8", "0x1.8p", "0x1.8p1.0", "0x+1p0", "0x1.g p0", "--0x1p0"];
        let not_exact = ["0x1p-1075", "0x1.00000000000001p0", "0x1p1024", "0x1p99999999999", "0x1p2147483647"];
        for bad in not_a_number.into_iter().chain(not_exact) {
            assert_eq!(parse_hex(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn relative_error_never_hides_a_failure() {
        assert_eq!(relative_error(1.1, 1.0), 1.1 - 1.0);
        assert_eq!(relative_error(0.0, 0.0), 0.0);
        assert_eq!(relative_error(f64::INFINITY, f64::INFINITY), 0.0);
        for (got, want) in [(f64::NAN, 1.0), (1.0, f64::NAN), (1e-300, 0.0), (1.0, f64::INFINITY), (f64::NAN, f64::NAN)]
        {
            assert_eq!(relative_error(got, want), f64::INFINITY, "{got} {want}");
        }
    }

    #[test]
    fn paths_lead_to_the_fixtures_of_the_workspace() {
        assert!(path("../Cargo.toml").is_file());
    }
}
