//! What a request is answered with.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use disclosure_jobs::JobError;
use maud::Markup;

use crate::guard::{DOCUMENT_POLICY, protect};

/// Largest answer, in bytes.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// An answer before it has headers.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A page, or a part of one.
    Html(Markup),
    /// The page that a change leads to, relative to the token.
    SeeOther(&'static str),
    /// A document that stands for itself: the page of a release.
    Document(String),
    /// A file to be kept. The name has letters, digits, dots and hyphens alone.
    Download {
        /// What the browser calls it.
        name: String,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// A part of the workbench itself.
    Asset {
        /// Its media type.
        kind: &'static str,
        /// Its text.
        text: &'static str,
    },
}

impl Reply {
    /// The answer with its headers. `base` is what every address begins with.
    pub(crate) fn into_response(self, status: StatusCode, base: &str) -> Response {
        let (kind, bytes) = match self {
            Self::Html(markup) => ("text/html; charset=utf-8", markup.into_string().into_bytes()),
            Self::SeeOther(page) => {
                let mut response = answer(StatusCode::SEE_OTHER, "text/plain", Vec::new());
                let location = HeaderValue::from_str(&format!("{base}{page}"));
                response.headers_mut().extend(location.ok().map(|value| (header::LOCATION, value)));
                return response;
            }
            Self::Document(html) => {
                let mut response = answer(status, "text/html; charset=utf-8", html.into_bytes());
                let policy = HeaderValue::from_static(DOCUMENT_POLICY);
                response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
                return response;
            }
            Self::Download { name, bytes } => {
                let mut response = answer(status, "application/octet-stream", bytes);
                let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
                response.headers_mut().extend(disposition.ok().map(|value| (header::CONTENT_DISPOSITION, value)));
                return response;
            }
            Self::Asset { kind, text } => (kind, text.as_bytes().to_vec()),
        };
        answer(status, kind, bytes)
    }
}

/// A plain answer that says nothing of the workbench.
pub(crate) fn refuse(status: StatusCode) -> Response {
    answer(status, "text/plain; charset=utf-8", status.canonical_reason().unwrap_or_default().into())
}

fn answer(status: StatusCode, kind: &'static str, bytes: Vec<u8>) -> Response {
    if bytes.len() > MOST_BYTES {
        let words = "The response is too large for a page. Request fewer tables, or open the file in its folder.";
        return answer(StatusCode::UNPROCESSABLE_ENTITY, "text/plain; charset=utf-8", words.into());
    }
    let mut response = Response::new(Body::from(bytes));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    protect(response.headers_mut());
    response
}

/// The status of a failure.
pub(crate) fn status_of(error: &JobError) -> StatusCode {
    match error.code() {
        "E0707" | "E0708" => StatusCode::CONFLICT,
        "E0703" => StatusCode::NOT_FOUND,
        _ => StatusCode::UNPROCESSABLE_ENTITY,
    }
}
