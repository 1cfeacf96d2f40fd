//! What exactly published numbers disclose, from the outside.

use crate::support::frechet::{find, frechet, job, json, refused, votes};
use crate::support::{Bench, fixture};
use serde_json::Value;

/// Lines of a fixture's table: its labels, and the count at the end.
fn rows(name: &str) -> Vec<(Vec<String>, i64)> {
    let text = std::fs::read_to_string(fixture(name)).unwrap();
    let row = |line: &str| {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        let count = fields.pop().unwrap().parse().unwrap();
        (fields, count)
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn two_published_margins_bound_every_cell_as_frechet_says() {
    let bench = Bench::new();
    let data = fixture("data/ucb-admissions.csv");
    let spec = format!(
        "data = {data:?}\ncount = \"n\"\nmargins = \"axial\"\ntau = 0\nkappa = 1\n\
         [[attribute]]\nname = \"Gender\"\nlabels = [\"Male\", \"Female\"]\n\
         [[attribute]]\nname = \"Dept\"\nlabels = [\"A\", \"B\", \"C\", \"D\", \"E\", \"F\"]\n"
    );
    let report = json(&frechet(&bench, "bounds", &spec, &["--json"]));
    let table = rows("data/ucb-admissions.csv");
    let sum = |axis: usize, label: &str| table.iter().filter(|(l, _)| l[axis] == label).map(|(_, n)| n).sum::<i64>();
    let total: i64 = table.iter().map(|(_, n)| n).sum();
    assert_eq!(
        (report["schema"].as_str(), report["total"].as_i64()),
        (Some("disclosure.frechet-bounds/1"), Some(total))
    );
    assert_eq!(report["method"], "two-way");
    let cells = report["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 12);
    for cell in cells {
        let (gender, dept) = (cell["cell"]["Gender"].as_str().unwrap(), cell["cell"]["Dept"].as_str().unwrap());
        let (a, b) = (sum(1, gender), sum(2, dept));
        let (lower, upper) = (0.max(a + b - total), a.min(b));
        assert_eq!((cell["lower"].as_i64(), cell["upper"].as_i64()), (Some(lower), Some(upper)), "{gender} {dept}");
        assert_eq!(cell["width"], upper - lower);
        assert!(cell["capacity"].is_null() && cell["posterior"].is_null(), "without a vote there are no rates");
        assert_eq!(cell["verdict"], "ambiguous");
    }
}

#[test]
fn draws_lie_within_what_is_proved_and_come_out_the_same_again() {
    let bench = Bench::new();
    let job = fixture("jobs/frechet-admissions.toml");
    let words = ["frechet", "audit", job.to_str().unwrap(), "--draws", "2000", "--json"];
    let report = json(&bench.run(&words));
    assert_eq!(report["sampling"]["kind"], "proxy");
    assert_eq!(
        (&report["sampling"]["connectivity"], &report["sampling"]["settled"]),
        (&"not-proved".into(), &true.into())
    );
    for class in report["classes"].as_array().unwrap() {
        let [low, mean, high] = ["p05", "mean", "p95"].map(|field| class["sampled"][field].as_f64().unwrap());
        let [least, most] = ["lower", "upper"].map(|field| class[field].as_f64().unwrap());
        assert!(least <= low && low <= mean && mean <= high && high <= most);
        assert_eq!(class["sampled"]["settled"], true);
        // The most likely table and the mean over all are near each other in tables of hundreds.
        let expected = class["expected"].as_f64().unwrap();
        assert!((mean - expected).abs() < 8.0, "{mean} and {expected}");
    }
    assert_eq!(json(&bench.run(&words)), report);
    let without = json(&bench.run(&words[..3].iter().chain(&["--json"]).copied().collect::<Vec<_>>()));
    assert!(without["sampling"].is_null() && without["classes"][0]["sampled"].is_null());
}

#[test]
fn every_three_way_table_of_the_titanic_is_the_whole_table() {
    let bench = Bench::new();
    let job = fixture("jobs/frechet-titanic.toml");
    let report = bench.json(&["frechet", "bounds", job.to_str().unwrap(), "--count-tables", "10", "--json"]);
    assert_eq!(report["tables"], serde_json::json!({"at_least": 1, "is_exact": true}));
    let table = rows("data/titanic.csv");
    assert_eq!(report["cells"].as_array().unwrap().len(), table.len());
    for (labels, count) in &table {
        let names = ["Class", "Sex", "Age", "Survived"];
        let labels: Vec<(&str, &str)> = names.into_iter().zip(labels.iter().map(String::as_str)).collect();
        let cell = find(&report["cells"], "cell", &labels);
        assert_eq!((cell["lower"].as_i64(), cell["upper"].as_i64()), (Some(*count), Some(*count)), "{labels:?}");
        assert_eq!(cell["verdict"], "disclosed");
    }
}

#[test]
fn margins_that_look_regular_expose_everybody_when_the_composition_is_known() {
    let bench = Bench::new();
    let run = frechet(&bench, "audit", &votes(""), &["--json"]);
    assert_eq!(run.code, 4);
    let error: Value = serde_json::from_str(&run.err).unwrap();
    assert_eq!((error["code"].as_str(), error["exit_code"].as_i64()), (Some("E0411"), Some(4)));
    let report = json(&run);
    assert_eq!(report["schema"], "disclosure.frechet-audit/1");
    assert_eq!((report["target_met"].as_bool(), report["exposed_people"].as_i64()), (Some(false), Some(1100)));
    assert_eq!((report["disclosed"].as_i64(), report["certified"].as_i64()), (Some(4), Some(4)));
    let young_a = find(&report["classes"], "class", &[("religion", "a"), ("age", "young")]);
    assert_eq!((young_a["lower"].as_i64(), young_a["upper"].as_i64()), (Some(0), Some(0)));
    assert_eq!((young_a["mode"].as_str(), young_a["unanimity"].as_str()), (Some("derived"), Some("not-counted")));
    assert_eq!(young_a["to"], "composition", "the published numbers alone leave 0 to 500");
    assert_eq!(young_a["posterior"], serde_json::json!([0.0, 0.0]));
    let old_b = find(&report["classes"], "class", &[("religion", "b"), ("age", "old")]);
    assert_eq!((old_b["unanimity"].as_str(), old_b["worst_case"].as_f64()), (Some("counted"), Some(1.0)));
    let words = frechet(&bench, "audit", &votes(""), &[]);
    assert_eq!(words.code, 4);
    assert!(words.out.contains("1\u{202f}100 people, whose responses are known for certain"), "{}", words.out);
    assert!(words.err.contains("error[E0411]") && words.err.contains("next:"), "{}", words.err);
}

#[test]
fn bounds_say_what_the_release_alone_tells_beside_what_follows_with_the_composition() {
    let bench = Bench::new();
    let run = frechet(&bench, "bounds", &votes(""), &["--json"]);
    assert_eq!(run.code, 0, "bounds have no target");
    let report = json(&run);
    assert_eq!((report["people"].as_i64(), report["total"].as_i64()), (Some(3100), Some(1100)));
    let young_a = find(&report["cells"], "cell", &[("religion", "a"), ("age", "young")]);
    assert_eq!((young_a["width"].as_i64(), young_a["capacity"].as_i64()), (Some(0), Some(1000)));
    assert_eq!(young_a["from_release"], serde_json::json!({"lower": 0, "upper": 500, "width": 500}));
    assert_eq!(report["promise"]["kind"], "guarantee");
    assert!(report["promise"]["against"].as_str().unwrap().contains("the number of people in every cell"));
}

#[test]
fn a_target_that_is_met_ends_in_0() {
    let bench = Bench::new();
    let one = votes("").replace("[[attribute]]\nname = \"age\"\nlabels = [\"young\", \"old\"]\n", "");
    let run = frechet(&bench, "audit", &one, &["--json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert_eq!((json(&run)["target_met"].as_bool(), json(&run)["certified"].as_i64()), (Some(true), Some(2)));
    let small = one.replace("kappa = 20", "kappa = 1101");
    assert_eq!(refused(&bench, "audit", &small), ("E0411".into(), 4), "1,100 people are fewer than 1,101");
    let open = job("margins = \"axial\"");
    assert_eq!(frechet(&bench, "audit", &open, &[]).code, 0, "no count follows from two margins of 3,100 people");
    let few = open.replace("kappa = 20", "kappa = 1101");
    assert_eq!(refused(&bench, "audit", &few), ("E0411".into(), 4), "a group of 1,100 is shown");
}

#[test]
fn numbers_that_contradict_each_other_are_named_and_shown_to_nobody() {
    let bench = Bench::new();
    let spec = votes("known = [{ name = \"last year\", where = { religion = \"a\" }, value = 777 }]");
    let run = frechet(&bench, "bounds", &spec, &[]);
    assert_eq!(run.code, 3);
    assert!(run.err.contains("E0371") && run.err.contains("known 1 \"last year\""), "{}", run.err);
    assert!(run.err.contains("margin {religion \"a\"}"), "a declared label: {}", run.err);
    assert!(!run.err.contains("777") && !run.err.contains("500"), "{}", run.err);
    // Without the composition 300 would fit, and it is not true.
    let untrue = job("margins = \"axial\"\nknown = [{ where = { religion = \"a\", age = \"young\" }, value = 999 }]");
    assert_eq!(refused(&bench, "audit", &untrue), ("E0372".into(), 3));
}

#[test]
fn what_an_attacker_knows_already_makes_the_difference_and_is_said() {
    let bench = Bench::new();
    let known = "known = [{ where = { religion = \"a\", age = \"young\" }, value = 1000 }]";
    let spec = job(&format!("margins = \"axial\"\n{known}"));
    let run = frechet(&bench, "audit", &spec, &["--json"]);
    assert_eq!(run.code, 4);
    let report = json(&run);
    for (religion, age) in [("a", "old"), ("b", "young"), ("b", "old")] {
        let class = find(&report["classes"], "class", &[("religion", religion), ("age", age)]);
        assert_eq!((class["width"].as_i64(), class["to"].as_str()), (Some(0), Some("facts")), "{religion} {age}");
    }
    let at_least = known.replace("value = 1000", "at_least = 990, at_most = 1005");
    let report = json(&frechet(&bench, "bounds", &job(&format!("margins = \"axial\"\n{at_least}")), &["--json"]));
    let old_b = find(&report["cells"], "cell", &[("religion", "b"), ("age", "old")]);
    assert_eq!((old_b["lower"].as_i64(), old_b["upper"].as_i64()), (Some(90), Some(105)));
}

#[test]
fn rounded_numbers_totals_and_groups_count_as_what_they_tell() {
    let bench = Bench::new();
    bench.write("age.csv", "young;all\nold;all\n");
    let shown = |publish: &str| {
        let spec = job(&format!("{publish}\n[hierarchy]\nage = \"age.csv\""));
        let report = json(&frechet(&bench, "bounds", &spec, &["--json"]));
        let cell = find(&report["cells"], "cell", &[("religion", "b"), ("age", "old")]);
        (cell["lower"].as_i64().unwrap(), cell["upper"].as_i64().unwrap())
    };
    assert_eq!(shown("publish = [{}]"), (0, 3100), "the total");
    assert_eq!(shown("publish = [{ where = { religion = \"b\", age = \"all\" } }, {}]"), (0, 1100));
    assert_eq!(shown("publish = [{ where = { religion = \"b\", age = [\"old\"] }, rounded = 30 }, {}]"), (75, 104));
    assert_eq!(shown("publish = [{ where = { religion = \"b\", age = \"old\" }, interval = 30 }, {}]"), (90, 119));
    assert_eq!(shown("margins = [[]]\n"), (0, 3100));
    assert_eq!(refused(&bench, "bounds", &job("")).0, "E0237", "nothing bounds the cells");
}

#[test]
fn several_candidates_are_one_problem() {
    let bench = Bench::new();
    // Two groups an axis, three candidates: the first by itself has 2 to 6 in a cell, all
    // together leave 6.
    let first = [[6, 3, 2], [1, 0, 10]];
    let second = [[0, 8, 0], [4, 0, 3]];
    let mut data = "x,y,c,n\n".to_owned();
    for (x, row) in [first, second].iter().enumerate() {
        for (y, cell) in row.iter().enumerate() {
            for (c, n) in cell.iter().enumerate() {
                data += &format!("{x},{y},{c},{n}\n");
            }
        }
    }
    bench.write("c.csv", &data);
    let spec = |vote: &str| {
        let axes = ["x", "y"].map(|name| format!("[[attribute]]\nname = \"{name}\"\nsize = 2\n")).concat();
        let head = "data = \"c.csv\"\ncount = \"n\"\nmargins = \"axial\"\ntau = 0\nbeta = 0.1\nkappa = 1\n";
        format!("{head}vote = {vote}\n{axes}[[attribute]]\nname = \"c\"\nsize = 3\n")
    };
    let joint = json(&frechet(&bench, "bounds", &spec("{ column = \"c\" }"), &["--json"]));
    let alone = json(&frechet(&bench, "bounds", &spec("{ column = \"c\", value = 0 }"), &["--json"]));
    let ends = |cell: &Value| (cell["lower"].as_i64().unwrap(), cell["upper"].as_i64().unwrap());
    assert_eq!(ends(find(&alone["cells"], "cell", &[("x", "0"), ("y", "0")])), (2, 6));
    assert_eq!(ends(find(&joint["cells"], "cell", &[("x", "0"), ("y", "0"), ("c", "0")])), (6, 6));
    assert_eq!(joint["cells"].as_array().unwrap().len(), 12);
    let audit = frechet(&bench, "audit", &spec("{ column = \"c\" }"), &["--json"]);
    let class = &json(&audit)["classes"][0]["class"];
    assert!(class.get("c").is_some(), "a class says its candidate: {class}");
}

#[test]
fn published_numbers_can_be_audited_without_the_data() {
    let bench = Bench::new();
    // Five sums in four unknowns: anyone who subtracts them knows every cell.
    let known = |x: &str, value: u64| format!("{{ where = {{ {x} }}, value = {value} }}");
    let sums = [
        known("", 100),
        known("town = \"n\"", 60),
        known("size = \"big\"", 55),
        known("town = \"n\", size = \"big\"", 41),
    ];
    let spec = format!(
        "tau = 0\nkappa = 3\nknown = [{}]\n[[attribute]]\nname = \"town\"\nlabels = [\"n\", \"s\"]\n\
         [[attribute]]\nname = \"size\"\nlabels = [\"big\", \"small\"]\n",
        sums.join(", ")
    );
    let report = json(&frechet(&bench, "bounds", &spec, &["--json"]));
    let values = [("n", "big", 41), ("n", "small", 19), ("s", "big", 14), ("s", "small", 26)];
    for (town, size, count) in values {
        let cell = find(&report["cells"], "cell", &[("town", town), ("size", size)]);
        assert_eq!((cell["lower"].as_i64(), cell["upper"].as_i64()), (Some(count), Some(count)), "{town} {size}");
    }
    assert!(report["total"].is_null() && report["people"].is_null());
    assert_eq!(refused(&bench, "audit", &spec).0, "E0411");
    assert_eq!(refused(&bench, "audit", &spec.replace("tau", "margins = \"axial\"\ntau")).0, "E0236");
}

#[test]
fn certificates_are_checked_from_their_file_alone() {
    let bench = Bench::new();
    let job = fixture("jobs/frechet-admissions.toml");
    let run = bench.run(&["frechet", "bounds", job.to_str().unwrap(), "--certificates", "p.json"]);
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(
        run.err.contains("frechet verify p.json") && run.err.contains("as confidential as the data"),
        "{}",
        run.err
    );
    let checked = bench.json(&["frechet", "verify", "p.json", "--json"]);
    assert_eq!((checked["bounds"].as_i64(), checked["attained"].as_i64()), (Some(24), Some(24)));
    assert_eq!(checked["schema"], "disclosure.frechet-verify/1");
    let audit = bench.run(&["frechet", "audit", job.to_str().unwrap(), "--certificates", "a.json", "--json"]);
    let classes = json(&audit)["classes"].as_array().unwrap().len();
    let checked = bench.json(&["frechet", "verify", "a.json", "--json"]);
    assert_eq!(checked["attained"], 2 * classes, "both ends of every class have their table");
    let good: Value = serde_json::from_str(&bench.read("p.json")).unwrap();
    for claim in 0..24 {
        let mut bad = good.clone();
        let value = bad["claims"][claim]["value"].as_i64().unwrap();
        let inward = if bad["claims"][claim]["side"] == "upper" { -1 } else { 1 };
        bad["claims"][claim]["value"] = (value + inward).into();
        bench.write("bad.json", &bad.to_string());
        let run = bench.run(&["frechet", "verify", "bad.json"]);
        assert_eq!(run.code, 3, "claim {claim} was made stronger");
        assert!(run.err.contains("E0374") && run.err.contains(&format!("claim {}", claim + 1)), "{}", run.err);
    }
    for bad in ["", "[]", "{\"schema\": \"CANARY\"}", "{\"CANARY\": 7}", &good.to_string().replace("/1\"", "/2\"")] {
        bench.write("bad.json", bad);
        let run = bench.run(&["frechet", "verify", "bad.json"]);
        assert!(run.code == 3 && run.err.contains("E0373") && !run.err.contains("CANARY"), "{}", run.err);
    }
}

#[test]
fn a_domain_that_was_learnt_is_said_to_be() {
    let bench = Bench::new();
    let spec = "data = \"d.csv\"\ncount = \"n\"\nvote = { column = \"vote\", value = \"A\" }\n\
                margins = \"axial\"\ntau = 0\nbeta = 0.25\nkappa = 20\n";
    let run = frechet(&bench, "bounds", spec, &[]);
    assert!(run.err.contains("learnt from the data"), "{}", run.err);
    let run = frechet(&bench, "bounds", spec, &["--json"]);
    assert!(run.err.is_empty(), "for programs: {}", run.err);
    let (learnt, written) = (json(&run), json(&frechet(&bench, "bounds", &votes(""), &["--json"])));
    let young_a = |report: &Value| find(&report["cells"], "cell", &[("religion", "a"), ("age", "young")]).clone();
    assert_eq!(young_a(&learnt), young_a(&written));
}

#[test]
fn specs_that_are_off_are_refused_with_their_code() {
    let bench = Bench::new();
    bench.write("d.toml", "learnt_from_data = false\n[[attribute]]\nname = \"age\"\nlabels = [\"young\", \"old\"]\n");
    let cases = [
        (votes("mistyped = 1"), "E0210"),
        (votes("").replace("tau = 0\n", ""), "E0210"),
        (votes("").replace("kappa = 20\n", ""), "E0210"),
        (votes("").replace("tau = 0", "tau = -1"), "E0210"),
        (votes("classes = \"some\""), "E0210"),
        (votes("forbid = [\"thinking\"]"), "E0210"),
        (votes("limits = { hours = 1 }"), "E0210"),
        (votes("limits = { seconds = 0 }"), "E0234"),
        (votes("").replace("\"axial\"", "\"diagonal\""), "E0210"),
        (votes("epsilon = 0.0"), "E0210"),
        (votes("").replace("\"axial\"", "[[\"height\"]]"), "E0231"),
        (votes("").replace("\"axial\"", "[[\"age\", \"age\"]]"), "E0231"),
        (votes("").replace("\"axial\"", "[[\"age\", \"religion\"], [\"religion\", \"age\"]]"), "E0231"),
        (votes("").replace("\"axial\"", "[[\"vote\"]]"), "E0231"),
        (
            votes("").replace("{ column = \"vote\", value = \"A\" }", "{ column = \"age\", value = \"CANARY\" }"),
            "E0232",
        ),
        (votes("").replace("{ column = \"vote\", value = \"A\" }", "{ column = \"vote\" }"), "E0232"),
        (votes("publish = [{ where = { height = \"tall\" } }]"), "E0233"),
        (votes("publish = [{ where = { age = \"CANARY\" } }]"), "E0233"),
        (votes("publish = [{ rounded = 0 }]"), "E0233"),
        (votes("publish = [{ rounded = 3, interval = 3 }]"), "E0233"),
        (votes("known = [{ where = { age = \"old\" } }]"), "E0233"),
        (votes("known = [{ value = 3, at_most = 3 }]"), "E0233"),
        (votes("known = [{ at_least = 4, at_most = 3 }]"), "E0233"),
        (votes("known = [{ value = 9223372036854775807 }]"), "E0622"),
        (votes("").replace("beta = 0.25", "beta = 0.75"), "E0234"),
        (votes("").replace("beta = 0.25", "beta = nan"), "E0234"),
        (votes("").replace("beta = 0.25", ""), "E0234"),
        (votes("").replace("kappa = 20", "kappa = 0"), "E0234"),
        (job("target = \"certified\"\nmargins = \"axial\""), "E0234"),
        (votes("domain = \"d.toml\""), "E0236"),
        (votes("").replace("data = \"d.csv\"", "data = \"none.csv\""), "E0104"),
        (votes("[hierarchy]\nheight = \"h.csv\""), "E0235"),
        (votes("limits = { classes = 3 }"), "E0621"),
        (votes("").replace("\"young\", \"old\"", "\"young\""), "E0316"),
    ];
    for (spec, code) in &cases {
        let run = frechet(&bench, "bounds", spec, &[]);
        assert!(run.err.contains(code), "{spec}\nwants {code}: {}{}", run.err, run.out);
        assert_eq!(run.code, i32::from(code.as_bytes()[2] - b'0'), "{code}");
        assert!(!run.err.contains("CANARY") && run.out.is_empty(), "{}", run.err);
    }
}

/// A label that the job declares is the job's own word; one that only the data have is data.
#[test]
fn labels_of_the_data_are_in_no_message() {
    let bench = Bench::new();
    let start = "data = \"k.csv\"\nmargins = \"axial\"\ntau = 0\nkappa = 5\n";
    let learnt = |more: &str| format!("{start}{more}\n");
    let declared = |more: &str| {
        learnt(more)
            + "[[attribute]]\nname = \"x\"\nlabels = [\"OPEN1\", \"OPEN2\"]\n[[attribute]]\nname = \"y\"\nsize = 2\n"
    };
    let known = |label: &str, value: u64| format!("known = [{{ where = {{ x = \"{label}\" }}, value = {value} }}]");
    bench.write("k.csv", "x,y\nCANARY1,0\nCANARY2,1\nCANARY2,0\n");
    for (more, code) in [(String::new(), 4), (known("CANARY1", 3), 3), (known("CANARY1", 1), 4)] {
        let run = frechet(&bench, "audit", &learnt(&more), &[]);
        assert_eq!(run.code, code, "{}", run.err);
        assert!(!run.err.contains("CANARY"), "{}", run.err);
    }
    let run = frechet(&bench, "audit", &declared(""), &[]);
    assert!(run.code == 3 && !run.err.contains("CANARY"), "{}", run.err);
    bench.write("k.csv", "x,y\nOPEN1,0\nOPEN2,1\nOPEN2,0\n");
    let run = frechet(&bench, "audit", &declared(&known("OPEN1", 3)), &[]);
    assert!(run.code == 3 && run.err.contains("{x \"OPEN1\"}"), "{}", run.err);
}

#[test]
fn every_field_of_the_contract_is_read() {
    let bench = Bench::new();
    bench.write("age.csv", "young;all\nold;all\n");
    let spec = "data = \"d.csv\"\ncount = \"n\"\nvote = { column = \"vote\", value = \"A\" }\n\
        margins = [[\"religion\"], [\"age\"]]\ntau = 0\nbeta = 0.1\nkappa = 20\nepsilon = 1.0\ninteger = true\n\
        classes = \"pairs\"\nforbid = [\"noise\", \"suppression\", \"merging\"]\nloss = \"absolute-error\"\n\
        [hierarchy]\nage = \"age.csv\"\n[limits]\nsteps = 100000\nnodes = 100\nrows = 100\nsuper_cells = 1000\n";
    assert_eq!(frechet(&bench, "bounds", spec, &[]).code, 0);
    let fields = ["cell", "lower", "upper", "width", "capacity", "posterior", "verdict", "method"];
    let report = json(&frechet(&bench, "bounds", spec, &["--json"]));
    for cell in report["cells"].as_array().unwrap() {
        assert!(fields.iter().all(|field| cell.get(field).is_some_and(|value| !value.is_null())), "{cell}");
    }
    assert!(report["method"].is_string() && report["total"] == 1100);
    let listed = frechet(&bench, "bounds", &spec.replace("[[\"religion\"], [\"age\"]]", "\"axial\""), &["--json"]);
    assert_eq!(json(&listed)["cells"], report["cells"]);
}

#[test]
fn a_response_that_nobody_gives_is_a_slip_and_not_a_disclosure_of_everybody() {
    let bench = Bench::new();
    let declared = "[[attribute]]\nname = \"vote\"\nlabels = [\"A\", \"B\", \"C\"]\n";
    let spec = votes("").replace("value = \"A\"", "value = \"C\"") + declared;
    let run = frechet(&bench, "audit", &spec, &[]);
    assert_eq!((run.code, run.out.as_str()), (2, ""), "{}", run.err);
    assert!(run.err.contains("E0232") && run.err.contains("which are \"A\", \"B\", \"C\""), "{}", run.err);
}
