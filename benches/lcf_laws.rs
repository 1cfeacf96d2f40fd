//! Making a table of cut-offs, telling its odds, finding parameters: the curve over the mean of
//! the threshold.

use std::hint::black_box;
use std::num::NonZeroU32;

use criterion::{Criterion, criterion_group, criterion_main};
use lcf::{
    AdviceOptions, AdviceTarget, ClampedNormal, OddsTarget, OptimalSelection, PrivacyTarget, ThresholdTable, advise,
};
use privacy_core::param::{Delta, Epsilon, Probability, StdDev};

fn laws(c: &mut Criterion) {
    let sd = |mean: f64| StdDev::new(mean / 5.0).expect("above 0");
    for mean in [8.0, 80.0, 800.0] {
        let law = ClampedNormal::new(mean, sd(mean), 2.0).expect("a law");
        c.bench_function(&format!("lcf/table/mean={mean}"), |b| b.iter(|| ThresholdTable::new(black_box(law))));
        let thresholds = ThresholdTable::new(law);
        c.bench_function(&format!("lcf/odds/mean={mean}"), |b| b.iter(|| black_box(&thresholds).odds()));
    }
    let (epsilon, delta) = (Epsilon::new(1.0).expect("above 0"), Delta::new(1e-5).expect("in range"));
    let optimal = OptimalSelection::new(epsilon, delta, NonZeroU32::MIN, 2).expect("a law");
    c.bench_function("lcf/table/optimal-selection", |b| b.iter(|| ThresholdTable::new(black_box(optimal))));
}

fn advice(c: &mut Criterion) {
    let probability = |p| Probability::new(p).expect("a probability");
    for certainty in [1e-2, 1e-4, 1e-6] {
        let mut target = AdviceTarget::new(2.0);
        target.odds = Some(OddsTarget { certainty: probability(certainty), posterior: probability(0.9) });
        c.bench_function(&format!("lcf/advise/certainty={certainty:e}"), |b| {
            b.iter(|| advise(black_box(&target), &AdviceOptions::default()));
        });
    }
    let mut target = AdviceTarget::new(1.0);
    let (epsilon, delta) = (Epsilon::new(1.0).expect("above 0"), Delta::new(1e-5).expect("in range"));
    target.privacy = Some(PrivacyTarget { epsilon, delta, groups_per_entity: NonZeroU32::MIN });
    c.bench_function("lcf/advise/epsilon=1", |b| b.iter(|| advise(black_box(&target), &AdviceOptions::default())));
}

criterion_group!(benches, laws, advice);
criterion_main!(benches);
