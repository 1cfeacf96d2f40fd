//! What structure the knowledge has, and so by which form its bounds are found.

use privacy_core::AttrSet;
use privacy_core::stop::StopFlag;

use crate::closed::decomposition::Component;
use crate::closed::disjoint::Disjoint;
use crate::closed::network::Network;
use crate::closed::parity::Parity;
use crate::table::interval::Method;
use crate::table::knowledge::Knowledge;

/// What structure the knowledge has.
pub(super) enum Structure {
    Splits(Component),
    Disjoint(Disjoint),
    Network(Box<Network>),
    Parity(Parity),
    General,
}

impl Structure {
    /// The first structure that the knowledge has.
    pub(super) fn of(knowledge: &Knowledge, stop: &StopFlag) -> Self {
        let margins: Vec<AttrSet> = knowledge.margins.iter().map(|margin| margin.axes).collect();
        if knowledge.is_margins_only() {
            match Component::of(knowledge.grid.all(), &margins) {
                Component::Prime(_) => {}
                part => return Self::Splits(part),
            }
        }
        if let Some(parity) = Parity::of(knowledge) {
            return Self::Parity(parity);
        }
        if let Some(disjoint) = Disjoint::of(knowledge) {
            return Self::Disjoint(disjoint);
        }
        Network::of(knowledge, stop).map_or(Self::General, |network| Self::Network(Box::new(network)))
    }
}

/// The name of a form over margins that fall apart.
pub(super) fn method_of(part: &Component) -> Method {
    let leaves = part.leaves();
    if leaves.iter().any(|leaf| matches!(leaf, Component::Prime(_))) {
        Method::Reducible
    } else if leaves.iter().any(|leaf| leaf.axes().len() > 1) {
        Method::Decomposable
    } else if leaves.len() == 2 {
        Method::TwoWay
    } else {
        Method::Axial
    }
}
