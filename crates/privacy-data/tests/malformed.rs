//! Files with a defect end in an error with its place and code; files in an unusual but valid
//! form are read.

use std::io::{Cursor, Read};

use crate::common::{mutants, second_opinion};
use privacy_core::Provenance;
use privacy_data::{AttributeSpec, CsvOptions, DataError, Encoding, Microdata, Schema, explain, read_csv};

fn schema() -> Schema {
    let attributes = vec![
        AttributeSpec::of_labels("region", ["north", "south", "east, outer"]),
        AttributeSpec::of_size("age_band", 4),
        AttributeSpec::of_bins("income", [0.0, 1000.0, 5000.0]),
    ];
    Schema::new(attributes, Provenance::Public).unwrap()
}

fn fixture(name: &str) -> Vec<u8> {
    let path = testkit::fixtures::path(&format!("malformed/{name}.csv"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read(bytes: impl Read) -> Result<Microdata, DataError> {
    read_csv(bytes, &schema(), &CsvOptions::default())
}

/// Fixture, line, field, name of the column, code.
type Case = (&'static str, u64, Option<usize>, Option<&'static str>, &'static str);

const REGION: Option<&str> = Some("region");
const AGE: Option<&str> = Some("age_band");
const INCOME: Option<&str> = Some("income");

const DEFECTS: &[Case] = &[
    ("empty", 1, None, None, "E0301"),
    ("header-only", 1, None, None, "E0302"),
    ("short-row", 8, None, None, "E0303"),
    ("long-row", 8, None, None, "E0303"),
    ("truncated-last-line", 13, None, None, "E0303"),
    ("latin-1", 8, Some(1), None, "E0304"),
    ("nul", 8, Some(2), None, "E0305"),
    ("utf-16-no-bom", 1, Some(1), None, "E0305"),
    ("utf-16-bom", 1, None, None, "E0306"),
    ("duplicate-header", 1, Some(3), None, "E0307"),
    ("no-header", 1, None, REGION, "E0308"),
    ("renamed-column", 1, None, AGE, "E0308"),
    // The separators are found; what replaced every comma has also changed a label.
    ("semicolons", 4, Some(1), REGION, "E0316"),
    ("tabs", 4, Some(1), REGION, "E0316"),
    ("unclosed-quote", 12, Some(1), None, "E0310"),
    ("unclosed-quote-before-another", 8, Some(1), None, "E0312"),
    ("stray-quote", 8, Some(1), None, "E0311"),
    ("text-after-quote", 8, Some(1), None, "E0312"),
    ("bare-carriage-return", 8, Some(2), None, "E0313"),
    ("only-carriage-returns", 1, Some(3), None, "E0313"),
    ("blank-line", 8, None, None, "E0314"),
    ("blank-last-line", 14, None, None, "E0314"),
    ("missing-label", 8, Some(1), REGION, "E0315"),
    ("missing-code", 8, Some(2), AGE, "E0315"),
    ("missing-number", 8, Some(3), INCOME, "E0315"),
    ("unknown-label", 8, Some(1), REGION, "E0316"),
    ("quote-spans-lines", 7, Some(1), REGION, "E0316"),
    ("nan-code", 8, Some(2), AGE, "E0317"),
    ("inf-code", 8, Some(2), AGE, "E0317"),
    ("exponent-code", 8, Some(2), AGE, "E0317"),
    ("signed-code", 8, Some(2), AGE, "E0317"),
    ("spaced-code", 8, Some(2), AGE, "E0317"),
    ("leading-zero-code", 8, Some(2), AGE, "E0317"),
    ("code-out-of-range", 8, Some(2), AGE, "E0318"),
    ("nan-number", 8, Some(3), INCOME, "E0319"),
    ("decimal-comma", 8, Some(3), INCOME, "E0319"),
    ("number-outside-bins", 8, Some(3), INCOME, "E0320"),
];

#[test]
fn every_defect_is_refused_with_its_place_and_code() {
    for &(name, line, column, attribute, code) in DEFECTS {
        let error = read(fixture(name).as_slice()).expect_err(name);
        let got = (name, error.line(), error.column(), error.attribute(), error.code());
        assert_eq!(got, (name, line, column, attribute, code), "{error}");
        assert!(explain(error.code()).is_some(), "{code}");
        assert!(error.to_string().starts_with(&format!("line {line}")), "{error}");
    }
}

#[test]
fn every_malformed_fixture_is_tested() {
    let names = std::fs::read_dir(testkit::fixtures::path("malformed"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<_> = names.filter_map(|name| name.strip_suffix(".csv").map(str::to_owned)).collect();
    let mut tested: Vec<_> = DEFECTS.iter().map(|case| case.0.to_owned()).collect();
    tested.extend(FINE.iter().map(|&name| name.to_owned()));
    files.sort();
    tested.sort();
    assert_eq!(files, tested);
}

const FINE: &[&str] = &["fine-bom", "fine-crlf-mixed", "fine-no-final-newline", "fine-columns-in-another-order"];

#[test]
fn unusual_files_without_a_defect_are_read() {
    for &name in FINE {
        let data = read(fixture(name).as_slice()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(data.rows(), 12, "{name}");
    }
    let columns = |name| {
        let data = read(fixture(name).as_slice()).unwrap();
        [0, 1, 2].map(|a| data.codes(a).collect::<Vec<_>>())
    };
    assert_eq!(columns("fine-bom"), columns("fine-no-final-newline"));
    assert_eq!(columns("fine-bom"), columns("fine-crlf-mixed"));
    assert_eq!(columns("fine-bom")[0], [0, 1, 2, 0, 1, 0, 1, 0, 2, 1, 0, 1]);
    assert_eq!(columns("fine-bom")[2], [0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 0]);
}

#[test]
fn latin_1_is_read_once_it_is_declared() {
    let latin1 = CsvOptions { encoding: Encoding::Latin1, ..CsvOptions::default() };
    let with_cafe = |labels: &[&str]| {
        let mut attributes = vec![AttributeSpec::of_labels("region", labels.iter().copied())];
        attributes.push(AttributeSpec::of_size("age_band", 4));
        Schema::new(attributes, Provenance::Public).unwrap()
    };
    let schema = with_cafe(&["north", "south", "east, outer", "café"]);
    let data = read_csv(fixture("latin-1").as_slice(), &schema, &latin1).unwrap();
    assert_eq!(data.codes(0).nth(6), Some(3));
    let error = read_csv(fixture("latin-1").as_slice(), &with_cafe(&["north", "south", "east, outer"]), &latin1);
    assert_eq!(error.unwrap_err().code(), "E0316");
}

#[test]
fn a_field_of_20_megabytes_is_refused_after_little_more_than_its_limit() {
    /// Counts what is read from it.
    struct Counted<R>(R, u64);
    impl<R: Read> Read for Counted<R> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            let n = self.0.read(buffer)?;
            self.1 += n as u64;
            Ok(n)
        }
    }
    let long = || std::io::repeat(b'7').take(20_000_000);
    let head: &[u8] = b"region,age_band,income\nnorth,0,1\nnorth,";
    for quote in [&b""[..], b"\""] {
        let mut file = Counted(Cursor::new(head).chain(quote).chain(long()).chain(&b"\n"[..]), 0);
        let error = read(&mut file).unwrap_err();
        assert_eq!((error.line(), error.column(), error.code()), (3, Some(2), "E0324"));
        assert!(file.1 < 2 << 20, "{} bytes were read", file.1);
    }
    let mut commas = Counted(std::io::repeat(b',').take(20_000_000), 0);
    let error = read(&mut commas).unwrap_err();
    assert_eq!((error.line(), error.column(), error.code()), (1, Some(4097), "E0326"));
    assert!(commas.1 < 1 << 20, "{} bytes were read", commas.1);
}

#[test]
fn a_reader_that_fails_is_an_error_of_the_file_and_not_of_the_data() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("unplugged"))
        }
    }
    let error = read((&b"region,age_band,income\nnorth,0"[..]).chain(Broken)).unwrap_err();
    assert_eq!(error.code(), "E0101");
}

#[test]
fn counts_are_plain_integers_that_add_up_to_2_to_the_53_at_most() {
    let schema = Schema::new(vec![AttributeSpec::of_size("a", 2)], Provenance::Public).unwrap();
    let options = CsvOptions { count_column: Some("n".into()), ..CsvOptions::default() };
    let outcome = |text: &str| read_csv(text.as_bytes(), &schema, &options).map(|data| data.total());
    let code = |text: &str| outcome(text).map_err(|error| (error.line(), error.column(), error.code()));
    assert_eq!(code("n,a\n3,0\n0,1\n4,0\n"), Ok(7));
    for bad in ["-1", "1.0", "01", "", "1e3", "NaN", "+1", "18446744073709551616"] {
        assert_eq!(code(&format!("n,a\n3,0\n{bad},1\n")), Err((3, Some(1), "E0321")), "{bad:?}");
    }
    assert_eq!(code("n,a\n9007199254740992,0\n0,1\n"), Ok(1 << 53));
    assert_eq!(code("n,a\n9007199254740992,0\n1,1\n"), Err((3, None, "E0322")));
    assert_eq!(code("n,a\n18446744073709551615,0\n"), Err((2, None, "E0322")));
    assert_eq!(code("m,a\n1,0\n"), Err((1, None, "E0308")));
    let both = CsvOptions { count_column: Some("a".into()), ..CsvOptions::default() };
    let error = read_csv("n,a\n1,0\n".as_bytes(), &schema, &both).unwrap_err();
    assert_eq!((error.line(), error.column(), error.code()), (1, Some(2), "E0209"));
}

#[test]
fn mutated_files_are_read_as_a_second_parser_reads_them_or_refused_with_a_place() {
    let good = fixture("fine-bom")[3..].to_vec();
    let (mut read_alike, mut refused) = (0, 0);
    for mutant in mutants(&good, 3) {
        let shown = mutant.escape_ascii().to_string();
        match read(mutant.as_slice()) {
            Ok(data) => {
                let opinion = second_opinion(&mutant, &schema());
                let codes: Vec<Vec<u32>> = (0..3).map(|a| data.codes(a).collect()).collect();
                assert_eq!(Some(codes), opinion, "{shown}");
                read_alike += 1;
            }
            Err(error) => {
                let lines = mutant.iter().filter(|&&byte| byte == b'\n').count() as u64 + 1;
                assert!((1..=lines).contains(&error.line()), "{error} in {shown}");
                assert!(error.code().starts_with("E03") && explain(error.code()).is_some(), "{error}");
                refused += 1;
            }
        }
    }
    // Mutations that hit a digit or an ignorable byte stay valid; the others must not.
    assert!(read_alike > 100 && refused > 1000, "{read_alike} read, {refused} refused");
}
