//! What a failure of DuckDB is to its user. Its own words may show a value or a path, and are
//! repeated only where they are about the words of a query.

use disclosure_jobs::JobError;

/// A file that cannot be opened.
pub(super) fn unopened(words: &str) -> JobError {
    JobError::new("E0731", words)
}

/// Why a file was not opened, by the library's words.
pub(super) fn of_opening(message: &str) -> JobError {
    if message.contains("lock on file") {
        return unopened("another program has the file open for writing")
            .next("close that program, or read a copy of the file");
    }
    if message.contains("ncrypt") {
        return unopened("the file is encrypted").next("write an unencrypted copy to a place that only you can read");
    }
    if message.contains("storage version") || message.contains("version number") {
        return unopened("the file was written by another version of DuckDB")
            .next("use the DuckDB library of that version");
    }
    unopened("the file cannot be opened as a DuckDB database: it is damaged or was cut off")
}

/// What went wrong with a statement, by the kind that the library's words begin with.
pub(super) fn of_message(message: &str) -> JobError {
    let (kind, words) = message.split_once(':').unwrap_or((message, ""));
    match kind.trim_end_matches(" Error") {
        "Parser" | "Binder" | "Catalog" => {
            let line = words.trim().lines().next().unwrap_or_default();
            JobError::new("E0349", format!("the query cannot be run: {line}"))
        }
        "Permission" | "Missing Extension" => {
            JobError::new("E0349", "the query cannot be run: it reads something that is not in the file")
        }
        "Not implemented" => JobError::new("E0349", "the engine cannot run this query"),
        "INTERRUPT" => JobError::stopped(),
        "Out of Memory" => JobError::new("E0339", "the engine ran out of memory"),
        "IO" => JobError::new("E0339", "reading the file failed"),
        _ => JobError::new("E0339", "the engine failed while reading the rows"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_about_rows_are_left_out_and_those_about_a_query_are_not() {
        let of_rows = of_message("Conversion Error: Could not convert string 'secret' to INT32");
        assert!(of_rows.has_code("E0339") && !of_rows.message().contains("secret"));
        let of_query = of_message("Binder Error: Referenced column \"x\" not found!\nLINE 1: SELECT x, 'secret'");
        assert!(of_query.has_code("E0349") && of_query.message().ends_with("column \"x\" not found!"));
        let of_file = of_message("Permission Error: Cannot open \"/secret/file\"");
        assert!(of_file.has_code("E0349") && !of_file.message().contains("secret"));
        assert!(of_message("INTERRUPT Error: Interrupted!").is_stop());
        assert!(of_message("").has_code("E0339"));
    }

    #[test]
    fn a_file_that_is_not_opened_has_a_reason_and_no_path() {
        for (message, reason) in [
            ("IO Error: Could not set lock on file \"/secret\": held in PID 7", "another program"),
            ("Catalog Error: Cannot open encrypted database \"/secret\" without a key", "encrypted"),
            ("IO Error: Trying to read a database file with version number 99", "another version"),
            ("IO Error: \"/secret\" is not a valid DuckDB database file!", "damaged"),
        ] {
            let error = of_opening(message);
            assert!(error.has_code("E0731") && error.message().contains(reason), "{error}");
            assert!(!error.to_string().contains("secret"));
        }
    }
}
