//! The files of a trip: what may leave, what stays, and the manifest of it all.

use privacy_data::OutputDir;

use super::exact_part::ReleasedExact;
use super::manifest::{FileReport, Manifest};
use crate::digest::sha256;
use crate::error::Failure;
use crate::files::{Digested, json_of, write_digested};
use crate::lcf::Filtered;
use crate::resplan::MeasuredPart;

const RELEASE: &str = "release";
const REVIEW: &str = "review";

/// A directory in the making, and what stands in it.
pub(super) struct Outputs {
    directory: OutputDir,
    files: Vec<FileReport>,
}

impl Outputs {
    pub(super) fn new(directory: OutputDir) -> Self {
        Self { directory, files: Vec::new() }
    }

    /// Writes what may leave.
    pub(super) fn release(
        &mut self,
        exact: Option<&ReleasedExact>,
        filtered: Option<&Filtered<'_>>,
        noisy: Option<&MeasuredPart>,
    ) -> Result<(), Failure> {
        if let Some(exact) = exact {
            let folder = [RELEASE, "exact"];
            self.directory.enter(&folder)?;
            let (record, files) = exact.write(&mut self.directory)?;
            self.note(&folder, files);
            self.document(&folder, "release.json", &record)?;
        }
        if let Some(filtered) = filtered {
            self.directory.enter(&[RELEASE])?;
            let name = "filtered.csv";
            let (digest, bytes) = write_digested(&mut self.directory, name, |out| filtered.write_csv(out))?;
            self.note(&[RELEASE], vec![(name.to_owned(), digest, bytes)]);
        }
        if let Some(noisy) = noisy {
            let folder = [RELEASE, "noisy"];
            self.directory.enter(&folder)?;
            let (record, files) = noisy.write(&mut self.directory)?;
            self.note(&folder, files);
            self.document(&folder, "release.json", &record)?;
        }
        Ok(())
    }

    /// Writes what stays, the statement of promises and the manifest, and makes the directory appear.
    pub(super) fn finish(
        mut self,
        documents: Vec<(&'static str, Vec<u8>)>,
        manifest: &mut Manifest,
    ) -> Result<(), Failure> {
        manifest.files.clone_from(&self.files);
        self.document(&[RELEASE], "release.json", &json_of(&manifest.statement()))?;
        for (name, bytes) in documents {
            self.document(&[REVIEW], name, &bytes)?;
        }
        manifest.files = self.files;
        self.directory.enter(&[])?;
        self.directory.write("manifest.json", &json_of(manifest))?;
        Ok(self.directory.commit()?)
    }

    fn document(&mut self, folder: &[&str], name: &str, bytes: &[u8]) -> Result<(), Failure> {
        self.directory.enter(folder)?;
        self.directory.write(name, bytes)?;
        self.note(folder, vec![(name.to_owned(), sha256(bytes), bytes.len() as u64)]);
        Ok(())
    }

    fn note(&mut self, folder: &[&str], files: Vec<Digested>) {
        let path = |name: String| [folder.join("/"), name].join("/");
        let may_leave = folder.first() == Some(&RELEASE);
        let report = |(name, sha256, bytes)| FileReport { path: path(name), sha256, bytes, may_leave };
        self.files.extend(files.into_iter().map(report));
    }
}
