//! Measurements in files, and marginals answered from them one at a time.
//!
//! ```text
//! "disclosure.resplan-measurement/1\n"
//! length of the header, 8 bytes little-endian; the header, JSON: {"origin": ..., "plan": ...}; its checksum, 8 bytes
//! for every residual of the plan, in its order: the cells, 8 bytes each, IEEE 754 little-endian; their checksum, 8 bytes
//! ```
//!
//! A checksum is SipHash-1-3 under key (0, number of the residual), the header's under (1, 0). It
//! finds damage, not forgery. Opening reads the header alone; a marginal reads the residuals that
//! it is made from.

use std::hash::Hasher;
use std::io::{Read, Seek, SeekFrom, Write};

use ndarray::{ArrayD, IxDyn};
use privacy_core::AttrSet;
use serde::{Deserialize, Serialize};
use siphasher::sip::SipHasher13;

use crate::error::Error;
use crate::files::stored::{PlanFile, StoredError};
use crate::measurement::answers::cells;
use crate::measurement::measured::{ExactNoise, Measured, NoisyMarginal, SimulatedNoise, StoredNoise, noisy_marginal};
use crate::planning::design::Design;
use crate::queries::workload::PlanLimits;

/// The first line of a measurement file.
const MAGIC: &str = "disclosure.resplan-measurement/1\n";
/// Headers are at most this long: a gibibyte.
const LONGEST_HEADER: u64 = 1 << 30;

/// No cell of a residual is larger, by far: they are sums of counts and noise, integers of at most
/// 128 bits. Sums of cells up to it (2^200) are finite for every table.
const LARGEST_CELL: f64 = (1_u128 << 100) as f64 * (1_u128 << 100) as f64;

/// Which noise a stored measurement has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum StoredOrigin {
    /// It says that it was released with exact noise. A file can be written by anybody.
    Release,
    /// Simulated noise: not for publication.
    Simulation,
}

/// What a [`Measured`] says of itself in a file.
pub trait Origin {
    /// What the file says about its noise.
    const STORED: StoredOrigin;
}

impl Origin for ExactNoise {
    const STORED: StoredOrigin = StoredOrigin::Release;
}

impl Origin for SimulatedNoise {
    const STORED: StoredOrigin = StoredOrigin::Simulation;
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    origin: StoredOrigin,
    plan: PlanFile,
}

impl<O: Origin> Measured<O> {
    /// Writes the measurement: everything that a marginal of the closure can be answered from
    /// later, and nothing else.
    ///
    /// # Errors
    /// [`StoredError::Io`].
    pub fn write_to(&self, file: &mut impl Write) -> Result<(), StoredError> {
        let header = serde_json::to_vec(&Header { origin: O::STORED, plan: PlanFile::from_design(self.design()) })?;
        file.write_all(MAGIC.as_bytes())?;
        file.write_all(&(header.len() as u64).to_le_bytes())?;
        file.write_all(&header)?;
        file.write_all(&checksum(1, 0, &header).to_le_bytes())?;
        let mut bytes = Vec::new();
        for (number, cells) in self.residuals().enumerate() {
            bytes.clear();
            cells.iter().for_each(|cell| bytes.extend_from_slice(&cell.to_le_bytes()));
            bytes.extend_from_slice(&checksum(0, number as u64, &bytes).to_le_bytes());
            file.write_all(&bytes)?;
        }
        Ok(())
    }
}

fn checksum(kind: u64, number: u64, bytes: &[u8]) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(kind, number);
    hasher.write(bytes);
    hasher.finish()
}

/// A measurement in a file: its plan, and answers as they are asked for.
#[derive(Debug)]
pub struct StoredMeasurement<R> {
    file: R,
    origin: StoredOrigin,
    design: Design,
    /// Where each residual begins, and behind the last of them the end.
    starts: Vec<u64>,
}

impl<R: Read + Seek> StoredMeasurement<R> {
    /// Reads the header and checks the plan; the cells stay where they are.
    ///
    /// # Errors
    /// [`StoredError`].
    pub fn open(mut file: R, limits: &PlanLimits) -> Result<Self, StoredError> {
        let length = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(0))?;
        let mut magic = vec![0; MAGIC.len()];
        let other = StoredError::OtherFormat { expected: MAGIC.trim_ascii_end() };
        if file.read_exact(&mut magic).is_err() || magic != MAGIC.as_bytes() {
            return Err(other);
        }
        let size = word(&mut file)?;
        let mut start = MAGIC.len() as u64 + 8;
        if size > LONGEST_HEADER.min(length.saturating_sub(start)) {
            return Err(StoredError::Damaged { what: "the header is cut off" });
        }
        let mut header = vec![0; size as usize];
        file.read_exact(&mut header)?;
        if word(&mut file)? != checksum(1, 0, &header) {
            return Err(StoredError::Damaged { what: "the header" });
        }
        let Header { origin, plan } = serde_json::from_slice(&header)?;
        let design = plan.design(limits)?;
        start += size + 8;
        let mut starts = vec![start];
        for &set in design.closure().sets() {
            start += 8 * design.domain().cells(set).unwrap_or(u64::MAX / 16) + 8;
            starts.push(start);
        }
        if start != length {
            return Err(StoredError::Damaged { what: "its length is not that of its plan's residuals" });
        }
        Ok(Self { file, origin, design, starts })
    }

    /// Which noise it says to have.
    #[must_use]
    pub fn origin(&self) -> StoredOrigin {
        self.origin
    }

    /// What was measured with how much noise. It cannot be measured again.
    #[must_use]
    pub fn design(&self) -> &Design {
        &self.design
    }

    /// The residual table over `set`: what was measured of it, spread over its cells.
    ///
    /// # Errors
    /// [`Error::NotMeasured`] within [`StoredError::Plan`] when it is not in the closure,
    /// [`StoredError::Damaged`], [`StoredError::Io`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn residual(&mut self, set: AttrSet) -> Result<ArrayD<f64>, StoredError> {
        let position = self.design.closure().position(set).ok_or(Error::NotMeasured { set })?;
        let cells = read(&mut self.file, &self.starts, position)?;
        let shape = IxDyn(&self.design.domain().shape(set));
        Ok(ArrayD::from_shape_vec(shape, cells).expect("a residual has the cells of its attributes"))
    }

    /// Reads all residuals into memory, for tables that are adjusted or rounded
    /// ([`Measured::nonnegative`], [`Measured::rounded`]). 8 bytes a cell of all residuals.
    ///
    /// # Errors
    /// [`StoredError::Damaged`], [`StoredError::Io`].
    pub fn read_all(&mut self) -> Result<Measured<StoredNoise>, StoredError> {
        let Self { file, design, starts, .. } = self;
        let positions = 0..design.closure().sets().len();
        let residuals = positions.map(|position| read(file, starts, position)).collect::<Result<_, _>>()?;
        Ok(Measured::new(design.clone(), residuals))
    }

    /// The answers about `set`: any subset of a planned marginal. Reads the residuals that they
    /// are made from.
    ///
    /// # Errors
    /// As [`StoredMeasurement::residual`].
    pub fn marginal(&mut self, set: AttrSet) -> Result<NoisyMarginal, StoredError> {
        let cells = self.cells(set)?.into_raw_vec_and_offset().0;
        Ok(noisy_marginal(&self.design, set, cells)?)
    }

    /// The noisy counts of the categories themselves.
    ///
    /// # Errors
    /// As [`StoredMeasurement::residual`].
    ///
    /// # Panics
    /// Never: a residual has the cells of its attributes.
    pub fn cells(&mut self, set: AttrSet) -> Result<ArrayD<f64>, StoredError> {
        self.design.check_measured(set)?;
        let Self { file, design, starts, .. } = self;
        let cells = cells(design, set, |position| read(file, starts, position))?;
        let shape = IxDyn(&design.domain().shape(set));
        Ok(ArrayD::from_shape_vec(shape, cells).expect("a residual has the cells of its attributes"))
    }
}

fn read(file: &mut (impl Read + Seek), starts: &[u64], position: usize) -> Result<Vec<f64>, StoredError> {
    file.seek(SeekFrom::Start(starts[position]))?;
    let mut bytes = vec![0; (starts[position + 1] - starts[position] - 8) as usize];
    file.read_exact(&mut bytes)?;
    if word(file)? != checksum(0, position as u64, &bytes) {
        return Err(StoredError::Damaged { what: "a residual" });
    }
    numbers_of(&bytes).ok_or(StoredError::Damaged { what: "a residual has a number that no counts have" })
}

/// The cells of a residual, which a fitting checksum does not vouch for.
fn numbers_of(bytes: &[u8]) -> Option<Vec<f64>> {
    let number = |&number: &[u8; 8]| Some(f64::from_le_bytes(number)).filter(|cell| cell.abs() <= LARGEST_CELL);
    bytes.as_chunks::<8>().0.iter().map(number).collect()
}

fn word(file: &mut impl Read) -> Result<u64, StoredError> {
    let mut bytes = [0; 8];
    file.read_exact(&mut bytes).map_err(|_| StoredError::Damaged { what: "it is cut off" })?;
    Ok(u64::from_le_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_no_counts_have_are_refused() {
        let read = |number: f64| numbers_of(&[1.5_f64, number].map(f64::to_le_bytes).concat());
        assert_eq!(read(-0.25), Some(vec![1.5, -0.25]));
        assert_eq!(read(-LARGEST_CELL), Some(vec![1.5, -(2.0_f64.powi(200))]));
        for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e61, f64::MIN] {
            assert_eq!(read(number), None, "{number}");
        }
    }
}
