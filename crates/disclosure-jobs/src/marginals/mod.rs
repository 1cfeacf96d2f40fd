//! Noisy marginals under one privacy budget, with the least error.
//!
//! ```text
//! Job::parse        spec and columns                          no row is read
//! Job::plan         Planned: the error of every answer        nothing is drawn or spent
//! Planned::read     Ready: the rows                           nothing is drawn or spent
//! Ready::release    Released: charged, then measured          the plan is used up
//! Released::write   one CSV a marginal, plan.json, measurement.bin, release.json
//! ```
//!
//! [`Measurement`] answers every table within the planned ones later, from `measurement.bin`
//! alone. [`Ready::simulate`] compares predicted errors with those of simulated noise. A part of
//! a job with several parts begins with [`Job::from_section`] and ends with [`Planned::measure`]:
//! the job charges all of its parts at once.
//!
//! ```
//! use disclosure_jobs::disclosure::privacy_core::rng;
//! use disclosure_jobs::input::{CsvSource, MemoryFiles};
//! use disclosure_jobs::ledger::Uncounted;
//! use disclosure_jobs::limits::Limits;
//! use disclosure_jobs::marginals::Job;
//! use disclosure_jobs::observer::Silent;
//! use disclosure_jobs::sink::MemorySink;
//!
//! let spec = r#"
//!     marginals = [["age", "smoker"]]
//!     neighbours = "add-remove"
//!     privacy = { rho = 0.5 }
//!     attribute = [
//!         { name = "age", labels = ["young", "old"] },
//!         { name = "smoker", labels = ["no", "yes"] },
//!     ]
//! "#;
//! let rows = CsvSource::bytes("rows.csv", &b"age,smoker\nyoung,no\nold,yes\nold,no\n"[..]);
//! let planned = Job::parse(spec, &MemoryFiles::default())?.plan(&Limits::default(), &Silent)?;
//! assert!(planned.rmse() < 1.01); // counts, known before any data are read
//! let released = planned.read(&rows, &Silent)?.release(&mut Uncounted, &mut rng::system()?)?;
//! let mut sink = MemorySink::default();
//! released.write(&mut sink, &Silent)?;
//! assert!(sink.files().contains_key("release.json"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bases;
mod columns;
mod names;
mod spec;
mod workload;

mod job;
mod plan_document;
mod stored_plan;

mod answers;

mod adjusted;
mod release_document;
mod released;

mod planned;
mod ready;
mod residuals;
mod simulation;

mod mbi;
mod measurement;
mod request;

pub use answers::{AnswerColumns, AnswerLine, AnswerStatus, Answers};
pub use job::{Job, JobContext};
pub use measurement::{
    AnswerFiles, AnswerFilesSchema, AnswersDocument, AnswersSchema, MarginalAnswers, Measurement, MeasurementHeader,
};
pub use plan_document::{
    AttributeSummary, BasisName, INTERVAL_LEVEL, MarginalSummary, PlanDocument, PlanSchema, ResidualSummary,
};
pub use planned::Planned;
pub use ready::Ready;
pub use release_document::{
    Intervals, Mechanism, NOT_COVERED, ReleaseCost, ReleaseDocument, ReleaseSchema, TableFile, Versions,
};
pub use released::Released;
pub use request::AnswerRequest;
pub use residuals::ResidualNumbers;
pub use simulation::{MarginalError, SimulationDocument, SimulationSchema};
pub use spec::{Adjustment, Spec};
pub use stored_plan::longest_text;
pub use workload::WeightsName;

pub(crate) use answers::rounded;
pub(crate) use columns::Columns;
pub(crate) use workload::{MarginalSpec, listed_sets};
