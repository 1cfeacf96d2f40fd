//! A thread that interrupts the statement of a connection once its job is stopped.
#![allow(unsafe_code, reason = "a function of a C library is called here")]

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use privacy_core::stop::StopFlag;

use super::library::{Functions, Handle};

/// How long a statement may run before the flag of its job is looked at.
const PATIENCE: Duration = Duration::from_millis(50);

/// Interrupts a connection once its job is stopped.
pub(super) struct Watcher {
    stop: StopFlag,
    ended: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What ends a statement of a connection.
struct Interrupt {
    functions: Arc<Functions>,
    connection: Handle,
}

// SAFETY: the library takes an interrupt from any thread; the watcher's thread ends before the
// connection does.
unsafe impl Send for Interrupt {}

impl Interrupt {
    fn send(&self) {
        // SAFETY: the connection is open: see above.
        unsafe { (self.functions.interrupt)(self.connection) };
    }
}

impl Watcher {
    /// # Safety
    /// The connection is open until the watcher is ended or dropped.
    pub(super) unsafe fn over(functions: Arc<Functions>, connection: Handle, stop: StopFlag) -> Self {
        let interrupt = Interrupt { functions, connection };
        let (ended, end) = channel::<()>();
        let flag = stop.clone();
        let thread = std::thread::spawn(move || {
            // An interrupt between two statements is lost, so it is sent until the rows are dropped.
            while end.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                if flag.is_set() {
                    interrupt.send();
                }
            }
        });
        Self { stop, ended: Some(ended), thread: Some(thread) }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// No interrupt comes after this.
    pub(super) fn end(&mut self) {
        drop(self.ended.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.end();
    }
}
