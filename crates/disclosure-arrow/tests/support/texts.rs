//! The texts of values, by rules that share nothing with the reader.

/// A floating-point number; none for what is not a number.
pub(super) fn of_f64(value: f64) -> String {
    if value.is_nan() { String::new() } else { format!("{value}") }
}

/// As [`of_f64`], in the digits of its own width.
pub(super) fn of_f32(value: f32) -> String {
    if value.is_nan() { String::new() } else { format!("{value}") }
}

/// A decimal number by division: the digits before and behind the point.
pub(super) fn of_decimal(units: i128, scale: i8) -> String {
    let sign = if units < 0 { "-" } else { "" };
    let units = units.unsigned_abs();
    let factor = 10_u128.pow(u32::from(scale.unsigned_abs()));
    if scale <= 0 {
        return if units == 0 { "0".to_owned() } else { format!("{sign}{units}{}", &factor.to_string()[1..]) };
    }
    let width = usize::from(scale.unsigned_abs());
    let text = format!("{sign}{}.{:0width$}", units / factor, units % factor);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A day by counting days: eras of 400 years from March of the year 0.
pub(super) fn of_day(days: i32) -> String {
    let days = i64::from(days) + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year_of_era = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    match year {
        0..=9999 => format!("{year:04}-{month:02}-{day_of_month:02}"),
        // The years that the calendar of the reader has.
        -262_143..=262_142 => format!("{year:+05}-{month:02}-{day_of_month:02}"),
        _ => (days - 719_468).to_string(),
    }
}
