//! A release that was drawn and paid for, and its files.

use privacy_data::TableFormat;

use super::documents::{Manifest, PartName, ReleaseStatement, ReleaseStatementSchema, ReleasedFile};
use super::findings::Findings;
use super::planned::spent;
use crate::budget::BudgetDocument;
use crate::document::{FileDigest, json_of};
use crate::error::JobError;
use crate::ledger::Receipt;
use crate::observer::{Observer, during};
use crate::sink::{FolderSink, Sink};
use crate::{exact, filter, marginals};

/// Folder of the files that may leave.
const RELEASE: &str = "release";
/// Folder of the documents for the data owner.
const REVIEW: &str = "review";

/// A release. The noise is drawn and paid for; nothing is written yet.
#[derive(Debug)]
#[must_use = "the budget of a release is spent, whether or not it is written"]
pub struct Released {
    pub(super) exact: Option<exact::Released>,
    pub(super) filtered: Option<filter::Released>,
    pub(super) noisy: Option<marginals::Released>,
    pub(super) findings: Findings,
    pub(super) manifest: Manifest,
    pub(super) receipt: Option<Receipt>,
    /// How tables are written.
    pub(super) tables: TableFormat,
}

impl Released {
    /// Writes every file, the statement of the release and the manifest, and commits once.
    ///
    /// Files below `release/` may leave; `review/` and `manifest.json` are for the data owner.
    ///
    /// # Errors
    /// What the sink reports; an error says that the budget is spent.
    pub fn write(&self, sink: &mut dyn Sink, observer: &dyn Observer) -> Result<Manifest, JobError> {
        let written = during(observer, "writing", || self.write_files(sink, observer));
        written.map_err(|error| spent(self.receipt.as_ref(), error))
    }

    fn write_files(&self, sink: &mut dyn Sink, observer: &dyn Observer) -> Result<Manifest, JobError> {
        let mut manifest = self.manifest.clone();
        sink.keep_for_owner(REVIEW);
        sink.keep_for_owner("manifest.json");
        manifest.files = self.write_release(sink, observer)?;
        let statement = statement(&manifest);
        manifest.files.push(written(sink.write("release/release.json", &json_of(&statement))?));
        for (name, bytes) in self.findings.files() {
            manifest.files.push(written(sink.write(&format!("{REVIEW}/{name}"), &bytes)?));
        }
        sink.write("manifest.json", &json_of(&manifest))?;
        sink.commit()?;
        Ok(manifest)
    }

    /// Writes the files that may leave, part by part.
    fn write_release(&self, sink: &mut dyn Sink, observer: &dyn Observer) -> Result<Vec<ReleasedFile>, JobError> {
        let mut files = Vec::new();
        if let Some(exact) = &self.exact {
            let folder = format!("{RELEASE}/exact");
            let mut sink = FolderSink::new(sink, &folder);
            let document = exact.write_files(&mut sink)?;
            files.extend(document.digests().map(|file| below(&folder, file)));
            files.push(below(&folder, sink.write("release.json", &json_of(&document))?));
        }
        if let Some(filtered) = &self.filtered {
            let name = format!("{RELEASE}/filtered.{}", self.tables.extension());
            files.push(written(filtered.write(self.tables, sink, &name)?));
        }
        if let Some(noisy) = &self.noisy {
            let folder = format!("{RELEASE}/noisy");
            let mut sink = FolderSink::new(sink, &folder);
            let document = noisy.write_files(&mut sink, observer)?;
            files.extend(document.files.iter().map(|file| below(&folder, file.file.clone())));
            let document = marginals::ReleaseDocument { ledger_hash: None, ..document };
            files.push(below(&folder, sink.write("release.json", &json_of(&document))?));
        }
        Ok(files)
    }
}

/// A file by its path in the whole release.
fn written(file: FileDigest) -> ReleasedFile {
    let may_leave = file.name.starts_with("release/");
    ReleasedFile { path: file.name, sha256: file.sha256, bytes: file.bytes, may_leave }
}

/// A file by its name in a folder.
fn below(folder: &str, file: FileDigest) -> ReleasedFile {
    let name = format!("{folder}/{}", file.name);
    written(FileDigest { name, ..file })
}

/// What accompanies the files that leave: neither predictions nor attacks on what is withheld.
fn statement(manifest: &Manifest) -> ReleaseStatement {
    let files = manifest.files.iter().filter_map(|file| {
        let path = file.path.strip_prefix("release/")?.to_owned();
        Some(ReleasedFile { path, ..file.clone() })
    });
    ReleaseStatement {
        schema: ReleaseStatementSchema::V1,
        title: manifest.title.clone(),
        imprint: manifest.imprint.clone(),
        parts: manifest.parts.iter().filter(|part| part.name != PartName::Screen).cloned().collect(),
        // The ledger's chain covers jobs, whose known numbers could be guessed at and checked.
        budget: manifest.budget.clone().map(|budget| BudgetDocument { ledger_hash: None, ..budget }),
        version: manifest.version.clone(),
        files: files.collect(),
    }
}
