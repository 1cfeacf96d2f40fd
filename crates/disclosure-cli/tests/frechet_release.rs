//! Plans and releases of exact numbers, from the outside.

use crate::support::Bench;
use crate::support::frechet::{frechet, job, json, refused, votes};
use serde_json::Value;
use sha2::{Digest, Sha256};

#[test]
fn a_release_writes_the_tables_and_says_what_it_promises_first() {
    let bench = Bench::new();
    let few = "{ name = \"few\", where = { religion = \"b\", age = \"old\" }, interval = 200 }";
    let spec = votes(&format!("target = \"undisclosed\"\npublish = [{few}]")).replace("\"axial\"", "[[\"religion\"]]");
    let run = frechet(&bench, "release", &spec, &["-o", "out", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let text = bench.read("out/release.json");
    assert_eq!(run.out, text);
    let record: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(record["schema"], "disclosure.frechet-release/1");
    assert!(text.find("\"kind\": \"guarantee\"").unwrap() < text.find("\"policy\"").unwrap());
    assert_eq!(
        bench.read("out/0-religion.csv"),
        "religion,value,sd,status,reason\na,500,0.0,exact,counted\nb,600,0.0,exact,counted\n"
    );
    let file = &record["files"][0];
    let digest = Sha256::digest(bench.read("out/0-religion.csv").as_bytes());
    let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!((file["name"].as_str(), file["sha256"].as_str()), (Some("0-religion.csv"), Some(digest.as_str())));
    assert_eq!((file["treatment"].as_str(), file["exact"].as_i64()), (Some("exact"), Some(2)));
    assert_eq!((record["publish"][0]["lower"].as_i64(), record["publish"][0]["upper"].as_i64()), (Some(0), Some(199)));
    assert_eq!(record["publish"][0]["where"], serde_json::json!({"age": ["old"], "religion": ["b"]}));
    assert!(record["privacy"].is_null() && record["basis"] == "public-sizes");
    assert!(!text.contains("d.csv"), "no path of the owner");
    assert_eq!(frechet(&bench, "release", &spec, &["-o", "out"]).code, 1, "a release is not written over");
}

#[test]
fn a_release_that_misses_its_target_writes_nothing() {
    let bench = Bench::new();
    for target in ["undisclosed", "certified"] {
        let spec = votes(&format!("target = \"{target}\""));
        let run = frechet(&bench, "release", &spec, &["-o", "out"]);
        assert_eq!((run.code, run.out.as_str()), (4, ""), "{}", run.err);
        assert!(run.err.contains("E0411") && !run.err.contains("1100"), "{}", run.err);
        assert_eq!(bench.names(), ["d.csv", "s.toml"]);
        let plan = frechet(&bench, "plan", &spec, &["--json"]);
        assert_eq!((plan.code, json(&plan)["target_met"].as_bool()), (4, Some(false)));
    }
}

#[test]
fn a_refused_plan_says_what_blocks_and_which_settings_pass_when_they_are_used() {
    let bench = Bench::new();
    let spec = votes("target = \"undisclosed\"");
    let plan = frechet(&bench, "plan", &spec, &[]);
    assert_eq!(plan.code, 4, "{}", plan.err);
    for words in ["blocks", "is disclosed", "decide_on = \"counts\" (", "within 10 s in total"] {
        assert!(plan.out.contains(words), "{words}: {}", plan.out);
    }
    assert!(plan.err.contains("which settings would pass"), "{}", plan.err);
    let refusal = json(&frechet(&bench, "plan", &spec, &["--json"]))["refusal"].clone();
    let settings = refusal["settings"].as_array().unwrap();
    let outcome = |setting: &str| {
        settings.iter().find(|tried| tried["setting"] == setting).unwrap_or_else(|| panic!("{settings:?}"))["outcome"]
            .clone()
    };
    let changed = [
        ("decide_on = \"counts\"", votes("target = \"undisclosed\"\ndecide_on = \"counts\"")),
        ("margins without [\"age\"]", spec.replace("\"axial\"", "[[\"religion\"]]")),
        ("margins without [\"religion\"]", spec.replace("\"axial\"", "[[\"age\"]]")),
    ];
    for (setting, spec) in changed {
        let expected = if frechet(&bench, "plan", &spec, &[]).code == 0 { "passes" } else { "misses" };
        assert_eq!(outcome(setting), expected, "{setting}");
    }
}

#[test]
fn a_plan_on_the_counts_keeps_what_exposes_nobody_and_says_that_it_looked() {
    let bench = Bench::new();
    let spec = votes("target = \"undisclosed\"\ndecide_on = \"counts\"");
    let plan = json(&frechet(&bench, "plan", &spec, &["--json"]));
    assert_eq!(
        (plan["schema"].as_str(), plan["target_met"].as_bool()),
        (Some("disclosure.frechet-plan/1"), Some(true))
    );
    assert_eq!((plan["basis"].as_str(), plan["is_optimal"].as_bool()), (Some("counts"), Some(true)));
    assert!(plan["notes"][0].as_str().unwrap().contains("the pattern itself"));
    let treatments: Vec<&str> =
        plan["margins"].as_array().unwrap().iter().map(|m| m["treatment"].as_str().unwrap()).collect();
    assert!(treatments.contains(&"exact") && treatments != ["exact", "exact"], "{treatments:?}");
    let weighted = spec.replace("\"axial\"", "[{ set = [\"religion\"], weight = 9.0 }, [\"age\"]]");
    let plan = json(&frechet(&bench, "plan", &weighted, &["--json"]));
    assert_eq!((&plan["margins"][0]["treatment"], plan["margins"][0]["weight"].as_f64()), (&"exact".into(), Some(9.0)));
    let table = "margins = [[\"religion\", \"age\"]]\ndecide_on = \"counts\"\n";
    let small = |more: &str| job(&format!("{table}{more}")).replace("kappa = 20", "kappa = 200");
    bench.write("tall.csv", "religion,age,n\na,young,7\na,old,500\nb,young,900\nb,old,800\n");
    let spec = small("").replace("d.csv", "tall.csv").replace("tau = 0", "tau = 3");
    let run = frechet(&bench, "release", &spec, &["-o", "out", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(!bench.read("out/0-religion_by_age.csv").contains(",7,"), "7 are fewer than 200");
}

#[test]
fn noise_is_used_where_it_is_allowed_and_says_what_it_promises() {
    let bench = Bench::new();
    bench.write("x.csv", "x,vote,n\nbig,A,400\nbig,B,600\nfew,A,3\nfew,B,2\n");
    let spec = |more: &str| {
        format!(
            "data = \"x.csv\"\ncount = \"n\"\nvote = {{ column = \"vote\", value = \"A\" }}\nmargins = \"axial\"\n\
             tau = 0\nbeta = 0.1\nkappa = 20\ntarget = \"undisclosed\"\n{more}\n\
             [[attribute]]\nname = \"x\"\nlabels = [\"big\", \"few\"]\n"
        )
    };
    let noisy = spec("epsilon = 0.5\ndelta = 1e-6");
    let plan = json(&frechet(&bench, "plan", &noisy, &["--json"]));
    let margin = &plan["margins"][0];
    assert_eq!((margin["treatment"].as_str(), margin["noised"].as_i64()), (Some("noised"), Some(1)));
    let statement = &plan["noise"]["statement"];
    assert!(statement["epsilon"].as_f64().unwrap() <= 0.5 && statement["sensitivity"].as_i64().unwrap() >= 1);
    let sd = plan["noise"]["cells"][0]["variance"].as_f64().unwrap().sqrt();
    let run = frechet(&bench, "release", &noisy, &["-o", "out", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!(json(&run)["privacy"]["epsilon"], statement["epsilon"]);
    let table = bench.read("out/0-x.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[1], "big,400,0.0,exact,counted");
    let few: Vec<&str> = lines[2].split(',').collect();
    assert_eq!((few[0], few[3]), ("few", "noised"));
    assert!(few[1].parse::<i64>().is_ok(), "noise is a whole number: {}", few[1]);
    assert!((few[2].parse::<f64>().unwrap() - sd).abs() < 1e-12);
    let quiet = json(&frechet(&bench, "plan", &spec("epsilon = 0.5\nforbid = [\"noise\"]"), &["--json"]));
    assert!(quiet["noise"].is_null() && quiet["margins"][0]["noised"] == 0);
    for (more, code) in [("delta = 1e-6", "E0234"), ("loss = \"variance\"", "E0234"), ("epsilon = -1.0", "E0210")] {
        assert_eq!(refused(&bench, "plan", &spec(more)).0, code, "{more}");
    }
}

#[test]
fn a_plan_without_public_sizes_is_decided_so_that_knowing_how_adds_nothing() {
    let bench = Bench::new();
    let open = job("margins = \"axial\"");
    assert_eq!(json(&frechet(&bench, "plan", &open, &["--json"]))["basis"], "robust");
    assert_eq!(refused(&bench, "plan", &job("margins = \"axial\"\ndecide_on = \"public-sizes\"")), ("E0238".into(), 2));
    let counts = job("margins = \"axial\"\ndecide_on = \"counts\"");
    assert_eq!(frechet(&bench, "plan", &counts, &[]).code, 0);
    let untrue = "margins = \"axial\"\ndecide_on = \"counts\"\nknown = [{ value = 3000 }]";
    assert_eq!(refused(&bench, "plan", &job(untrue)), ("E0372".into(), 3));
    let named = counts.replace("\"religion\"", "\"value\"");
    let renamed = named.replace("name = \"value\"", "name = \"value\"\ncolumn = \"religion\"");
    assert_eq!(frechet(&bench, "release", &renamed, &["-o", "out"]).code, 2, "a column of the outputs has that name");
}

#[test]
fn a_published_number_of_one_person_is_refused_by_audit_plan_and_release_alike() {
    let bench = Bench::new();
    bench.write("d.csv", "a,b,n\nx,p,1\nx,q,30\ny,p,40\ny,q,50\n");
    let spec = "data = \"d.csv\"\ncount = \"n\"\ntau = 0\nkappa = 20\nmargins = [[]]\ndecide_on = \"counts\"\n\
                [[publish]]\nname = \"the corner\"\nwhere = {a = \"x\", b = \"p\"}\n\
                [[attribute]]\nname = \"a\"\nlabels = [\"x\", \"y\"]\n\
                [[attribute]]\nname = \"b\"\nlabels = [\"p\", \"q\"]\n";
    let job = bench.write("job.toml", spec);
    for words in [&["audit"][..], &["plan"], &["release", "-o", "out"]] {
        let run = bench.run(&[&["frechet"], &words[..1], &[job.as_str()], &words[1..]].concat());
        assert_eq!(run.code, 4, "{words:?}: {}", run.err);
        assert!(run.err.contains("E0411") && !bench.names().contains(&"out".to_owned()), "{}", run.err);
    }
    let shown = bench.run(&["frechet", "audit", &job]);
    assert!(shown.out.contains("the corner") && shown.out.contains("of too few people"), "{}", shown.out);
    let large = bench.write("large.toml", &spec.replace("b = \"p\"", "b = \"q\""));
    assert_eq!(bench.run(&["frechet", "release", &large, "-o", "out"]).code, 0);
}

/// Of nine tables consistent with what the lightest pattern publishes, it is the lightest for one.
#[test]
fn a_reader_who_knows_the_program_is_asked_about_and_a_robust_plan_leaves_them_nothing() {
    let bench = Bench::new();
    let counts = [2, 10, 7, 3, 11, 17, 1, 8, 11, 5, 17, 9, 5, 10, 14, 3];
    let line = |(cell, count): (usize, &u32)| format!("{},{},{count}\n", cell / 4, cell % 4);
    let lines: String = counts.iter().enumerate().map(line).collect();
    bench.write("cells.csv", &format!("a,b,n\n{lines}"));
    let spec = |basis: &str| {
        format!(
            "data = \"cells.csv\"\ncount = \"n\"\ntau = 0\nkappa = 3\nmargins = [[\"a\"], [\"b\"], [\"a\", \"b\"]]\n{basis}\n\
             [[attribute]]\nname = \"a\"\nlabels = [\"0\", \"1\", \"2\", \"3\"]\n\
             [[attribute]]\nname = \"b\"\nlabels = [\"0\", \"1\", \"2\", \"3\"]\n"
        )
    };
    let on_counts = spec("decide_on = \"counts\"");
    let audit = frechet(&bench, "audit", &on_counts, &["--algorithm-aware", "--json"]);
    assert_eq!(audit.code, 4, "{}", audit.err);
    assert!(audit.err.contains("E0416"), "{}", audit.err);
    let found = &json(&audit)["algorithm_aware"]["found"];
    let figures = ["looked_at", "same", "withheld", "known_exactly"].map(|name| found[name].as_u64().unwrap());
    assert_eq!((figures, found["is_whole"].as_bool()), ([9, 1, 4, 4], Some(true)));
    let shown = frechet(&bench, "release", &on_counts, &["-o", "out"]);
    assert_eq!(shown.code, 0, "{}", shown.err);
    let record: Value = serde_json::from_str(&bench.read("out/release.json")).unwrap();
    let words = "9 tables are consistent with the release; running this program on each leaves 1, in which 4 of 4 \
                 withheld numbers are known exactly";
    assert!(record["algorithm_aware"]["statement"].as_str().unwrap().starts_with(words), "{record:#}");
    assert!(record["not_covered"].as_array().unwrap().iter().any(|open| open.as_str().unwrap().starts_with(words)));
    let robust = spec("");
    let run = frechet(&bench, "release", &robust, &["-o", "safe", "--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    let record = json(&run);
    assert_eq!(
        (record["basis"].as_str(), record["algorithm_aware"]["kind"].as_str()),
        (Some("robust"), Some("guarantee"))
    );
    assert_eq!(record["algorithm_aware"]["found"]["known"], 0);
    assert!(bench.read("safe/2-a_by_b.csv").contains("2,0,11,"), "the lower half is published");
    let page = bench.run(&["report", "safe", "-o", "page.html"]);
    assert_eq!(page.code, 0, "{}", page.err);
    assert!(bench.read("page.html").contains("What knowledge of this program discloses"));
}
