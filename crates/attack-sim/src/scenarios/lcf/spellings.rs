//! A group of one person whose identifier is spelled in many ways. A **guarantee**: where the form
//! of identifiers is declared, the person is one entity or the data are refused, and the group is
//! never shown.

use disclosure::lcf::{
    DrawMode, Error as LcfError, GroupLimits, Identifier, IdentifierField, IdentifierForm, LabelledGroups,
    LowCountFilter, TableOptions,
};

use super::asked::{filter_of, secret};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Fields are taken as they are written.
    AsWritten,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    blueprint.bit_trials(
        vec![Quantity::exactly("groups of one person that are shown", 0.0)?],
        |fault: Option<Fault>| {
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            Ok(OnePerson { filter, is_declared: fault.is_none() })
        },
        |&is_shown: &bool, _: &mut SimRng| is_shown,
        |_, _| true,
    )
}

struct OnePerson {
    filter: LowCountFilter,
    is_declared: bool,
}

impl BitAudit for OnePerson {
    type View = bool;
    type Answer = bool;

    /// With the bit, spellings that are no integer come as well.
    fn view(&self, has_others: bool, rng: &mut SimRng) -> Result<bool, Error> {
        let number: u32 = rng.random_range(1..1_000_000);
        let mut spellings = vec![format!("{number}"), format!(" {number}"), format!("{number} "), format!("+{number}")];
        spellings.extend((1..14).map(|zeros| format!("{}{number}", "0".repeat(zeros))));
        if has_others {
            spellings.extend([format!("{number}.0"), format!("{number}e0"), format!("{number}.00")]);
        }
        match self.is_shown(&spellings) {
            Err(LcfError::NotAnInteger) => Ok(false),
            shown => Ok(shown?),
        }
    }

    fn measure(&self, _: bool, is_shown: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*is_shown));
    }
}

impl OnePerson {
    /// Whether the group of all these rows is shown.
    fn is_shown(&self, spellings: &[String]) -> Result<bool, LcfError> {
        let declared = IdentifierField { form: IdentifierForm::Integer, ..IdentifierField::default() };
        let hasher = self.filter.hasher(0)?;
        let mut groups = LabelledGroups::new(["group"], &self.filter, GroupLimits::default());
        for text in spellings {
            let mut group = groups.row(["a"])?;
            if self.is_declared {
                declared.for_each(text, |identifier| group.insert_with(0, || identifier.hash(hasher)))?;
            } else {
                group.insert_with(0, || Identifier::of_text(text).hash(hasher))?;
            }
        }
        let filtered = self.filter.apply(groups.into_table(), TableOptions::of(DrawMode::Query))?;
        Ok(filtered.reported().next().is_some())
    }
}
