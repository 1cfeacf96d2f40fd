//! The filter as a part of `disclosure run`.

use std::io::{self, Write};
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;

use disclosure_jobs::filter::{DecidedSection, Section};
use disclosure_jobs::input::{CsvSource, EncodingName};
use privacy_data::Microdata;

use super::commands::secret_of;
use crate::args::EncodingArg;
use crate::error::Failure;
use crate::observer::Terminal;

pub(crate) use disclosure_jobs::filter::{FilterPromises, FilterSpec as FilteredSpec};

/// A filter and the groups that it is for.
pub(crate) struct FilteredPart(Section);

/// The groups, decided.
pub(crate) struct Filtered<'a>(DecidedSection, PhantomData<&'a FilteredPart>);

impl FilteredPart {
    /// Checks a section of a job whose text is `job`, and reads the secret; with `is_new` its file is
    /// made first if it does not exist.
    pub(crate) fn new(
        section: FilteredSpec,
        job: &str,
        encoding: EncodingArg,
        secret_file: &Path,
        is_new: bool,
    ) -> Result<Self, Failure> {
        let secret = secret_of(secret_file, is_new)?;
        let encoding = match encoding {
            EncodingArg::Utf8 => EncodingName::Utf8,
            EncodingArg::Latin1 => EncodingName::Latin1,
        };
        Section::new(section, job, encoding, &secret, &Terminal::default()).map(Self)
    }

    pub(crate) fn group_by(&self) -> &[String] {
        self.0.group_by()
    }

    pub(crate) fn apply(&self, data: &[u8], rows: &Microdata) -> Result<Filtered<'_>, Failure> {
        let source = CsvSource::bytes("", data);
        let decided = self.0.decide(&source, rows, &Terminal::default())?;
        Ok(Filtered(decided, PhantomData))
    }
}

impl Deref for Filtered<'_> {
    type Target = DecidedSection;

    fn deref(&self) -> &DecidedSection {
        &self.0
    }
}

impl Filtered<'_> {
    pub(crate) fn write_csv(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.release().map_err(io::Error::other)?.write_csv(out)
    }
}
