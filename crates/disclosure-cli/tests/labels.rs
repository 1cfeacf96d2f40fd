//! What every command calls things: codes by their names, bins by theirs, long labels cut so that
//! rows stay apart, and no line wider than the terminal.

use crate::support::{Bench, fixture};

/// Codes with names, bins without, and long labels that differ in their middle alone.
const DOMAIN: &str = "learnt_from_data = false\n\
    [[attribute]]\nname = \"sex\"\nsize = 2\nnames = [\"female\", \"male\"]\n\
    [[attribute]]\nname = \"age\"\nbins = [18, 30, 65, inf]\n\
    [[attribute]]\nname = \"occupation of the main earner of the household\"\nlabels = [\"a\", \"b\", \"c\"]\n\
    names = [\"occupation of the main earner: clerk, grade one, employed full time for the whole year\", \
    \"occupation of the main earner: clerk, grade two, employed full time for the whole year\", \
    \"occupation of the main earner: clerk, grade six, employed full time for the whole year\"]\n";

const WORK: &str = "occupation of the main earner of the household";

/// A bench with the domain and its rows: codes, ages and letters.
fn bench() -> Bench {
    let bench = Bench::new();
    bench.write("domain.toml", DOMAIN);
    let row = |n: usize| {
        let x = n.wrapping_mul(2_654_435_761) >> 7;
        format!("{},{},{},{n},{}\n", x % 2, 18 + (x >> 3) % 70, ["a", "b", "c"][(x >> 9) % 3], 10 + x % 90)
    };
    let rows: String = (0..400).map(row).collect();
    bench.write("rows.csv", &format!("sex,age,{WORK},pid,turnover\n{rows}"));
    let noise = "neighbours = \"add-remove\"\ndomain = \"domain.toml\"\n[privacy]\nrho = 0.5\n";
    bench.write("noisy.toml", &format!("title = \"A title\"\nup_to = 2\n{noise}"));
    bench.write("adaptive.toml", &format!("up_to = 2\n{noise}"));
    let exact = |more: &str| {
        format!("data = \"rows.csv\"\ndomain = \"domain.toml\"\nmin_interval_width = 0\nmin_frequency = 3\n{more}")
    };
    bench.write("exact.toml", &exact(&format!("margins = [[\"sex\", \"age\"], [\"age\", \"{WORK}\"]]\n")));
    bench.write("later.toml", &exact(&format!("margins = [[\"sex\"], [\"age\"], [\"{WORK}\"]]\n")));
    let rounded = exact("margins = [[\"sex\", \"age\"]]\n").replace("min_frequency = 3", "min_frequency = 1");
    bench.write("round.toml", &rounded);
    let aid = "mean = 8.0\nsd = 1.5\nalways_suppress_upper_bound = 2\n";
    let form = "aid = [{ column = \"pid\", form = \"integer\" }]\ndomain = \"domain.toml\"\n";
    bench.write("groups.toml", &format!("group_by = [\"sex\", \"age\", \"{WORK}\"]\n{form}{aid}"));
    bench.write(
        "amounts.toml",
        &format!(
            "data = \"rows.csv\"\ndomain = \"domain.toml\"\naxes = [\"sex\", \"age\", \"{WORK}\"]\namount = \"turnover\"\n\
             rule = {{ min_frequency = 12 }}\n"
        ),
    );
    let feature = |name: &str, values: &str, names: &str| {
        format!(
            "[[feature]]\nname = \"{name}\"\nvalues = [{values}]\nnames = [{names}]\nprotocol = \"grr\"\nepsilon = 2\n"
        )
    };
    let named =
        feature(WORK, "\"a\", \"b\", \"c\"", "\"clerk, grade one\", \"clerk, grade two\", \"clerk, grade six\"");
    bench.write("ldp.toml", &(feature("sex", "\"0\", \"1\"", "\"female\", \"male\"") + &named));
    bench.write(
        "screen.toml",
        &format!(
            "target = \"sex\"\nknown = [\"age\", \"{WORK}\"]\nsuppress_below = 3\nnoise = 2\ndomain = \"domain.toml\"\n"
        ),
    );
    bench.write(
        "job.toml",
        &format!(
            "title = \"All parts\"\ndata = \"rows.csv\"\ndomain = \"domain.toml\"\n[budget]\nrho = 0.5\n\
             neighbours = \"add-remove\"\n[noisy]\nup_to = 2\n[exact]\nmargins = [[\"sex\", \"{WORK}\"]]\ntau = 0\nkappa = 3\n\
             [filtered]\ngroup_by = [\"age\", \"{WORK}\"]\naid = \"row\"\n{aid}draws = \"publish\"\n\
             counts = {{ kind = \"noisy\", scale = 4.0 }}\n[targets]\nmax_pinned_cells = 100\nmax_pinned_groups = 100\n"
        ),
    );
    bench
}

/// What a command prints and says on a terminal of 80 columns; `~` is a space within a word. 4 is
/// an answer.
fn said(bench: &Bench, words: &str) -> String {
    let words: Vec<String> = words.split(' ').map(|word| word.replace('~', " ")).collect();
    let run = bench.run_narrow(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(matches!(run.code, 0 | 4), "{words:?}: {}", run.err);
    let text = run.out + &run.err;
    for line in text.lines() {
        let width = line.chars().count();
        assert!(width <= 80, "{words:?} prints a line of {width} columns: {line}\n{text}");
    }
    for raw in ["[18, 30)", "[30, 65)", "[65, inf]", "sex 0", "sex 1", "sex = 0", "sex=0"] {
        assert!(!text.contains(raw), "{words:?} prints {raw:?}: {text}");
    }
    text
}

#[test]
fn tables_with_noise_have_names_and_fit() {
    let bench = bench();
    said(&bench, "resplan plan noisy.toml");
    said(&bench, "resplan release noisy.toml rows.csv -o out --new-ledger --rho 1 --ledger ledger");
    said(&bench, "ledger show ledger");
    let csv = bench.read("out/2-age.csv");
    assert!(csv.contains("\n65 and over,") && csv.contains("\n18 to under 30,"), "{csv}");
    let shown = said(&bench, "resplan answer out/measurement.bin --marginal sex,age");
    assert!(shown.contains("female") && shown.contains("65 and over"), "{shown}");
    said(&bench, "resplan answer out/measurement.bin --query sex=female,age=65~and~over");
    said(&bench, "resplan answer out/measurement.bin");
    said(&bench, "resplan simulate noisy.toml rows.csv --trials 3 --seed 1");
    said(&bench, "synth out/measurement.bin -o people.csv --zero sex=male,age=65~and~over");
    assert!(bench.read("people.csv").contains("female,18 to under 30,\"occupation"));
    said(&bench, "adaptive plan adaptive.toml");
    said(&bench, "adaptive release adaptive.toml rows.csv -o adapted");
    assert!(bench.read("adapted/rows.csv").contains("female,18 to under 30,\"occupation"));
    said(&bench, "report out -o page.html");
    assert!(bench.read("page.html").contains("65 and over"));
}

#[test]
fn exact_tables_have_names_and_fit() {
    let bench = bench();
    let bounds = said(&bench, "frechet bounds exact.toml");
    let rows: Vec<&str> = bounds.lines().filter(|line| line.contains("sex female")).collect();
    assert!(!rows.is_empty() && rows.iter().any(|row| row.contains('…')), "{bounds}");
    let shown: std::collections::BTreeSet<&str> = rows.iter().map(|row| row.split("  ").nth(1).unwrap()).collect();
    assert_eq!(shown.len(), rows.len(), "rows stay distinct: {bounds}");
    let audit = said(&bench, "frechet audit exact.toml");
    assert!(audit.contains("age 65 and over"), "{audit}");
    said(&bench, "frechet plan exact.toml");
    said(&bench, "frechet diff exact.toml later.toml");
    said(&bench, "frechet round round.toml --base 5 -o rounded");
    said(&bench, "frechet release later.toml -o released");
    let amounts = said(&bench, "magnitude plan amounts.toml");
    assert!(amounts.contains("female") || amounts.contains("male"), "{amounts}");
    said(&bench, "magnitude release amounts.toml -o amounts");
    said(&bench, "screen table screen.toml rows.csv");
    said(&bench, "screen simulate screen.toml rows.csv --trials 2 --seed 1");
}

#[test]
fn groups_and_answers_have_names_and_fit() {
    let bench = bench();
    let shown = said(&bench, "lcf filter groups.toml rows.csv --secret-file key --new-secret -o groups.csv");
    assert!(shown.contains("female") && shown.contains("18 to under 30"), "{shown}");
    assert!(bench.read("groups.csv").contains("female,18 to under 30,\"occupation"), "{}", bench.read("groups.csv"));
    let group =
        "male,65~and~over,\"occupation~of~the~main~earner:~clerk,~grade~six,~employed~full~time~for~the~whole~year\"";
    said(&bench, &format!("lcf explain groups.toml rows.csv --secret-file key --group {group}"));
    let wrong =
        bench.run(&["lcf", "explain", "groups.toml", "rows.csv", "--secret-file", "key", "--group", "femal,x,y"]);
    assert!(wrong.code == 2 && wrong.err.contains("did you mean \"female\"?"), "{}", wrong.err);
    said(&bench, "ldp encode ldp.toml rows.csv -o reports");
    said(&bench, "ldp aggregate ldp.toml reports -o state");
    let estimate = said(&bench, "ldp estimate ldp.toml state --pairs");
    assert!(estimate.contains("grade one") && estimate.contains("grade six"), "{estimate}");
    said(&bench, "ldp simulate ldp.toml rows.csv --trials 2 --seed 1");
}

#[test]
fn a_job_of_several_parts_has_names_and_fits() {
    let bench = bench();
    let screen = said(&bench, "run job.toml -o out --secret-file key --new-secret --dry-run");
    assert!(screen.lines().count() <= 48, "{screen}");
    said(&bench, "run job.toml -o out --secret-file key --dry-run --details");
}

/// Long words of fixtures, and commands without data of their own.
#[test]
fn other_commands_fit() {
    let bench = bench();
    // Paths of their own length are no part of what is looked at.
    std::os::unix::fs::symlink(fixture("").canonicalize().unwrap(), bench.path("f")).unwrap();
    let path = |name: &str| format!("f/{name}");
    for words in [
        format!("ldp plan {}", path("jobs/ldp-plan.toml")),
        format!("lcf advise {}", path("jobs/lcf-advise.toml")),
        "lcf odds --mean 8 --sd 1.5 --floor 2".to_owned(),
        format!("screen model {}", path("jobs/screen-model.toml")),
        format!("frechet audit {}", path("jobs/frechet-admissions.toml")),
        format!("frechet plan {}", path("jobs/frechet-titanic.toml")),
        "explain E0301".to_owned(),
        "explain E0371".to_owned(),
    ] {
        said(&bench, &words);
    }
}
