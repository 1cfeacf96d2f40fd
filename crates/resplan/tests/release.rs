//! The release path: what is measured, what follows from it, and what is refused.

use privacy_core::accounting::PrivacyCost;
use privacy_core::noise::Rational;
use privacy_core::param::StdDev;
use privacy_core::table::{CountError, TableSource};
use privacy_core::{AttrSet, Attribute, ContingencyTable, CountSource, Domain, Provenance};
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use resplan::{Error, ExactNoise, Measured, Neighbours, NormOrder, Objective, Plan, PlanLimits, PlanSpec, Workload};
use testkit::law::{assert_law, refute_law};

fn spec(domain: Domain, workload: Workload) -> PlanSpec {
    PlanSpec::new(domain, workload, cost(1.0))
}

fn cost(pcost: f64) -> PrivacyCost {
    PrivacyCost::new(pcost).unwrap()
}

fn plan(spec: PlanSpec) -> Plan {
    Plan::new(spec, &PlanLimits::default()).unwrap()
}

/// Counts that differ from cell to cell.
fn source(sizes: &[usize]) -> TableSource {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let cells = sizes.iter().product::<usize>() as u64;
    TableSource::new(domain, (0..cells).map(|i| (i * i * 7 + 3 * i) % 101).collect()).unwrap()
}

fn release(source: &TableSource, workload: Workload, seed: u8) -> Measured<ExactNoise> {
    let plan = plan(spec(source.domain().clone(), workload));
    plan.measure(source, &mut ChaCha20Rng::from_seed([seed; 32])).unwrap() // tests only
}

/// Values of a marginal, summed over the attributes that are not in `set`.
fn summed(measured: &Measured<ExactNoise>, from: AttrSet, set: AttrSet) -> Vec<f64> {
    let mut values = measured.marginal(from).unwrap().values;
    for attribute in from.minus(set).iter().collect::<Vec<_>>().into_iter().rev() {
        values = values.sum_axis(ndarray::Axis(from.axis_of(attribute).unwrap()));
    }
    values.iter().copied().collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    /// Sizes of 1 among them: they must not turn anything into NaN.
    #[test]
    fn every_marginal_adds_up_to_each_of_its_marginals(
        sizes in proptest::collection::vec(1_usize..5, 1..5), order in 1_usize..4, seed: u8,
    ) {
        let source = source(&sizes);
        let measured = release(&source, Workload::UpTo(order), seed);
        for from in measured.marginals() {
            prop_assert!(from.values.iter().all(|v| v.is_finite()) && from.variances.max().is_finite());
            for set in from.attributes.subsets() {
                let (sums, direct) = (summed(&measured, from.attributes, set), measured.marginal(set).unwrap());
                for (sum, value) in sums.iter().zip(&direct.values) {
                    prop_assert!((sum - value).abs() <= 1e-9 * (1.0 + value.abs()), "{sum} for {value}");
                }
            }
        }
    }

    #[test]
    fn a_plan_never_costs_more_than_its_budget_and_uses_nearly_all_of_it(
        sizes in proptest::collection::vec(1_usize..9, 1..5), order in 1_usize..4, pcost in 1e-6_f64..1e4,
        replace: bool, rows_per_person in 1_u32..9,
    ) {
        let domain = Domain::of_cardinalities(&sizes).unwrap();
        let neighbours = if replace { Neighbours::Replace } else { Neighbours::AddRemove };
        let free = replace && sizes.iter().all(|&k| k == 1);
        let spec = PlanSpec { budget: cost(pcost), neighbours, rows_per_person, ..spec(domain, Workload::UpTo(order)) };
        let plan = plan(spec);
        prop_assert!(plan.pcost().get() <= pcost);
        prop_assert!(free || plan.pcost().get() >= pcost * (1.0 - 1e-8), "{} of {pcost}", plan.pcost().get());
    }
}

/// The law of a release, exactly: with one attribute of two categories, 4 (cell 0) = 2 (total +
/// N) + (d + n0 - n1), N, n0 and n1 discrete Gaussians, d twice the difference of the counts.
#[test]
fn released_noise_has_exactly_the_planned_law_and_ten_percent_less_is_caught() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let (counts, samples) = ([40_u64, 25], 250_000_u64);
    let source = TableSource::new(domain.clone(), counts.to_vec()).unwrap();
    let plan = plan(spec(domain, Workload::from_sets([AttrSet::single(0)])));
    let sigma2: Vec<f64> = plan.residuals().map(|(_, sigma2)| sigma2.to_f64()).collect();
    let mut rng = ChaCha20Rng::from_seed([3; 32]); // tests only
    let errors: Vec<i64> = (0..samples)
        .map(|_| {
            let cell =
                plan.duplicate().measure(&source, &mut rng).unwrap().marginal(AttrSet::single(0)).unwrap().values[0];
            let scaled = 4.0 * (cell - counts[0] as f64);
            assert!((scaled - scaled.round()).abs() < 1e-9, "integers until the end");
            scaled.round() as i64
        })
        .collect();
    let law = convolution(sigma2[0], 4.0 * sigma2[1]);
    assert_law(&errors, |x| law.get((x + REACH) as usize).copied().unwrap_or(0.0));
    let too_little = convolution(sigma2[0] * 0.9, 4.0 * sigma2[1] * 0.9);
    refute_law(&errors, |x| too_little.get((x + REACH) as usize).copied().unwrap_or(0.0));
}

const REACH: i64 = 400;

/// The law of 2 N + n0 - n1 on -REACH..=REACH, by summing over all values.
fn convolution(total: f64, difference: f64) -> Vec<f64> {
    let gaussian = |sigma2: f64| {
        let weight = move |x: i64| (-((x * x) as f64) / (2.0 * sigma2)).exp();
        let sum: f64 = (-REACH..=REACH).map(weight).sum();
        move |x: i64| weight(x) / sum
    };
    let (total, single) = (gaussian(total), gaussian(difference));
    let mut pair = vec![0.0; 2 * REACH as usize + 1];
    for a in -100..=100_i64 {
        for b in -100..=100_i64 {
            pair[(a - b + REACH) as usize] += single(a) * single(b);
        }
    }
    let mut law = vec![0.0; pair.len()];
    for n in -100..=100_i64 {
        for (i, &p) in pair.iter().enumerate() {
            if let Some(cell) = law.get_mut((i as i64 + 2 * n) as usize) {
                *cell += total(n) * p;
            }
        }
    }
    law
}

#[test]
fn one_seed_gives_one_release_at_any_thread_count() {
    let source = source(&[17, 60, 90, 3]);
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let values = pool.install(|| release(&source, Workload::UpTo(3), 9).marginals());
        values.iter().flat_map(|m| m.values.iter().map(|v| v.to_bits())).collect::<Vec<u64>>()
    };
    let one = bits(1);
    assert!([2, 3, 8, 64].into_iter().all(|threads| bits(threads) == one));
    let simulated = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let plan = plan(spec(source.domain().clone(), Workload::UpTo(3)));
        let values = pool.install(|| plan.simulate(&source, 1, 2).unwrap().marginals());
        values.iter().flat_map(|m| m.values.iter().map(|v| v.to_bits())).collect::<Vec<u64>>()
    };
    let one = simulated(1);
    assert!(simulated(3) == one && simulated(64) == one);
}

#[test]
fn a_seeded_release_is_pinned() {
    let measured = release(&source(&[2, 3]), Workload::UpTo(2), 1);
    let total = measured.marginal(AttrSet::EMPTY).unwrap().values.sum();
    let corner = measured.marginal(AttrSet::first(2)).unwrap().values[[1, 2]];
    // A change of these belongs in the changelog under Numbers.
    assert_eq!((total, corner), (228.0, 90.583_333_333_333_33));
}

/// A peer keys its matrices by domain size, so that two attributes of one size share what should
/// differ.
#[test]
fn attributes_of_equal_size_keep_their_own_counts() {
    let domain = Domain::of_cardinalities(&[3, 3]).unwrap();
    let counts = vec![1_000_000, 0, 0, 0, 0, 0, 2_000_000, 0, 0];
    let source = TableSource::new(domain, counts).unwrap();
    let measured = release(&source, Workload::UpTo(1), 5);
    let rounded = |a| {
        measured
            .marginal(AttrSet::single(a))
            .unwrap()
            .values
            .mapv(|v: f64| (v / 1e6).round() + 0.0)
            .into_raw_vec_and_offset()
            .0
    };
    assert_eq!(rounded(0), [1.0, 0.0, 2.0]);
    assert_eq!(rounded(1), [3.0, 0.0, 0.0]);
}

/// A peer reads (1, 0) with the factors of (0, 1); here a set has one order.
#[test]
fn the_order_in_which_a_set_is_named_does_not_matter() {
    let domain = Domain::of_cardinalities(&[2, 5]).unwrap();
    assert_eq!(domain.set_of(&["a1", "a0"]).unwrap(), domain.set_of(&["a0", "a1"]).unwrap());
    let measured = release(&source(&[2, 5]), Workload::from_sets([domain.set_of(&["a1", "a0"]).unwrap()]), 1);
    assert_eq!(measured.marginals()[0].values.shape(), [2, 5]);
}

#[test]
fn only_the_closure_can_be_answered() {
    let measured = release(&source(&[2, 3, 4]), Workload::from_sets([AttrSet::first(2)]), 1);
    assert!(measured.marginal(AttrSet::single(1)).is_ok());
    for outside in [AttrSet::single(2), AttrSet::first(3), AttrSet::single(77)] {
        assert!(matches!(measured.marginal(outside), Err(Error::NotMeasured { .. })));
    }
}

#[test]
fn a_domain_learnt_from_the_data_is_refused_until_it_is_declared_public() {
    let source = source(&[2, 3]);
    let domain = source.domain().clone().with_provenance(Provenance::LearntFromData);
    let measure =
        |domain: Domain| plan(spec(domain, Workload::UpTo(1))).measure(&source, &mut ChaCha20Rng::from_seed([1; 32]));
    assert!(matches!(measure(domain.clone()), Err(Error::DomainLearntFromData)));
    assert!(measure(domain.with_provenance(Provenance::Public)).is_ok());
}

#[test]
fn a_plan_for_another_domain_is_refused() {
    let other =
        Domain::new(vec![Attribute::new("sex", ["f", "m"]).unwrap(), Attribute::codes("a1", 3).unwrap()]).unwrap();
    let measured = plan(spec(other, Workload::UpTo(1))).measure(&source(&[2, 3]), &mut ChaCha20Rng::from_seed([1; 32]));
    assert!(matches!(measured, Err(Error::DomainMismatch)));
}

#[test]
fn budgets_that_are_none_are_refused() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let nobody = PlanSpec { rows_per_person: 0, ..spec(domain.clone(), Workload::UpTo(1)) };
    assert!(matches!(Plan::new(nobody, &PlanLimits::default()), Err(Error::BadContribution)));
    let tiny = PlanSpec { budget: cost(1e-40), ..spec(domain, Workload::UpTo(1)) };
    assert!(matches!(Plan::new(tiny, &PlanLimits::default()), Err(Error::NoiseOutOfRange(_))));
}

/// Costs and variances recomputed from the definition, without the plan's own formulas.
#[test]
fn a_person_of_m_rows_is_paid_for_m_squared_times() {
    let plan_for = |rows_per_person| {
        let domain = Domain::of_cardinalities(&[2, 3, 5]).unwrap();
        plan(PlanSpec { rows_per_person, ..spec(domain, Workload::UpTo(2)) })
    };
    let one: Vec<f64> = plan_for(1).residuals().map(|(_, sigma2)| sigma2.to_f64()).collect();
    for m in [1_u32, 2, 7, 1000] {
        let (plan, squared) = (plan_for(m), f64::from(m).powi(2));
        for ((_, sigma2), one) in plan.residuals().zip(&one) {
            assert!((sigma2.to_f64() / (squared * one) - 1.0).abs() < 1e-8, "{m} rows");
        }
        let p = |set: AttrSet| set.iter().map(|a| 1.0 - 1.0 / [2.0, 3.0, 5.0][a]).product::<f64>();
        let cost: f64 = plan.residuals().map(|(set, sigma2)| squared * p(set) / sigma2.to_f64()).sum();
        assert!((cost - plan.pcost().get()).abs() < 1e-12 && cost <= 1.0 && cost > 1.0 - 1e-8, "{m} rows cost {cost}");
    }
}

#[test]
fn the_least_budget_for_an_error_gives_that_error_and_no_better() {
    for (objective, neighbours) in [
        (Objective::SumVariance, Neighbours::AddRemove),
        (Objective::MaxVariance, Neighbours::AddRemove),
        (Objective::SumVariance, Neighbours::Replace),
    ] {
        let plan_at = |budget| {
            let domain = Domain::of_cardinalities(&[2, 3, 7]).unwrap();
            plan(PlanSpec { objective, neighbours, budget, ..spec(domain, Workload::UpTo(2)) })
        };
        let largest = |plan: &Plan| plan.marginals().map(|m| m.mean_variance.sqrt()).fold(0.0, f64::max);
        for target in [0.3, 2.0, 55.5] {
            let (first, sd) = (plan_at(cost(0.37)), StdDev::new(target).unwrap());
            let of_rmse = plan_at(first.cost_for_rmse(sd).unwrap()).rmse();
            assert!(of_rmse <= target && of_rmse > target * (1.0 - 1e-7), "{objective:?}: {of_rmse} for {target}");
            let of_largest = largest(&plan_at(first.cost_for_largest_sd(sd).unwrap()));
            assert!(of_largest <= target && of_largest > target * (1.0 - 1e-7), "{objective:?}: {of_largest}");
        }
    }
}

/// Who comes may have more rows than who goes: the total is not public then.
#[test]
fn replacing_a_person_of_several_rows_leaves_no_total_exact() {
    let source = source(&[2, 3]);
    let several = PlanSpec {
        neighbours: Neighbours::Replace,
        rows_per_person: 2,
        ..spec(source.domain().clone(), Workload::UpTo(2))
    };
    let plan = plan(several);
    assert!(plan.residuals().all(|(_, sigma2)| !sigma2.is_zero()));
    assert!(plan.mean_variance(AttrSet::EMPTY).unwrap() > 0.0 && plan.pcost().get() <= 1.0);
}

#[test]
fn budgets_and_weights_at_the_ends_of_the_numbers_end_in_an_error() {
    let domain = || Domain::of_cardinalities(&[2]).unwrap();
    let norm = Objective::NormVariance(NormOrder::new(64.0).unwrap());
    for objective in [Objective::SumVariance, Objective::MaxVariance, norm] {
        let of = |weight, pcost| {
            let workload = Workload::Sets(vec![(AttrSet::EMPTY, weight), (AttrSet::single(0), 1.0)]);
            Plan::new(PlanSpec { objective, budget: cost(pcost), ..spec(domain(), workload) }, &PlanLimits::default())
        };
        for (weight, pcost) in [(1e-300, 1e308), (1e300, 1e-300), (1e308, 1.0), (1.0, 1e308), (1.0, 1e-307)] {
            match of(weight, pcost) {
                Err(Error::NoiseOutOfRange(_) | Error::BudgetOutOfRange { .. }) => {}
                // A norm may make little of a weight; what it returns is a whole plan.
                Ok(plan) if objective != Objective::SumVariance && pcost == 1.0 => {
                    assert!(plan.pcost().get() <= 1.0 && plan.residuals().len() == 2);
                    assert!(plan.residuals().all(|(_, sigma2)| !sigma2.is_zero()));
                }
                other => panic!("{objective:?} {weight} {pcost}: {other:?}"),
            }
        }
        assert!(of(1e-6, 1e6).is_ok() && of(1e6, 1e-6).is_ok());
    }
}

/// A source over a larger domain, or one that forgets a table, must not get as far as the noise.
#[test]
fn a_source_that_answers_something_else_is_refused() {
    struct Liar(TableSource, TableSource, usize);
    impl CountSource for Liar {
        fn domain(&self) -> &Domain {
            self.0.domain()
        }
        fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
            self.1.marginals(&sets[..sets.len().min(self.2)])
        }
    }
    let measure = |larger: &[usize], answers| {
        let source = Liar(source(&[2, 3]), source(larger), answers);
        let plan = plan(spec(source.domain().clone(), Workload::UpTo(2)));
        plan.measure(&source, &mut ChaCha20Rng::from_seed([1; 32]))
    };
    assert!(matches!(measure(&[4, 3], 9), Err(Error::WrongTable { .. })));
    assert!(matches!(measure(&[2, 3], 0), Err(Error::WrongTable { .. })));
    assert!(measure(&[2, 3], 9).is_ok());
}

/// The total is the same for neighbours that replace a row: it goes out exactly, and costs
/// nothing.
#[test]
fn replacing_a_row_leaves_the_total_exact() {
    let source = source(&[2, 3]);
    let spec = PlanSpec { neighbours: Neighbours::Replace, ..spec(source.domain().clone(), Workload::UpTo(2)) };
    let plan = plan(spec);
    assert_eq!(plan.residuals().next().unwrap(), (AttrSet::EMPTY, Rational::ZERO));
    let measured = plan.measure(&source, &mut ChaCha20Rng::from_seed([1; 32])).unwrap();
    let total = measured.marginal(AttrSet::EMPTY).unwrap();
    assert_eq!(
        (total.values.sum(), total.variances.mean()),
        (source.marginals(&[AttrSet::EMPTY]).unwrap()[0].total() as f64, 0.0)
    );
}

#[test]
fn debug_shows_no_count() {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let source = TableSource::new(domain, vec![424_242, 515_151]).unwrap();
    let shown = format!("{:?}", release(&source, Workload::UpTo(1), 1));
    assert!(!shown.contains("4242") && !shown.contains("5151"), "{shown}");
}

/// What is drawn, and so how long drawing takes, does not depend on the counts: two tables under
/// one stream differ by exactly what their counts differ by.
#[test]
fn noise_is_the_same_whatever_is_counted() {
    let empty = TableSource::new(Domain::of_cardinalities(&[3, 4, 2]).unwrap(), vec![0; 24]).unwrap();
    let full = source(&[3, 4, 2]);
    let of_full = release(&full, Workload::UpTo(2), 9);
    let (of_empty, of_other_stream) = (release(&empty, Workload::UpTo(2), 9), release(&empty, Workload::UpTo(2), 10));
    assert!(largest_difference(&of_full, &of_empty, &full) < 1e-8);
    assert!(largest_difference(&of_full, &of_other_stream, &full) > 0.1);
}

/// How far two releases are from differing by the counts of `full`.
fn largest_difference(of_full: &Measured<ExactNoise>, of_empty: &Measured<ExactNoise>, full: &TableSource) -> f64 {
    let mut largest = 0.0_f64;
    for marginal in of_full.marginals() {
        let counted = full.marginals(&[marginal.attributes]).unwrap().remove(0);
        let drawn = of_empty.marginal(marginal.attributes).unwrap().values;
        for ((value, noise), &count) in marginal.values.iter().zip(&drawn).zip(counted.cells()) {
            largest = largest.max((value - noise - count as f64).abs());
        }
    }
    largest
}
