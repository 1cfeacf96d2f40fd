//! Plans that release nothing: randomised answers, and predictions for a solver.

use crate::support::{Bench, people};

#[test]
fn randomised_answers_are_planned_without_data() {
    let bench = Bench::with(&[("people.csv", &people(60))]);
    let page = bench.page("randomised");
    assert!(page.contains("local differential privacy") && page.contains("Protocols, best first"), "{page}");
    let at = |epsilon: &str| {
        let fields =
            [("values", "2"), ("epsilon", epsilon), ("frequency", "0,3"), ("people", "10000"), ("fragment", "1")];
        bench.post("protocols", &fields).text()
    };
    // ln(3): a belief of one half becomes 3/4.
    assert!(at("1.0986122").contains("75.0 %") && at("4").contains("98.3 %"), "{}", at("4"));
    for wrong in ["0", "-1", "21", "x", "nan"] {
        assert!(at(wrong).contains("E0704"), "{wrong}");
    }
    assert!(!bench.path("disclosure-workbench").exists(), "nothing is kept");
}

#[test]
fn a_solver_is_predicted_for_columns_of_the_data_and_for_the_owner_alone() {
    let bench = Bench::with(&[("people.csv", &people(240))]);
    bench.open("people.csv");
    assert_eq!(bench.choose("screening", &[("target", "3"), ("known", "1"), ("known", "2")]), "screening");
    let page = bench.page("screening");
    assert!(page.contains("For the data owner only") && page.contains("Proxy"), "{page}");
    assert!(page.contains("guessing the most frequent value gets") && page.contains("noise up to 8"), "{page}");
    for wrong in
        [[("target", "3"), ("known", "3")], [("target", "3"), ("known", "x")], [("target", "x"), ("known", "1")]]
    {
        assert!(bench.post("screening", &wrong).text().contains("E0704"), "{wrong:?}");
    }
}
