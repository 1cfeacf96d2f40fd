//! The real tables that are shipped, against numbers that their publications print.

use std::path::PathBuf;

use privacy_core::{AttrSet, CountSource, Provenance};
use privacy_data::{CsvOptions, DomainFile, Microdata, learn_domain, read_csv};

fn path(name: &str) -> PathBuf {
    testkit::fixtures::path("data").join(name)
}

fn load(name: &str, count_column: Option<&str>) -> Microdata {
    let schema = DomainFile::load(&path(&format!("{name}.domain.toml"))).unwrap().into_schema().unwrap();
    assert_eq!(schema.domain().provenance(), Provenance::Public);
    let options = CsvOptions { count_column: count_column.map(str::to_owned), ..CsvOptions::default() };
    let file = std::fs::File::open(path(&format!("{name}.csv"))).unwrap();
    read_csv(file, &schema, &options).unwrap()
}

fn marginal(data: &Microdata, names: &[&str]) -> Vec<u64> {
    let set = data.domain().set_of(names).unwrap();
    data.marginals(&[set]).unwrap()[0].cells().to_vec()
}

#[test]
fn berkeley_admissions_have_the_margins_of_their_paper() {
    let data = load("ucb-admissions", Some("n"));
    assert_eq!((data.rows(), data.total()), (24, 4526));
    assert_eq!(marginal(&data, &["Gender", "Admit"]), [1198, 557, 1493, 1278]);
    assert_eq!(marginal(&data, &["Dept"]), [933, 585, 918, 792, 584, 714]);
}

#[test]
fn titanic_has_the_margins_of_its_source() {
    let data = load("titanic", Some("n"));
    assert_eq!((data.rows(), data.total()), (32, 2201));
    assert_eq!(marginal(&data, &["Survived"]), [1490, 711]);
    assert_eq!(marginal(&data, &["Class"]), [325, 285, 706, 885]);
    assert_eq!(marginal(&data, &["Sex"]), [1731, 470]);
    assert_eq!(marginal(&data, &["Age"]), [109, 2092]);
}

#[test]
fn hair_and_eyes_have_the_margins_of_their_paper() {
    let data = load("hair-eye-color", Some("n"));
    assert_eq!((data.rows(), data.total()), (32, 592));
    assert_eq!(marginal(&data, &["Hair"]), [108, 286, 71, 127]);
    assert_eq!(marginal(&data, &["Eye"]), [220, 215, 93, 64]);
    assert_eq!(marginal(&data, &["Sex"]), [279, 313]);
}

#[test]
fn the_election_study_is_read_row_by_row() {
    let data = load("anes96", None);
    assert_eq!((data.rows(), data.total(), data.domain().len()), (944, 944, 9));
    assert_eq!(marginal(&data, &["vote"]), [551, 393]);
    assert_eq!(marginal(&data, &["PID"]).len(), 7);
    assert_eq!(data.marginals(&[AttrSet::EMPTY]).unwrap()[0].cells(), [944]);
}

#[test]
fn a_domain_learnt_from_the_election_study_agrees_with_the_documented_one_where_it_can() {
    let bytes = std::fs::read(path("anes96.csv")).unwrap();
    let learnt = learn_domain(bytes.as_slice(), &CsvOptions::default()).unwrap();
    let documented = DomainFile::load(&path("anes96.domain.toml")).unwrap();
    for (learnt, documented) in learnt.attributes.iter().zip(&documented.attributes) {
        if documented.bins.is_none() {
            assert_eq!(
                (&learnt.name, learnt.size, &learnt.labels),
                (&documented.name, documented.size, &documented.labels)
            );
        }
    }
    assert!(learnt.to_toml().contains("A differentially private release refuses this domain"));
}
