//! Failures of an engine, without the engine's own words where these may show data.

use std::fmt;

use datafusion::error::DataFusionError;
use disclosure_jobs::JobError;

/// What stands before and behind an error of ours in the words of a cluster, which passes errors
/// on as text.
const BEFORE: &str = "[disclosure ";
const BEHIND: &str = " /disclosure]";

/// A failure inside a query: one of ours, which a query carries to its end.
#[derive(Clone)]
pub(crate) struct EngineError(JobError);

impl fmt::Display for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{BEFORE}{} {}{BEHIND}", self.0.code(), self.0)
    }
}

/// As it is displayed: executors write either.
impl fmt::Debug for EngineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for EngineError {}

impl EngineError {
    pub(crate) fn to_job(&self) -> JobError {
        self.0.clone()
    }
}

impl From<JobError> for EngineError {
    fn from(error: JobError) -> Self {
        Self(error)
    }
}

impl From<EngineError> for DataFusionError {
    fn from(error: EngineError) -> Self {
        Self::External(Box::new(error))
    }
}

/// What went wrong with a query, with a code: what an aggregate function of this crate said, or the
/// kind of the engine's own failure. An engine's message about a query that is not valid names the
/// query's own words; one about rows may show a value, and is left out.
#[must_use]
pub fn job_error(error: &DataFusionError) -> JobError {
    match error.find_root() {
        DataFusionError::External(source) => match source.downcast_ref::<EngineError>() {
            Some(EngineError(own)) => own.clone(),
            None => JobError::new("E0339", "the engine failed while reading the rows"),
        },
        DataFusionError::SQL(..) | DataFusionError::Plan(_) | DataFusionError::SchemaError(..) => {
            let words = error.strip_backtrace();
            JobError::new("E0349", format!("the query cannot be run: {}", first_line(&words)))
        }
        DataFusionError::NotImplemented(_) => JobError::new("E0349", "the engine cannot run this query"),
        DataFusionError::IoError(source) => JobError::new("E0339", format!("reading failed: {}", source.kind())),
        DataFusionError::ObjectStore(_) => JobError::new("E0339", "a file could not be read"),
        DataFusionError::ParquetError(_) => {
            JobError::new("E0339", "the file is not a complete Parquet file: it is damaged or was cut off")
        }
        DataFusionError::ArrowError(..) => {
            JobError::new("E0339", "the file is damaged, or a value cannot be converted")
        }
        DataFusionError::ResourcesExhausted(_) => JobError::new("E0339", "the engine ran out of memory"),
        _ => JobError::new("E0339", "the engine failed while reading the rows"),
    }
}

/// The error of ours that the words of a cluster hold, without anything else of them.
#[cfg(feature = "ballista")]
pub(crate) fn error_in_words(words: &str) -> Option<JobError> {
    let (_, rest) = words.split_once(BEFORE)?;
    let (own, _) = rest.split_once(BEHIND)?;
    let (code, message) = own.split_once(' ')?;
    // Codes of jobs, and those of data and files.
    let mut known = disclosure_jobs::error::explanations().chain(privacy_data::EXPLANATIONS.iter().copied());
    let (code, _) = known.find(|(known, _)| *known == code)?;
    Some(JobError::new(code, message))
}

fn first_line(words: &str) -> &str {
    words.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use privacy_sql_columns::unreadable_type;

    use super::*;

    #[test]
    fn words_about_rows_are_left_out_and_those_about_a_query_are_not() {
        let rows = job_error(&DataFusionError::Execution("cannot cast 'secret'".into()));
        assert!(rows.has_code("E0339") && !rows.message().contains("secret"));
        let query = job_error(&DataFusionError::Plan("no field named x".into()));
        assert!(query.has_code("E0349") && query.message().contains("no field named x"));
        let own: DataFusionError = EngineError(unreadable_type("x")).into();
        let wrapped = DataFusionError::Context("c".into(), Box::new(own));
        assert!(job_error(&wrapped).has_code("E0337"));
    }

    #[cfg(feature = "ballista")]
    #[test]
    fn an_error_of_ours_is_found_in_the_words_of_a_cluster_and_nothing_else() {
        let own: DataFusionError = EngineError(unreadable_type("x \"y\"")).into();
        for words in [format!("Job 1 failed: Task failed: {own:?} at 'secret'"), format!("{own} secret")] {
            let found = error_in_words(&words).unwrap();
            assert!(found.has_code("E0337") && found.message().contains("x"), "{found}");
            assert!(!found.message().contains("secret"));
        }
        let of_data: DataFusionError = EngineError(JobError::new("E0397", "x")).into();
        assert!(error_in_words(&format!("{of_data:?}")).unwrap().has_code("E0397"));
        for words in ["", "E0337", "[disclosure E0337 x", "[disclosure E9999 x /disclosure]"] {
            assert!(error_in_words(words).is_none(), "{words}");
        }
    }
}
