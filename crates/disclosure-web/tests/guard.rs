//! Who is answered, and what no answer has.

use crate::support::{self, Bench, PORT, TOKEN, form, people, request};
use axum::body::Body;
use axum::http::{Method, Request, StatusCode};

const PAGES: [&str; 10] = ["", "columns", "tables", "noise", "run", "releases", "job", "status", "style.css", "app.js"];

/// Every address that takes a form.
const CHANGES: [&str; 29] = [
    "folder",
    "open",
    "connect",
    "columns",
    "labels-0",
    "tables",
    "ways",
    "noise",
    "trade-off",
    "exact",
    "decide",
    "filter",
    "amounts",
    "odds",
    "rows",
    "rows-trade-off",
    "answers",
    "reports-plan",
    "randomised",
    "protocols",
    "screening",
    "screen",
    "check",
    "run",
    "stop",
    "undo",
    "verify",
    "report",
    "download",
];

fn bench() -> Bench {
    Bench::with(&[("people.csv", &people(100))])
}

/// The same request with one header changed; `None` leaves it out.
fn with_header(page: &str, method: Method, name: &'static str, value: Option<&str>) -> Request<Body> {
    let mut request = request(method, page, "");
    request.headers_mut().remove(name);
    if let Some(value) = value {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

#[test]
fn without_the_token_nothing_is_said() {
    let bench = bench();
    bench.open("people.csv");
    for path in
        ["/", "/columns", "/0123/", &format!("/{TOKEN}0/"), &format!("/{}/", &TOKEN[1..]), "/favicon.ico", "/%2e%2e/"]
    {
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            let request = Request::builder().method(method).uri(path).header("host", format!("127.0.0.1:{PORT}"));
            let answer = bench.ask(request.body(Body::empty()).unwrap());
            assert_eq!((answer.status, answer.text().as_str()), (StatusCode::FORBIDDEN, "Forbidden"), "{path}");
            assert!(answer.headers.get("set-cookie").is_none());
        }
    }
}

#[test]
fn another_host_and_another_origin_are_refused_on_every_page() {
    let bench = bench();
    for page in PAGES {
        assert!(bench.get(page).status != StatusCode::FORBIDDEN, "{page}");
        for host in [None, Some("evil.example"), Some("127.0.0.1:1"), Some("192.168.0.1:4321")] {
            let answer = bench.ask(with_header(page, Method::GET, "host", host));
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{page} of {host:?}");
        }
        for (server, is_own) in [("evil.example", false), ("evil.example:4321", false), ("127.0.0.1:4321", true)] {
            let mut absolute = request(Method::GET, page, "");
            *absolute.uri_mut() = format!("http://{server}/{TOKEN}/{page}").parse().unwrap();
            assert_eq!(bench.ask(absolute).status != StatusCode::FORBIDDEN, is_own, "{page} of {server}");
        }
        let answer = bench.ask(with_header(page, Method::GET, "sec-fetch-site", Some("cross-site")));
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{page}");
    }
    for page in CHANGES {
        for origin in [None, Some("null"), Some("http://evil.example"), Some("http://127.0.0.1")] {
            let answer = bench.ask(with_header(page, Method::POST, "origin", origin));
            assert_eq!(answer.status, StatusCode::FORBIDDEN, "{page} from {origin:?}");
        }
    }
}

#[test]
fn every_answer_forbids_what_it_does_not_need() {
    let bench = bench();
    bench.open("people.csv");
    let failed = bench.post("noise", &[("rho", "-1"), ("weights", "by-cells")]);
    let found: Vec<_> = PAGES.iter().map(|page| bench.get(page)).chain([failed]).collect();
    for answer in found {
        let header = |name: &str| answer.headers.get(name).map_or("", |value| value.to_str().unwrap());
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe") && !policy.contains("http"));
        assert_eq!((header("x-content-type-options"), header("cache-control")), ("nosniff", "no-store"));
        assert_eq!((header("referrer-policy"), header("cross-origin-resource-policy")), ("same-origin", "same-origin"));
        let text = answer.text();
        assert!(!text.contains("http://") || text.contains("www.w3.org"), "{text}");
        assert!(!text.contains("https://") && !text.contains(TOKEN), "nothing is fetched, and no page says the token");
        assert!(!text.contains(" style=") && !text.contains("onclick"), "the policy forbids it");
    }
}

#[test]
fn the_script_is_small_and_fetches_nothing_but_parts_of_its_own_pages() {
    let script = bench().page("app.js");
    assert!(script.len() <= 15_000, "{} bytes", script.len());
    for word in ["http:", "https:", "import ", "import(", "eval", "Function(", "localStorage", "document.cookie"] {
        assert!(!script.contains(word), "{word}");
    }
}

#[test]
fn files_outside_of_the_folder_are_as_if_they_were_not_there() {
    let bench = bench();
    let outside = bench.place.path().parent().unwrap().join("disclosure-web-outside.csv");
    std::fs::write(&outside, "a\n1\n").unwrap();
    let absent = bench.post("open", &[("data", "../disclosure-web-absent.csv")]);
    assert_eq!(absent.status, StatusCode::NOT_FOUND);
    for name in
        ["../disclosure-web-outside.csv", outside.to_str().unwrap(), "/etc/passwd", "..", "", "people.csv/..", "a\0b"]
    {
        let answer = bench.post("open", &[("data", name)]);
        assert_eq!((answer.status, answer.text()), (StatusCode::NOT_FOUND, absent.text()), "{name}");
    }
    for name in ["..", "/", "/etc", "../.."] {
        assert_eq!(bench.post("folder", &[("folder", name)]).status, StatusCode::NOT_FOUND, "{name}");
    }
    for name in ["%2e%2e/etc/passwd", "..%2f..%2fetc/passwd", "release-1", "project.json"] {
        assert!(bench.get(name).status.is_client_error(), "{name}");
    }
    for (number, file) in [("1", "0"), ("0", "0"), ("-1", "0"), ("99999999999", "0"), ("1", "../../x")] {
        let answer = bench.post("download", &[("number", number), ("file", file)]);
        assert!(answer.status.is_client_error(), "{number} {file}");
    }
    std::fs::remove_file(outside).unwrap();
}

#[cfg(unix)]
#[test]
fn links_in_the_folder_of_the_workbench_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let (bench, other) = (bench(), tempfile::tempdir().unwrap());
    bench.open("people.csv");
    bench.choose("run", &[("title", ""), ("owner", ""), ("release", "1")]);
    std::fs::write(other.path().join("diary.txt"), "dear diary").unwrap();
    let below = |name: &str| bench.path("disclosure-workbench").join(name);
    // A release and the job of a release that are elsewhere.
    std::fs::rename(below("release-1"), other.path().join("release")).unwrap();
    symlink(other.path().join("release"), below("release-7")).unwrap();
    assert!(bench.page("releases").contains("No release was made yet"));
    assert_eq!(bench.post("report", &[("number", "7"), ("public", "1")]).status, StatusCode::NOT_FOUND);
    assert!(bench.page("run").contains("job-8.toml"), "its number is taken");
    std::fs::rename(other.path().join("release"), below("release-9")).unwrap();
    symlink(other.path().join("diary.txt"), below("job-9.toml")).unwrap();
    assert!(bench.page("releases").contains("files are as the record says"));
    for file in 0..40 {
        let answer = bench.post("download", &[("number", "9"), ("file", &file.to_string())]);
        assert!(!answer.bytes.windows(10).any(|part| part == b"dear diary"), "{file}");
    }
    // Choices that are elsewhere.
    std::fs::rename(below("project.json"), other.path().join("project.json")).unwrap();
    symlink(other.path().join("project.json"), below("project.json")).unwrap();
    let place = bench.closed();
    let folder = place.path().join("disclosure-workbench");
    let opened = disclosure_web::App::open(place.path(), PORT, support::shell());
    assert!(opened.unwrap_err().has_code("E0705"));
    std::fs::rename(&folder, other.path().join("all")).unwrap();
    symlink(other.path().join("all"), folder).unwrap();
    let opened = disclosure_web::App::open(place.path(), PORT, support::shell());
    assert!(opened.unwrap_err().has_code("E0726"));
}

#[test]
fn requests_of_any_size_and_shape_end_in_an_answer() {
    let bench = bench();
    let large = format!("rho={}", "9".repeat(2 << 20));
    assert_eq!(bench.post_raw("noise", &large).status, StatusCode::PAYLOAD_TOO_LARGE);
    let many = form((0..5000).map(|_| ("a", "1")));
    assert_eq!(bench.post_raw("noise", &many).status, StatusCode::UNPROCESSABLE_ENTITY);
    for body in ["", "%", "%ff%00", "&&&===", "revision=x&rho=1", "\u{0}"] {
        for page in CHANGES {
            let status = bench.post_raw(page, body).status;
            assert!(!status.is_server_error(), "{page} {body:?}: {status}");
        }
    }
    assert_eq!(bench.get("columns?x=1").status, StatusCode::BAD_REQUEST, "settings do not travel in addresses");
    let mut delete = request(Method::POST, "columns", "");
    *delete.method_mut() = Method::DELETE;
    assert_eq!(bench.ask(delete).status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(bench.get("none").status, StatusCode::NOT_FOUND);
}
