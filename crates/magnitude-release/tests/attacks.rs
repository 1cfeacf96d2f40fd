//! What respondents know, and what follows from several withheld cells.

use magnitude_release::{
    AdditiveTable, AmountStatus, AttackLimits, Axis, Cube, Dominance, Error, MagnitudeTable, MinFrequency,
    ProtectionLevels, ReadyCell, Record, Relation, SensitivityRule, Share, SuppressionProblem, SuppressionStatus,
    audit_pattern, plan,
};
use proptest::prelude::*;

fn percent(share: f64) -> Share {
    Share::of_percent("share", share).unwrap()
}

fn p_rule(share: f64, coalition: usize) -> SensitivityRule {
    SensitivityRule::new(Some(percent(share)), vec![], None, coalition).unwrap()
}

fn flat(sizes: &[usize]) -> Cube {
    let axis =
        |(index, &size): (usize, &usize)| Axis::flat(format!("{index}"), "all", (0..size).map(|leaf| leaf.to_string()));
    Cube::new(sizes.iter().enumerate().map(|own| axis(own).unwrap()).collect()).unwrap()
}

fn table(sizes: &[usize], records: &[(&[usize], u32, i64)]) -> MagnitudeTable {
    let record =
        |&(leaves, respondent, amount): &(&[usize], u32, i64)| Record { leaves: leaves.to_vec(), respondent, amount };
    MagnitudeTable::from_records(flat(sizes), &records.iter().map(record).collect::<Vec<_>>()).unwrap()
}

/// The statuses of all sensitive cells when the cells with these labels are withheld.
fn statuses(table: &MagnitudeTable, rule: &SensitivityRule, withheld: &[usize]) -> Vec<AmountStatus> {
    let mut is_withheld = vec![false; table.cube().cells()];
    withheld.iter().for_each(|&cell| is_withheld[cell] = true);
    let audit = SuppressionProblem::new(table, rule).audit(&is_withheld).unwrap();
    audit.findings.iter().map(|finding| finding.status).collect()
}

/// One axis: cells 1, 2, 3 and the total, cell 0. Firm 0 is alone in the first, firm 1 in the
/// second, and many share the third.
fn line() -> MagnitudeTable {
    let many: Vec<(&[usize], u32, i64)> = (2..12).map(|firm| (&[2_usize][..], firm, 50)).collect();
    table(&[3], &[&[(&[0_usize][..], 0, 300), (&[1][..], 1, 400)], many.as_slice()].concat())
}

#[test]
fn a_singleton_subtracts_the_own_cell_and_knows_the_other() {
    let table = line();
    // Two cells withheld on the line: a reader knows their sum alone, and cannot tell them apart.
    let readers = statuses(&table, &p_rule(10.0, 0), &[1, 2]);
    assert_eq!(readers, [AmountStatus::Protected; 2]);
    // Each of the two firms takes the own cell from the sum.
    let respondents = statuses(&table, &p_rule(10.0, 1), &[1, 2]);
    assert!(respondents[..2].iter().all(|&status| status == AmountStatus::Exposed), "{respondents:?}");
    assert_eq!(statuses(&table, &p_rule(10.0, 1), &[1, 2, 3]), [AmountStatus::Protected; 2]);
    // Two of them together know both their cells; nobody is left between them.
    let rule = p_rule(10.0, 1);
    let plan = plan(&SuppressionProblem::new(&table, &rule)).unwrap();
    assert_eq!(plan.is_withheld(), [false, true, true, true]);
    assert_eq!(plan.count(SuppressionStatus::Primary), 2);
}

#[test]
fn a_holding_is_one_respondent_and_two_firms_may_talk() {
    // Three firms in a cell: nobody dominates, until two of them belong to one holding.
    let apart = table(&[1], &[(&[0], 0, 100), (&[0], 1, 90), (&[0], 2, 80)]);
    let holding = table(&[1], &[(&[0], 0, 100), (&[0], 0, 90), (&[0], 2, 80)]);
    assert!(statuses(&apart, &p_rule(10.0, 1), &[]).is_empty());
    assert_eq!(statuses(&holding, &p_rule(10.0, 1), &[]), [AmountStatus::Exposed; 2]);
    assert_eq!(holding.contributions(1).len(), 2);
    assert_eq!(statuses(&apart, &p_rule(10.0, 2), &[]), [AmountStatus::Exposed; 2]);
}

#[test]
fn the_sum_of_two_withheld_cells_is_as_good_as_published() {
    // Firm 0 has most of cells 1 and 2, which only rules of frequency call sensitive: both have
    // two firms, their sum has three.
    let records: &[(&[usize], u32, i64)] = &[
        (&[0], 0, 500),
        (&[0], 1, 400),
        (&[1], 0, 500),
        (&[1], 2, 400),
        (&[2], 3, 70),
        (&[2], 4, 60),
        (&[2], 5, 60),
        (&[2], 6, 60),
    ];
    let own = table(&[3], records);
    let rule = |at_least| {
        let frequency = MinFrequency { at_least, range: percent(10.0) };
        SensitivityRule::new(None, vec![], Some(frequency), 0).unwrap()
    };
    // Cells 1 and 2 and, with four asked for, their sum.
    assert_eq!(statuses(&own, &rule(3), &[1, 2]), [AmountStatus::Protected; 2]);
    assert_eq!(
        statuses(&own, &rule(4), &[1, 2]),
        [AmountStatus::Protected, AmountStatus::Protected, AmountStatus::Exposed]
    );
    let rule = rule(4);
    assert_eq!(plan(&SuppressionProblem::new(&own, &rule)).unwrap().is_withheld(), [false, true, true, true]);
}

#[test]
fn what_cannot_be_protected_is_refused() {
    let table = line();
    let rule = p_rule(10.0, 1);
    let base = SuppressionProblem::new(&table, &rule);
    let keep = [3].into();
    let keeps_the_third = SuppressionProblem { keep, ..base.clone() };
    // The total moves instead.
    assert_eq!(plan(&keeps_the_third).unwrap().is_withheld(), [true, true, true, false]);
    let keeps_both = SuppressionProblem { keep: [0, 3].into(), ..base.clone() };
    assert!(matches!(plan(&keeps_both), Err(Error::Unprotectable { .. })));
    let keeps_sensitive = SuppressionProblem { keep: [1].into(), ..base.clone() };
    assert_eq!(plan(&keeps_sensitive), Err(Error::KeptSensitive { cell: 1 }));
    // Anyone who knows every amount to within 5 % is always closer than 10 %.
    let well_known = SuppressionProblem { known_within: Some(percent(5.0)), ..base.clone() };
    assert!(matches!(plan(&well_known), Err(Error::Unprotectable { .. })));
    let roughly_known = SuppressionProblem { known_within: Some(percent(50.0)), ..base };
    let interval = roughly_known.intervals(&[true, true, true, true]).unwrap()[1];
    assert_eq!((interval.lower.unwrap().value(), interval.upper.unwrap().value()), (150.0, 450.0));
}

#[test]
fn rules_of_the_manuals() {
    let cell = |amounts: &[i64]| {
        let records: Vec<Record> =
            (0..).zip(amounts).map(|(respondent, &amount)| Record { leaves: vec![0], respondent, amount }).collect();
        MagnitudeTable::from_records(flat(&[1]), &records).unwrap()
    };
    let level = |rule: &SensitivityRule, table: &MagnitudeTable| {
        rule.level(table.contributions(0), &[table.contributions(0)[1].respondent])
    };
    // Total 110,000, of which 52,000 and 50,000 are two firms, at 30 %: 8,000 is less than 15,600,
    // so the second estimates the first to within 8,000, and 7,600 are missing.
    let two_large = cell(&[52_000, 50_000, 5_000, 3_000]);
    assert_eq!(level(&p_rule(30.0, 1), &two_large), 7_600);
    assert_eq!(level(&p_rule(15.0, 1), &two_large), 0);
    // The prior-posterior rule (p, q) is the rule of p / q.
    let prior_posterior = SensitivityRule::new(Some(percent(15.0).over(percent(50.0))), vec![], None, 1).unwrap();
    assert_eq!(level(&prior_posterior, &two_large), 7_600);
    // (3, 70): three firms hold 107,000 of 110,000; 107,000 / 0.7 is 152,857.1.
    let dominance = |largest, share| {
        SensitivityRule::new(None, vec![Dominance { largest, share: percent(share) }], None, 0).unwrap()
    };
    assert_eq!(dominance(3, 70.0).level(two_large.contributions(0), &[]), 42_858);
    assert_eq!(dominance(1, 75.0).level(two_large.contributions(0), &[]), 0);
    assert_eq!(dominance(2, 85.0).level(two_large.contributions(0), &[]), 10_000);
}

#[test]
fn a_table_without_records_is_judged_by_its_largest_contributions() {
    let records: &[(&[usize], u32, i64)] =
        &[(&[0], 0, 900), (&[0], 1, 30), (&[0], 2, 20), (&[1], 3, 400), (&[1], 4, 350), (&[1], 5, 90), (&[1], 6, 80)];
    let from_records = table(&[2], records);
    let ready = |leaf: usize, amount, respondents, largest: &[i64]| ReadyCell {
        leaves: vec![leaf],
        amount,
        respondents,
        largest: largest.to_vec(),
    };
    let cells = [ready(0, 950, 3, &[900, 30]), ready(1, 920, 4, &[400, 350])];
    let from_cells = MagnitudeTable::from_cells(flat(&[2]), &cells).unwrap();
    let rule = p_rule(20.0, 1);
    let [one, other] = [&from_records, &from_cells].map(|table| plan(&SuppressionProblem::new(table, &rule)).unwrap());
    assert_eq!(one.statuses(), other.statuses());
    for wrong in [
        ready(0, 929, 3, &[900, 30]),
        ready(0, 950, 2, &[900, 30]),
        ready(0, 950, 3, &[30, 900]),
        ready(0, 990, 3, &[900, 30]),
    ] {
        assert_eq!(MagnitudeTable::from_cells(flat(&[2]), &[wrong]), Err(Error::BrokenRelation { relation: 0 }));
    }
}

#[test]
fn patterns_of_other_tools_are_judged_by_their_own_levels() {
    // A 2 x 2 table with totals: rows 0..3, columns 0..3, the last of each its total.
    let amounts = vec![20, 50, 70, 8, 19, 27, 28, 69, 97];
    let line = |cells: [usize; 3]| Relation {
        constant: 0,
        terms: cells.iter().zip([false, false, true]).map(|(&cell, taken)| (cell, taken)).collect(),
    };
    let lines = (0..3).flat_map(|own| [line([3 * own, 3 * own + 1, 3 * own + 2]), line([own, own + 3, own + 6])]);
    let table = AdditiveTable::new(amounts, vec![(0, 200); 9], lines.collect()).unwrap();
    let mut statuses = vec![SuppressionStatus::Published; 9];
    [1, 3, 4].into_iter().for_each(|cell| statuses[cell] = SuppressionStatus::Complementary);
    statuses[0] = SuppressionStatus::Primary;
    let judge = |lower, upper| {
        let mut levels = vec![ProtectionLevels::default(); 9];
        levels[0] = ProtectionLevels { lower, upper, sliding: lower + upper };
        audit_pattern(&table, &statuses, &levels, &AttackLimits::default()).unwrap()
    };
    // Rows 70 and 27, column 28: the first cell is between 1 and 28.
    let (findings, _) = judge(19, 8);
    let interval = findings[0].interval;
    assert_eq!((interval.lower.unwrap().value(), interval.upper.unwrap().value()), (1.0, 28.0));
    assert!(findings.iter().all(|finding| finding.protected == AmountStatus::Protected));
    assert_eq!(judge(20, 8).0[0].protected, AmountStatus::Exposed);
    assert_eq!(judge(19, 9).0[0].protected, AmountStatus::Exposed);
}

#[test]
fn a_stopped_call_ends() {
    let table = line();
    let rule = p_rule(10.0, 1);
    let flag = privacy_core::stop::StopFlag::new();
    flag.set();
    let limits = AttackLimits { stop: flag, ..AttackLimits::default() };
    assert_eq!(plan(&SuppressionProblem { limits, ..SuppressionProblem::new(&table, &rule) }), Err(Error::Stopped));
}

#[test]
fn debug_output_shows_no_amount() {
    let table =
        table(&[2, 2], &[(&[0, 0], 0, 79_190), (&[1, 1], 1, 31_070), (&[0, 1], 2, 48_120), (&[1, 0], 3, 55_660)]);
    let rule = p_rule(10.0, 1);
    let problem = SuppressionProblem::new(&table, &rule);
    let plan = plan(&problem).unwrap();
    let said = format!("{table:?} {plan:?} {:?} {:?}", plan.publish(&problem).unwrap(), plan.review(&problem).unwrap());
    assert!(["79190", "31070", "48120", "55660"].iter().all(|amount| !said.contains(amount)), "{said}");
}

/// Rows of a 3 x 3 table.
fn random_table(amounts: &[(usize, usize, u32, i64)]) -> MagnitudeTable {
    let record = |&(row, column, respondent, amount)| Record { leaves: vec![row, column], respondent, amount };
    MagnitudeTable::from_records(flat(&[3, 3]), &amounts.iter().map(record).collect::<Vec<_>>()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is planned, the published table and one's own amounts leave every cell open that
    /// the rule protects; and withholding more never exposes anything.
    #[test]
    fn withholding_more_never_exposes_a_cell(
        amounts in prop::collection::vec((0_usize..3, 0_usize..3, 0_u32..12, 0_i64..500), 6..30),
        more in prop::collection::vec(any::<bool>(), 16),
        coalition in 0_usize..3,
    ) {
        let table = random_table(&amounts);
        let rule = p_rule(15.0, coalition);
        let problem = SuppressionProblem::new(&table, &rule);
        let Ok(plan) = plan(&problem) else { return Ok(()) };
        prop_assert!(plan.audit().is_protected());
        let wider: Vec<bool> = plan.is_withheld().iter().zip(&more).map(|(&own, &more)| own || more).collect();
        let audit = problem.audit(&wider).unwrap();
        // Sums of more withheld cells may be sensitive; the cells themselves stay protected.
        let cells = audit.findings.iter().filter(|finding| finding.cell.is_some());
        prop_assert!(cells.into_iter().all(|finding| finding.status == AmountStatus::Protected));
        // The truth is within every interval.
        for interval in problem.intervals(&wider).unwrap() {
            let truth = table.additive().amounts()[interval.cell] as f64;
            prop_assert!(interval.lower.is_some_and(|end| end.value() <= truth));
            prop_assert!(interval.upper.is_none_or(|end| end.value() >= truth));
        }
    }
    /// Every complementary cell is needed: published alone, it exposes something.
    #[test]
    fn no_complementary_cell_is_needless(
        amounts in prop::collection::vec((0_usize..3, 0_usize..3, 0_u32..12, 0_i64..500), 6..30),
        coalition in 0_usize..3,
    ) {
        let (table, rule) = (random_table(&amounts), p_rule(15.0, coalition));
        let problem = SuppressionProblem::new(&table, &rule);
        let Ok(plan) = plan(&problem) else { return Ok(()) };
        for (cell, &status) in plan.statuses().iter().enumerate() {
            if status == SuppressionStatus::Complementary {
                let mut is_withheld = plan.is_withheld();
                is_withheld[cell] = false;
                prop_assert!(!problem.audit(&is_withheld).unwrap().is_protected());
            }
        }
    }
}
