//! Verdicts in words.

use disclosure::frechet::{DisclosureMode, DisclosureRule, DisclosureStatus, Finding, Unanimity};

use crate::exact::documents::rate;

/// Why a class has its verdict. It shows counts of the user's own table.
pub(super) fn why(finding: &Finding, rule: &DisclosureRule) -> String {
    let mut words = match finding.status {
        DisclosureStatus::Certified => {
            let beta = rule.rate_margin();
            format!(
                "the rate stays within {} and {} in every table consistent with the release",
                rate(beta),
                rate(1.0 - beta)
            )
        }
        DisclosureStatus::Disclosed => disclosed(finding, rule),
        DisclosureStatus::Ambiguous => ambiguous(finding, rule),
        _ => "a limit was reached: the bounds hold, but they may not be sharp".to_owned(),
    };
    if finding.is_small && finding.status != DisclosureStatus::Ambiguous {
        words += &format!("; fewer than {} people", rule.min_frequency());
    }
    if finding.status == DisclosureStatus::Ambiguous && !finding.is_sharp {
        let (least, most) = finding.attained;
        words += &format!("; consistent tables with {least} and with {most} exist, and the bounds are not sharp");
    }
    if finding.has_integer_gap {
        words += "; fractional tables would allow a wider interval";
    }
    words
}

fn disclosed(finding: &Finding, rule: &DisclosureRule) -> String {
    let mode = match finding.mode {
        Some(DisclosureMode::Published) => "M0, itself published",
        _ => "M1, derived",
    };
    let mut parts = Vec::new();
    if finding.mode == Some(DisclosureMode::Derived)
        && finding.upper - finding.lower <= rule.min_interval_width() as i64
    {
        parts.push(match finding.upper - finding.lower {
            0 => "the count is known exactly".to_owned(),
            width => format!("the count is one of {} values", width + 1),
        });
    }
    let people = finding.people.unwrap_or(finding.upper);
    match finding.unanimity {
        Some(Unanimity::NotCounted) if finding.upper == 0 => parts.push(format!("none of {people} is counted")),
        Some(Unanimity::NotCounted) => parts.push(format!("at most {} of {people} are counted", finding.upper)),
        Some(Unanimity::Counted) if finding.lower == people => parts.push(format!("all {people} are counted")),
        Some(Unanimity::Counted) => parts.push(format!("all but {} of {people} are counted", people - finding.lower)),
        None => {}
    }
    format!("{mode}: {}", parts.join(", "))
}

fn ambiguous(finding: &Finding, rule: &DisclosureRule) -> String {
    let small = || format!("fewer than {} people", rule.min_frequency());
    match finding.worst_case() {
        None if finding.is_small => {
            format!("fewer than {} people for certain; no rates without the population table", rule.min_frequency())
        }
        None => "no rates without the population table".to_owned(),
        Some(worst) if worst > 1.0 - rule.rate_margin() => {
            let more = if finding.is_small { format!("; {}", small()) } else { String::new() };
            format!("a consistent prior gives a member's response a probability of {}{more}", rate(worst))
        }
        Some(_) => small(),
    }
}
