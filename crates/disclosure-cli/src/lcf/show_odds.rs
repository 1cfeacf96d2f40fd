//! Odds as people read them: the promise first, then the worst, then the tables.

use disclosure_jobs::filter::{
    AdviceDocument, Certainty, Composed, CompositionReport, CountsKind, Inference, LinePair, OddsDocument,
    OddsStatement, OddsSummary, ProfileReport, SelectionShare, ThresholdLaw, ThresholdReport, UtilityReport,
};

use crate::display::{Align, Table, bar, count, labelled, number, short};

/// Most sizes of group in a table.
const MOST_LINES: usize = 24;
/// Characters of a bar.
const BAR: usize = 16;

pub(super) fn show_odds(report: &OddsDocument) -> String {
    let mut text = head(&report.promise) + &title(&report.law);
    text += &worst(&report.odds);
    text += &line_odds(report);
    text += &profile(&report.release_profile);
    text += &report.composition.as_ref().map_or_else(String::new, composition);
    let mut table =
        Table::new([("entities", Align::Right), ("reported", Align::Right), ("", Align::Left)].into_iter().chain([
            ("posterior of N+1", Align::Right),
            ("suppressed", Align::Right),
            ("posterior of N", Align::Right),
        ]));
    let rows: Vec<_> = report.report_probability.iter().zip(&report.one_more).collect();
    let first = first_line(rows.len(), report.law.n50);
    for (reported, one_more) in rows.iter().skip(first).take(MOST_LINES) {
        table.row([
            count(reported.n as f64),
            chance(reported.p),
            bar(reported.p, BAR),
            one_more.p_n1_given_reported.map_or_else(|| "never reported".to_owned(), chance),
            chance(reported.p_suppressed),
            one_more.p_n_given_suppressed.map_or_else(|| "never suppressed".to_owned(), chance),
        ]);
    }
    let prior = chance(report.prior);
    text += "\n";
    text += &table.render();
    text += &format!(
        "  The attacker knows that the group has N or N + 1 entities, and N + 1 with prior probability {prior}. The posteriors\n  \
         are those of N + 1 after the group is reported, and of N after it is suppressed.\n"
    );
    if rows.len() > MOST_LINES {
        text += &format!("  … and {} more sizes, in --json\n", count((rows.len() - MOST_LINES) as f64));
    }
    text
}

/// The lines around the size that is reported half of the time.
fn first_line(lines: usize, n50: u64) -> usize {
    let middle = usize::try_from(n50).unwrap_or(usize::MAX).saturating_sub(1 + MOST_LINES / 2);
    middle.min(lines.saturating_sub(MOST_LINES))
}

pub(super) fn show_advice(report: &AdviceDocument) -> String {
    let mut text = head(&report.promise) + &title(&report.law);
    let target = report.target;
    let asked = [
        ("certainty odds", target.certainty_odds),
        ("posterior", target.posterior),
        ("epsilon", target.epsilon),
        ("delta", target.delta),
    ];
    let asked = asked.iter().filter_map(|(name, value)| value.map(|value| format!("{name} at most {value}")));
    text += &line("target", &asked.collect::<Vec<_>>().join(", "));
    text += &worst(&report.odds);
    text += &profile(&report.release_profile);
    text += &line("cost", &cost(&report.law, report.utility));
    if let Some(optimal) = &report.optimal_selection {
        text += &line(
            "compare",
            &format!("optimal selection at the same epsilon and delta: {}", cost(&optimal.law, optimal.utility)),
        );
    }
    text + &spec(&report.law)
}

/// The lines of a spec that ask for the law.
fn spec(law: &ThresholdReport) -> String {
    match law.law {
        ThresholdLaw::ClampedNormal(law) => format!(
            "\n  For a specification of lcf filter:\n\n    always_suppress_upper_bound = {}\n    mean = {:?}\n    sd = {:?}\n",
            law.always_suppress_upper_bound(),
            law.mean(),
            law.sd().get()
        ),
        _ => String::new(),
    }
}

fn cost(law: &ThresholdReport, utility: Option<UtilityReport>) -> String {
    let kept = utility.map_or_else(String::new, |kept| {
        format!(
            "; {} of your groups are reported, with {} of their entities",
            percent(kept.groups),
            percent(kept.entities)
        )
    });
    format!(
        "groups of {} entities are reported half of the time, groups of {} in 99 % of cases{kept}",
        law.n50, law.n99
    )
}

fn head(statement: &OddsStatement) -> String {
    let promise = &statement.promise;
    let unit = promise.unit.as_deref().unwrap_or_default();
    format!("  {}\n\n", statement.warning) + &line(promise.kind.word(), &promise.guarantee) + &line("unit", unit)
}

fn title(report: &ThresholdReport) -> String {
    let law = match report.law {
        ThresholdLaw::ClampedNormal(law) => {
            let bound = law.always_suppress_upper_bound();
            format!(
                "normal threshold, mean {}, sd {}, groups of at most {bound} always suppressed",
                law.mean(),
                law.sd().get()
            )
        }
        ThresholdLaw::Elm(law) => {
            format!("Elm threshold, mean {}, sd {}, clamped below {}", short(law.mean()), law.sd().get(), law.least())
        }
        ThresholdLaw::OptimalSelection(law) => {
            let groups = law.groups_per_entity().get();
            let groups = number(groups as usize, "group", "groups");
            format!("optimal selection, epsilon {}, delta {}, {groups} per entity", law.epsilon(), law.delta())
        }
        other => format!("threshold distribution {}", other.name()),
    };
    line("threshold", &format!("{law}; never reported below {} entities, always from {}", report.floor, report.cap))
}

fn worst(odds: &OddsSummary) -> String {
    let certain = |certainty: Certainty, what: &str, size: u64| {
        format!(
            "{what} proves {size}, where it was {} or {}: {}",
            certainty.n,
            certainty.n + 1,
            one_in(certainty.probability)
        )
    };
    let guess = |guess: Option<Inference>, what: &str, more: u64| {
        guess.filter(|guess| guess.posterior > 0.5).map(|guess| {
            let size = guess.n + more;
            format!(
                "{what} gives a posterior of {} for {size}, {}",
                percent(guess.posterior),
                one_in(guess.probability)
            )
        })
    };
    let (reported, suppressed) = (odds.worst.certain_when_reported, odds.worst.certain_when_suppressed);
    let mut text = line("proof", &certain(reported, "a report", reported.n + 1));
    text += &line("", &certain(suppressed, "a suppression", suppressed.n));
    let guesses = [
        guess(odds.worst.posterior_when_reported, "a report", 1),
        guess(odds.worst.posterior_when_suppressed, "a suppression", 0),
    ];
    for (at, guess) in guesses.iter().flatten().enumerate() {
        text += &line(if at == 0 { "guess" } else { "" }, &format!("short of a proof, {guess}"));
    }
    let attack = &odds.sticky_equality;
    let pairs = attack
        .pairs_for_99_percent
        .map_or_else(|| "never".to_owned(), |pairs| format!("after {}", number(pairs as usize, "pair", "pairs")));
    text + &line(
        "attack",
        &format!(
            "asked with and without a victim among {}, the answers differ with probability {}: 99 % sure {pairs}",
            attack.n,
            chance(attack.detection)
        ),
    )
}

/// What whole lines reveal, with their numbers.
fn line_odds(report: &OddsDocument) -> String {
    let (counts, odds) = (&report.counts, &report.line);
    let number = match (counts.kind, counts.base, counts.scale) {
        (CountsKind::Hidden, ..) => "groups are shown without a count".to_owned(),
        (CountsKind::Exact, ..) => "groups are shown with an exact count".to_owned(),
        (_, Some(base), None) => format!("groups are shown with a count rounded at random to multiples of {base}"),
        (_, base, scale) => format!(
            "groups are shown with a count with noise of scale {}, rounded at random to multiples of {}",
            scale.unwrap_or_default(),
            base.unwrap_or(1)
        ),
    };
    line("whole line", &number)
        + &line(
            "",
            &format!(
                "a line proves a size: {}; otherwise the posterior is at most {}",
                one_in(odds.certainty),
                percent(odds.posterior)
            ),
        )
        + &line("", &pair("with and without a victim", &odds.worst))
        + &line("", &pair("in a group that is always shown", &odds.certain_groups))
        + &odds.numbers_for_99_percent.map_or_else(String::new, averaging)
}

/// How many numbers average their noise out.
fn averaging(numbers: u64) -> String {
    let numbers = number(numbers as usize, "set", "sets");
    let known = "that contain the same group, other known entities and independent noise";
    line("", &format!("counts of {numbers} {known}: 99 % sure of its size"))
}

fn pair(what: &str, pair: &LinePair) -> String {
    let pairs = pair.pairs_for_99_percent.map_or_else(
        || "lines never differ".to_owned(),
        |pairs| {
            let pairs = number(pairs as usize, "pair", "pairs");
            format!("lines differ with probability {}: 99 % sure after {pairs}", chance(pair.detection))
        },
    );
    format!("{what} among {}, {pairs}", pair.n)
}

fn profile(profile: &ProfileReport) -> String {
    let at = profile.delta_at_epsilon.iter().map(|at| format!("({}, {})", at.epsilon, short(at.delta)));
    let groups = profile.groups_per_entity;
    line(profile.kind.word(), &profile.statement)
        + &line("", &format!("{}, in at most {}", profile.neighbours, number(groups as usize, "group", "groups")))
        + &line(
            "",
            &format!(
                "(epsilon, delta): {}; delta at least {}",
                at.collect::<Vec<_>>().join(", "),
                short(profile.least_delta)
            ),
        )
}

/// The same epsilon and delta for the groups of an entity, composed in three ways.
fn composition(report: &CompositionReport) -> String {
    let share = match report.best.share {
        SelectionShare::Pure { epsilon, delta } => format!("epsilon {}, delta {}", short(epsilon), short(delta)),
        SelectionShare::Gaussian { mu, delta } => format!("mu {} except with probability {}", short(mu), short(delta)),
        _ => String::new(),
    };
    line("composition", &format!("each group costs {share}; sizes reported in 50 % / 99 % of cases"))
        + &line("", &format!("optimal composition: {} entities", sizes(Some(report.best))))
        + &line("", &format!("basic composition: {}, zCDP: {}", sizes(report.basic), sizes(report.zcdp)))
}

/// The sizes that are reported half of the time, and with 99 %.
fn sizes(composed: Option<Composed>) -> String {
    composed.map_or_else(|| "table too long".to_owned(), |composed| format!("{} / {}", composed.n50, composed.n99))
}

fn line(name: &str, words: &str) -> String {
    labelled(13, name, words)
}

fn one_in(probability: f64) -> String {
    if probability > 0.0 { format!("1 in {}", count((1.0 / probability).round())) } else { "never".to_owned() }
}

/// Shares short of certainty are not rounded to it.
fn percent(share: f64) -> String {
    if share < 1.0 && share > 0.9995 { "> 99.9 %".to_owned() } else { crate::display::percent(share) }
}

/// A probability; all but certain ones in full.
fn chance(p: f64) -> String {
    match p {
        p if p == 0.0 || p == 1.0 => format!("{p}"),
        p if p > 0.9999 => "> 0.9999".to_owned(),
        p if p < 1e-4 => format!("{p:.1e}"),
        p => format!("{p:.4}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_around_the_middle_of_the_law() {
        assert_eq!((first_line(15, 8), first_line(10, 8), first_line(0, 8)), (0, 0, 0));
        assert_eq!((first_line(100, 50), first_line(100, 99), first_line(100, u64::MAX)), (37, 76, 76));
    }

    #[test]
    fn chances_are_not_rounded_to_certainty() {
        assert_eq!(
            [chance(0.0), chance(1.0), chance(0.99999), chance(2e-5), chance(0.25)],
            ["0", "1", "> 0.9999", "2.0e-5", "0.2500"]
        );
        assert_eq!([percent(1.0), percent(0.99999), percent(0.9)], ["100.0 %", "> 99.9 %", "90.0 %"]);
        assert_eq!((one_in(0.0), one_in(1.0 / 4661.2)), ("never".to_owned(), "1 in 4\u{202f}661".to_owned()));
    }
}
