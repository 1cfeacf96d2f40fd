//! What was decided about a group, and why.

/// Whether a group is reported.
///
/// The reason is for the owner of the data: that a group was suppressed is public, why it was is
/// not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Decision {
    /// Why, which also says whether.
    pub reason: Reason,
    /// The identifier column, from 0, that decided: the working one, or under
    /// [`ColumnRule::All`](crate::ColumnRule::All) the one with the fewest entities among those
    /// that decided alike.
    pub working: usize,
}

/// Why a group is reported or not: in which range of the law its number of distinct entities
/// lies, and on which side its draw fell. It reveals no number below the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reason {
    /// Suppressed: no row of the group has an identifier, so nobody knows whom it is about.
    NoEntity,
    /// Suppressed: fewer entities than any draw would report.
    BelowFloor,
    /// Suppressed by the draw: another secret might have reported it.
    SuppressedByDraw,
    /// Reported by the draw: another secret might have suppressed it.
    ReportedByDraw,
    /// Reported: as many entities as every draw reports.
    Certain,
}

impl Reason {
    /// All reasons, from the fewest entities to the most.
    pub const ALL: [Self; 5] =
        [Self::NoEntity, Self::BelowFloor, Self::SuppressedByDraw, Self::ReportedByDraw, Self::Certain];

    /// Whether the group is reported.
    #[must_use]
    pub const fn is_reported(self) -> bool {
        matches!(self, Self::ReportedByDraw | Self::Certain)
    }

    /// Whether the draw mattered.
    #[must_use]
    pub const fn is_by_draw(self) -> bool {
        matches!(self, Self::SuppressedByDraw | Self::ReportedByDraw)
    }
}

impl Decision {
    /// Whether the group is reported.
    #[must_use]
    pub const fn is_reported(&self) -> bool {
        self.reason.is_reported()
    }
}
