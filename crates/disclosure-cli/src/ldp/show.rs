//! Estimates, plans and simulations as people read them.

use disclosure_jobs::reports::{
    ConfidenceSet, DerivedEstimate, EncodeDocument, EstimateDocument, FeaturePlan, PairEstimate, PairsPlan,
    PlanDocument, Population, RoundDocument, SimulationDocument, StateDocument, design_words,
};

use crate::display::{Align, Table, count, labelled, short, short_up, with_error};

/// Most lines of a table.
const MOST_LINES: usize = 60;

fn line(name: &str, words: &str) -> String {
    labelled(12, name, words)
}

fn promise(epsilon: f64) -> String {
    match epsilon.is_finite() {
        true => format!("epsilon {} for each report, local differential privacy", short_up(epsilon)),
        false => "none: epsilon is infinite, so a report can rule out an answer".to_owned(),
    }
}

fn more(lines: usize) -> String {
    if lines > MOST_LINES { format!("  … and {} more, in --json\n", lines - MOST_LINES) } else { String::new() }
}

pub(super) fn show_encoding(report: &EncodeDocument) -> String {
    let promise = if report.epsilon_per_report.is_finite() {
        format!(
            "Guarantee: epsilon {}, local differential privacy. Unit: all answers in one row, for one report.\n  \
             Whatever a person answered, no report is more than e^epsilon times as likely as under any other answers.",
            short_up(report.epsilon_per_report)
        )
    } else {
        "No guarantee: epsilon is infinite. Some p is 0 or some q is 1, so a report can rule out an answer.".to_owned()
    };
    let rounds = match &report.rounds {
        Some(rounds) => show_rounds(rounds),
        None => "Two reports about one person cost twice as much, so encode once.".to_owned(),
    };
    format!("\n  {promise}\n  {rounds}\n\n  {} reports of {} bytes\n", report.reports, report.report_bytes)
}

/// What all reports about a person cost, and between which histories of answers.
fn show_rounds(rounds: &RoundDocument) -> String {
    let mut text = match (rounds.epsilon.is_finite(), rounds.epsilon_forever.is_finite()) {
        (false, _) => "No guarantee for several rounds: their epsilon is infinite.".to_owned(),
        (true, forever) => format!(
            "All {} rounds: epsilon {} for all reports about one person together, based on the stored permanent responses.{}",
            rounds.most_reports,
            short_up(rounds.epsilon),
            if forever {
                " Later rounds with the same answers add no cost."
            } else {
                " Each later round adds the cost of the features without one."
            }
        ),
    };
    if rounds.has_drawn_again {
        text += "\n  The answer of at least one person changed and was drawn again: epsilon compares histories of answers that change \
                 in the same rounds.\n  The time of a change is not protected.";
    }
    text + &format!("\n  {} people are stored, {} of them new.", rounds.people, rounds.new_people)
}

pub(super) fn show_state(report: &StateDocument) -> String {
    let epsilon = match report.epsilon_per_report {
        Some(epsilon) if epsilon.is_finite() => {
            format!("  Guarantee of each report: epsilon {}, local differential privacy.\n", short_up(epsilon))
        }
        Some(_) => "  No guarantee: epsilon is infinite.\n".to_owned(),
        None => String::new(),
    };
    let keeps = match report.keeps.as_str() {
        "full" => "the count of every combination of columns".to_owned(),
        "reports" => "the reports themselves, without their order".to_owned(),
        order => format!("the count of every set of at most {order} columns"),
    };
    let sources = match (report.sources, report.has_every_source) {
        (0, _) => String::new(),
        (1, true) => "  The state records the report file, which cannot be counted again\n".to_owned(),
        (sources, true) => format!("  The state records {sources} report files, which cannot be counted again\n"),
        (sources, false) => {
            format!("  The state records {sources} of its report files; others could be counted again without notice\n")
        }
    };
    format!("\n{epsilon}  {} reports; the state keeps {keeps}\n{sources}", report.n)
}

pub(super) fn show_estimate(report: &EstimateDocument) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let of = match report.population {
        Population::Fixed => "the respondents",
        Population::Super => "the population that the respondents were sampled from",
    };
    let mut text = format!("\n  {bold}{} reports{bold:#}\n\n", count(report.n as f64));
    text += &line("guarantee", &promise(report.epsilon_per_report));
    text += &line("calibration", &format!("unbiased counts; 95 % intervals for {of}"));
    let few = report.sets.iter().any(|set| set.small_count);
    if few {
        text += &line("few", "fewer than about 10 reports contain the whole set, or lack it; the sd is conservative");
    }
    let fitted = report.sets.iter().any(|set| set.feasible.is_some());
    if fitted {
        text += &line("proxy", "\"possible\" is the count in the nearest table without negative cells; biased");
    }
    text += &uncovered(report);
    text += &robustness(report);
    text += &format!("\n{}{}", set_table(report, few, fitted), more(report.sets.len()));
    if let Some(pairs) = &report.pairs {
        text += &format!("\n{}{}", pair_table(pairs), more(pairs.len()));
    }
    text
}

/// What a false report can do, and whether some must be there.
fn robustness(report: &EstimateDocument) -> String {
    let mut text = String::new();
    let most = report.sets.iter().map(|set| set.one_false_report).fold(0.0, f64::max);
    if most > 0.0 {
        text += &line(
            "robustness",
            &format!("one false report moves a count by up to {} people (each set: in --json)", short_up(most)),
        );
    }
    let impossible: Vec<String> =
        report.sets.iter().filter(|set| set.impossible).map(|set| set.columns.join(" and ")).collect();
    if let Some(first) = impossible.first() {
        let sets = impossible.len();
        let words = "below 0 or above n by more than honest reports would produce once in a million times";
        text += &line("impossible", &format!("{sets} of the counts (the first is {first}): {words}"));
    }
    text
}

/// The sets of which nothing is known.
fn uncovered(report: &EstimateDocument) -> String {
    let names: Vec<String> = report.not_covered.iter().map(|set| set.columns.join(" and ")).collect();
    match names.len() {
        0 => String::new(),
        sets if sets <= 3 => line("not covered", &format!("fewer than two reports cover {}", names.join("; "))),
        sets => line("not covered", &format!("fewer than two reports cover {sets} sets (in --json)")),
    }
}

fn set_table(report: &EstimateDocument, few: bool, fitted: bool) -> String {
    let mut columns = vec![("people with", Align::Left)];
    columns.extend(["count", "sd", "95 % from", "to"].map(|name| (name, Align::Right)));
    columns.extend(fitted.then_some(("possible", Align::Right)));
    columns.extend(few.then_some(("", Align::Left)));
    let mut table = Table::new(columns);
    for set in report.sets.iter().take(MOST_LINES) {
        let sd = if report.population == Population::Fixed { set.se_fixed_population } else { set.se_super_population };
        let name = if set.columns.is_empty() { "(everyone)".to_owned() } else { set.columns.join(" and ") };
        let mut row = vec![name, with_error(set.count, sd), short(sd)];
        row.extend(set.ci95.map(|end| with_error(end, sd)));
        if fitted {
            row.push(set.feasible.as_ref().map_or("–".to_owned(), |fit| with_error(fit.least_squares, sd)));
        }
        if few {
            row.push(if set.small_count { "few" } else { "" }.to_owned());
        }
        table.row(row);
    }
    table.render()
}

/// An estimate derived from counts, or a dash.
fn derived_value(derived: Option<&DerivedEstimate>) -> String {
    derived.map_or_else(|| "–".to_owned(), |derived| short(derived.value))
}

fn pair_table(pairs: &[PairEstimate]) -> String {
    let mut table = Table::new([
        ("pair", Align::Left),
        ("correlation", Align::Right),
        ("95 %", Align::Left),
        ("odds ratio", Align::Right),
        ("95 %", Align::Left),
        ("p, independence", Align::Right),
    ]);
    let none = || "–".to_owned();
    let ends = |derived: &Option<DerivedEstimate>| match derived.as_ref().map(|d| d.ci95) {
        Some(ConfidenceSet::Within(i)) => format!("{} to {}", short(i.low), short(i.high)),
        Some(ConfidenceSet::Outside(i)) => format!("not {} to {}", short(i.low), short(i.high)),
        _ => none(),
    };
    for pair in pairs.iter().take(MOST_LINES) {
        let p = pair.independence.as_ref().map_or_else(none, |test| short(test.p_value));
        let (correlation, odds) = (&pair.correlation, &pair.odds_ratio);
        table.row([
            pair.columns.join(" × "),
            derived_value(correlation.as_ref()),
            ends(correlation),
            derived_value(odds.as_ref()),
            ends(odds),
            p,
        ]);
    }
    table.render()
}

pub(super) fn show_plan(report: &PlanDocument) -> String {
    let pairs = report.pairs.as_ref().map_or(String::new(), show_pairs);
    let features: String = report.features.iter().map(show_feature).collect();
    format!("{pairs}{features}")
}

fn show_pairs(pairs: &PairsPlan) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let mut text = format!("\n  {bold}all pairs of {} binary features{bold:#}\n\n", pairs.features);
    text += &line("guarantee", &promise(pairs.epsilon_per_report));
    text += &line(
        "calibration",
        "predicted for the frequencies in the plan, averaged over pairs; worst case: for any frequencies",
    );
    for (number, advice) in pairs.advice.iter().enumerate() {
        text += &line(if number == 0 { "advice" } else { "" }, advice);
    }
    if pairs.splitting_is_worse {
        let price = short(pairs.price_of_splitting);
        text += &line(
            "",
            &format!("splitting epsilon over the bits requires {price} times as many reports for the same error"),
        );
    }
    let (errors, needed) = (
        pairs.designs.iter().any(|d| d.standard_error.is_some()),
        pairs.designs.iter().any(|d| d.reports_needed.is_some()),
    );
    let mut columns = vec![("design", Align::Left), ("orders", Align::Left)];
    columns.extend(["variance × reports", "at worst"].map(|name| (name, Align::Right)));
    columns.extend(errors.then_some(("sd of a share", Align::Right)));
    columns.extend(needed.then_some(("reports needed", Align::Right)));
    columns.push(("people, 1 false report", Align::Right));
    let mut table = Table::new(columns);
    for design in &pairs.designs {
        let order = design.planned.order.map_or("all".to_owned(), |order| format!("up to {order}"));
        let variances = [design.planned.variance, design.planned.worst_variance].map(short);
        let mut row = vec![design_words(design.planned.design), order];
        row.extend(variances);
        row.extend(design.standard_error.map(short));
        if needed {
            row.push(design.reports_needed.map_or("–".to_owned(), |reports| count(reports as f64)));
        }
        row.push(short_up(design.one_false_report));
        table.row(row);
    }
    let curve = pairs.designs.first().map_or(&[][..], |design| &design.false_reports);
    let points = curve.iter().map(|point| format!("{}: {}", count(point.false_reports as f64), short_up(point.shift)));
    let points: Vec<String> = points.collect();
    if !points.is_empty() {
        text += &line(
            "robustness",
            &format!("with the best design, false reports move the share of a pair by up to ({})", points.join(", ")),
        );
    }
    format!("{text}\n{}", table.render())
}

fn show_feature(feature: &FeaturePlan) -> String {
    let bold = clap::builder::styling::Style::new().bold();
    let mut table = Table::new([
        ("protocol", Align::Left),
        ("variant", Align::Left),
        ("p", Align::Right),
        ("q", Align::Right),
        ("variance × reports", Align::Right),
        ("bits", Align::Right),
        ("people, 1 false report", Align::Right),
    ]);
    for planned in &feature.protocols {
        let numbers = [planned.p, planned.q, planned.variance].map(short);
        let [p, q, variance] = numbers;
        let one = short_up(planned.one_false_report);
        let bits = count(planned.bits as f64);
        table.row([planned.protocol.name().to_owned(), planned.variant.words().to_owned(), p, q, variance, bits, one]);
    }
    let name = crate::display::one_line(&feature.name);
    let title = format!("{name}: {} values, epsilon {}", feature.values, short_up(feature.epsilon));
    format!("\n  {bold}{title}{bold:#}\n\n{}", table.render())
}

pub(super) fn show_simulation(report: &SimulationDocument) -> String {
    let mut table = Table::new([
        ("people with", Align::Left),
        ("truth", Align::Right),
        ("sd predicted", Align::Right),
        ("sd measured", Align::Right),
        ("95 % covers", Align::Right),
        ("few", Align::Right),
    ]);
    for set in report.sets.iter().take(MOST_LINES) {
        let predicted = if set.sd_predicted.is_nan() { "–".to_owned() } else { short(set.sd_predicted) };
        let shares = [set.coverage, set.small_count_share].map(|share| format!("{:.1} %", 100.0 * share));
        let [coverage, few] = shares;
        let truth = count(set.truth as f64);
        table.row([set.columns.join(" and "), truth, predicted, short(set.sd_measured), coverage, few]);
    }
    format!(
        "\n  {} simulated rounds of {} reports with seed {}; do not publish any of this\n\n{}{}",
        report.trials,
        count(report.n as f64),
        report.seed,
        table.render(),
        more(report.sets.len())
    )
}
