//! Everything about a filter that a draw or a number depends on besides secret and data.

use crate::filter::description::{ColumnRule, DrawMode, FilterDescription, GroupsPerEntity};
use crate::filter::registry::hexadecimal;
use crate::number::{Counted, GroupNumber, NumberNoise};

impl FilterDescription {
    /// The terms, as pairs of a name and a value: two filters with the same ones, under one secret,
    /// decide alike and show the same numbers. An analyst who could choose one of them would get a
    /// fresh draw for every choice; a [`Registry`](crate::Registry) fixes them.
    #[must_use]
    pub fn terms(&self) -> Vec<(String, String)> {
        let rule = match self.rule() {
            ColumnRule::WorkingColumn => "working-aid",
            ColumnRule::All => "all",
        };
        let draws = match self.mode() {
            DrawMode::Query => "query",
            DrawMode::Publish => "publish",
        };
        let groups = match self.groups_per_entity() {
            None => "any".to_owned(),
            Some(GroupsPerEntity::OneRow) => "one row".to_owned(),
            Some(GroupsPerEntity::AtMost(groups)) => groups.to_string(),
        };
        let mut terms = vec![
            ("rule".to_owned(), rule.to_owned()),
            ("draws".to_owned(), draws.to_owned()),
            ("groups per entity".to_owned(), groups),
            ("number".to_owned(), name_of(&self.number())),
        ];
        for (at, column) in self.columns().iter().enumerate() {
            terms.push((format!("kind of column {at}"), column.kind.clone()));
            terms.push((format!("thresholds of column {at}"), hexadecimal(&column.thresholds.digest())));
        }
        terms
    }
}

fn name_of(number: &GroupNumber) -> String {
    match number {
        GroupNumber::Hidden => "hidden".to_owned(),
        GroupNumber::Exact(Counted::Rows) => "exact, of rows".to_owned(),
        GroupNumber::Exact(Counted::Entities) => "exact, of entities".to_owned(),
        GroupNumber::Rounded(noise) => format!("rounded, {}", name_of_noise(noise)),
        GroupNumber::Noisy(noise) => format!("noisy, {}", name_of_noise(noise)),
    }
}

/// The shortest texts that give the numbers back.
fn name_of_noise(noise: &NumberNoise) -> String {
    let scale = noise.scale().map_or_else(|| "none".to_owned(), |scale| scale.to_string());
    format!("base {}, scale {scale}", noise.base())
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use privacy_core::prf::Secret;

    use super::*;
    use crate::error::Error;
    use crate::filter::description::EntityColumn;
    use crate::filter::low_count_filter::LowCountFilter;
    use crate::filter::registry::Registry;
    use crate::law::{HardThreshold, ThinUniform, ThresholdTable};

    fn column(kind: &str, at_least: u32) -> EntityColumn {
        let thresholds = ThresholdTable::new(ThinUniform::at_least(at_least).unwrap());
        EntityColumn { kind: kind.to_owned(), thresholds }
    }

    fn filter(columns: Vec<EntityColumn>, rule: ColumnRule, mode: DrawMode) -> LowCountFilter {
        LowCountFilter::new(columns, rule, mode, &Secret::new(&[7; 32]).unwrap()).unwrap()
    }

    fn publishing(groups: GroupsPerEntity) -> LowCountFilter {
        LowCountFilter::publishing(column("user", 4), groups, &Secret::new(&[7; 32]).unwrap()).unwrap()
    }

    #[test]
    fn whatever_enters_a_draw_or_a_number_is_a_term() {
        let (one, all) = (ColumnRule::WorkingColumn, ColumnRule::All);
        let (query, publish) = (DrawMode::Query, DrawMode::Publish);
        let plain = || filter(vec![column("user", 4)], one, query);
        let rounded = |base| GroupNumber::Rounded(NumberNoise::rounding(base).unwrap());
        let noisy = |scale| GroupNumber::Noisy(NumberNoise::laplace(scale).unwrap().rounded_to(10).unwrap());
        let hard = ThresholdTable::new(HardThreshold::at_least(4).unwrap());
        let filters = [
            plain(),
            filter(vec![column("person", 4)], one, query),
            filter(vec![column("user", 5)], one, query),
            filter(vec![EntityColumn { kind: "user".to_owned(), thresholds: hard }], one, query),
            filter(vec![column("user", 4), column("user", 4)], one, query),
            filter(vec![column("user", 4), column("user", 4)], all, query),
            filter(vec![column("user", 4)], all, query),
            filter(vec![column("user", 4)], one, publish),
            publishing(GroupsPerEntity::OneRow),
            publishing(GroupsPerEntity::AtMost(NonZeroU32::MIN)),
            publishing(GroupsPerEntity::AtMost(NonZeroU32::new(2).unwrap())),
            plain().with_number(GroupNumber::Exact(Counted::Rows)).unwrap(),
            plain().with_number(GroupNumber::Exact(Counted::Entities)).unwrap(),
            plain().with_number(rounded(10)).unwrap(),
            plain().with_number(rounded(11)).unwrap(),
            plain().with_number(noisy(2.0)).unwrap(),
            plain().with_number(noisy(2.5)).unwrap(),
        ];
        for (at, registered) in filters.iter().enumerate() {
            let registry = Registry::of(registered.description());
            for (other, filter) in filters.iter().enumerate() {
                let admitted = registry.admits(filter.description());
                assert_eq!(admitted.is_ok(), at == other, "{at} {other}");
                assert!(matches!(admitted, Ok(()) | Err(Error::OtherTerms { .. })));
            }
        }
    }
}
