//! Files of a basis: what a job asks about an attribute, as queries and as a hierarchy, planned.

use disclosure_jobs::input::MemoryFiles;
use disclosure_jobs::limits::Limits;
use disclosure_jobs::marginals::{Job, Planned};
use disclosure_jobs::observer::Silent;
use disclosure_jobs::privacy_data::{read_hierarchy, read_queries};

const LABELS: [&str; 4] = ["a", "b", "c", "d"];

/// A job about one attribute, whose basis is in a file of this kind.
fn job(kind: &str) -> String {
    format!(
        "marginals = [[\"x\"]]\nneighbours = \"add-remove\"\n[privacy]\nrho = 0.5\n[[attribute]]\nname = \"x\"\n\
         labels = [\"a\", \"b\", \"c\", \"d\"]\nbasis = {{ {kind} = \"b.csv\" }}\n"
    )
}

/// What a file asks: the weights of the categories in each answer.
fn asked(kind: &str, bytes: &[u8]) -> Option<Vec<Vec<f64>>> {
    let labels = LABELS.into_iter().collect();
    if kind == "queries" {
        return read_queries(bytes, &labels).ok().map(|file| file.rows);
    }
    let nodes = read_hierarchy(bytes, &labels).ok()?;
    let row = |node: &Vec<usize>| (0..4).map(|label| f64::from(u8::from(node.contains(&label)))).collect();
    Some(nodes.iter().map(|(_, node)| row(node)).collect())
}

/// A file of a basis: a plan of it is written and read back, and its errors are none that no
/// mechanism of its cost can have.
pub(crate) fn basis(bytes: &[u8]) -> bool {
    let planned = ["queries", "hierarchy"].map(|kind| plan(kind, bytes));
    planned.contains(&true)
}

fn plan(kind: &str, bytes: &[u8]) -> bool {
    let files = MemoryFiles::default().with("b.csv", bytes);
    let Ok(job) = Job::parse(&job(kind), &files) else { return false };
    let rows = asked(kind, bytes).expect("a job reads what its reader reads");
    let Ok(planned) = job.plan(&Limits::default(), &Silent) else { return false };
    let document = planned.document();
    let table = &document.marginals[0];
    assert_eq!(table.queries, rows.len() as f64, "an answer for each query");
    // An unbiased answer to w with Gaussian noise has at least the variance max w_j^2 / cost: a
    // person in category j moves it by w_j (Cauchy and Schwarz in the norm of the noise).
    let least = rows.iter().map(|row| largest(row).powi(2) / document.pcost);
    let (most, sum) = least.fold((0.0_f64, 0.0), |(most, sum), least| (most.max(least), sum + least));
    assert!(table.max_variance >= most * (1.0 - 1e-9), "{} is below {most}", table.max_variance);
    assert!(table.mean_variance >= sum / table.queries * (1.0 - 1e-9), "{} on average", table.mean_variance);
    let stored = planned.to_stored();
    let again = Planned::parse(&stored, &files, &Limits::default(), &Silent).expect("what is written is read");
    assert_eq!(again.to_stored(), stored, "and is the same");
    true
}

fn largest(row: &[f64]) -> f64 {
    row.iter().fold(0.0, |most, weight| most.max(weight.abs()))
}
