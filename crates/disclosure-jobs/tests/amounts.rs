//! Jobs of tables of amounts: from text and data to what leaves, and to what stays.

use disclosure_jobs::amounts::{AmountStatus, Job, Pattern, PlanOptions, Planned, SuppressionStatus};
use disclosure_jobs::disclosure::magnitude::certificate;
use disclosure_jobs::error::JobError;
use disclosure_jobs::input::{CsvSource, MemoryFiles};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::privacy_data::read_jj_amounts;
use disclosure_jobs::sink::MemorySink;

const JOB: &str = "data = \"firms.csv\"\naxes = [\"region\", \"branch\"]\namount = \"turnover\"\ndecimals = 1\n\
                   respondent = \"firm\"\n";
const RULE: &str = "[rule]\np_percent = 10\n";

/// Firm 0 is alone in (south, y); a holding has plants in two cells.
const FIRMS: &str = "region,branch,firm,turnover\nsouth,y,F0,900\nsouth,x,F1,80.5\nsouth,x,F2,70\nsouth,x,F3,60\n\
                     middle,y,H,500\nmiddle,y,F5,450\nmiddle,y,F6,300\nmiddle,x,F7,200\nmiddle,x,F8,150.0\nmiddle,x,F9,90\n\
                     north,x,H,400\nnorth,x,F11,300\nnorth,x,F12,250\nnorth,y,F13,40\nnorth,y,F14,30\nnorth,y,F15,25.5\n";

fn planned(job: &str, data: &str) -> Result<Planned, JobError> {
    let source = CsvSource::bytes("firms.csv", data.as_bytes());
    Job::parse(job, "firms", &MemoryFiles::default())?.load(&source, &Silent)?.plan(&Silent)
}

fn code(job: &str, data: &str) -> &'static str {
    planned(job, data).expect_err("a refusal").code()
}

#[test]
fn what_leaves_tells_no_sensitive_cell_from_one_that_protects_it() {
    let planned = planned(&format!("{JOB}{RULE}"), FIRMS).unwrap();
    let (document, _) = planned.document(PlanOptions::default(), &Silent).unwrap();
    assert_eq!((document.tally.cells, document.tally.primary), (12, 1));
    assert!(document.tally.complementary >= 3 && document.cells.iter().all(|cell| cell.is_proved));
    let sensitive = document.cells.iter().find(|cell| cell.status == SuppressionStatus::Primary).unwrap();
    assert_eq!(
        (sensitive.labels.as_slice(), sensitive.amount, sensitive.level),
        (&["south".to_owned(), "y".to_owned()][..], 900.0, 90.0)
    );
    assert!(sensitive.lower.unwrap() <= 810.0 && sensitive.upper.unwrap() >= 990.0);
    let mut sink = MemorySink::default();
    let release = planned.write(&mut sink).unwrap();
    assert_eq!(release.withheld, document.cells.len());
    assert_eq!(release.promise, document.promise);
    let file = |name: &str| String::from_utf8(sink.files()[name].clone()).unwrap();
    let (table, record) = (file("table.csv"), file("release.json"));
    assert!(table.starts_with("region,branch,value,status\nTotal,Total,3846.0,published\n"), "{table}");
    assert_eq!(table.matches(",,withheld").count(), document.cells.len(), "{table}");
    for said in ["primary", "complementary", "sensitive\"", "secondary", "900.0"] {
        assert!(!table.contains(said) && !record.contains(said), "{said}");
    }
    assert!(record.contains("every respondent") && record.contains("p % with p = 10"), "{record}");
    assert!(record.contains("46 of 124") && record.contains("dominance rules it was not measured"), "{record}");
}

#[test]
fn certificates_and_the_pattern_file_can_be_checked_by_others() {
    let planned = planned(&format!("{JOB}{RULE}"), FIRMS).unwrap();
    let (document, certificates) = planned.document(PlanOptions { certificates: true }, &Silent).unwrap();
    let mut file = Vec::new();
    certificates.unwrap().write_json(&mut file).unwrap();
    let summary = certificate::verify(&file).unwrap();
    assert_eq!((summary.bounds, summary.attained), (2 * document.cells.len(), 2 * document.cells.len()));
    let mut jj = Vec::new();
    planned.jj().write(planned.decimals(), &mut jj).unwrap();
    assert_eq!(read_jj_amounts(&jj, 1).unwrap(), planned.jj());
    let pattern = Pattern::parse(std::str::from_utf8(&jj).unwrap(), "firms", 1).unwrap();
    let (judged, _) = pattern.audit(None, &Silent).unwrap();
    assert!(judged.target_met && judged.cells.len() == document.cells.len());
    for (own, other) in document.cells.iter().zip(&judged.cells) {
        assert_eq!((own.lower, own.upper), (other.lower, other.upper));
    }
    // Publishing one of the withheld cells gives another away.
    let text = String::from_utf8(jj).unwrap();
    let line = text.lines().find(|line| line.contains(" m ")).unwrap();
    let broken = text.replace(line, &line.replace(" m ", " s "));
    let (judged, _) = Pattern::parse(&broken, "firms", 1).unwrap().audit(None, &Silent).unwrap();
    assert!(judged.cells.iter().any(|cell| cell.protected != AmountStatus::Protected));
    let counts = Pattern::parse(&text, "firms", 0).unwrap_err();
    assert_eq!(counts.code(), "E0365");
}

#[test]
fn holdings_weights_hierarchies_and_ready_tables() {
    // Two firms of one holding dominate a cell that they do not dominate apart.
    let apart = "region,firm,turnover\na,F1,100\na,F2,90\na,F3,80\nb,F4,60\nb,F5,50\nb,F6,40\n";
    let job = "data = \"d\"\naxes = [\"region\"]\namount = \"turnover\"\nrespondent = \"firm\"\n";
    let primary = |job: &str, data: &str| {
        planned(job, data).map(|planned| planned.document(PlanOptions::default(), &Silent).unwrap().0.tally.primary)
    };
    assert_eq!(primary(&format!("{job}{RULE}"), apart).unwrap(), 0);
    assert!(primary(&format!("{job}{RULE}"), &apart.replace("F2", "F1")).unwrap() > 0);
    // A weight multiplies the amount.
    let weighted = "region,firm,turnover,w\na,F1,100,9.5\na,F2,90,1\na,F3,8,1\nb,F4,60,1\nb,F5,50,1\nb,F6,40,1\n";
    let job_weighted = job.replace("respondent", "weight = \"w\"\nrespondent");
    assert!(primary(&format!("{job_weighted}{RULE}"), weighted).unwrap() > 0);
    // Groups of categories get totals of their own.
    let files = MemoryFiles::default().with("r.hrc", "g\n@a\n@b\nc\n");
    let job_tree = format!("{job}{RULE}[hierarchy]\nregion = \"r.hrc\"\n");
    let source = CsvSource::bytes("d", (apart.to_owned() + "c,F7,10\nc,F8,9\nc,F9,9\n").into_bytes());
    let planned_tree =
        Job::parse(&job_tree, "t", &files).unwrap().load(&source, &Silent).unwrap().plan(&Silent).unwrap();
    assert_eq!(planned_tree.document(PlanOptions::default(), &Silent).unwrap().0.tally.cells, 5);
    // The same table, already added up.
    let ready = "region,turnover,n,x1,x2\na,270,3,100,90\nb,150,3,60,50\n";
    let job_ready = "data = \"d\"\naxes = [\"region\"]\namount = \"turnover\"\nready = { respondents = \"n\", largest = [\"x1\", \"x2\"] }\n";
    assert_eq!(primary(&format!("{job_ready}{RULE}"), ready).unwrap(), 0);
    assert!(primary(&format!("{job_ready}{RULE}"), &ready.replace("100,90", "190,75")).unwrap() > 0);
    assert_eq!(code(&format!("{job_ready}{RULE}"), &ready.replace("100,90", "190,90")), "E0348");
    assert_eq!(code(&format!("{job_ready}{RULE}"), &(ready.to_owned() + "b,1,1,1,\n")), "E0348");
}

#[test]
fn refusals_have_codes_and_show_no_amount() {
    let job = format!("{JOB}{RULE}");
    assert_eq!(code(&job, &FIRMS.replace("80.5", "80.55")), "E0319");
    assert_eq!(code(&job, &FIRMS.replace("80.5", "-80.5")), "E0348");
    assert_eq!(code(&job, &FIRMS.replace("80.5", "eighty")), "E0319");
    assert_eq!(code(&job, &FIRMS.replace("F1,", ",")), "E0315");
    assert_eq!(code(&format!("{JOB}keep = [{{ region = \"south\", branch = \"y\" }}]\n{RULE}"), FIRMS), "E0440");
    assert_eq!(code(&format!("{JOB}keep = [{{ region = \"south\" }}]\n{RULE}"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}known_within = 5\n{RULE}"), FIRMS), "E0440");
    assert_eq!(code(&format!("{JOB}coalition = 3\n{RULE}"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}coalition = 0\n{RULE}"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}total = \"south\"\n{RULE}"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}steps = 1\n{RULE}"), FIRMS), "E0640");
    assert_eq!(code(&format!("{JOB}[rule]\n"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}{RULE}prior_posterior = {{ p = 10, q = 50 }}\n"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}{RULE}frequency_range = 10\n"), FIRMS), "E0246");
    assert_eq!(code(&format!("{JOB}{RULE}unknown = 1\n"), FIRMS), "E0210");
    let error = planned(&job, &FIRMS.replace("80.5", "-79190.5")).unwrap_err();
    assert!(error.to_string().contains("line 3") && !error.to_string().contains("79190"), "{error}");
}
