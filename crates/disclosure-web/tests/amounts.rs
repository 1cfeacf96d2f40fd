//! Tables of amounts: the whole way, what is refused, and the files of the job by itself.

use crate::support::{Bench, files};
use axum::http::StatusCode;
use disclosure_jobs::amounts::Job;
use disclosure_jobs::input::{CsvSource, FileSystem};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::sink::DirectorySink;

/// Turnover of firms: every branch of a region has five like ones, but one has two.
fn firms(separator: char, mark: char) -> String {
    let mut text = ["region", "branch", "firm", "turnover"].join(&separator.to_string()) + "\n";
    let mut firm = 0;
    for (place, region) in ["North", "South", "West"].iter().enumerate() {
        for (branch, amount) in [("Food", 400), ("Metal", 700), ("Paper", 900)] {
            let firms = if (*region, branch) == ("South", "Metal") { 2 } else { 5 };
            for number in 0..firms {
                firm += 1;
                let amount = format!("{}{mark}{}", amount + 40 * place + 30 * number, number);
                text += &[region, branch, format!("F{firm}").as_str(), amount.as_str()].join(&separator.to_string());
                text += "\n";
            }
        }
    }
    text
}

fn chosen(separator: char, mark: char) -> Bench {
    let bench = Bench::with(&[("firms.csv", &firms(separator, mark))]);
    bench.open("firms.csv");
    // The numbers need bins to be categories, and the firm says who is the same.
    bench.keep_columns(&[("treatment.2", "person"), ("treatment.3", "out")]);
    assert_eq!(bench.choose("ways", &[("alone", "amounts")]), "amounts");
    bench
}

const RULE: [(&str, &str); 4] = [("decimals", "1"), ("p_percent", "10"), ("min_frequency", "3"), ("coalition", "1")];

fn keep(bench: &Bench) {
    let table = [("attribute", "0"), ("attribute", "1"), ("amount", "3")];
    assert_eq!(bench.choose("amounts", &[&table[..], &RULE].concat()), "check");
}

#[test]
fn a_table_of_amounts_goes_the_whole_way_and_the_job_file_makes_the_same_one() {
    for (separator, mark) in [(',', '.'), (';', ',')] {
        let bench = chosen(separator, mark);
        assert!(bench.page("amounts").contains("Rows with the same <bdi>firm</bdi> are one respondent"));
        keep(&bench);
        bench.choose("check", &[]);
        let check = bench.page("check");
        for part in ["nothing stands against the release", "sensitive: 15", "protects others: ", "published: "] {
            assert!(check.contains(part), "{part}: {check}");
        }
        assert!(check.contains("For the data owner only"));
        let run = bench.page("run");
        assert!(run.contains("disclosure magnitude release disclosure-workbench/job-1.toml -o out"), "{run}");
        assert!(run.contains("p % with p = 10; at least 3 respondents"));
        assert_eq!(bench.choose("run", &[("title", "Turnover"), ("owner", ""), ("release", "1")]), "releases");
        let releases = bench.page("releases");
        assert!(releases.contains("files are as the record says") && releases.contains("all of it may leave"));
        let page = bench.post("report", &[("number", "1"), ("public", "1")]).text();
        assert!(page.contains("Turnover") && page.contains("withheld") && page.contains("region × branch"), "{page}");
        assert!(!page.contains("sensitive: ") && !page.contains("protects others"));
        // What `disclosure magnitude release` does with the job.
        let path = bench.path("disclosure-workbench/job-1.toml");
        let (text, beside) = (std::fs::read_to_string(&path).unwrap(), FileSystem::beside(&path));
        let job = Job::parse(&text, "job-1", &beside).unwrap();
        let source = CsvSource::file(path.parent().unwrap().join(job.data())).with_format(job.format().clone());
        let planned = job.load(&source, &Silent).unwrap().plan(&Silent).unwrap();
        planned.write(&mut DirectorySink::create(&bench.path("out")).unwrap()).unwrap();
        let made = files(&bench.path("disclosure-workbench/release-1"));
        assert_eq!(made, files(&bench.path("out")));
        let names: Vec<&str> = made.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["release.json", "table.csv"]);
        let table = String::from_utf8(made[1].1.clone()).unwrap();
        assert!(table.contains("South,Metal,,withheld") && table.matches(",withheld").count() >= 4, "{table}");
    }
}

#[test]
fn choices_without_a_table_or_a_rule_are_refused() {
    let bench = chosen(',', '.');
    assert!(bench.page("run").contains("E0706"), "nothing was chosen yet");
    for wrong in [
        &[("amount", "3")][..],
        &[("attribute", "9"), ("amount", "3")],
        &[("attribute", "0"), ("amount", "0")],
        &[("attribute", "0"), ("amount", "9")],
    ] {
        let answer = bench.post("amounts", &[wrong, &RULE].concat());
        assert!(answer.status == StatusCode::UNPROCESSABLE_ENTITY && answer.text().contains("E0704"), "{wrong:?}");
    }
    for (field, value) in
        [("decimals", "10"), ("p_percent", "0"), ("p_percent", "x"), ("min_frequency", "0"), ("coalition", "3")]
    {
        let mut fields = vec![("attribute", "0"), ("amount", "3")];
        fields.extend(RULE.iter().filter(|(name, _)| *name != field));
        fields.push((field, value));
        assert!(bench.post("amounts", &fields).text().contains("E0704"), "{field} {value}");
    }
    let none = [("attribute", "0"), ("amount", "3"), ("decimals", "1"), ("coalition", "1")];
    assert!(bench.post("amounts", &none).text().contains("E0704"), "no rule");
    // Whole numbers alone, and a column that is no amount: the check says so, with the line.
    for (amount, decimals, code) in [("3", "0", "E0319"), ("2", "1", "E0319")] {
        let fields = [("attribute", "0"), ("amount", amount), ("decimals", decimals), ("min_frequency", "3")];
        bench.choose("amounts", &[&fields[..], &[("coalition", "2")]].concat());
        bench.post("check", &[]);
        let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress"));
        assert!(ended.as_ref().unwrap().contains(code), "{ended:?}");
    }
    keep(&bench);
    bench.choose("undo", &[("page", "amounts")]);
    assert!(bench.page("run").contains("coalition = 2"));
    bench.keep_columns(&[("treatment.0", "out"), ("treatment.2", "person"), ("treatment.3", "out")]);
    assert!(bench.page("run").contains("E0706"), "a column of the table was left out");
}
