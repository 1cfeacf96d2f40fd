//! Adaptive marginals: what is measured is chosen under the budget, and rows are drawn from the
//! model of it.
//!
//! ```text
//! AdaptiveJob::parse     spec and columns                     no row is read
//! AdaptiveJob::plan      AdaptivePlanned: first noise, cells  nothing is drawn or spent
//! AdaptivePlanned::read  AdaptiveReady: the rows              nothing is drawn or spent
//! AdaptiveReady::release AdaptiveReleased: charged, then every choice and measurement
//! AdaptiveReleased::write   rows.csv, one CSV a measured marginal, plan.json, release.json
//! ```
//!
//! Use [`marginals`](crate::marginals) when the tables are known: its answers are unbiased, and
//! their errors are known beforehand.
//!
//! ```
//! use disclosure_jobs::adaptive::AdaptiveJob;
//! use disclosure_jobs::disclosure::privacy_core::rng;
//! use disclosure_jobs::input::{CsvSource, MemoryFiles};
//! use disclosure_jobs::ledger::Uncounted;
//! use disclosure_jobs::limits::Limits;
//! use disclosure_jobs::observer::Silent;
//! use disclosure_jobs::sink::MemorySink;
//!
//! let spec = r#"
//!     up_to = 2
//!     neighbours = "add-remove"
//!     privacy = { rho = 0.5 }
//!     attribute = [
//!         { name = "age", labels = ["young", "old"] },
//!         { name = "smoker", labels = ["no", "yes"] },
//!     ]
//! "#;
//! let rows = CsvSource::bytes("rows.csv", &b"age,smoker\nyoung,no\nold,yes\nold,no\n"[..]);
//! let planned = AdaptiveJob::parse(spec, &MemoryFiles::default())?.plan(&Limits::default())?;
//! assert_eq!(planned.document().candidates, 3); // age, smoker, both
//! let ready = planned.read(&rows, &Silent)?;
//! let released = ready.release(&mut Uncounted, &Silent, &mut rng::system()?)?;
//! let mut sink = MemorySink::default();
//! released.write(&mut sink)?;
//! assert!(sink.files().contains_key("rows.csv"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod spec;
mod zeros;

mod job;
mod promises;

mod answer_errors;
mod plan_document;
mod release_document;

mod planned;
mod ready;
mod released;

pub use answer_errors::{AnswerError, AnswerErrorBasis};
pub use job::AdaptiveJob;
pub use plan_document::{AdaptiveMarginal, AdaptivePlanDocument, AdaptivePlanSchema, StructuralZeros};
pub use planned::AdaptivePlanned;
pub use ready::AdaptiveReady;
pub use release_document::{AdaptiveReleaseDocument, AdaptiveReleaseSchema, AdaptiveTable, RoundSummary};
pub use released::AdaptiveReleased;
pub use spec::AdaptiveJobSpec;
