//! Digests and seals of changed bytes, written again: behind them the readers trust what they read
//! more, and who holds the secret, or knows that a digest has none, gets there.

use std::hash::Hasher;

use disclosure_jobs::digest::sha256;
use disclosure_jobs::disclosure::lcf::DifferenceGuard;
use serde_json::Value;
use sha2::{Digest, Sha256};
use siphasher::sip::SipHasher13;

use crate::MOST_BYTES;
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

/// A stored plan: its one line ends in the digest of the job.
pub(crate) fn stored_plan(bytes: &[u8]) -> Vec<u8> {
    const JOB: &str = "\"job\":";
    const MIDDLE: &str = ",\"sha256\":\"";
    let text = String::from_utf8_lossy(bytes);
    let Some(start) = text.find(JOB).map(|at| at + JOB.len()) else { return bytes.to_vec() };
    let job = text[start..].rfind(MIDDLE).map_or(&text[start..], |end| &text[start..start + end]);
    format!("{}{job}{MIDDLE}{}\"}}\n", &text[..start], sha256(job.as_bytes())).into_bytes()
}

/// First line of a measurement.
const MEASUREMENT: &[u8] = b"disclosure.resplan-measurement/1\n";

/// A measurement: its header has a length and a checksum, and every residual of the plan in it a
/// checksum and as many cells as the plan says.
pub(crate) fn measurement(bytes: &[u8]) -> Vec<u8> {
    let rest = bytes.get(MEASUREMENT.len() + 8..).unwrap_or_default();
    let Some(end) = rest.windows(3).rposition(|window| window == b"]}}") else { return bytes.to_vec() };
    let (header, body) = rest.split_at(end + 3);
    let mut body = body.iter().skip(8).copied();
    let length = (header.len() as u64).to_le_bytes();
    let mut all = [MEASUREMENT, &length, header, &checksum_of(1, 0, header)].concat();
    for (number, cells) in (0..).zip(cells_of_residuals(header)) {
        let residual: Vec<u8> = body.by_ref().chain(std::iter::repeat(0)).take(8 * cells).collect();
        all.extend_from_slice(&residual);
        all.extend_from_slice(&checksum_of(0, number, &residual));
        let _ = body.by_ref().take(8).count(); // the checksum from before
        if all.len() > MOST_BYTES {
            break;
        }
    }
    all
}

fn checksum_of(kind: u64, number: u64, bytes: &[u8]) -> [u8; 8] {
    let mut hasher = SipHasher13::new_with_keys(kind, number);
    hasher.write(bytes);
    hasher.finish().to_le_bytes()
}

/// How many cells each residual of a plan has, at most what fits into an input.
fn cells_of_residuals(header: &[u8]) -> Vec<usize> {
    let header: Value = serde_json::from_slice(header).unwrap_or_default();
    let plan = &header["plan"];
    plan["residuals"].as_array().into_iter().flatten().map(|residual| cells_of(residual, plan)).collect()
}

fn cells_of(residual: &Value, plan: &Value) -> usize {
    let attributes = residual["attributes"].as_array().into_iter().flatten();
    attributes.fold(1, |cells, attribute| {
        let attribute = attribute.as_u64().map_or(usize::MAX, |attribute| attribute as usize);
        let categories = plan["attributes"][attribute]["labels"].as_array().map_or(1, Vec::len);
        (cells * categories).min(MOST_BYTES)
    })
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
