//! Attackers on labels: the curve over rows, by what takes part.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use label_attack::{AttackLimits, Evidence, Features, LabelRelease, LabelView, LabelWorld, Population, attack_labels};
use privacy_core::rng::SimRng;

fn view(rows: usize, columns: usize) -> LabelView {
    let population = Population::new(rows, Features::uniform(&vec![4; columns]), &[1.0, 1.0]).expect("a population");
    let mut rng = SimRng::for_trial(26, "bench", rows as u64);
    let world = LabelWorld::draw(&population, &mut rng);
    LabelView::of(&world, &LabelRelease::new(3, 2).expect("small parameters"), &AttackLimits::default(), &mut rng)
        .expect("within limits")
}

fn attack(c: &mut Criterion) {
    let squares = AttackLimits { sweep_cost: 0, visits: 0, exact_entries: 0, ..AttackLimits::default() };
    let propagation = AttackLimits { visits: 0, exact_entries: 0, ..AttackLimits::default() };
    let mut group = c.benchmark_group("attack");
    group.sample_size(10);
    for (rows, columns) in [(150, 4), (500, 5), (2_000, 6)] {
        let view = view(rows, columns);
        for (name, limits) in
            [("least-squares", &squares), ("and-propagation", &propagation), ("portfolio", &AttackLimits::default())]
        {
            group.bench_with_input(
                BenchmarkId::new(name, format!("rows={rows}/columns={columns}")),
                &view,
                |b, view| {
                    b.iter(|| attack_labels(view, Evidence::Released, limits, &mut SimRng::for_trial(1, "attack", 0)));
                },
            );
        }
    }
    group.finish();
}

criterion_group!(benches, attack);
criterion_main!(benches);
