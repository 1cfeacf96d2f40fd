//! A group of one person whose identifier is spelled in many ways: a number with signs and zeros,
//! or a name in other cases, spaces and widths. A **guarantee**: the person is one entity or the
//! data are refused, and the group is never shown, whether the form of identifiers is declared or
//! left to the program.

use disclosure::lcf::{
    DrawMode, Error as LcfError, GroupLimits, Identifier, IdentifierField, IdentifierForm, LabelledGroups,
    LowCountFilter, Spellings, TableOptions,
};

use super::asked::{filter_of, secret};
use super::law::Law;
use crate::prelude::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Spec {
    law: Law,
    form: Form,
}

/// The form of identifiers.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Form {
    /// None was declared.
    Auto,
    /// Integers, which are no names.
    Integer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Fault {
    /// Fields are taken as they are written.
    AsWritten,
}

pub(super) fn build(blueprint: &Blueprint<'_>) -> Built {
    let Spec { law, form } = blueprint.spec()?;
    let thresholds = law.cutoffs(blueprint)?;
    blueprint.bit_trials(
        vec![Quantity::exactly("groups of one person that are shown", 0.0)?],
        |fault: Option<Fault>| {
            let filter = filter_of(&thresholds, DrawMode::Query, &secret(blueprint, "secret")?)?;
            let form = match form {
                Form::Auto => IdentifierForm::Auto,
                Form::Integer => IdentifierForm::Integer,
            };
            Ok(OnePerson { filter, form, is_checked: fault.is_none() })
        },
        |&is_shown: &bool, _: &mut SimRng| is_shown,
        |_, _| true,
    )
}

struct OnePerson {
    filter: LowCountFilter,
    form: IdentifierForm,
    is_checked: bool,
}

impl BitAudit for OnePerson {
    type View = bool;
    type Answer = bool;

    /// With the bit, spellings that are no integer come as well, or the person has a name.
    fn view(&self, has_others: bool, rng: &mut SimRng) -> Result<bool, Error> {
        let mut spellings = numbers(has_others, rng);
        if self.form == IdentifierForm::Auto && rng.random() {
            spellings = names(has_others, rng);
        }
        match self.is_shown(&spellings) {
            Err(LcfError::NotAnInteger | LcfError::MixedSpellings) => Ok(false),
            shown => Ok(shown?),
        }
    }

    fn measure(&self, _: bool, is_shown: &bool, measured: &mut [Option<f64>]) {
        measured[0] = Some(f64::from(*is_shown));
    }
}

/// One number in many spellings.
fn numbers(has_others: bool, rng: &mut SimRng) -> Vec<String> {
    let number: u32 = rng.random_range(1..1_000_000);
    let mut spellings = vec![format!("{number}"), format!(" {number}"), format!("{number} "), format!("+{number}")];
    spellings.extend((1..14).map(|zeros| format!("{}{number}", "0".repeat(zeros))));
    if has_others {
        spellings.extend([format!("{number}.0"), format!("{number}e0"), format!("{number}.00")]);
    }
    spellings
}

/// One name in many spellings: other cases, and with the bit other spaces and full-width letters.
fn names(has_others: bool, rng: &mut SimRng) -> Vec<String> {
    let name: String = (0..8).map(|_| char::from(rng.random_range(b'a'..=b'z'))).collect();
    let mut spellings: Vec<String> = (0..16)
        .map(|_| name.chars().map(|letter| if rng.random() { letter.to_ascii_uppercase() } else { letter }).collect())
        .collect();
    if has_others {
        spellings = (1..16).map(|spaces| format!("{}{}{}", &name[..4], " ".repeat(spaces), &name[4..])).collect();
        spellings.push(name.bytes().filter_map(|letter| char::from_u32(0xff21 + u32::from(letter - b'a'))).collect());
    }
    spellings
}

impl OnePerson {
    /// Whether the group of all these rows is shown.
    fn is_shown(&self, spellings: &[String]) -> Result<bool, LcfError> {
        let field = IdentifierField { form: self.form, ..IdentifierField::default() };
        let hasher = self.filter.hasher(0)?;
        let mut groups = LabelledGroups::new(["group"], &self.filter, GroupLimits::default());
        let mut seen = Spellings::default();
        for text in spellings {
            let mut group = groups.row(["a"])?;
            if !self.is_checked {
                group.insert_with(0, || Identifier::of_text(text).hash(hasher))?;
                continue;
            }
            field.for_each(text, |identifier| {
                identifier.text().into_iter().for_each(|text| seen.count(text));
                group.insert_with(0, || identifier.hash(hasher))
            })?;
        }
        seen.check(self.form)?;
        let filtered = self.filter.apply(groups.into_table(), TableOptions::of(DrawMode::Query))?;
        Ok(filtered.reported().next().is_some())
    }
}
