//! Planning, measuring and reconstructing: the cases of the published comparisons.

use benches::{ADULT, ADULT_ROWS, SEED, domain, skewed_rows};
use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use privacy_core::accounting::PrivacyCost;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use resplan::{Objective, Plan, PlanLimits, PlanSpec, QueryBasis, Strategy, Tilt, Workload};

fn plan(sizes: &[usize], workload: Workload) -> Plan {
    plan_for(Objective::SumVariance, sizes, workload)
}

fn plan_for(objective: Objective, sizes: &[usize], workload: Workload) -> Plan {
    let budget = PrivacyCost::new(1.0).expect("1 is a cost");
    let spec = PlanSpec { objective, ..PlanSpec::new(domain(sizes), workload, budget) };
    Plan::new(spec, &PlanLimits::unlimited()).expect("a plan within limits")
}

fn select(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resplan/select");
    group.sample_size(10);
    group.bench_function("adult/order=3", |bench| bench.iter(|| plan(&ADULT, Workload::Exactly(3))));
    for attributes in [10, 20, 50, 100] {
        let sizes = vec![10; attributes];
        group.bench_function(BenchmarkId::new("synth-10/order<=3", attributes), |bench| {
            bench.iter(|| plan(&sizes, Workload::UpTo(3)));
        });
        group.bench_function(BenchmarkId::new("synth-10/order<=3/max", attributes), |bench| {
            bench.iter(|| plan_for(Objective::MaxVariance, &sizes, Workload::UpTo(3)));
        });
    }
    group.finish();
}

/// One attribute of many categories beside a small one: the strategy is nearly all of the work.
fn strategies(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resplan/strategy");
    group.sample_size(10);
    for (name, basis) in [("prefix", QueryBasis::Prefix), ("range", QueryBasis::Range)] {
        for (size, what, strategy) in [
            (100, "automatic", Strategy::Automatic),
            (1000, "automatic", Strategy::Automatic),
            (1000, "tau=1", Strategy::Tilted(Tilt::new(1.0).expect("1 is a tilt"))),
        ] {
            let budget = PrivacyCost::new(1.0).expect("1 is a cost");
            let spec = PlanSpec {
                bases: vec![basis.clone(), QueryBasis::Identity],
                strategy,
                ..PlanSpec::new(domain(&[size, 5]), Workload::UpTo(2), budget)
            };
            group.bench_function(BenchmarkId::new(format!("{name}/{what}"), size), |bench| {
                bench.iter(|| Plan::new(spec.clone(), &PlanLimits::unlimited()).expect("a plan within limits"));
            });
        }
    }
    group.finish();
}

fn measure(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("resplan/adult/order=3");
    group.sample_size(10);
    let (rows, plan) = (skewed_rows(&ADULT, ADULT_ROWS), plan(&ADULT, Workload::Exactly(3)));
    group.bench_function("measure/continuous", |bench| {
        bench.iter_with_large_drop(|| plan.simulate(&rows, 1, 0).expect("simulated"));
    });
    group.bench_function("measure/exact", |bench| {
        let mut rng = ChaCha20Rng::from_seed(SEED);
        let measure = |plan: Plan| plan.measure(&rows, &mut rng).expect("measured");
        bench.iter_batched(|| plan.duplicate(), measure, BatchSize::PerIteration);
    });
    let measured = plan.simulate(&rows, 1, 0).expect("simulated");
    group.bench_function("reconstruct", |bench| bench.iter_with_large_drop(|| measured.marginals()));
    group.finish();
}

criterion_group!(benches, select, strategies, measure);
criterion_main!(benches);
