//! Tables of amounts: plans for their owner, releases, and patterns of other tools.

use crate::support::{Bench, fixture};

fn firms() -> String {
    fixture("jobs/magnitude-firms.toml").to_str().unwrap().to_owned()
}

/// Four cells: three of three firms, and one of one firm, which nobody may learn.
const SMALL: &str = "region,branch,turnover\nn,x,500\nn,x,450\nn,x,300\nn,y,300\nn,y,280\nn,y,250\n\
    s,x,310\ns,x,290\ns,x,200\ns,y,900\n";

fn job(bench: &Bench, more: &str) -> String {
    bench.write("data.csv", SMALL);
    let text = format!(
        "data = \"data.csv\"\naxes = [\"region\", \"branch\"]\namount = \"turnover\"\n{more}\n[rule]\np_percent = 10\n"
    );
    bench.write("job.toml", &text)
}

#[test]
fn a_plan_shows_its_owner_every_withheld_cell_and_what_proves_its_bounds() {
    let bench = Bench::new();
    let plan = bench.json(&["magnitude", "plan", &firms(), "--json", "--certificates", "proof.json", "--jj", "own.jj"]);
    assert_eq!(plan["schema"], "disclosure.magnitude-plan/1");
    let (tally, cells) = (&plan["tally"], plan["cells"].as_array().unwrap());
    let withheld = tally["primary"].as_u64().unwrap() + tally["complementary"].as_u64().unwrap();
    assert_eq!(withheld, cells.len() as u64);
    for cell in cells {
        let (amount, level) = (cell["amount"].as_f64().unwrap(), cell["level"].as_f64().unwrap());
        assert_eq!(cell["is_proved"], true, "{cell}");
        assert!(cell["lower"].as_f64().unwrap() <= amount - level.min(amount), "{cell}");
        assert!(cell["upper"].as_f64().is_none_or(|upper| upper >= amount + level), "{cell}");
    }
    assert_eq!(bench.run(&["frechet", "verify", "proof.json"]).code, 0);
    // The pattern goes to other tools and comes back as good as it went.
    let audit = bench.json(&["magnitude", "audit", "own.jj", "--decimals", "1", "--json"]);
    assert_eq!(audit["target_met"], true);
    assert_eq!(audit["cells"].as_array().unwrap().len(), cells.len());
    let words = bench.run(&["magnitude", "plan", &firms()]);
    assert!(words.code == 0 && words.out.contains("guarantee") && words.out.contains("sensitive"), "{}", words.out);
}

#[test]
fn a_release_is_one_table_that_does_not_say_which_cells_are_sensitive() {
    let bench = Bench::new();
    let record = bench.json(&["magnitude", "release", &firms(), "-o", "out", "--json"]);
    let table = bench.read("out/table.csv");
    assert_eq!(table.matches(",,withheld").count() as u64, record["withheld"].as_u64().unwrap());
    assert_eq!(table.matches(",published").count() as u64, record["published"].as_u64().unwrap());
    for said in ["primary", "complementary", "secondary"] {
        assert!(!table.contains(said) && !bench.read("out/release.json").contains(said), "{said}");
    }
    // A second release in the same place is refused.
    assert_ne!(bench.run(&["magnitude", "release", &firms(), "-o", "out"]).code, 0);
}

#[test]
fn what_cannot_be_protected_ends_in_exit_code_4_and_writes_nothing() {
    let bench = Bench::new();
    let kept = job(&bench, "keep = [{ region = \"s\", branch = \"y\" }]");
    let run = bench.run(&["magnitude", "release", &kept, "-o", "out"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("E0440") && run.err.contains("s, y"), "{}", run.err);
    assert!(!run.err.contains("900"), "{}", run.err);
    assert_eq!(bench.names(), ["data.csv", "job.toml"]);
    let without_limit = job(&bench, "steps = 0");
    assert_ne!(bench.run(&["magnitude", "plan", &without_limit]).code, 0);
}

#[test]
fn a_pattern_that_gives_a_sensitive_amount_away_ends_in_exit_code_4() {
    let bench = Bench::new();
    let plan = job(&bench, "");
    assert_eq!(bench.run(&["magnitude", "plan", &plan, "--jj", "own.jj"]).code, 0);
    let pattern = bench.read("own.jj");
    let line = pattern.lines().find(|line| line.contains(" m ")).unwrap().to_owned();
    bench.write("worse.jj", &pattern.replace(&line, &line.replace(" m ", " s ")));
    let run = bench.run(&["magnitude", "audit", "worse.jj"]);
    assert_eq!(run.code, 4, "{}", run.err);
    assert!(run.err.contains("E0442") && run.out.contains("known exactly"), "{} {}", run.err, run.out);
    let hostile = bench.run(&["magnitude", "audit", &plan]);
    assert!(hostile.code != 0 && hostile.err.contains("E036"), "{}", hostile.err);
}

#[test]
fn rules_that_cannot_be_are_refused_before_the_data_are_read() {
    let bench = Bench::new();
    for (more, code) in [("coalition = 3", "E0246"), ("decimals = 12", "E0246"), ("unknown = 1", "E0210")] {
        let spec = job(&bench, more);
        std::fs::remove_file(bench.path("data.csv")).unwrap();
        let run = bench.run(&["magnitude", "plan", &spec]);
        assert!(run.code == 2 && run.err.contains(code), "{more}: {} {}", run.code, run.err);
    }
}
