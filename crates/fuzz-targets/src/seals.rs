//! Digests and seals of changed bytes, written again: behind them the readers trust what they read
//! more, and who holds the secret, or knows that a digest has none, gets there.

use disclosure_jobs::digest::sha256;
use disclosure_jobs::disclosure::lcf::DifferenceGuard;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::records::{secret, stored_filter};
use crate::release::{MARK, files_of};

/// Bytes of a SHA-256.
const DIGEST: usize = 32;
/// Bytes of a seal under a secret.
const SEAL: usize = 16;

/// Bytes that end in the SHA-256 of all before.
pub(crate) fn checksum(bytes: &[u8]) -> Vec<u8> {
    let content = &bytes[..bytes.len().saturating_sub(DIGEST)];
    [content, &Sha256::digest(content)].concat()
}

/// Bytes that end in the SHA-256 of what follows a header of 8 bytes.
pub(crate) fn schema(bytes: &[u8]) -> Vec<u8> {
    let content = &bytes[..bytes.len().saturating_sub(DIGEST)];
    [content, &Sha256::digest(content.get(8..).unwrap_or_default())].concat()
}

/// A state of the filter of the corpus: the seal is of everything before.
pub(crate) fn state(bytes: &[u8]) -> Vec<u8> {
    let content = &bytes[..bytes.len().saturating_sub(SEAL)];
    [content, &seal_of("lcf state", content)].concat()
}

/// A set of entities: the seal is of the digest of the filter as well, which is not in the bytes.
pub(crate) fn entity_set(bytes: &[u8]) -> Vec<u8> {
    let content = &bytes[..bytes.len().saturating_sub(SEAL)];
    let of_filter = DifferenceGuard::new().to_bytes(&stored_filter());
    [content, &seal_of("lcf state", &[&of_filter[4..4 + DIGEST], content].concat())].concat()
}

/// A registry: its last line has the seal of the lines above.
pub(crate) fn registry(bytes: &[u8]) -> Vec<u8> {
    let end = bytes.windows(6).rposition(|window| window == b"\nseal ").map_or(bytes.len(), |at| at + 1);
    let seal: String = seal_of("lcf registry", &bytes[..end]).iter().map(|byte| format!("{byte:02x}")).collect();
    [&bytes[..end], b"seal ", seal.as_bytes(), b"\n"].concat()
}

fn seal_of(purpose: &str, content: &[u8]) -> [u8; SEAL] {
    secret().sealer().seal(purpose, content)
}

/// A ledger: every line has the digest of the one before and of its entry.
pub(crate) fn ledger(bytes: &[u8]) -> Vec<u8> {
    const MIDDLE: &str = ",\"hash\":\"";
    let (mut text, mut before) = (String::new(), String::new());
    for line in String::from_utf8_lossy(bytes).split_inclusive('\n') {
        let entry = line.strip_prefix("{\"entry\":").and_then(|rest| Some(&rest[..rest.rfind(MIDDLE)?]));
        if let Some(entry) = entry {
            before = sha256(format!("{before}{entry}").as_bytes());
            text += &format!("{{\"entry\":{entry}{MIDDLE}{before}\"}}\n");
        } else {
            text += line;
        }
    }
    text.into_bytes()
}

/// A release: its record has the digest and the length of every file.
pub(crate) fn release(bytes: &[u8]) -> Vec<u8> {
    let files = files_of(bytes);
    let mut all = Vec::new();
    for (name, content) in &files {
        all.extend([MARK, name.as_bytes(), b"\n"].concat());
        match serde_json::from_slice::<Value>(content) {
            Ok(mut record) if name.ends_with(".json") => {
                write_digests(&mut record, &files);
                all.extend(record.to_string().into_bytes());
                all.push(b'\n');
            }
            _ => all.extend_from_slice(content),
        }
    }
    all
}

/// Gives every entry of a record that names one of these files its digest and length.
fn write_digests(value: &mut Value, files: &[(String, Vec<u8>)]) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| write_digests(value, files)),
        Value::Object(entry) => {
            let named = ["name", "path"].iter().find_map(|key| entry.get(*key)?.as_str());
            let file = files.iter().find(|(name, _)| Some(name.as_str()) == named);
            if let (Some((_, content)), true) = (file, entry.contains_key("sha256")) {
                entry.insert("sha256".to_owned(), sha256(content).into());
                entry.insert("bytes".to_owned(), content.len().into());
            }
            entry.values_mut().for_each(|value| write_digests(value, files));
        }
        _ => {}
    }
}
