//! What decisions give away: the odds of one decision, the profile of one release, repeated
//! questions; and which parameters keep a target.

pub(crate) mod advise;
pub(crate) mod attacks;
mod averaging;
pub(crate) mod decision_odds;
pub(crate) mod line;
pub(crate) mod posterior;
pub(crate) mod profile;
pub(crate) mod utility;

pub use advise::{AdviceError, AdviceOptions, AdviceTarget, OddsTarget, PrivacyTarget, advise};
pub use attacks::Attacks;
pub use decision_odds::{Certainty, Inference, Odds};
pub use line::{LineOdds, LinePair};
pub use posterior::MembershipPosterior;
pub use profile::ReleaseProfile;
pub use utility::{GroupSizes, SizesError, Utility};
