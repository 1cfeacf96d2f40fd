//! Reports, specifications and laws survive a round trip through JSON, and bad ones are refused.

use std::fmt::Debug;
use std::num::NonZeroU32;

use lcf::{
    AdviceOptions, AdviceTarget, ClampedNormal, ColumnRule, DrawMode, Elm, EntityColumn, EntityCount, GroupLimits,
    HardThreshold, Identifier, IdentifierField, IdentifierForm, LabelledGroups, LowCountFilter, OddsTarget,
    OptimalSelection, PrivacyTarget, Reason, Rest, SizeClass, TableOptions, ThinUniform, ThresholdLaw, ThresholdTable,
};
use privacy_core::param::{Delta, Epsilon, Probability, StdDev};
use privacy_core::prf::Secret;
use serde::Serialize;
use serde::de::DeserializeOwned;

fn round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: T) {
    let json = serde_json::to_string(&value).unwrap();
    assert_eq!(serde_json::from_str::<T>(&json).unwrap(), value, "{json}");
}

fn normal() -> ClampedNormal {
    ClampedNormal::new(8.0, StdDev::new(1.5).unwrap(), 2.0).unwrap()
}

#[test]
fn laws_come_back_and_no_law_is_read_that_its_constructor_refuses() {
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-5).unwrap());
    let laws: [ThresholdLaw; 5] = [
        normal().into(),
        ThinUniform::at_least(4).unwrap().into(),
        Elm::new(3, 2.0, StdDev::new(1.0).unwrap()).unwrap().into(),
        OptimalSelection::new(epsilon, delta, NonZeroU32::MIN, 2).unwrap().into(),
        HardThreshold::at_least(5).unwrap().into(),
    ];
    laws.into_iter().for_each(round_trip);
    for bad in [
        r#"{"law":"clamped-normal","mean":0.5,"sd":1.5,"always_suppress_upper_bound":1.0}"#,
        r#"{"law":"clamped-normal","mean":8.0,"sd":1.5,"always_suppress_upper_bound":0.0}"#,
        r#"{"law":"thin-uniform","at_least":1}"#,
        r#"{"law":"elm","at_least":2,"gap":-1.0,"sd":1.0}"#,
        r#"{"law":"optimal-selection","epsilon":1.0,"delta":1e-5,"groups_per_entity":1,"pre_threshold":0}"#,
        r#"{"law":"hard","at_least":1}"#,
        r#"{"law":"soft","at_least":5}"#,
    ] {
        assert!(serde_json::from_str::<ThresholdLaw>(bad).is_err(), "{bad}");
    }
}

#[test]
fn selection_beside_a_number_comes_back_and_without_one_has_no_word_of_it() {
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-5).unwrap());
    let law = OptimalSelection::new(epsilon, delta, NonZeroU32::new(3).unwrap(), 2).unwrap();
    round_trip(law.beside_number(0.1).unwrap());
    assert!(serde_json::to_string(&law.beside_number(0.1).unwrap()).unwrap().contains(r#""number_epsilon":0.1"#));
    assert!(!serde_json::to_string(&law).unwrap().contains("number_epsilon"));
}

#[test]
fn what_a_threshold_reveals_comes_back() {
    let thresholds = ThresholdTable::new(normal());
    round_trip(thresholds.odds());
    round_trip(thresholds.reporting_probability(7));
    round_trip(thresholds.attacks(7, Probability::new(0.01).unwrap()));
    (0..16).for_each(|n| round_trip(thresholds.membership_posterior(n)));
    round_trip(thresholds.utility(&lcf::GroupSizes::new([(1, 40), (9, 3)]).unwrap()));
}

#[test]
fn outcomes_of_a_table_come_back() {
    let columns = vec![EntityColumn { kind: "user".into(), thresholds: ThresholdTable::new(normal()) }];
    let secret = Secret::new(&[7; 32]).unwrap();
    let filter = LowCountFilter::new(columns, ColumnRule::WorkingColumn, DrawMode::Query, &secret).unwrap();
    let mut groups = LabelledGroups::new(["town"], &filter, GroupLimits::default());
    for user in 0..60_u32 {
        let mut row = groups.row([["a", "b", "c", "d"][user as usize % 4]]).unwrap();
        row.insert_with(0, || Identifier::from(user / 2).hash(filter.hasher(0).unwrap())).unwrap();
    }
    let table = filter.apply(groups.into_table(), TableOptions::default()).unwrap();
    round_trip(table.audit());
    round_trip(table.outcomes().to_vec());
    round_trip(table.rest());
    (0..table.table().len()).for_each(|group| round_trip(table.size_class(group)));
    Reason::ALL.into_iter().for_each(round_trip);
    [Rest::TooFewGroups, Rest::Suppressed, Rest::Reported { number: Some(9) }].into_iter().for_each(round_trip);
    round_trip((EntityCount::Exactly(3), EntityCount::AtLeast(15), SizeClass::Below { floor: 3 }));
}

#[test]
fn options_and_targets_come_back_and_unknown_fields_are_refused() {
    let mut target = AdviceTarget::new(2.0);
    let half = Probability::new(0.5).unwrap();
    target.odds = Some(OddsTarget { certainty: half, posterior: half });
    let (epsilon, delta) = (Epsilon::new(1.0).unwrap(), Delta::new(1e-5).unwrap());
    target.privacy = Some(PrivacyTarget { epsilon, delta, groups_per_entity: NonZeroU32::MIN });
    round_trip(target);
    round_trip(AdviceOptions { max_mean: 7, ..AdviceOptions::default() });
    round_trip(GroupLimits { groups: 3, ..GroupLimits::default() });
    round_trip(TableOptions::of(DrawMode::Publish));
    round_trip((ColumnRule::WorkingColumn, ColumnRule::All, DrawMode::Query, DrawMode::Publish));
    let null = ["-".to_owned()].into();
    round_trip(IdentifierField { form: IdentifierForm::Integer, separator: Some(';'), null });
    assert_eq!(serde_json::to_string(&ColumnRule::WorkingColumn).unwrap(), r#""working-aid""#);
    assert_eq!(serde_json::from_str::<ColumnRule>(r#""working-column""#).unwrap(), ColumnRule::WorkingColumn);
    assert!(serde_json::from_str::<GroupLimits>(r#"{"gruops":3}"#).is_err());
    assert_eq!(serde_json::from_str::<GroupLimits>("{}").unwrap(), GroupLimits::default());
}
