//! The texts of values, by rules that share nothing with the reader.

/// A floating-point number in the shortest digits that read back, without an exponent.
pub(super) fn of_float(value: f64, text: &str) -> String {
    let read: f64 = text.parse().expect("a number reads back");
    assert!(read.to_bits() == value.to_bits() || (read.is_nan() && value.is_nan()), "{text} is not {value:?}");
    assert!(!text.contains(['e', 'E']), "{text} has an exponent");
    text.to_owned()
}

/// A decimal number by the place of each of its digits: `units` are those of an integer, and
/// `scale` of them are behind the point.
pub(super) fn of_decimal(units: &str, scale: i64) -> String {
    let (sign, digits) = units.strip_prefix('-').map_or(("", units), |digits| ("-", digits));
    let digits = digits.trim_start_matches('0').as_bytes();
    let digit = |exponent: i64| {
        let from_behind = usize::try_from(exponent + scale).ok();
        let place = from_behind.and_then(|behind| digits.len().checked_sub(behind + 1));
        place.map_or('0', |place| char::from(digits[place]))
    };
    let highest = if digits.is_empty() { 0 } else { (digits.len() as i64 - 1 - scale).max(0) };
    let whole: String = (0..=highest).rev().map(digit).collect();
    let part: String = (-scale.max(0)..0).rev().map(digit).collect();
    let point = if part.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{part}")
}

/// A day by counting days: eras of 400 years from March of the year 0. None beyond the years that
/// the calendar of the reader has.
pub(super) fn of_day(days: i64) -> Option<String> {
    let days = days.checked_add(719_468)?;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    match era * 400 + year_of_era + i64::from(month <= 2) {
        year @ 0..=9999 => Some(format!("{year:04}-{month:02}-{day_of_month:02}")),
        year @ -262_143..=262_142 => Some(format!("{year:+05}-{month:02}-{day_of_month:02}")),
        _ => None,
    }
}

/// A time of day by long division; with the first three, six or nine digits of a second, if any of
/// these is not 0.
pub(super) fn of_time(nanos: i64) -> String {
    let (seconds, nanos) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let whole = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    let digits = format!("{nanos:09}");
    let places = [0, 3, 6, 9].into_iter().find(|&places| digits[places..].bytes().all(|digit| digit == b'0'));
    match places {
        Some(0) | None => whole,
        Some(places) => format!("{whole}.{}", &digits[..places]),
    }
}

/// A moment, counted in parts of a second since 1970, in a zone that is ahead by `minutes`.
pub(super) fn of_moment(count: i64, parts_of_second: i64, minutes: i64) -> Option<String> {
    const NANOS_OF_DAY: i128 = 86_400_000_000_000;
    let nanos = i128::from(count) * i128::from(1_000_000_000 / parts_of_second);
    // The calendar ends by the clock of Greenwich, whatever the zone is.
    of_day(i64::try_from(nanos.div_euclid(NANOS_OF_DAY)).ok()?)?;
    let nanos = nanos + i128::from(minutes) * 60_000_000_000;
    let day = of_day(i64::try_from(nanos.div_euclid(NANOS_OF_DAY)).ok()?)?;
    let time = of_time(nanos.rem_euclid(NANOS_OF_DAY) as i64);
    Some(format!("{day}T{time}"))
}
