//! Names and labels of strangers: whatever they are, no page does what they say.

use crate::support::{Bench, TOKEN, people};

/// Texts that act where they are not escaped, and texts that mislead.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</style><script>x</script>",
        "javascript:alert(1)",
        "a\u{202e}b\u{2066}c",
        "\u{200b}\u{feff}",
        "اسم",
        "{{7*7}}${7*7}",
        "%0d%0aSet-Cookie: a=b",
        "../../etc/passwd",
        "=1+1",
    ]
    .map(str::to_owned)
    .into();
    texts.push("x".repeat(10_000));
    texts
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A page without the values of its attributes, in which quoted texts act as little as outside.
fn without_values(page: &str) -> String {
    let parts = page.split("=\"").enumerate();
    let after = parts.map(|(place, part)| match place {
        0 => part,
        _ => part.split_once('"').map_or(part, |(_, rest)| rest),
    });
    after.collect()
}

#[test]
fn hostile_names_and_labels_go_the_whole_way_and_act_nowhere() {
    for hostile in texts() {
        // A name of any length; a label of at most what an attribute takes.
        let label: String = hostile.chars().take(60).collect();
        let table = format!("{},b\n{},1\nplain,0\n{1},1\n", quoted(&hostile), quoted(&label));
        let bench = Bench::with(&[("t.csv", &table)]);
        bench.open("t.csv");
        bench.choose("tables", &[("up_to", "2")]);
        bench.choose("run", &[("title", &label), ("owner", &label), ("keep", "1")]);
        let mut pages: Vec<String> = ["", "columns", "tables", "noise", "run", "labels-0", "ways", "screening"]
            .map(|page| bench.page(page))
            .into();
        let answer = bench.post("run", &[("title", &label), ("owner", &label), ("release", "1")]);
        assert!(answer.location().ends_with("/job") || answer.location().ends_with("/releases"));
        // A release, or a refusal that says why: a file name has its limits.
        let ended = std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress"));
        pages.push(ended.unwrap());
        pages.push(bench.page("releases"));
        bench.choose("ways", &[("alone", "amounts")]);
        let sums = [("attribute", "0"), ("amount", "1"), ("decimals", "0"), ("min_frequency", "2"), ("coalition", "1")];
        assert_eq!(bench.choose("amounts", &sums), "check");
        bench.choose("check", &[]);
        let check = bench.page("check");
        assert!(check.contains("The table of amounts"), "{check}");
        pages.extend([check, bench.page("amounts")]);
        for page in pages {
            assert!(!page.contains("<script>") && !page.contains("<img"), "{page}");
            let shown = without_values(&page);
            assert!(!shown.contains("onerror=alert(1)>") && !shown.contains("' onmouseover='"), "{page}");
            for hidden in ['\u{202e}', '\u{2066}', '\u{200b}', '\u{feff}'] {
                assert!(!shown.contains(hidden), "characters that mislead are written out");
            }
            let title = page.split("<title>").nth(1).map_or("", |rest| rest.split("</title>").next().unwrap());
            assert!(title.is_empty() || title.ends_with(" · disclosure workbench"), "no title has a text of the data");
            for address in page.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
                assert!(
                    address.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"./#-".contains(&byte)),
                    "{address}"
                );
            }
            assert!(page.len() < 4 << 20);
        }
    }
}

#[test]
fn file_names_are_texts_too() {
    let name = "<b>\u{202e}&\"'.csv";
    let bench = Bench::with(&[(name, &people(40))]);
    let page = bench.page("");
    assert!(!page.contains("<b>") && page.contains("&lt;b&gt;\\u202E"), "{page}");
    bench.open(name);
    assert!(!bench.page("").contains("<b>") && !bench.page("run").contains("<b>"));
    bench.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    assert!(bench.page("releases").contains("files are as the record says"));
}

#[test]
fn failures_name_the_file_and_the_line_and_no_field() {
    let bench = Bench::with(&[("t.csv", "a,b\n1,2\nCANARY\n"), ("u.csv", "age\nCANARY\n5\n")]);
    let failed = |fields: &[(&str, &str)], page: &str| {
        bench.post(page, fields);
        std::iter::repeat_with(|| bench.page("status")).find(|status| !status.contains("<progress")).unwrap()
    };
    let ended = failed(&[("data", "t.csv")], "open");
    assert!(ended.contains("t.csv") && ended.contains("line 3") && !ended.contains("CANARY"), "{ended}");
    assert!(!ended.contains(bench.place.path().to_str().unwrap()) && !ended.contains(TOKEN), "{ended}");
}

#[test]
fn a_wide_table_and_a_long_one_make_small_answers() {
    let header: Vec<String> = (0..127).map(|column| format!("c{column}")).collect();
    let row =
        |value: usize| (0..127).map(|column| format!("v{}", (value * column) % 900)).collect::<Vec<_>>().join(",");
    let text: String = (0..900).fold(header.join(",") + "\n", |text, value| text + &row(value) + "\n");
    let bench = Bench::with(&[("wide.csv", &text)]);
    bench.open("wide.csv");
    bench.choose("ways", &[("alone", "reports")]);
    let all: Vec<String> = (0..127).map(|column| column.to_string()).collect();
    let ticked: Vec<(&str, &str)> = all.iter().map(|column| ("attribute", column.as_str())).collect();
    let refused = bench.post("reports-plan", &[&[("epsilon", "1"), ("fragment", "1")][..], &ticked].concat());
    assert!(refused.text().contains("E0710"), "too many answers for a page");
    bench.choose("undo", &[]);
    for up_to in ["2", "4"] {
        bench.choose("tables", &[("up_to", up_to)]);
        for page in ["columns", "tables", "noise", "run"] {
            let answer = bench.get(page);
            assert!(answer.status.is_success() && answer.bytes.len() < 4 << 20, "{page}: {}", answer.bytes.len());
        }
    }
    assert!(
        bench.page("noise").contains("E06") || bench.page("noise").contains("E0710"),
        "too much for a page is said"
    );
}
