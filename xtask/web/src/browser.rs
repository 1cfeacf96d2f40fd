//! A headless Chromium, over its debugging protocol: one connection, one session a tab.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

/// Any failure: this program has one reader, who wants the text.
pub type Failure = Box<dyn std::error::Error>;

/// Names under which Chromium is installed.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];
/// No feature of the browser that fetches something.
const FLAGS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
];
/// How long anything may take.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Where Chromium is, if it is installed.
pub fn find() -> Option<PathBuf> {
    let paths = std::env::var_os("PATH")?;
    std::env::split_paths(&paths).flat_map(|path| NAMES.map(|name| path.join(name))).find(|path| path.is_file())
}

/// A running browser.
pub struct Browser {
    process: Child,
    socket: WebSocket<TcpStream>,
    next: u64,
    /// Events that came while an answer was waited for.
    events: Vec<Value>,
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

impl Browser {
    /// Starts a browser with a new profile below `home`.
    pub fn start(program: &Path, home: &Path) -> Result<Self, Failure> {
        let profile = home.join("profile");
        drop(fs::remove_dir_all(&profile));
        let mut command = Command::new(program);
        command.args(FLAGS).arg(format!("--user-data-dir={}", profile.display())).arg("about:blank");
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let said = wait_for(|| {
            let text = fs::read_to_string(profile.join("DevToolsActivePort")).ok()?;
            (text.lines().count() >= 2).then_some(text)
        })?;
        let (port, path) = said.trim().split_once('\n').ok_or("no address of the debugger")?;
        let stream = TcpStream::connect(("127.0.0.1", port.parse()?))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (socket, _) = tungstenite::client(format!("ws://127.0.0.1:{port}{path}"), stream)
            .map_err(|error| format!("the debugger: {error}"))?;
        Ok(Self { process, socket, next: 0, events: Vec::new() })
    }

    /// Sends a command, and returns its result.
    pub fn call(&mut self, session: Option<&str>, method: &str, parameters: Value) -> Result<Value, Failure> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": parameters});
        if let Some(session) = session {
            message["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(message.to_string()))?;
        loop {
            let answer = self.read()?;
            if answer["id"] == json!(self.next) {
                return match answer.get("error") {
                    Some(error) => Err(format!("{method}: {error}").into()),
                    None => Ok(answer["result"].clone()),
                };
            }
            self.events.push(answer);
        }
    }

    fn read(&mut self) -> Result<Value, Failure> {
        loop {
            if let Message::Text(text) = self.socket.read()? {
                return Ok(serde_json::from_str(&text)?);
            }
        }
    }

    /// The events of a session so far, of one kind. Others of the session are kept.
    pub fn events(&mut self, session: &str, method: &str) -> Vec<Value> {
        let is_wanted = |event: &Value| event["sessionId"] == json!(session) && event["method"] == json!(method);
        let (wanted, kept) = std::mem::take(&mut self.events).into_iter().partition(is_wanted);
        self.events = kept;
        wanted
    }
}

/// Tries again until there is a value.
pub fn wait_for<T>(mut tried: impl FnMut() -> Option<T>) -> Result<T, Failure> {
    let start = Instant::now();
    loop {
        if let Some(found) = tried() {
            return Ok(found);
        }
        if start.elapsed() > PATIENCE {
            return Err("waited too long".into());
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// A request without a browser: the status of the answer, and its text.
pub fn plain_request(port: u16, head: &str) -> Result<(u16, String), Failure> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.write_all(head.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    let status = text.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or("no status")?;
    Ok((status, text))
}
