//! Rules that were published as safe and are not: each instance passes the rule as stated, and is
//! not certified here.
//!
//! The names A1 ... B12 are those of `docs/math/frechet-release.md`.

use crate::common::{self, Case, counts};
use frechet_release::{
    Class, CountInterval, DisclosureAudit, DisclosureMode, DisclosureRule, DisclosureStatus, EnumerationLimits,
    Knowledge, Limits, Method, Region, Scope, Solver, Unanimity, audit, count_tables,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use testkit::fixtures::json;

fn ends(interval: &CountInterval) -> (i64, i64) {
    assert!(interval.is_sharp());
    (interval.lower.value, interval.upper.value)
}

fn audited(case: &Case, beta: f64, kappa: u64) -> DisclosureAudit {
    audit(&mut case.solver(Limits::default()), &DisclosureRule::new(0, beta, kappa, Scope::All).unwrap()).unwrap()
}

fn domain(shape: &[usize]) -> Domain {
    Domain::of_cardinalities(shape).unwrap()
}

fn people(shape: &[usize], counts: &[u64]) -> ContingencyTable {
    let domain = domain(shape);
    ContingencyTable::from_cells(&domain, domain.all(), counts.to_vec()).unwrap()
}

fn electorate(shape: &[usize], composition: &[u64]) -> Knowledge {
    Knowledge::with_population(domain(shape), &people(shape, composition)).unwrap()
}

fn solve(knowledge: Knowledge) -> Solver {
    Solver::new(knowledge, Limits::default()).unwrap()
}

/// The rule of A1: every slice has a rate within `beta ..= 1 - beta` and at least `kappa` people.
fn axes_are_regular(case: &Case, beta: f64, kappa: u64) -> bool {
    let knowledge = case.knowledge();
    (0..case.shape.len()).all(|axis| {
        let sums = knowledge.people(AttrSet::single(axis)).unwrap();
        let strides = common::strides(&case.shape);
        (0..case.shape[axis]).all(|level| {
            let in_slice = |cell: &usize| cell / strides[axis] % case.shape[axis] == level;
            let votes: u64 = (0..case.counts.len()).filter(in_slice).map(|cell| case.counts[cell]).sum();
            let rate = votes as f64 / sums[level] as f64;
            rate >= beta && rate <= 1.0 - beta && sums[level] >= i64::try_from(kappa).unwrap()
        })
    })
}

#[test]
fn a1_and_a6_axis_rates_certify_an_electorate_whose_votes_are_all_known() {
    let errors = json("frechet/paper_errors.json");
    let names =
        ["E1a_2x2_min_group_1100_beta_0.25", "E1b_2x2_all_cells_ge_1000", "E1c_beta_0.499", "E1d_structural_zero"];
    for name in names {
        let error = &errors[name];
        let case = Case::axial(&[2, 2], counts(&error["T"])).with_people(counts(&error["N"]));
        let (beta, kappa) = (error["regular_beta"].as_f64().unwrap(), error["kappa"].as_u64().unwrap());
        assert!(axes_are_regular(&case, beta, kappa), "{name}: the rule passes");
        let intervals = case.solver(Limits::default()).cells().unwrap();
        for (cell, interval) in intervals.iter().enumerate() {
            let (lower, upper) = ends(interval);
            assert_eq!(lower, error["ilp_lower"][cell].as_i64().unwrap(), "{name}");
            assert_eq!(upper, error["ilp_upper"][cell].as_i64().unwrap(), "{name}");
            assert_eq!(interval.method, Method::Parity);
        }
        // No margin saturates, and yet there is one table only.
        let audit = audited(&case, beta, 1);
        assert!(!audit.is_certified(), "{name}");
        assert_eq!(audit.exposed_people, error["voters_fully_exposed"].as_i64(), "{name}");
        let paper_upper = counts(&error["paper_frechet_upper"]);
        assert!(i64::try_from(paper_upper[0]).unwrap() > intervals[0].width(), "{name}: the rule sees a wide interval");
    }
}

#[test]
fn a2_full_profiles_of_a_regular_electorate_are_not_certified() {
    // 4 x 3 x 5 with 120 to 200 people a cell, rates between 0.3 and 0.7 that add over the axes.
    let shape = [4, 3, 5];
    let composition: Vec<u64> = (0..60).map(|cell| 120 + cell * 37 % 81).collect();
    let rate = |cell: u64| 30 + 5 * (cell / 15) + 7 * (cell / 5 % 3) + 2 * (cell % 5);
    let votes = composition.iter().zip(0..).map(|(&n, cell)| n * rate(cell) / 100).collect();
    let case = Case::axial(&shape, votes).with_people(composition);
    assert!(axes_are_regular(&case, 0.05, 20));
    let audit = audited(&case, 0.05, 20);
    let certified = |axes: usize| {
        let all = audit.findings.iter().filter(|finding| finding.axes.len() == axes);
        (all.clone().filter(|finding| finding.status == DisclosureStatus::Certified).count(), all.count())
    };
    assert_eq!(certified(1), (12, 12));
    assert_eq!(certified(3), (0, 60));
    assert!(!audit.is_certified());
    let vacuous = |finding: &&frechet_release::Finding| finding.closeness.unwrap().is_vacuous;
    assert!(audit.findings.iter().filter(vacuous).count() > 30);
}

#[test]
fn a3_noise_on_a_cell_between_exact_ones_is_void() {
    let mut knowledge = Knowledge::of_counts(domain(&[3])).unwrap();
    knowledge.publish_count("total", &Region::everything(), 760).unwrap();
    knowledge.publish_count("first", &Region::everything().with(0, [0]), 400).unwrap();
    knowledge.publish_count("second", &Region::everything().with(0, [1]), 350).unwrap();
    knowledge.publish_range("third, noised", &Region::everything().with(0, [2]), 0, 47).unwrap();
    assert_eq!(ends(&solve(knowledge).interval(&Class::cell([2])).unwrap()), (10, 10));
}

#[test]
fn a4_who_knows_all_votes_but_one_learns_it_from_the_exact_count() {
    let mut knowledge = electorate(&[2], &[4_999, 1]);
    knowledge.publish_count("all", &Region::everything(), 2_500).unwrap();
    assert_eq!(ends(&solve(knowledge.clone()).interval(&Class::cell([1])).unwrap()), (0, 1));
    knowledge.publish_count("votes the attacker knows", &Region::everything().with(0, [0]), 2_499).unwrap();
    assert_eq!(ends(&solve(knowledge).interval(&Class::cell([1])).unwrap()), (1, 1));
}

#[test]
fn a5_a_unanimous_slice_passes_the_rule_for_widths() {
    let error = &json("frechet/paper_errors.json")["E5_cor3_unanimous"];
    let case = Case::axial(&[2, 2], counts(&error["T"])).with_people(counts(&error["N"]));
    let (tau, total) = (error["tau"].as_u64().unwrap(), error["M"].as_u64().unwrap());
    let slices = [100, 9_900, 5_000, 5_000];
    assert!(slices.iter().all(|&slice| slice >= tau && slice <= total - tau), "the rule passes");
    let audit = audited(&case, 0.1, 20);
    let block = audit.findings.iter().find(|f| f.axes == [0] && f.levels == [0]).unwrap();
    assert_eq!((block.status, block.mode), (DisclosureStatus::Disclosed, Some(DisclosureMode::Published)));
    assert_eq!(block.unanimity, Some(Unanimity::Counted));
    assert_eq!(block.worst_case(), Some(1.0));
}

#[test]
fn a7_fibers_of_one_table_exist() {
    let worked = json("frechet/paper_worked_examples.json");
    for example in worked.as_array().unwrap() {
        let [muslim, young, total] = ["m_muslim", "m_young", "M"].map(|key| example[key].as_u64().unwrap());
        // Any table with these margins will do to publish them.
        let both = muslim.min(young).min(total);
        let table = vec![both, muslim - both, young - both, total + both - muslim - young];
        let case = Case::axial(&[2, 2], table);
        let intervals = case.solver(Limits::default()).cells().unwrap();
        for (cell, interval) in intervals.iter().enumerate() {
            assert_eq!(interval.lower.value, example["lower"][cell].as_i64().unwrap());
            assert_eq!(interval.upper.value, example["upper"][cell].as_i64().unwrap());
            assert!(matches!(interval.method, Method::TwoWay));
        }
        assert_eq!(
            count_tables(&case.knowledge(), &EnumerationLimits::tables(1_000)).unwrap(),
            example["fiber_size"].as_u64().unwrap()
        );
    }
    let rochdale = json("frechet/rochdale_2x8.json");
    let four = AttrSet::first(8).subsets_of_size(4).map(|set| set.iter().collect()).collect();
    let case = Case::of(&[2; 8], counts(&rochdale["counts"]), four);
    assert!(case.solver(Limits::default()).cells().unwrap().iter().all(|interval| interval.width() == 0));
}

#[test]
fn b1_noise_does_not_hide_a_large_near_unanimous_cell() {
    let mut knowledge = electorate(&[1], &[10_000]);
    knowledge.publish_range("noised, 95 %", &Region::everything(), 9_900 - 37, 9_900 + 37).unwrap();
    let policy = DisclosureRule::new(0, 0.1, 20, Scope::All).unwrap();
    let audit = audit(&mut solve(knowledge), &policy).unwrap();
    assert_eq!(audit.findings[0].status, DisclosureStatus::Disclosed);
    assert_eq!(audit.findings[0].unanimity, Some(Unanimity::Counted));
}

#[test]
fn b2_a_cell_known_through_noise_alone_is_not_certified() {
    let policy = DisclosureRule::new(0, 0.1, 20, Scope::All).unwrap();
    let audit = audit(&mut solve(electorate(&[1], &[1_000])), &policy).unwrap();
    assert_eq!(audit.findings[0].status, DisclosureStatus::Ambiguous);
    assert_eq!(audit.findings[0].worst_case(), Some(1.0), "a prior under which all vote alike");
}

#[test]
fn b3_a_chordal_graph_is_not_enough_for_the_closed_form() {
    let error = &json("frechet/paper_errors.json")["E18_all2way_2x2x2"];
    let case = Case::of(&[2, 2, 2], counts(&error["T"]), vec![vec![0, 1], vec![0, 2], vec![1, 2]]);
    let intervals = case.solver(Limits::default()).cells().unwrap();
    for (cell, interval) in intervals.iter().enumerate() {
        assert_eq!(interval.lower.value, error["ilp_lower"][cell].as_i64().unwrap());
        assert_eq!(interval.upper.value, error["ilp_upper"][cell].as_i64().unwrap());
        assert_eq!(interval.method, Method::Parity);
    }
}

#[test]
fn b4_whole_numbers_pin_what_real_numbers_leave_open() {
    let error = &json("frechet/paper_errors.json")["E18c_order_one_integer_gap"];
    let case = Case::axial(&[2, 2, 2], counts(&error["T"])).with_people(counts(&error["N"]));
    let intervals = case.solver(Limits::default()).cells().unwrap();
    assert!(intervals.iter().all(|interval| interval.width() == 0));
    assert!(intervals.iter().any(CountInterval::has_integer_gap));
    let audit = audited(&case, 0.1, 1);
    assert_eq!(audit.exposed_people, Some(5));

    let hole = &json("frechet/paper_errors2.json")["E18d_order_one_hole"];
    // (0, 0, 1) and (1, 1, 0) hold four each: one of the three tables with all sums equal to 4.
    let case = Case::axial(&[2, 2, 2], vec![0, 4, 0, 0, 0, 0, 4, 0]).with_people(counts(&hole["N"]));
    let attained: Vec<i64> = hole["attained"].as_array().unwrap().iter().map(|v| v.as_i64().unwrap()).collect();
    assert_eq!(case.solver(Limits::default()).attained(&Class::cell([0, 0, 1]), 10).unwrap(), Some(attained));
    assert_eq!(
        count_tables(&case.knowledge(), &EnumerationLimits::tables(10)).unwrap(),
        hole["fiber_size"].as_u64().unwrap()
    );
    assert!(!audited(&case, 0.1, 1).is_certified());
}

#[test]
fn b5_pairs_may_be_narrower_than_cells() {
    let error = &json("frechet/paper_errors.json")["E6_remark5"];
    // One table with first slices 99, 50, 50 of 100.
    let case = Case::axial(&[2, 2, 2], vec![25, 25, 24, 25, 1, 0, 0, 0]);
    let mut solver = case.solver(Limits::default());
    let narrowest = AttrSet::first(3)
        .subsets_of_size(2)
        .map(|pair| {
            solver
                .interval(&Class::new(pair, [0, 1]))
                .unwrap()
                .width()
                .min(solver.interval(&Class::new(pair, [1, 0])).unwrap().width())
        })
        .min();
    assert_eq!(narrowest, error["min_pair_width"].as_i64());
    assert_eq!(solver.interval(&Class::cell([0, 0, 0])).unwrap().width(), error["threeway_width"].as_i64().unwrap());
}

#[test]
fn b6_a_unanimous_total_reveals_everybody() {
    let mut knowledge = electorate(&[2], &[3, 2]);
    knowledge.publish_count("total", &Region::everything(), 5).unwrap();
    let audit = audit(&mut solve(knowledge), &DisclosureRule::new(0, 0.1, 1, Scope::All).unwrap()).unwrap();
    assert_eq!(audit.count(DisclosureStatus::Disclosed), 2);
    assert_eq!(audit.exposed_people, Some(5));
}

#[test]
fn b7_two_cycles_with_one_newcomer_reveal_their_vote() {
    let mut knowledge = electorate(&[2], &[400, 1]);
    knowledge.publish_count("last year", &Region::everything().with(0, [0]), 180).unwrap();
    knowledge.publish_count("this year", &Region::everything(), 181).unwrap();
    assert_eq!(ends(&solve(knowledge).interval(&Class::cell([1])).unwrap()), (1, 1));
}

#[test]
fn b8_and_b9_a_group_and_its_other_members_give_the_small_one() {
    let mut knowledge = electorate(&[4], &[30, 500, 600, 700]);
    let group = Region::everything().with(0, [0, 1, 2]);
    knowledge.publish_count("the group that stands for the small one", &group, 520).unwrap();
    knowledge.publish_count("a member", &Region::everything().with(0, [1]), 240).unwrap();
    knowledge.publish_count("another", &Region::everything().with(0, [2]), 260).unwrap();
    assert_eq!(ends(&solve(knowledge.clone()).interval(&Class::cell([0])).unwrap()), (20, 20));
    // An antichain, the group alone, does not.
    let mut antichain = electorate(&[4], &[30, 500, 600, 700]);
    antichain.publish_count("group", &group, 520).unwrap();
    assert_eq!(ends(&solve(antichain).interval(&Class::cell([0])).unwrap()), (0, 30));
}

#[test]
fn b10_candidates_one_by_one_see_less_than_jointly() {
    let error = &json("frechet/paper_errors2.json")["E37_multicandidate"];
    let domain = domain(&[2, 2, 3]);
    let joint = ContingencyTable::from_cells(&domain, domain.all(), counts(&error["X_cell_by_candidate"])).unwrap();
    let composition = joint.marginal(AttrSet::first(2)).unwrap();
    assert_eq!(composition.cells(), counts(&error["N"]));
    let mut knowledge = Knowledge::with_responses(domain.clone(), 2, &composition).unwrap();
    for axes in [[0, 2], [1, 2]] {
        knowledge.publish_margin(&joint.marginal(axes.into_iter().collect()).unwrap()).unwrap();
    }
    let mut solver = solve(knowledge);
    let class = Class::cell([0, 0, error["candidate"].as_u64().unwrap() as usize]);
    let end = |key: &str, end: usize| error[key][end].as_f64().unwrap() as i64;
    assert_eq!(ends(&solver.interval(&class).unwrap()), (end("joint_interval", 0), end("joint_interval", 1)));

    let alone: Vec<u64> = joint.cells().chunks(3).map(|candidates| candidates[0]).collect();
    let case = Case::axial(&[2, 2], alone).with_people(counts(&error["N"]));
    let interval = case.solver(Limits::default()).interval(&Class::cell([0, 0])).unwrap();
    assert_eq!(ends(&interval), (end("per_candidate_interval", 0), end("per_candidate_interval", 1)));

    let report = audit(&mut solver, &DisclosureRule::new(0, 0.1, 1, Scope::All).unwrap()).unwrap();
    assert_eq!(report.findings.len(), 3 * 8);
    assert!(!report.is_certified());
}

#[test]
fn b11_noise_leaves_no_width_where_there_is_nobody() {
    let mut knowledge = electorate(&[3], &[0, 5, 9]);
    knowledge.publish_range("noised", &Region::everything().with(0, [0, 1]), 0, 3).unwrap();
    knowledge.publish_range("noised as well", &Region::everything().with(0, [1, 2]), 0, 0).unwrap();
    let mut solver = solve(knowledge);
    assert_eq!(ends(&solver.interval(&Class::cell([1])).unwrap()), (0, 0));
    let audit = audit(&mut solver, &DisclosureRule::new(0, 0.1, 1, Scope::All).unwrap()).unwrap();
    assert_eq!((audit.empty_classes, audit.count(DisclosureStatus::Disclosed)), (1, 2));
}

#[test]
fn b12_a_large_slice_is_no_shelter_for_a_rare_profile() {
    let case = Case::axial(&[2, 2], vec![0, 500, 480, 20]).with_people(vec![1, 999, 999, 60]);
    assert!(axes_are_regular(&case, 0.1, 500));
    let audit = audited(&case, 0.1, 500);
    let rare = audit.findings.iter().find(|f| f.axes == [0, 1] && f.levels == [0, 0]).unwrap();
    assert_eq!((rare.people, rare.is_small), (Some(1), true));
    assert_ne!(rare.status, DisclosureStatus::Certified);
}
