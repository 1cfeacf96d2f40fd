//! Why a plan misses its target, and which settings would pass, as people read it.

use disclosure_jobs::exact::{PrimaryReason, PublishedNumbers, RefusalDocument, SettingDocument, SettingOutcome};

use super::{count, labelled};

/// Most classes, cells and settings of a kind that are listed.
const MOST: usize = 8;

/// A line for each class or cell that blocks, then one for each setting that passes.
pub(crate) fn show_refusal(refusal: &RefusalDocument) -> String {
    let RefusalDocument { cells, classes, blocking_classes, settings, seconds, .. } = refusal;
    let cell_lines = cells.iter().map(|cell| format!("{} is {}", cell.name, primary_word(cell.why)));
    let class_lines =
        classes.iter().map(|class| format!("{} is {}: {}", class.class.text(), class.verdict.name(), class.why));
    let mut text =
        String::from("\n") + &listed("blocks", cell_lines.chain(class_lines), cells.len() + blocking_classes);
    let passing = with_outcome(settings, SettingOutcome::Passes);
    text += &match passing.is_empty() {
        true => line("passes", "none of the settings tried"),
        false => listed("passes", passing.iter().map(|tried| with_numbers(tried)), passing.len()),
    };
    for (outcome, name) in [
        (SettingOutcome::PublishesNothing, "empty"),
        (SettingOutcome::Misses, "misses"),
        (SettingOutcome::OutOfTime, "too long"),
        (SettingOutcome::NotTried, "not tried"),
    ] {
        let named: Vec<&str> = with_outcome(settings, outcome).iter().map(|tried| tried.setting.as_str()).collect();
        if !named.is_empty() {
            text += &line(name, &named.join("; "));
        }
    }
    let advice = format!(
        "each setting was planned and attacked separately, within {seconds} s in total; choosing a setting because it \
         passes is a decision based on the counts"
    );
    text + &line("settings", &advice)
}

fn with_outcome(settings: &[SettingDocument], outcome: SettingOutcome) -> Vec<&SettingDocument> {
    settings.iter().filter(|tried| tried.outcome == outcome).collect()
}

fn with_numbers(tried: &SettingDocument) -> String {
    let Some(PublishedNumbers { exact, noised, withheld }) = tried.numbers else { return tried.setting.clone() };
    let [exact, noised, withheld] = [exact, noised, withheld].map(|numbers| count(numbers as f64));
    format!("{} ({exact} numbers exact, {noised} with noise, {withheld} withheld)", tried.setting)
}

/// The first of some lines under one name, and how many there are more.
fn listed(name: &str, lines: impl Iterator<Item = String>, all: usize) -> String {
    let lines = lines.take(MOST).enumerate();
    let text: String = lines.map(|(place, words)| line(if place == 0 { name } else { "" }, &words)).collect();
    let more = all.saturating_sub(MOST);
    text + &if more == 0 { String::new() } else { line("", &format!("… and {more} more, in --json")) }
}

fn line(name: &str, words: &str) -> String {
    labelled(11, name, words)
}

/// What is wrong with a published number by itself.
pub(crate) fn primary_word(why: PrimaryReason) -> &'static str {
    match why {
        PrimaryReason::Unanimous => "nearly unanimous",
        _ => "of too few people",
    }
}
