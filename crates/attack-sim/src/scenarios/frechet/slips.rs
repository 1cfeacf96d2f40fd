//! Audits with a fault: what a verdict or a bound is when one thing is wrong with it.

use disclosure::frechet::{Class, DisclosureRule, DisclosureStatus};

use super::electorate::{Electorate, cells_of, signed};
use super::verdicts::{falls_short, is_disclosed, is_within};
use crate::prelude::*;

/// What the audit does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Fault {
    /// A class is certified when the rates of its axes are within the policy: Magarshak, theorems
    /// 6(a) and 7(1).
    AxisRates,
    /// A class is certified when its bounds are further apart than tau: the same, problem 1 and
    /// proposition 8(a).
    WideIsSafe,
    /// Rates are shares of all who are counted, not of the people of the class: the same,
    /// corollary 3.
    ShareOfCounted,
    /// Only those who are counted are looked at, not those who are not.
    CountedSideOnly,
    /// Bounds as if nobody knew how many people there are.
    CompositionIgnored,
    /// Bounds of linear programs, rounded, taken for those of whole numbers.
    WholeNumbersIgnored,
    /// Disclosed when narrower than tau, and not at tau.
    TauNotIncluded,
    /// The upper end one too low.
    UpperOneLow,
    /// The lower end one too high.
    LowerOneHigh,
    /// One unknown number t: its range from the least count of all cells, whatever sign t has
    /// there.
    ParityIgnored,
}

/// What an audit says of a class.
#[derive(Clone, Copy, Debug)]
pub(super) struct BoundClaim {
    pub(super) ends: [i64; 2],
    pub(super) is_sharp: bool,
    pub(super) verdict: DisclosureStatus,
}

impl BoundClaim {
    fn certified_if(self, is_certified: bool) -> Self {
        let verdict = if is_certified { DisclosureStatus::Certified } else { DisclosureStatus::Ambiguous };
        Self { verdict, ..self }
    }
}

/// An audit with a fault.
pub(super) struct Slip<'a> {
    pub(super) electorate: &'a Electorate,
    pub(super) policy: &'a DisclosureRule,
    pub(super) fault: Fault,
}

impl Slip<'_> {
    /// What it says where a right one says `right`.
    pub(super) fn promise(&self, class: &Class, right: BoundClaim) -> BoundClaim {
        let [low, high] = right.ends;
        let people = self.electorate.people(class);
        let is_large = people.is_some_and(|people| people >= signed(self.policy.min_frequency()));
        match self.fault {
            Fault::AxisRates => right.certified_if(is_large && self.are_axes_within(class)),
            Fault::WideIsSafe => right.certified_if(is_large && high - low > signed(self.policy.min_interval_width())),
            Fault::ShareOfCounted => {
                let counted = self.electorate.count(&cells_of(&self.electorate.shape, &Class::new(AttrSet::EMPTY, [])));
                self.judged(class, right, Some(counted.max(1)))
            }
            Fault::CountedSideOnly => {
                let is_high = people.is_some_and(|people| !falls_short(self.policy, low, people));
                let verdict = if is_large && is_high { DisclosureStatus::Certified } else { right.verdict };
                BoundClaim { verdict, ..right }
            }
            Fault::CompositionIgnored => self.judged(class, right, people),
            Fault::WholeNumbersIgnored => BoundClaim { is_sharp: true, ..self.judged(class, right, people) },
            Fault::TauNotIncluded
                if right.verdict == DisclosureStatus::Disclosed
                    && high - low == signed(self.policy.min_interval_width()) =>
            {
                let is_narrow_alone = !is_disclosed(self.policy, people, true, right.ends);
                if is_narrow_alone { right.certified_if(false) } else { right }
            }
            Fault::TauNotIncluded => right,
            Fault::UpperOneLow => BoundClaim { ends: [low, low.max(high - 1)], ..right },
            Fault::LowerOneHigh => BoundClaim { ends: [high.min(low + 1), high], ..right },
            Fault::ParityIgnored => BoundClaim { ends: self.parity_ends(class, right), ..right },
        }
    }

    /// The verdict that these ends give with this number of people.
    fn judged(&self, class: &Class, right: BoundClaim, people: Option<i64>) -> BoundClaim {
        let is_published = self.electorate.is_published(class);
        let verdict = if is_disclosed(self.policy, people, is_published, right.ends) {
            DisclosureStatus::Disclosed
        } else if is_within(self.policy, people, right.ends) {
            DisclosureStatus::Certified
        } else {
            DisclosureStatus::Ambiguous
        };
        BoundClaim { verdict, ..right }
    }

    /// The published rate of every one-way slice that holds the class is within the policy.
    fn are_axes_within(&self, class: &Class) -> bool {
        class.axes.iter().zip(&class.levels).all(|(axis, &level)| {
            let slice = Class::new(AttrSet::single(axis), [level]);
            let count = self.electorate.count(&cells_of(&self.electorate.shape, &slice));
            let people = self.electorate.people(&slice);
            self.electorate.is_published(&slice) && is_within(self.policy, people, [count, count])
        })
    }

    /// `x_e - t .. x_e + t` with t the least count of all cells.
    fn parity_ends(&self, class: &Class, right: BoundClaim) -> [i64; 2] {
        if class.axes.len() < self.electorate.shape.len() {
            return right.ends;
        }
        let count = self.electorate.count(&cells_of(&self.electorate.shape, class));
        let least = self.electorate.counts.iter().min().map_or(0, |&least| signed(least));
        [count - least, count + least]
    }
}
