//! The law of the noise in a release, and a slightly wrong law that must be caught.

use frechet_release::{
    AllocationLoss, DisclosureRule, DisclosureTarget, Knowledge, Limits, NoiseBudget, ReleasePlan, ReleaseProblem,
    Scope, plan,
};
use privacy_core::param::Epsilon;
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use testkit::{assert_law, refute_law};

fn noised_plan(epsilon: f64) -> (ReleasePlan, ContingencyTable) {
    let domain = Domain::of_cardinalities(&[64]).unwrap();
    let people = ContingencyTable::from_cells(&domain, domain.all(), vec![1; 64]).unwrap();
    let votes = ContingencyTable::from_cells(&domain, domain.all(), (0..64).map(|i| i % 2).collect()).unwrap();
    let background = Knowledge::with_population(domain, &people).unwrap();
    let policy = DisclosureRule::new(0, 0.1, 65, Scope::All).unwrap();
    let noise = NoiseBudget { epsilon: Epsilon::new(epsilon).unwrap(), delta: None, loss: AllocationLoss::Variance };
    let problem = ReleaseProblem::new(background, policy, DisclosureTarget::Undisclosed, Limits::default());
    let problem = problem.request_margin(AttrSet::single(0), 1.0).unwrap().allow_noise(noise);
    (plan(&problem).unwrap(), votes)
}

fn pmf(epsilon: f64) -> impl Fn(i64) -> f64 {
    let a = (-epsilon).exp();
    move |x| (1.0 - a) / (1.0 + a) * a.powi(i32::try_from(x.unsigned_abs().min(100_000)).unwrap())
}

#[test]
fn noise_is_discrete_laplace_of_the_scale_stated() {
    for epsilon in [0.5, 1.0] {
        let (planned, votes) = noised_plan(epsilon);
        let cell = planned.schedule().unwrap().cells[0];
        assert_eq!(
            (cell.epsilon, cell.scale),
            (epsilon, 1.0 / epsilon),
            "nothing exact: sensitivity 1, one cell a person"
        );
        let mut rng = ChaCha20Rng::from_seed([11; 32]);
        let mut samples = Vec::new();
        for _ in 0..3_000 {
            let (published, _) = planned.clone().release(&votes, &mut rng).unwrap();
            let cells = published.margins[0].cells.iter().zip(votes.cells());
            samples.extend(cells.map(|(cell, &count)| cell.value.unwrap() - i64::try_from(count).unwrap()));
        }
        assert_law(&samples, pmf(epsilon));
        refute_law(&samples, pmf(1.1 * epsilon));
        let variance = samples.iter().map(|&x| (x * x) as f64).sum::<f64>() / samples.len() as f64;
        assert!((variance / cell.variance - 1.0).abs() < 0.05, "{variance} for {}", cell.variance);
    }
}

#[test]
fn the_same_generator_gives_the_same_release() {
    let (planned, votes) = noised_plan(0.3);
    let release = |seed: u8| planned.clone().release(&votes, &mut ChaCha20Rng::from_seed([seed; 32])).unwrap().0;
    assert!(release(5) == release(5));
    assert!(release(5) != release(6));
}
