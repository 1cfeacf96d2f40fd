//! The README and the guide as a newcomer follows them: their commands in one directory, in their
//! order, and the figures that the README states.

use std::path::Path;

use disclosure::privacy_core::special::erf;

use crate::support::{Bench, Run};
use crate::{main_job, screen};

fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn page(name: &str) -> String {
    std::fs::read_to_string(repository().join(name)).unwrap()
}

/// The first screen says what it is, for whom, what it is not for, and shows what comes out.
#[test]
fn the_first_screen_of_the_readme_is_enough_to_decide() {
    let text = page("README.md");
    let first: Vec<&str> = text.lines().take(52).collect();
    let first = first.join("\n");
    for words in ["It is for", "It is not for", "```sh\ncargo run", "guarantee  0.5-zCDP", "ci95_low", "docs/page.png"]
    {
        assert!(first.contains(words), "{words}");
    }
    let csv = first.split("```text\n").nth(2).unwrap().split("```").next().unwrap();
    assert!(csv.starts_with("Class,Sex,value,sd,ci95_low,ci95_high,status,reason\n"), "{csv}");
    let output = first.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(output.lines().count() <= 12, "{output}");
    assert!(text.lines().count() <= 160, "the rest is in docs/guide.md");
}

/// A command of the README: its words, and the file that takes its output.
fn words_of(line: &str) -> Option<(Vec<String>, Option<String>)> {
    let line = line.split("  #").next().unwrap().trim();
    let line = line.strip_prefix("cargo run --release --bin disclosure -- ").or(line.strip_prefix("disclosure "))?;
    let (line, output) = match line.split_once(" > ") {
        Some((line, output)) => (line, Some(output.trim().to_owned())),
        None => (line, None),
    };
    let parts = line.split('"').enumerate();
    let words = parts.flat_map(|(place, part)| match place % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    Some((words.collect(), output))
}

/// The commands of all blocks for a shell.
fn commands(text: &str) -> Vec<(Vec<String>, Option<String>)> {
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter_map(words_of).collect()
}

#[test]
fn the_commands_do_what_they_say_in_one_directory_and_in_their_order() {
    let text = page("README.md") + &page("docs/guide.md");
    let bench = Bench::new();
    let fixtures = std::fs::canonicalize(repository().join("fixtures")).unwrap();
    std::os::unix::fs::symlink(fixtures, bench.path("fixtures")).unwrap();
    let spec = text.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    assert!(spec.starts_with("# spec.toml"));
    bench.write("spec.toml", spec);
    let ages = ["under 30", "30 to 64", "65 and over"];
    let rows = (0..300).map(|row| format!("{},{}\n", ages[row % 7 % 3], ["female", "male"][row % 2]));
    bench.write("survey.csv", &format!("age,sex\n{}", rows.collect::<String>()));

    let commands = commands(&text);
    assert!(commands.len() >= 20, "{}", commands.len());
    let (mut has_main_job, mut has_screen) = (false, false);
    for (words, output) in commands {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let run = bench.run_narrow(&words);
        is_as_said(&words, &run, output.is_none());
        if words.starts_with(&["run", "fixtures/jobs/survey.toml"]) {
            main_job::its_first_screen_is_the_answer_and_every_part_promises(&bench, &run);
            has_main_job = true;
        }
        if words.starts_with(&["screen", "table"]) {
            screen::its_report_is_for_the_owner_and_compares_with_guessing(&run);
            has_screen = true;
        }
        let Some(output) = output else { continue };
        // What a person does with a domain that was learnt.
        bench.write(&output, &run.out.replace("domain_is_public = false", "domain_is_public = true"));
    }
    assert!(has_main_job && has_screen);
    for file in ["out/release/release.json", "report.html", "page.html", "people.csv", "titanic/00-total.csv"] {
        assert!(bench.path(file).exists(), "{file}");
    }
}

/// It ends well, and what is for people fits 80 columns.
fn is_as_said(words: &[&str], run: &Run, is_on_screen: bool) {
    // 4 is an answer: a target is missed.
    let misses = matches!(words[0], "frechet" | "screen");
    assert!(run.code == 0 || misses && run.code == 4, "{words:?}: {}", run.err);
    let is_for_people = is_on_screen && !words.contains(&"--json");
    let printed = if is_for_people { &run.out } else { "" };
    for line in printed.lines().chain(run.err.lines()) {
        assert!(line.chars().count() <= 80, "{words:?} prints a line of {} columns: {line}", line.chars().count());
    }
}

/// Numbers of a row of a table in Markdown, in percent or plain.
fn row(text: &str, head: &str) -> Vec<f64> {
    let line = text.lines().find(|line| line.starts_with(&format!("| {head} |"))).unwrap();
    let cells = line.split('|').skip(2).map(|cell| cell.trim().trim_end_matches(" %"));
    cells.filter(|cell| !cell.is_empty()).map(|cell| cell.parse().unwrap()).collect()
}

/// Best guess about one of two tables with even odds, `(1 + TV) / 2`. The Kullback-Leibler
/// divergence is at most rho, so TV is at most `sqrt(rho / 2)` (Pinsker) and
/// `sqrt(1 - exp(-rho))` (Bretagnolle and Huber); Gaussian noise with `mu = sqrt(2 rho)` has
/// `TV = 2 Phi(mu / 2) - 1 = erf(sqrt(rho) / 2)`.
#[test]
fn what_a_budget_lets_an_attacker_guess_is_stated_as_it_follows_from_rho() {
    let text = page("README.md");
    let (rho, most, gaussian) = (row(&text, "rho"), row(&text, "at most"), row(&text, "Gaussian noise"));
    assert!(rho.len() == 6 && most.len() == 6 && gaussian.len() == 6);
    for ((rho, most), gaussian) in rho.into_iter().zip(most).zip(gaussian) {
        let bound = 50.0 + 50.0 * (rho / 2.0).sqrt().min((-(-rho).exp_m1()).sqrt());
        assert!((bound..bound + 0.1).contains(&most), "{rho}: {bound} {most}");
        let best = 50.0 + 50.0 * erf(rho.sqrt() / 2.0);
        assert!((best..best + 0.1).contains(&gaussian), "{rho}: {best} {gaussian}");
    }
}
