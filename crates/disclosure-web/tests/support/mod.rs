//! A workbench without a browser: forms in, pages out.

pub(crate) mod served;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use disclosure_jobs::input::SourceOpener;
use disclosure_web::{App, Shell, router};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use tower::ServiceExt;

pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const PORT: u16 = 4321;
/// The generator of every release of these tests.
pub(crate) const SEED: [u8; 32] = [7; 32];
pub(crate) const DAY: &str = "2026-05-01";

pub(crate) struct Bench {
    pub(crate) place: tempfile::TempDir,
    router: Router,
    runtime: tokio::runtime::Runtime,
}

pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.bytes.clone()).unwrap()
    }

    pub(crate) fn location(&self) -> &str {
        self.headers.get("location").map_or("", |value| value.to_str().unwrap())
    }
}

pub(crate) fn shell() -> Shell {
    Shell {
        token: TOKEN.to_owned(),
        generator: Box::new(|| Ok(Box::new(ChaCha20Rng::from_seed(SEED)))),
        today: || DAY.to_owned(),
        openers: &[],
    }
}

impl Bench {
    /// A workbench in a new folder with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let place = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = place.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self::at(place)
    }

    /// The same in a program with openers.
    pub(crate) fn with_openers(files: &[(&str, &str)], openers: &'static [Box<dyn SourceOpener>]) -> Self {
        Self::with(files).restarted_with(openers)
    }

    /// A workbench in a folder that is there.
    pub(crate) fn at(place: tempfile::TempDir) -> Self {
        Self::served(place, shell())
    }

    /// The same folder, served by a program with openers.
    pub(crate) fn restarted_with(self, openers: &'static [Box<dyn SourceOpener>]) -> Self {
        Self::served(self.closed(), Shell { openers, ..shell() })
    }

    fn served(place: tempfile::TempDir, shell: Shell) -> Self {
        let router = router(App::open(place.path(), PORT, shell).unwrap());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        Self { place, router, runtime }
    }

    /// The same folder, served anew.
    pub(crate) fn restarted(self) -> Self {
        Self::at(self.closed())
    }

    /// The folder, which no workbench has any more.
    pub(crate) fn closed(self) -> tempfile::TempDir {
        self.place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    pub(crate) fn ask(&self, request: Request<Body>) -> Answer {
        let router = self.router.clone();
        self.runtime.block_on(async {
            let response = router.oneshot(request).await.unwrap();
            let (parts, body) = response.into_parts();
            let bytes = to_bytes(body, usize::MAX).await.unwrap().to_vec();
            Answer { status: parts.status, headers: parts.headers, bytes }
        })
    }

    pub(crate) fn get(&self, page: &str) -> Answer {
        self.ask(request(Method::GET, page, ""))
    }

    /// A page that must be there.
    pub(crate) fn page(&self, page: &str) -> String {
        let answer = self.get(page);
        assert_eq!(answer.status, StatusCode::OK, "{page}: {}", answer.text());
        answer.text()
    }

    pub(crate) fn post_raw(&self, page: &str, body: &str) -> Answer {
        self.ask(request(Method::POST, page, body))
    }

    /// Sends a form with the hidden fields of the page at hand.
    pub(crate) fn post(&self, page: &str, fields: &[(&str, &str)]) -> Answer {
        let body = self.form_of(page, fields);
        self.post_raw(page, &body)
    }

    /// A form with the hidden fields of the page at hand.
    pub(crate) fn form_of(&self, page: &str, fields: &[(&str, &str)]) -> String {
        let revision = revision_of(&self.page(""));
        let number = (page == "run").then(|| hidden(&self.page("run"), "number"));
        let fields = fields.iter().copied().chain(number.as_deref().map(|number| ("number", number)));
        form(std::iter::once(("revision", revision.as_str())).chain(fields))
    }

    /// Sends a form that must lead to another page, and waits for the job that it may start.
    pub(crate) fn choose(&self, page: &str, fields: &[(&str, &str)]) -> String {
        let answer = self.post(page, fields);
        assert_eq!(answer.status, StatusCode::SEE_OTHER, "{page}: {}", answer.text());
        let location = answer.location().to_owned();
        if location.ends_with("/job") {
            return self.wait();
        }
        location.strip_prefix(&format!("/{TOKEN}/")).unwrap().to_owned()
    }

    /// Waits for the job that is under way; returns the page that follows.
    pub(crate) fn wait(&self) -> String {
        let start = Instant::now();
        loop {
            let status = self.page("status");
            if let Some((_, rest)) = status.split_once("data-next=\"") {
                return rest.split('"').next().unwrap().to_owned();
            }
            assert!(!status.contains("data-ended"), "{status}");
            assert!(start.elapsed() < Duration::from_secs(60), "{status}");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Opens a file of the folder, and keeps its columns as they are, public.
    pub(crate) fn open(&self, data: &str) {
        assert_eq!(self.choose("open", &[("data", data)]), "columns");
        self.keep_columns(&[]);
    }

    /// Keeps the columns, with some fields changed.
    pub(crate) fn keep_columns(&self, changed: &[(&str, &str)]) -> String {
        let page = self.page("columns");
        let columns = page.matches("name=\"treatment.").count();
        let mut fields: Vec<(String, String)> = Vec::new();
        for number in 0..columns {
            fields.push((format!("treatment.{number}"), selected(&page, number)));
            fields.push((format!("edges.{number}"), String::new()));
            fields.push((format!("bins.{number}"), String::new()));
        }
        for (name, value) in [("missing", ""), ("neighbours", "add-remove"), ("rows_per_person", "1"), ("public", "1")]
        {
            fields.push((name.to_owned(), value.to_owned()));
        }
        for (name, value) in changed {
            fields.retain(|(field, _)| field != name);
            fields.push(((*name).to_owned(), (*value).to_owned()));
        }
        let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.choose("columns", &fields)
    }
}

/// What the page says that becomes of a column.
fn selected(page: &str, number: usize) -> String {
    let (_, rest) = page.split_once(&format!("name=\"treatment.{number}\"")).unwrap();
    let (options, _) = rest.split_once("</select>").unwrap();
    let chosen = options.split("<option ").find(|option| option.contains("selected"));
    chosen.unwrap().split("value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

pub(crate) fn revision_of(page: &str) -> String {
    hidden(page, "revision")
}

fn hidden(page: &str, name: &str) -> String {
    let (_, rest) = page.split_once(&format!("name=\"{name}\" value=\"")).unwrap();
    rest.split('"').next().unwrap().to_owned()
}

pub(crate) fn form<'a>(fields: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

pub(crate) fn request(method: Method, page: &str, body: &str) -> Request<Body> {
    let builder = Request::builder().method(method.clone()).uri(format!("/{TOKEN}/{page}"));
    let builder = builder.header("host", format!("127.0.0.1:{PORT}"));
    let builder = match method {
        Method::POST => builder
            .header("origin", format!("http://127.0.0.1:{PORT}"))
            .header("sec-fetch-site", "same-origin")
            .header("content-type", "application/x-www-form-urlencoded"),
        _ => builder,
    };
    builder.body(Body::from(body.to_owned())).unwrap()
}

/// Every file below a folder, by its name.
pub(crate) fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    fn collect(folder: &Path, root: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if path.is_dir() {
                collect(&path, root, found);
            } else {
                let name = path.strip_prefix(root).unwrap().to_str().unwrap().to_owned();
                found.push((name, fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    collect(folder, folder, &mut found);
    found.sort();
    found
}

/// A table of people, as a file in CSV.
pub(crate) fn people(rows: usize) -> String {
    let mut text = "age,sex,region,works\n".to_owned();
    for row in 0..rows {
        let sex = ["f", "m"][row % 2];
        let works = ["no", "yes"][(row / 5) % 2];
        text += &format!("{},{sex},r{},{works}\n", 18 + (row * 7) % 60, (row / 3) % 4);
    }
    text
}
