//! What was decided about a group, and why.

/// Whether a group is shown.
///
/// Everything here is for the owner of the data: that a group was suppressed is public, why it was is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Decision {
    /// Why, which also says whether.
    pub reason: Reason,
    /// The column of identifiers, from 0, that decided: the working one, or under [`ColumnRule::All`](crate::ColumnRule::All) the
    /// one with the fewest entities among those that decided alike.
    pub working: usize,
}

/// Why a group is shown or not: in which stretch of the law its number of distinct entities lies, and what the draw said.
/// It tells no number below the floor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum Reason {
    /// Suppressed: no row of the group has an identifier, so nobody knows whom it is about.
    NoEntity,
    /// Suppressed: fewer entities than any draw would show.
    BelowFloor,
    /// Suppressed by the draw: another secret might have shown it.
    SuppressedByDraw,
    /// Reported by the draw: another secret might have suppressed it.
    ReportedByDraw,
    /// Reported: as many entities as every draw shows.
    Certain,
}

impl Reason {
    /// All of them, from the fewest entities to the most.
    pub const ALL: [Self; 5] =
        [Self::NoEntity, Self::BelowFloor, Self::SuppressedByDraw, Self::ReportedByDraw, Self::Certain];

    /// Whether the group is shown.
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
    /// Whether the group is shown.
    #[must_use]
    pub const fn is_reported(&self) -> bool {
        self.reason.is_reported()
    }
}
