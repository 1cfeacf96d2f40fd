//! The server: addresses, methods and sizes; every answer is made on a thread that may block.

use std::net::TcpListener;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody, to_bytes};
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};
use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;

use crate::app::{App, Shell, Start};
use crate::connections;
use crate::form::Form;
use crate::pages;
use crate::reply::{Reply, refuse, status_of};

/// Largest body of a request, in bytes: a form with the labels of 128 columns.
const MOST_BYTES: usize = 1 << 20;
/// How long a request may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often a request to stop is looked for.
const TICK: Duration = Duration::from_millis(10);
/// Most columns whose labels are edited: a domain has no more attributes.
const MOST_COLUMNS: usize = 128;
/// Threads that make answers.
const THREADS: usize = 4;

/// Makes one answer.
type Handler = fn(&Arc<App>, &Form) -> Result<Reply, JobError>;

/// Serves the workbench of a folder until `stop` is set. The data of `start` are opened at once.
/// `ready` hears the address of the first page once it is served.
///
/// # Errors
/// E0701 for a listener that others than this machine can reach, or that cannot be used; as
/// [`App::open`]; E0703 for data that are not below the folder; E0714, E0715 and E0725 for an
/// address with a password, without an engine, and without a table; what `ready` fails with.
pub fn serve(
    listener: TcpListener,
    folder: &Path,
    start: Option<Start<'_>>,
    shell: Shell,
    stop: StopFlag,
    ready: impl FnOnce(&str) -> Result<(), JobError>,
) -> Result<(), JobError> {
    let address = listener.local_addr().map_err(failed)?;
    if !address.ip().is_loopback() {
        return Err(JobError::new("E0701", "the workbench listens on loopback addresses only"));
    }
    let app = App::open(folder, address.port(), shell)?;
    if let Some(start) = start {
        pages::start::open_at_start(&app, start)?;
    }
    listener.set_nonblocking(true).map_err(failed)?;
    ready(&format!("http://{address}{}", app.first_page()))?;
    let mut builder = tokio::runtime::Builder::new_current_thread();
    let runtime = builder.enable_all().max_blocking_threads(THREADS).build().map_err(failed)?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
        tokio::spawn(connections::serve(listener, router(Arc::clone(&app))));
        while !stop.is_set() {
            tokio::time::sleep(TICK).await;
        }
        Ok(())
    });
    let ended = app.end();
    runtime.shutdown_background();
    served.and(ended)
}

fn failed(source: std::io::Error) -> JobError {
    JobError::new("E0701", format!("the address cannot be served: {source}"))
}

/// Every page of a workbench, with its checks: a service for a server, or for a test without one.
pub fn router(app: Arc<App>) -> Router {
    let router = (0..MOST_COLUMNS)
        .fold(Router::new(), |router, column| router.route(&format!("/{{token}}/labels-{column}"), of_column(column)));
    router
        .route("/{token}/", get_only(pages::start::page))
        .route("/{token}/folder", post_only(pages::start::list))
        .route("/{token}/open", post_only(pages::start::open))
        .route("/{token}/connect", post_only(pages::start::connect))
        .route("/{token}/columns", both(pages::columns::page, pages::columns::choose))
        .route("/{token}/tables", both(pages::tables::page, pages::tables::choose))
        .route("/{token}/ways", both(pages::ways::page, pages::ways::choose))
        .route("/{token}/exact", both(pages::exact::page, pages::exact::choose))
        .route("/{token}/filter", both(pages::filter::page, pages::filter::choose))
        .route("/{token}/decide", post_only(pages::exact::decide))
        .route("/{token}/rows", both(pages::rows::page, pages::rows::choose))
        .route("/{token}/rows-trade-off", post_only(pages::rows::trade_off))
        .route("/{token}/answers", both(pages::answers::page, pages::answers::choose))
        .route("/{token}/reports-plan", post_only(pages::answers::plan))
        .route("/{token}/amounts", both(pages::amounts::page, pages::amounts::choose))
        .route("/{token}/odds", post_only(pages::filter::odds))
        .route("/{token}/randomised", both(pages::randomised::page, pages::randomised::plain))
        .route("/{token}/protocols", post_only(pages::randomised::protocols))
        .route("/{token}/screening", both(pages::screening::page, pages::screening::choose))
        .route("/{token}/screen", post_only(pages::screening::keep))
        .route("/{token}/check", both(pages::check::page, pages::check::choose))
        .route("/{token}/noise", both(pages::noise::page, pages::noise::choose))
        .route("/{token}/trade-off", post_only(pages::noise::trade_off))
        .route("/{token}/run", both(pages::run::page, pages::run::start))
        .route("/{token}/job", get_only(pages::job::page))
        .route("/{token}/status", get_only(pages::job::status))
        .route("/{token}/stop", post_only(pages::job::stop))
        .route("/{token}/undo", post_only(pages::start::undo))
        .route("/{token}/redo", post_only(pages::start::redo))
        .route("/{token}/releases", get_only(pages::releases::page))
        .route("/{token}/verify", post_only(pages::releases::verify))
        .route("/{token}/report", post_only(pages::releases::report))
        .route("/{token}/download", post_only(pages::releases::download))
        .route("/{token}/style.css", get_only(pages::layout::style))
        .route("/{token}/app.js", get_only(pages::layout::script))
        .route("/{token}/icon.svg", get_only(pages::layout::icon))
        .fallback(not_found)
        .layer(middleware::from_fn_with_state(Arc::clone(&app), admit))
        .with_state(app)
}

async fn not_found() -> Response {
    refuse(StatusCode::NOT_FOUND)
}

fn get_only(handler: Handler) -> MethodRouter<Arc<App>> {
    get(move |State(app): State<Arc<App>>| answer(app, handler, Form::default()))
}

fn post_only(handler: Handler) -> MethodRouter<Arc<App>> {
    post(move |State(app): State<Arc<App>>, request: Request| with_form(app, handler, request, |form| form))
}

fn both(page: Handler, change: Handler) -> MethodRouter<Arc<App>> {
    get_only(page)
        .post(move |State(app): State<Arc<App>>, request: Request| with_form(app, change, request, |form| form))
}

/// The page of the labels of a column. Its number is no text of the data, so it stands in the
/// address, and a reload shows the same column.
fn of_column(column: usize) -> MethodRouter<Arc<App>> {
    let show = move |State(app): State<Arc<App>>| answer(app, pages::labels::page, Form::of_column(column));
    get(show).post(move |State(app): State<Arc<App>>, request: Request| {
        with_form(app, pages::labels::choose, request, move |form| form.with_column(column))
    })
}

/// Lets through what the guard admits.
async fn admit(State(app): State<Arc<App>>, request: Request, next: Next) -> Response {
    let is_admitted = app.guard.admits(request.method(), request.uri().path(), request.headers());
    if !is_admitted || !app.guard.is_addressed(request.uri()) {
        return refuse(StatusCode::FORBIDDEN);
    }
    // Every setting travels in a body.
    if request.uri().query().is_some() {
        return refuse(StatusCode::BAD_REQUEST);
    }
    match *request.method() {
        Method::GET | Method::HEAD | Method::POST => {
            let mut response = next.run(request).await;
            crate::guard::protect(response.headers_mut());
            response
        }
        _ => refuse(StatusCode::METHOD_NOT_ALLOWED),
    }
}

async fn with_form(
    app: Arc<App>,
    handler: Handler,
    request: Request<Body>,
    change: impl FnOnce(Form) -> Form + Send,
) -> Response {
    // What says that it is too large is not waited for.
    if request.body().size_hint().lower() > MOST_BYTES as u64 {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE);
    }
    let body = tokio::time::timeout(PATIENCE, to_bytes(request.into_body(), MOST_BYTES)).await;
    match body {
        Err(_) => refuse(StatusCode::REQUEST_TIMEOUT),
        Ok(Err(_)) => refuse(StatusCode::PAYLOAD_TOO_LARGE),
        Ok(Ok(bytes)) => match Form::parse(&bytes) {
            Ok(form) => answer(app, handler, change(form)).await,
            Err(_) => refuse(StatusCode::UNPROCESSABLE_ENTITY),
        },
    }
}

/// Makes an answer on a thread that may block; a failure is a page of its own.
async fn answer(app: Arc<App>, handler: Handler, form: Form) -> Response {
    let made = tokio::task::spawn_blocking(move || {
        let base = app.guard.base();
        match handler(&app, &form) {
            Ok(reply) => reply.into_response(StatusCode::OK, &base),
            Err(error) => pages::failure::reply(&app, &form, &error).into_response(status_of(&error), &base),
        }
    });
    made.await.unwrap_or_else(|_| refuse(StatusCode::INTERNAL_SERVER_ERROR))
}
