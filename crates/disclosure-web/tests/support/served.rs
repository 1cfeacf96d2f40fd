//! A workbench over real connections.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use disclosure_jobs::JobError;
use disclosure_jobs::disclosure::privacy_core::stop::StopFlag;
use disclosure_jobs::input::SourceOpener;
use disclosure_web::{Shell, Start, serve};

use super::{TOKEN, people, shell};

pub(crate) struct Served {
    pub(crate) port: u16,
    stop: StopFlag,
    thread: Option<JoinHandle<Result<(), JobError>>>,
    _place: tempfile::TempDir,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.set();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Served {
    /// A folder with a table, of which nothing is open.
    pub(crate) fn new() -> Self {
        Self::started(None, &[]).unwrap()
    }

    /// The same in a program with openers, which opens data at its start.
    pub(crate) fn started(
        start: Option<Start<'static>>,
        openers: &'static [Box<dyn SourceOpener>],
    ) -> Result<Self, JobError> {
        let place = tempfile::tempdir().unwrap();
        std::fs::write(place.path().join("people.csv"), people(60)).unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (stop, folder) = (StopFlag::new(), place.path().to_owned());
        let (sender, ready) = mpsc::channel();
        let flag = stop.clone();
        let thread = thread::spawn(move || {
            let say = |_: &str| {
                sender.send(()).unwrap();
                Ok(())
            };
            serve(listener, &folder, start, Shell { openers, ..shell() }, flag, say)
        });
        match ready.recv() {
            Ok(()) => Ok(Self { port, stop, thread: Some(thread), _place: place }),
            // It ended before it was ready.
            Err(_) => Err(thread.join().unwrap().unwrap_err()),
        }
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        stream
    }

    pub(crate) fn head(&self, method: &str, page: &str, more: &str) -> String {
        let host = format!("127.0.0.1:{}", self.port);
        format!("{method} /{TOKEN}/{page} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{more}\r\n")
    }

    /// Sends bytes; the status of the first answer, 0 for a connection that was closed without one.
    pub(crate) fn status(&self, bytes: &[u8]) -> u16 {
        let mut stream = self.connect();
        // A server that has read enough may close before all is sent.
        let _ = stream.write_all(bytes);
        status_of(&mut stream)
    }

    /// The answer to a request for a page, with its head.
    pub(crate) fn text(&self, page: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(self.head("GET", page, "Connection: close\r\n").as_bytes()).unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    /// What an honest client gets.
    pub(crate) fn is_well(&self) {
        let head = self.head("GET", "", "Connection: close\r\n");
        assert_eq!(self.status(head.as_bytes()), 200);
    }
}

pub(crate) fn status_of(stream: &mut TcpStream) -> u16 {
    let mut bytes = [0; 12];
    match stream.read_exact(&mut bytes) {
        Ok(()) => std::str::from_utf8(&bytes[9..]).unwrap().parse().unwrap(),
        Err(_) => 0,
    }
}
