//! Connections: how many there may be at once, and how long each may take for what it does.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

/// Most connections at once; others wait. A browser has six.
const MOST: usize = 256;
/// How long the head of a request may take to arrive, and how long a connection may be idle.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection is used for further requests.
const LONGEST: Duration = Duration::from_secs(120);
/// How long the last answer of a connection may take to be taken.
const GRACE: Duration = Duration::from_secs(20);
/// Largest head of a request, in bytes.
const MOST_HEAD: usize = 1 << 16;

/// Serves until it is dropped.
pub(crate) async fn serve(listener: TcpListener, router: Router) {
    let places = Arc::new(Semaphore::new(MOST));
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, _)) => {
                let router = router.clone();
                tokio::spawn(async move {
                    answer(stream, router).await;
                    drop(place);
                });
            }
            // A connection that was given up, or no descriptor that is free.
            Err(_) => sleep(Duration::from_millis(20)).await,
        }
    }
}

/// Answers the requests of one connection. That it ends badly is the client's affair.
async fn answer(stream: TcpStream, router: Router) {
    // A figure that follows a slider is small, and is not to wait for more.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(MOST_HEAD);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router)));
    if timeout(LONGEST, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(GRACE, connection).await;
    }
}
