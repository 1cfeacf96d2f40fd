//! Plans: what they keep, what they refuse, and what they say about it.

use crate::common::counts;
use frechet_release::hierarchy::Hierarchy;
use frechet_release::{
    AllocationLoss, CellStatus, Change, Class, DecisionData, DisclosureRule, DisclosureStatus, DisclosureTarget, Error,
    Knowledge, Limits, NoiseBudget, Region, ReleaseProblem, Scope, Treatment, noise_implied_by_exact, plan,
};
use privacy_core::param::{Delta, Epsilon};
use privacy_core::{AttrSet, Attribute, ContingencyTable, Domain};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use testkit::fixtures::json;

fn table(domain: &Domain, cells: &[u64]) -> ContingencyTable {
    ContingencyTable::from_cells(domain, domain.all(), cells.to_vec()).unwrap()
}

fn problem(shape: &[usize], people: &[u64], beta: f64, kappa: u64) -> (Domain, ReleaseProblem) {
    let domain = Domain::of_cardinalities(shape).unwrap();
    let background = Knowledge::with_population(domain.clone(), &table(&domain, people)).unwrap();
    let policy = DisclosureRule::new(0, beta, kappa, Scope::All).unwrap();
    (domain, ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default()))
}

fn request_margin(problem: ReleaseProblem, margins: &[&[usize]]) -> ReleaseProblem {
    margins.iter().fold(problem, |problem, axes| problem.request_margin(axes.iter().copied().collect(), 1.0).unwrap())
}

fn noise(epsilon: f64) -> NoiseBudget {
    NoiseBudget {
        epsilon: Epsilon::new(epsilon).unwrap(),
        delta: Some(Delta::new(1e-6).unwrap()),
        loss: AllocationLoss::Variance,
    }
}

fn rng() -> ChaCha20Rng {
    ChaCha20Rng::from_seed([7; 32])
}

#[test]
fn large_counts_do_not_contradict_what_nobody_said() {
    let domain = Domain::of_cardinalities(&[3, 2]).unwrap();
    let background = Knowledge::of_counts(domain.clone()).unwrap();
    let policy = DisclosureRule::new(0, 0.1, 20, Scope::All).unwrap();
    let problem = ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default());
    let counts = table(&domain, &[3, 1 << 51, 4, 1 << 51, 9, 2]);
    let planned = plan(&request_margin(problem, &[&[0, 1]]).decide_on_counts(&counts).unwrap()).unwrap();
    assert_ne!(planned.actions()[0].treatment, Treatment::Exact, "a cell of 3 is small");
}

#[test]
fn many_cells_that_nothing_bounds_are_planned_for() {
    let domain = Domain::of_cardinalities(&[30, 40]).unwrap();
    let background = Knowledge::of_counts(domain.clone()).unwrap();
    let policy = DisclosureRule::new(0, 0.1, 20, Scope::Cells).unwrap();
    let problem = ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default());
    let counts: Vec<u64> = (0..1_200).map(|cell| 1 + cell % 7).collect();
    let problem = request_margin(problem, &[&[0, 1]]).decide_on_counts(&table(&domain, &counts)).unwrap();
    assert_ne!(plan(&problem).unwrap().actions()[0].treatment, Treatment::Exact, "all cells are small");
}

#[test]
fn a_margin_is_asked_for_once() {
    // Two copies were planned one after the other: of 4, 6, 5 and 5 people, 4, 1, 2 and 2 of them
    // counted, one withheld the first two cells and the other the first alone, which gave the
    // second away.
    let (_, problem) = problem(&[4], &[4, 6, 5, 5], 0.05, 4);
    let once = request_margin(problem.allow_suppression(), &[&[0], &[]]);
    let twice = |axes: AttrSet| once.clone().request_margin(axes, 1.0).err();
    assert_eq!(twice(AttrSet::single(0)), Some(Error::RequestedTwice { axes: vec![0] }));
    assert_eq!(twice(AttrSet::EMPTY), Some(Error::RequestedTwice { axes: vec![] }));
}

#[test]
fn a_group_within_tau_is_named() {
    let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
    let people = [50, 50, 3, 50];
    let background = Knowledge::with_population(domain.clone(), &table(&domain, &people)).unwrap();
    let with_tau = |tau: u64| {
        let policy = DisclosureRule::new(tau, 0.1, 20, Scope::All).unwrap();
        let problem = ReleaseProblem::new(background.clone(), policy, DisclosureTarget::Undisclosed, Limits::default());
        plan(&request_margin(problem, &[&[0], &[1]]).decide_on_counts(&table(&domain, &[25, 25, 1, 25])).unwrap())
    };
    let named = Error::GroupWithinIntervalWidth { axes: vec![0, 1], levels: vec![1, 0] };
    assert_eq!(with_tau(3).unwrap_err(), named);
    assert!(with_tau(2).is_ok());
}

#[test]
fn a_tall_hierarchy_is_cut_at_few_depths() {
    let levels = 250;
    let labels: Vec<String> = (0..levels).map(|level| format!("l{level}")).collect();
    let attribute = Attribute::new("a", labels).unwrap();
    let chain: String = (0..levels)
        .map(|level| {
            let at = "@".repeat(level);
            if level + 1 < levels { format!("{at}n{level}\n@{at}l{level}\n") } else { format!("{at}l{level}\n") }
        })
        .collect();
    let domain = Domain::new(vec![attribute.clone()]).unwrap();
    let tree = Hierarchy::from_hrc(&chain, &attribute).unwrap();
    let background = Knowledge::with_population(domain.clone(), &table(&domain, &[6; 250])).unwrap();
    let policy = DisclosureRule::new(0, 0.1, 20, Scope::All).unwrap();
    let problem = ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default());
    let problem = request_margin(problem, &[&[0]]).with_hierarchy(0, tree).unwrap().allow_merging();
    let planned = plan(&problem).unwrap();
    let groups = &planned.actions()[0].margin.as_ref().unwrap().recodings[0];
    assert!(groups.groups().iter().all(|group| group.levels.len() >= 4));
}

#[test]
fn rates_of_the_axes_do_not_carry_a_release_past_the_attacker() {
    let errors = json("frechet/paper_errors.json");
    for name in ["E1a_2x2_min_group_1100_beta_0.25", "E1b_2x2_all_cells_ge_1000", "E1d_structural_zero"] {
        let error = &errors[name];
        let (people, votes) = (counts(&error["N"]), counts(&error["T"]));
        let (domain, problem) = problem(&[2, 2], &people, 0.05, 20);
        let problem = request_margin(problem, &[&[0], &[1]]);
        // On public sizes everything looks large enough; the attacker says no, and nothing goes
        // out.
        let blind = plan(&problem).unwrap();
        assert!(blind.actions().iter().all(|action| action.treatment == Treatment::Exact), "{name}");
        let refused = blind.release(&table(&domain, &votes), &mut rng()).unwrap_err();
        assert!(matches!(refused, Error::TargetMissed { disclosed: 1.., .. }), "{name}: {refused}");
        // On the counts one of the two margins can go out.
        let seeing = plan(&problem.decide_on_counts(&table(&domain, &votes)).unwrap()).unwrap();
        assert!(seeing.is_optimal() && seeing.explain().contains("the pattern itself"));
        assert!(seeing.actions().iter().any(|action| action.treatment != Treatment::Exact));
        let (published, audit) = seeing.release(&table(&domain, &votes), &mut rng()).unwrap();
        assert_eq!(audit.count(DisclosureStatus::Disclosed), 0, "{name}");
        assert_eq!(published.decision_data, DecisionData::Counts);
    }
}

#[test]
fn a_unanimous_slice_never_goes_out() {
    let error = &json("frechet/paper_errors.json")["E5_cor3_unanimous"];
    let (people, votes) = (counts(&error["N"]), counts(&error["T"]));
    let (domain, problem) = problem(&[2, 2], &people, 0.1, 20);
    let problem = request_margin(problem, &[&[0], &[1]]);
    let refused = plan(&problem).unwrap().release(&table(&domain, &votes), &mut rng()).unwrap_err();
    assert!(matches!(refused, Error::TargetMissed { .. }));
    let plan = plan(&problem.decide_on_counts(&table(&domain, &votes)).unwrap()).unwrap();
    assert_eq!(plan.actions()[1].treatment, Treatment::Exact, "the other axis is harmless");
    assert_ne!(plan.actions()[0].treatment, Treatment::Exact);
    let _ = plan.release(&table(&domain, &votes), &mut rng()).unwrap();
}

#[test]
fn noise_between_exact_numbers_is_refused_with_the_sum_that_undoes_it() {
    let mut knowledge = Knowledge::of_counts(Domain::of_cardinalities(&[3]).unwrap()).unwrap();
    let cell = |level: usize| Region::from(&Class::cell([level]));
    knowledge.publish_count("total", &Region::everything(), 760).unwrap();
    knowledge.publish_count("first", &cell(0), 400).unwrap();
    assert!(noise_implied_by_exact(&knowledge, &cell(2)).unwrap().is_none());
    knowledge.publish_count("second", &cell(1), 350).unwrap();
    let void = noise_implied_by_exact(&knowledge, &cell(2)).unwrap().unwrap();
    assert_eq!(void.in_names(), "total - first - second");
    assert_eq!(void.in_numbers(knowledge.system()), "760 - 400 - 350");
    assert!(!format!("{void:?}").contains("760"));
}

#[test]
fn a_lone_small_cell_takes_a_partner_so_that_its_noise_is_not_void() {
    let (domain, problem) = problem(&[3], &[400, 350, 10], 0.05, 20);
    let votes = table(&domain, &[200, 170, 4]);
    let mut problem = request_margin(problem, &[&[], &[0]]).allow_noise(noise(1.0));
    // Without a hierarchy the only coarser cut is everything.
    let planned = plan(&problem).unwrap();
    assert_eq!(
        planned.actions()[1].statuses,
        [CellStatus::Exact, CellStatus::Noised, CellStatus::Noised],
        "{}",
        planned.explain()
    );
    assert!(
        planned.explain().contains("would be undone by exact numbers: it is total - {a0 \"0\"} - {a0 \"1\"}"),
        "{}",
        planned.explain()
    );
    let statement = &planned.schedule().unwrap().statement;
    assert_eq!((statement.change, statement.sensitivity), (Change::Exchange, 2));
    assert!(statement.has_neighbours && statement.epsilon <= 1.0 && statement.epsilon > 0.999_999);
    let (published, _) = planned.release(&votes, &mut rng()).unwrap();
    let cells = &published.margins[1].cells;
    assert_eq!((cells[0].value, cells[0].variance), (Some(200), Some(0.0)));
    assert!(cells[1].variance.unwrap() > 7.8, "epsilon 1/2 a cell");
    // Merging does without noise.
    problem = problem.allow_merging();
    let merged = plan(&problem).unwrap();
    assert_eq!((merged.actions()[1].treatment, merged.actions()[1].statuses.len()), (Treatment::Coarsened, 2));
    assert!(merged.schedule().is_none() && merged.explain().contains("1 + 2"), "{}", merged.explain());
}

#[test]
fn a_policy_without_noise_withholds_or_coarsens() {
    let (domain, problem) = problem(&[2, 3], &[40, 40, 4, 40, 40, 4], 0.05, 20);
    let attribute = Attribute::codes("a1", 3).unwrap();
    let tree = Hierarchy::from_hrc("low\n@0\nhigh\n@1\n@2\n", &attribute).unwrap();
    let problem = request_margin(problem, &[&[0, 1]]).with_hierarchy(1, tree).unwrap();
    let planned = plan(&problem).unwrap();
    let action = &planned.actions()[0];
    assert_eq!((action.treatment, action.statuses.len()), (Treatment::Coarsened, 4));
    assert!(planned.explain().contains("a1: 0, high"), "{}", planned.explain());
    let (published, _) = planned.release(&table(&domain, &[20, 10, 2, 20, 30, 2]), &mut rng()).unwrap();
    let values: Vec<Option<i64>> = published.margins[0].cells.iter().map(|cell| cell.value).collect();
    assert_eq!(values, [Some(20), Some(12), Some(20), Some(32)]);
    assert!(published.privacy.is_none());
    let tiny = self::problem(&[2], &[4, 5], 0.05, 20).1;
    let withheld = plan(&request_margin(tiny, &[&[0]])).unwrap();
    assert_eq!(withheld.actions()[0].treatment, Treatment::Withheld);
}

#[test]
fn exact_numbers_elsewhere_make_all_the_noise_of_a_margin_void() {
    // The cells of a1 are sums of those of a0 x a1: noise on a1 would be decoration.
    let mut background = Knowledge::of_counts(Domain::of_cardinalities(&[2, 2]).unwrap()).unwrap();
    background.publish_margin(&table(background.domain(), &[15, 15, 15, 15])).unwrap();
    let _ = problem;
    let region = Region::everything().with(1, [0]);
    let void = noise_implied_by_exact(&background, &region).unwrap().unwrap();
    assert_eq!(void.in_names(), r#"margin {a0 "0", a1 "0"} + margin {a0 "1", a1 "0"}"#);
}

#[test]
fn a_margin_whose_noise_is_void_without_a_partner_is_withheld() {
    let (domain, _) = problem(&[2], &[400, 10], 0.05, 20);
    let mut background = Knowledge::with_population(domain.clone(), &table(&domain, &[400, 10])).unwrap();
    background.publish_count("all", &Region::everything(), 205).unwrap();
    background.publish_count("large", &Region::from(&Class::cell([0])), 200).unwrap();
    let policy = DisclosureRule::new(0, 0.05, 20, Scope::All).unwrap();
    let problem = ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default());
    let planned = plan(&request_margin(problem, &[&[0]]).allow_noise(noise(1.0))).unwrap();
    assert_eq!(planned.actions()[0].treatment, Treatment::Withheld);
    assert!(
        planned.schedule().is_none()
            && planned.explain().contains("would be undone by exact numbers: it is all - large"),
        "{}",
        planned.explain()
    );
}

#[test]
fn what_cannot_be_planned_is_refused_by_name() {
    let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
    let policy = DisclosureRule::new(0, 0.1, 5, Scope::All).unwrap();
    let counts_only = ReleaseProblem::new(
        Knowledge::of_counts(domain.clone()).unwrap(),
        policy,
        DisclosureTarget::Undisclosed,
        Limits::default(),
    );
    assert_eq!(plan(&request_margin(counts_only.clone(), &[&[0]])).err(), Some(Error::NoPublicSizes));
    assert_eq!(counts_only.clone().request_margin(AttrSet::single(0), 0.0).err(), Some(Error::Weight));
    assert_eq!(counts_only.clone().request_margin(AttrSet::single(0), f64::NAN).err(), Some(Error::Weight));
    assert!(matches!(
        counts_only.clone().request_margin(AttrSet::single(2), 1.0),
        Err(Error::NoSuchLevel { axis: 2, .. })
    ));
    let tree = Hierarchy::flat(&Attribute::codes("x", 3).unwrap());
    assert!(matches!(counts_only.with_hierarchy(0, tree), Err(Error::ForeignHierarchy { expected: 2, got: 3, .. })));
    let (domain, problem) = problem(&[2, 2], &[30, 30, 30, 30], 0.05, 20);
    let more_votes_than_people = table(&domain, &[31, 0, 0, 0]);
    assert_eq!(problem.clone().decide_on_counts(&more_votes_than_people).err(), Some(Error::OtherTable));
    let one = table(&domain, &[15, 12, 11, 14]);
    let planned = plan(&request_margin(problem, &[&[0]]).decide_on_counts(&one).unwrap()).unwrap();
    let other = table(&domain, &[15, 12, 11, 13]);
    assert_eq!(planned.release(&other, &mut rng()).err(), Some(Error::OtherTable));
}

#[test]
fn certificates_can_be_asked_for() {
    let (domain, problem) = problem(&[2, 2], &[300, 300, 300, 300], 0.05, 20);
    let background = Knowledge::with_population(domain.clone(), &table(&domain, &[300; 4])).unwrap();
    let votes = table(&domain, &[150, 140, 160, 150]);
    let release = |target| {
        let policy = DisclosureRule::new(0, 0.05, 20, Scope::All).unwrap();
        let problem = ReleaseProblem::new(background.clone(), policy, target, Limits::default());
        plan(&request_margin(problem, &[&[0, 1]])).unwrap().release(&votes, &mut rng())
    };
    assert!(release(DisclosureTarget::Certified).unwrap().1.is_certified());
    let axes = plan(&request_margin(problem, &[&[0], &[1]])).unwrap();
    assert!(axes.release(&votes, &mut rng()).is_ok(), "ambiguous profiles are not disclosed");
    let policy = DisclosureRule::new(0, 0.05, 20, Scope::All).unwrap();
    let strict = request_margin(
        ReleaseProblem::new(background.clone(), policy, DisclosureTarget::Certified, Limits::default()),
        &[&[0], &[1]],
    );
    let refused = plan(&strict).unwrap().release(&votes, &mut rng()).unwrap_err();
    assert_eq!(refused, Error::TargetMissed { disclosed: 0, undecided: 4 });
}

#[test]
fn candidates_are_one_problem() {
    let domain = Domain::of_cardinalities(&[2, 2, 3]).unwrap();
    let error = &json("frechet/paper_errors2.json")["E37_multicandidate"];
    let profiles = Domain::of_cardinalities(&[2, 2]).unwrap();
    let people = table(&profiles, &counts(&error["N"]));
    let votes = table(&domain, &counts(&error["X_cell_by_candidate"]));
    let background = Knowledge::with_responses(domain.clone(), 2, &people).unwrap();
    let policy = DisclosureRule::new(0, 0.05, 5, Scope::All).unwrap();
    let problem = ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default());
    let problem = request_margin(problem, &[&[0, 2], &[1, 2], &[2]]).decide_on_counts(&votes).unwrap();
    let plan = plan(&problem).unwrap();
    let exact = |place: usize| plan.actions()[place].treatment == Treatment::Exact;
    assert!(!(exact(0) && exact(1)), "both margins together pin a cell: {}", plan.explain());
    let (_, audit) = plan.release(&votes, &mut rng()).unwrap();
    assert_eq!(audit.count(DisclosureStatus::Disclosed), 0);
}

#[test]
fn words_and_debug_show_no_count() {
    let (domain, problem) = problem(&[3], &[400_000, 350_000, 10], 0.05, 20);
    let votes = table(&domain, &[212_121, 171_717, 4]);
    let problem = request_margin(problem, &[&[], &[0]]).allow_noise(noise(1.0));
    let planned = plan(&problem).unwrap();
    let shown = format!(
        "{problem:?} {planned:?} {} {:?}",
        planned.explain(),
        planned.clone().release(&votes, &mut rng()).unwrap().0
    );
    assert!(!shown.contains("212121") && !shown.contains("171717") && !shown.contains("383842"), "{shown}");
}

/// A problem, its table, and what may be done: bits 1 merge, 2 suppress, 4 noise, 8 decide on the
/// counts.
fn drawn(cells: &[(u64, f64)], kappa: u64, flags: u8) -> (ReleaseProblem, ContingencyTable) {
    let people: Vec<u64> = cells.iter().map(|&(people, _)| people).collect();
    let counts: Vec<u64> = cells.iter().map(|&(people, rate)| (people as f64 * rate).round() as u64).collect();
    let (domain, mut problem) = problem(&[2, 3, 2], &people, 0.05, kappa);
    problem = request_margin(problem, &[&[0, 1], &[2], &[1]]);
    let votes = table(&domain, &counts);
    if flags & 1 > 0 {
        problem = problem.allow_merging();
    }
    if flags & 2 > 0 {
        problem = problem.allow_suppression();
    }
    if flags & 4 > 0 {
        problem = problem.allow_noise(noise(0.7));
    }
    if flags & 8 > 0 {
        problem = problem.decide_on_counts(&votes).unwrap();
    }
    (problem, votes)
}

#[test]
fn every_treatment_goes_out_sometimes() {
    let (mut seen, mut released) = ([0; 5], 0);
    for trial in 0..64_u64 {
        let mix = |place: u64| (trial * 12 + place + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
        let cells: Vec<(u64, f64)> = (0..12).map(|i| (mix(i) % 18, (mix(i + 99) % 21) as f64 / 20.0)).collect();
        let (problem, votes) = drawn(&cells, [12, 25, 45, 130][(trial / 16) as usize], (trial % 16) as u8);
        let Ok(planned) = plan(&problem) else { continue };
        let treatments: Vec<Treatment> = planned.actions().iter().map(|action| action.treatment).collect();
        if planned.release(&votes, &mut rng()).is_ok() {
            released += 1;
            treatments.iter().for_each(|&treatment| seen[treatment as usize] += 1);
        }
    }
    assert!(released > 30 && seen.iter().all(|&times| times > 0), "{released} {seen:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_goes_out_never_discloses_a_class(
        cells in proptest::collection::vec((0_u64..18, 0.0_f64..1.0), 12), kappa in 2_u64..90, flags in 0_u8..16,
    ) {
        let (problem, votes) = drawn(&cells, kappa, flags);
        let Ok(planned) = plan(&problem) else { return Ok(()) };
        for statistic in planned.actions().iter().filter_map(|action| action.margin.as_ref()) {
            for (axis, cut) in statistic.axes.iter().zip(&statistic.recodings) {
                let mut levels: Vec<usize> = cut.groups().iter().flat_map(|group| group.levels.clone()).collect();
                levels.sort_unstable();
                prop_assert_eq!(levels, (0..[2, 3, 2][*axis]).collect::<Vec<usize>>(), "an antichain that covers all");
            }
        }
        let schedule = planned.schedule().cloned();
        match planned.release(&votes, &mut rng()) {
            Ok((published, audit)) => {
                let bad = [DisclosureStatus::Disclosed, DisclosureStatus::Unknown].map(|status| audit.count(status));
                prop_assert_eq!(bad, [0, 0]);
                let cells = published.margins.iter().flat_map(|margin| &margin.cells);
                let noised = cells.filter(|cell| cell.status == CellStatus::Noised).count();
                prop_assert_eq!(noised, schedule.as_ref().map_or(0, |schedule| schedule.cells.len()));
                prop_assert!(schedule.is_none_or(|s| s.statement.epsilon <= 0.7 && s.gap < 1e-3));
            }
            // Decided on the counts, what was planned goes out.
            Err(error) => prop_assert!(flags & 8 == 0 && matches!(error, Error::TargetMissed { .. }), "{error}"),
        }
    }
}
