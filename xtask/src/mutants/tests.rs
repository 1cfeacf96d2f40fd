use std::collections::{BTreeMap, BTreeSet};

use super::places::{Places, places};
use super::rewrite::{mutants_at, rewritten};
use super::{operators, results, selection};

/// The mutants of a text, each as the code that it puts in.
fn texts(source: &str) -> Vec<String> {
    let found = places(source).unwrap();
    found.all.into_iter().flat_map(|place| place.changes).map(|change| change.text).collect()
}

fn with_all(source: &str) -> String {
    let found = places(source).unwrap();
    rewritten(source, &found, 0, &(0..100).collect())
}

#[test]
fn a_sum_asks_which_mutant_is_on() {
    let expected = "fn f(a: u8, b: u8) { g((/*(*/if crate::mutant::is(0) {/*<0*/ (a) - (b) /*0>*/} \
        else if crate::mutant::is(1) {/*<1*/ (a) * (b) /*1>*/} else {a + b}/*)*/)) }";
    assert_eq!(with_all("fn f(a: u8, b: u8) { g(a + b) }"), expected);
}

#[test]
fn the_mutated_branch_keeps_the_text_of_its_operands() {
    let source = "fn f(a: bool, b: bool, c: bool) { g(a && b || c) }";
    assert_eq!(texts(source), ["(a && b) && (c)", "(a) || (b)"]);
    let all = with_all(source);
    assert!(all.contains("{/*<0*/ (a && b) && (c) /*0>*/}"), "{all}");
    assert!(all.contains("else {(/*(*/if crate::mutant::is(1)"), "{all}");
}

#[test]
fn a_text_whose_mutants_are_switched_off_is_as_it_was() {
    let source = "fn f(a: u8) -> bool { a + 1 < 3 || !g(-1.0) }";
    let found = places(source).unwrap();
    assert!(!found.all.is_empty());
    assert_eq!(rewritten(source, &found, 0, &BTreeSet::new()), source);
    let one = rewritten(source, &found, 0, &BTreeSet::from([0]));
    assert!(one.contains("return true;") && !one.contains("is(1)"), "{one}");
}

#[test]
fn rewritten_texts_are_rust() {
    let sources = [
        "fn f(a: u8) -> u8 { if let Some(b) = g(a) && b > a - 1 { b } else { 0 } }",
        "fn f(x: &mut [f64]) { x[0] += 1.0; for i in 0..x.len() - 1 { x[i] *= -2.0 } }",
        "fn f(x: f64) -> Option<f64> { assert!(x >= 0.0, \"{x}\"); Some(add_up(x.next_up(), x)) }",
        "use round::{add_up, mul_down as m};\nimpl T { fn f(&self) -> bool { while self.a != 1 {} true } }",
    ];
    for source in sources {
        let all = with_all(source);
        assert!(syn::parse_file(&all).is_ok() && all.contains("crate::mutant::is(0)"), "{all}");
    }
}

#[test]
fn a_chain_of_let_is_left_whole() {
    assert_eq!(texts("fn f(a: u8) { if let Some(b) = g() && b == a { h() } }"), ["(b) != (a)"]);
}

#[test]
fn what_is_not_executed_has_no_mutants() {
    let sources = [
        "const A: u8 = 1 + 2; static B: u8 = 3 - 1;",
        "const fn f(a: u8) -> bool { a < 1 }",
        "#[cfg(test)] mod tests { fn f() -> bool { 1 < 2 } }",
        "#[test] fn f() { g(1 + 1) }",
        "impl std::fmt::Debug for T { fn fmt(&self) -> bool { self.a < 1 } }",
        "fn f() { debug_assert!(1 < 2); let x: [u8; 1 + 1] = [0; 2 - 1]; match x { -1 => {} _ => {} } }",
        "macro_rules! m { () => { 1 + 1 } }",
        "enum E { A = 1 + 1 }",
    ];
    for source in sources {
        assert_eq!(texts(source), Vec::<String>::new(), "{source}");
    }
}

/// The mutants of a function with this result.
fn with_result(output: &str) -> Vec<String> {
    texts(&format!("fn f() -> {output} {{ g() }}"))
}

#[test]
fn results_are_constants_of_their_type() {
    assert_eq!(with_result("bool"), ["return true;", "return false;"]);
    assert_eq!(with_result("f64"), ["return 0.0;", "return 1.0;"]);
    assert_eq!(with_result("Option<u8>"), ["return None;"]);
    assert_eq!(with_result("Result<(), Error>"), ["return Ok(());"]);
    assert!(with_result("Result<u8, Error>").is_empty() && with_result("Vec<u8>").is_empty());
    assert_eq!(texts("fn f() -> bool { true }"), ["return false;"]);
}

#[test]
fn roundings_are_reversed_and_their_reverse_is_imported() {
    let source = "use round::{add_up, sub_up, sub_down};\nfn f(a: f64) { add_up(a.floor(), sub_down(a, 1.0)) }";
    assert_eq!(texts(source), ["add_down", "a.ceil()", "sub_up"]);
    assert!(with_all(source).starts_with("use round::{{add_up, add_down}, sub_up, sub_down};"));
    assert_eq!(operators::reverse("look_up"), None);
    assert!(texts("fn f(floor: u8) -> S { g(floor); S { floor, add_up } }").is_empty());
}

#[test]
fn every_operator_has_another_meaning_after_the_change() {
    for operator in ["+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&&", "||", "<<=", "|=", "^"] {
        let others = operators::others(operator);
        assert!(!others.is_empty() && others.iter().all(|other| other != operator), "{operator}");
    }
    assert!(operators::others("=").is_empty() && operators::of_assignment("<=").is_none());
}

#[test]
fn an_error_of_the_compiler_leads_to_its_mutants() {
    let all = with_all("fn f(a: u8, b: u8) { g(a + (b < 1)) }");
    let at = |text: &str| all.find(text).unwrap();
    assert_eq!(mutants_at(&all, &[at("(a) * ")]), [1]);
    assert_eq!(mutants_at(&all, &[at("(b) >= ")]), [3]);
    // In the text of the file itself: all mutants of the expression.
    assert_eq!(mutants_at(&all, &[at("b < 1}")]), [2, 3]);
    assert_eq!(mutants_at(&all, &[at("b < 1}"), at("(b) <= ")]), [2]);
    assert_eq!(mutants_at(&all, &[0]), [0_u32; 0]);
}

#[test]
fn changed_lines_are_those_that_a_difference_adds() {
    let difference = "--- a/a.rs\n+++ b/a.rs\n@@ -1,2 +3,4 @@ fn f\n+x\n@@ -9 +11 @@\n--- a/b.rs\n+++ b/b.rs\n@@ -5,2 +4,0 @@\n@@ -9 +7,2 @@\n";
    let expected = BTreeMap::from([("a.rs".to_owned(), vec![3..7, 11..12]), ("b.rs".to_owned(), vec![4..4, 7..9])]);
    assert_eq!(selection::changed_lines(difference), expected);
}

#[test]
fn a_sample_depends_on_its_seed_alone() {
    let text = "fn f(a: u8) { g(a + 1, a - 1, a * 2, a / 2, a < 1, a == 1) }".to_owned();
    let found: Places = places(&text).unwrap();
    let source = super::Source { path: "a.rs".to_owned(), text, places: found, first: 0 };
    let all = super::mutants(&[source]);
    let numbers = |seed: u64| {
        let sample = selection::sample(all.clone(), 4, seed);
        sample.into_iter().map(|mutant| mutant.number).collect::<Vec<_>>()
    };
    assert_eq!(numbers(1), numbers(1));
    assert!(numbers(1).len() == 4 && numbers(1).is_sorted());
    assert!((2..20).any(|seed| numbers(seed) != numbers(1)));
}

#[test]
fn a_test_that_is_added_leaves_the_digest_of_its_file() {
    let code = "fn f() {}\n";
    let with_tests = format!("{code}\n#[cfg(test)]\nmod tests {{}}\n");
    assert_eq!(results::above_tests(&with_tests), code);
    assert_eq!(results::above_tests(code), code);
    assert_ne!(results::above_tests("fn g() {}\n"), code);
    let elsewhere = "#[cfg(test)]\nmod tests;\n\nfn f() {}\n";
    assert_eq!(results::above_tests(elsewhere), elsewhere, "its tests are in another file");
    let unix = format!("{code}\n#[cfg(all(test, unix))]\nmod tests {{\n}}\n");
    assert_eq!(results::above_tests(&unix), code);
}

#[test]
fn a_mutant_is_tried_again_when_the_test_that_caught_it_has_changed() {
    let text = |inside: &str| {
        format!("mod tests {{\n    #[test]\n    fn one() {{\n        {inside}\n    }}\n\n    fn two() {{}}\n}}\n")
    };
    let digest = |texts: &[&str], name: &str| {
        results::Tests(texts.iter().map(|inside| text(inside)).collect()).digest(&Some(name.to_owned()))
    };
    let (before, after) = (digest(&["assert!(f())"], "tests::one"), digest(&["assert!(true)"], "tests::one"));
    assert!(before.is_some() && after.is_some() && before != after);
    assert_eq!(digest(&["assert!(f())", "other"], "gone"), None);
    let added = results::Tests(vec![text("assert!(f())").replace("fn two() {}", "fn three() {}")]);
    assert_eq!(added.digest(&Some("tests::one".to_owned())), before, "another test has changed");
}
