//! Worlds and releases of a screening spec.

use hetero_screen::ScreenSpec;

use crate::error::Error;
use crate::setting::{Features, LabelRelease, Population, Suppression, Values};

impl Population {
    /// The tables that a spec describes: independent rows and columns, labels independent of
    /// both.
    ///
    /// # Errors
    /// As [`Population::new`]; [`Error::TooManyRows`] above 2^32 rows.
    pub fn of_screen(spec: &ScreenSpec) -> Result<Self, Error> {
        let columns = spec.columns();
        let rows = usize::try_from(spec.rows()).ok().filter(|&rows| rows as u64 <= 1 << 32);
        let rows = rows.ok_or(Error::TooManyRows { rows: usize::MAX, columns: columns.len(), limit: 1 << 32 })?;
        let law = |column: &hetero_screen::Column| match column.is_uniform() {
            true => Values::Uniform(column.cardinality()),
            false => Values::Shares((0..column.cardinality()).map(|value| column.frequency(value)).collect()),
        };
        Self::new(rows, Features::Independent(columns.iter().map(law).collect()), spec.classes().shares())
    }
}

impl LabelRelease {
    /// The release that a spec describes.
    ///
    /// # Errors
    /// As [`LabelRelease::new`].
    pub fn of_screen(spec: &ScreenSpec) -> Result<Self, Error> {
        let suppression = match spec.suppression() {
            hetero_screen::Suppression::ClassCount(_) => Suppression::PerClass,
            hetero_screen::Suppression::GroupSize(_) => Suppression::GroupSize,
        };
        Ok(Self {
            suppression,
            clamp_at_zero: spec.noise().is_clamped,
            max_order: Some(spec.max_order()),
            with_total: spec.has_empty_query(),
            ..Self::new(spec.suppression().below(), u64::from(spec.noise().half_width))?
        })
    }
}
