//! What a server's failure is to its user: by its code. The server's own words may show a value,
//! and are repeated only where they are about the names in a query.

use disclosure_jobs::JobError;
use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

pub(crate) fn of_server(error: &Error) -> JobError {
    let Some(own) = error.as_db_error() else {
        // The kind of a failure is in its words alone.
        let is_tls = error.to_string().starts_with("error performing TLS handshake");
        let words = match (error.is_closed(), is_tls) {
            (true, _) => "the connection was closed",
            (_, true) => {
                "the connection could not be encrypted: the server has no trusted certificate for its host name"
            }
            _ => "the server cannot be reached",
        };
        return JobError::new("E0352", words);
    };
    of_state(own)
}

fn of_state(own: &DbError) -> JobError {
    let state = own.code();
    if [&SqlState::INSUFFICIENT_PRIVILEGE].contains(&state) {
        return JobError::new("E0353", "the role does not have the right to read this");
    }
    if [&SqlState::QUERY_CANCELED, &SqlState::LOCK_NOT_AVAILABLE].contains(&state) {
        return JobError::new("E0354", "the server cancelled the statement, which exceeded its time limit");
    }
    if *state == SqlState::READ_ONLY_SQL_TRANSACTION {
        return JobError::new("E0349", "the query cannot be run: it would write");
    }
    match &state.code()[..2] {
        "28" => JobError::new("E0352", "the server refused the user or the password"),
        "3D" => JobError::new("E0352", "the database does not exist on the server"),
        "08" | "57" => JobError::new("E0352", "the server closed the connection"),
        "53" | "54" => JobError::new("E0339", "the server has no memory or connections left"),
        "40" | "55" => JobError::new("E0338", "the database was changed in a way that its snapshot cannot represent"),
        // Syntax, and names that are not there: the words of the query's author.
        "42" | "3F" => {
            let line = own.message().lines().next().unwrap_or_default();
            JobError::new("E0349", format!("the query cannot be run: {line}"))
        }
        "0A" => JobError::new("E0349", "the server cannot run this query"),
        _ => JobError::new("E0339", "the server failed while reading the rows"),
    }
}
