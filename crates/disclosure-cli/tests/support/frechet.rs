//! Jobs of `disclosure frechet`, and what came of them.

use serde_json::Value;

use super::{Bench, Run};

/// Public people and secret votes of two religions and two ages: no margin looks unusual, and one
/// table fits.
pub(crate) const RELIGIONS: &str = "religion,age,vote,n\n\
    a,young,A,0\na,young,B,1000\na,old,A,500\na,old,B,500\n\
    b,young,A,500\nb,young,B,500\nb,old,A,100\nb,old,B,0\n";

/// A job over those columns; `more` is put before the tables.
pub(crate) fn job(more: &str) -> String {
    format!(
        "data = \"d.csv\"\ncount = \"n\"\ntau = 0\nkappa = 20\n{more}\n\
         [[attribute]]\nname = \"religion\"\nlabels = [\"a\", \"b\"]\n\
         [[attribute]]\nname = \"age\"\nlabels = [\"young\", \"old\"]\n"
    )
}

/// The job of the votes for A, with both one-way tables published.
pub(crate) fn votes(more: &str) -> String {
    job(&format!("beta = 0.25\nvote = {{ column = \"vote\", value = \"A\" }}\nmargins = \"axial\"\n{more}"))
}

pub(crate) fn frechet(bench: &Bench, what: &str, spec: &str, words: &[&str]) -> Run {
    bench.write("d.csv", RELIGIONS);
    let spec = bench.write("s.toml", spec);
    bench.run(&[&["frechet", what, &spec][..], words].concat())
}

pub(crate) fn json(run: &Run) -> Value {
    serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {}{}", run.out, run.err))
}

/// Error code and exit code of a run that failed.
pub(crate) fn refused(bench: &Bench, what: &str, spec: &str) -> (String, i32) {
    let run = frechet(bench, what, spec, &["--json"]);
    let error: Value = serde_json::from_str(run.err.lines().last().unwrap_or_default())
        .unwrap_or_else(|_| panic!("exit {}: {}{}\n{spec}", run.code, run.out, run.err));
    assert_eq!(error["exit_code"], run.code);
    (error["code"].as_str().unwrap().to_owned(), run.code)
}

/// The entry of a list whose labels are these.
pub(crate) fn find<'a>(list: &'a Value, key: &str, labels: &[(&str, &str)]) -> &'a Value {
    let is_it = |entry: &&Value| {
        let map = entry[key].as_object().unwrap();
        map.len() == labels.len() && labels.iter().all(|(axis, label)| map.get(*axis).is_some_and(|own| own == label))
    };
    list.as_array().unwrap().iter().find(is_it).unwrap()
}
