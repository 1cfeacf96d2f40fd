//! What a host of WebAssembly calls: functions over numbers, and two buffers that both sides see.
//!
//! The host asks for room with `ldp_input`, writes its bytes there, and calls a function, which
//! answers with the length of its result (or a handle), or with -1 and a message; result and
//! message stand at `ldp_output`. Random bytes come from the host, 32 fresh ones for each report:
//! nothing here has a source of its own. The package in `npm/` wraps this.

use std::cell::RefCell;
use std::fmt::Write as _;

use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

use crate::client::Client;
use crate::memoized::MemoizedResponse;
use crate::schema::Schema;

/// Random bytes that a host gives for each report.
const SEED_BYTES: usize = 32;
/// What a function answers when it failed.
const FAILED: i32 = -1;

thread_local! {
    static SESSION: RefCell<Session> = RefCell::default();
}

/// The clients that the host has opened, and the buffers.
#[derive(Default)]
struct Session {
    clients: Vec<Option<Client>>,
    input: Vec<u8>,
    output: Vec<u8>,
}

impl Session {
    /// Opens the client of the schema in the input; its handle.
    fn open(&mut self) -> Result<i32, String> {
        let schema = Schema::from_bytes(&self.input).map_err(|error| error.to_string())?;
        let handle = i32::try_from(self.clients.len()).map_err(|_| "too many clients are open".to_owned())?;
        self.clients.push(Some(Client::new(schema)));
        Ok(handle)
    }

    fn client(&self, handle: i32) -> Result<&Client, String> {
        let opened = usize::try_from(handle).ok().and_then(|handle| self.clients.get(handle)?.as_ref());
        opened.ok_or_else(|| "the client was closed".to_owned())
    }

    /// The generator of this call and what follows its seed in the input.
    fn seeded(&self) -> Result<(ChaCha20Rng, &[u8]), String> {
        let (seed, rest) = self.input.split_first_chunk::<SEED_BYTES>().ok_or("32 random bytes come first")?;
        Ok((ChaCha20Rng::from_seed(*seed), rest))
    }

    /// A report about the row in the input.
    fn randomise(&self, handle: i32) -> Result<Vec<u8>, String> {
        let (mut rng, row) = self.seeded()?;
        self.client(handle)?.randomise(&values(row)?, &mut rng).map_err(|error| error.to_string())
    }

    /// The row in the input with its permanent stage drawn, as bytes.
    fn memoize(&self, handle: i32) -> Result<Vec<u8>, String> {
        let (mut rng, row) = self.seeded()?;
        let memoized = self.client(handle)?.memoize(&values(row)?, &mut rng).map_err(|error| error.to_string())?;
        Ok(memoized.to_bytes())
    }

    /// A report from the memoised response in the input.
    fn report(&self, handle: i32) -> Result<Vec<u8>, String> {
        let (client, (mut rng, stored)) = (self.client(handle)?, self.seeded()?);
        let memoized = MemoizedResponse::from_bytes(stored, client).map_err(|error| error.to_string())?;
        client.report(&memoized, &mut rng).map_err(|error| error.to_string())
    }

    /// What the schema asks, and what a report costs, as JSON.
    fn describe(&self, handle: i32) -> Result<Vec<u8>, String> {
        self.client(handle).map(|client| description(client).into_bytes())
    }

    /// Puts a result where the host finds it, and forgets the input: seeds and answers.
    fn answer(&mut self, result: Result<Vec<u8>, String>) -> i32 {
        self.input.fill(0);
        let (output, code) = match result {
            Ok(bytes) => {
                let length = i32::try_from(bytes.len()).unwrap_or(FAILED);
                (bytes, length)
            }
            Err(message) => (message.into_bytes(), FAILED),
        };
        self.output = output;
        code
    }
}

/// Positions of values, 4 bytes each.
fn values(bytes: &[u8]) -> Result<Vec<u32>, String> {
    let (values, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        return Err("a row has 4 bytes for each feature".to_owned());
    }
    Ok(values.iter().map(|value| u32::from_le_bytes(*value)).collect())
}

fn description(client: &Client) -> String {
    let schema = client.schema();
    let features: Vec<String> = schema.features().iter().map(feature).collect();
    format!(
        "{{\"reportBytes\":{},\"epsilonPerReport\":{},\"featuresPerPerson\":{},\"digest\":\"{}\",\"features\":[{}]}}",
        client.report_bytes(),
        number(schema.epsilon_per_report()),
        schema.features_per_person(),
        client.digest().iter().map(|byte| format!("{byte:02x}")).collect::<String>(),
        features.join(",")
    )
}

fn feature(feature: &crate::feature::Feature) -> String {
    let values: Vec<String> = feature.attribute().labels().iter().map(quoted).collect();
    format!(
        "{{\"name\":{},\"protocol\":\"{}\",\"epsilon\":{},\"epsilonForever\":{},\"values\":[{}]}}",
        quoted(feature.attribute().name()),
        feature.protocol().kind().name(),
        number(feature.epsilon()),
        feature.epsilon_forever().map_or("null".to_owned(), number),
        values.join(",")
    )
}

/// A number of JSON, which knows no infinity.
fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { "null".to_owned() }
}

/// A string of JSON.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => write!(quoted, "\\u{:04x}", u32::from(c)).expect("writing to a string does not fail"),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Room for `length` bytes of input; where it is.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_input(length: u32) -> *mut u8 {
    SESSION.with_borrow_mut(|session| {
        session.input.clear();
        session.input.resize(length as usize, 0);
        session.input.as_mut_ptr()
    })
}

/// Where the last result or message is.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_output() -> *const u8 {
    SESSION.with_borrow(|session| session.output.as_ptr())
}

/// Bytes of the last result or message.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_output_length() -> u32 {
    SESSION.with_borrow(|session| session.output.len() as u32)
}

/// Opens the client of the schema in the input; its handle, or -1.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_open() -> i32 {
    SESSION.with_borrow_mut(|session| match session.open() {
        Ok(handle) => handle,
        Err(message) => session.answer(Err(message)),
    })
}

/// Closes a client.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_close(handle: i32) {
    SESSION.with_borrow_mut(|session| {
        if let Some(client) = usize::try_from(handle).ok().and_then(|handle| session.clients.get_mut(handle)) {
            *client = None;
        }
    });
}

/// What the schema asks, as JSON.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_describe(handle: i32) -> i32 {
    SESSION.with_borrow_mut(|session| session.answer(session.describe(handle)))
}

/// A report. Input: 32 random bytes, then the positions of the values, 4 bytes each.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_randomise(handle: i32) -> i32 {
    SESSION.with_borrow_mut(|session| session.answer(session.randomise(handle)))
}

/// A memoised response, as bytes. Input: as for [`ldp_randomise`].
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_memoize(handle: i32) -> i32 {
    SESSION.with_borrow_mut(|session| session.answer(session.memoize(handle)))
}

/// A report from a memoised response. Input: 32 random bytes, then the bytes of the response.
#[unsafe(no_mangle)]
#[allow(unsafe_code, reason = "a name that the host calls; no memory is touched")]
pub extern "C" fn ldp_report(handle: i32) -> i32 {
    SESSION.with_borrow_mut(|session| session.answer(session.report(handle)))
}

#[cfg(test)]
mod tests;
