//! Tables that could be: against certified optima, and the laws of the draws.

use crate::support::{assert_all_close, channels, number, numbers};
use ldp_pmdh::Channel;
use ldp_pmdh::derived::chi_square_at_least;
use ldp_pmdh::estimate::{Covariance, Population, cells_from_reports, reports_from_cells, truth_from_counts};
use ldp_pmdh::feasible::{
    FitLimits, Gibbs, feasible_draw, frechet_pair, least_squares, maximum_likelihood, normal_draw, project_on_simplex,
    project_weighted,
};
use privacy_core::rng::SimRng;
use privacy_core::subsets::zeta_over_supersets;
use proptest::prelude::*;
use testkit::fixtures::json;

#[test]
fn projections_and_maximum_likelihood_are_the_certified_ones() {
    let golden = json("ldp/project.json");
    for (i, case) in golden["cases"].as_array().unwrap().iter().enumerate() {
        let (channels, reports) = (channels(case), numbers(&case["h"]));
        let mut cells = reports.clone();
        cells_from_reports(&channels, &mut cells);
        assert_all_close(&cells, &numbers(&case["raw_inverse"]), 1e-11, "raw");
        project_on_simplex(&mut cells, reports.iter().sum());
        assert_all_close(&cells, &numbers(&case["norm_sub_L2_simplex"]), 1e-11, "norm-sub");
        reports_from_cells(&channels, &mut cells);
        assert_all_close(&cells, &numbers(&case["gls_weights_w=A*norm_sub"]), 1e-11, "weights");

        let limits = FitLimits { gap: 1e-12, ..FitLimits::default() };
        let nearest = least_squares(&channels, &reports, &limits);
        assert!(nearest.gap < 1e-10, "case {i}: gap {} after {}", nearest.gap, nearest.iterations);
        assert_all_close(&nearest.cells, &numbers(&case["gls_simplex"]), 1e-6, "least squares");
        assert!((nearest.objective - number(&case["gls_objective"])).abs() < 1e-9);

        let likeliest = maximum_likelihood(&channels, &reports, &limits);
        assert!(likeliest.gap < 1e-9, "case {i}: gap {} after {}", likeliest.gap, likeliest.iterations);
        assert!((likeliest.objective - number(&case["mle_loglik"])).abs() < 1e-8, "{}", likeliest.objective);
        assert_all_close(&likeliest.cells, &numbers(&case["mle"]), 1e-6, "likelihood");
        assert!(likeliest.iterations < 1000, "{}", likeliest.iterations);
    }
}

#[test]
fn an_estimate_that_could_be_is_its_own_best_table() {
    let channels = [Channel::new(0.1, 0.8).unwrap(); 2];
    let mut reports = [400.0, 100.0, 200.0, 300.0];
    reports_from_cells(&channels, &mut reports);
    for table in [
        least_squares(&channels, &reports, &FitLimits::default()),
        maximum_likelihood(&channels, &reports, &FitLimits::default()),
    ] {
        assert_all_close(&table.cells, &[400.0, 100.0, 200.0, 300.0], 1e-9, "cells");
    }
    assert!(maximum_likelihood(&channels, &[0.0; 4], &FitLimits::default()).cells.iter().all(|&cell| cell == 0.0));
    // Without noise the reports are the table, also where nobody is.
    let exact = [Channel::new(0.0, 1.0).unwrap(); 2];
    assert_eq!(least_squares(&exact, &[3.0, 0.0, 0.0, 4.0], &FitLimits::default()).cells, [3.0, 0.0, 0.0, 4.0]);
}

#[test]
fn pairs_keep_within_what_their_margins_allow() {
    assert_eq!(frechet_pair(100.0, [-5.0, 50.0, -4.0]), [0.0, 50.0, 0.0]);
    assert_eq!(frechet_pair(100.0, [105.0, 50.0, 51.0]), [100.0, 50.0, 50.0]);
    assert_eq!(frechet_pair(100.0, [110.0, 50.0, 40.0]), [100.0, 50.0, 50.0]);
    assert_eq!(frechet_pair(100.0, [110.0, -5.0, 40.0]), [100.0, 0.0, 0.0]);
    assert_eq!(frechet_pair(100.0, [80.0, 70.0, 12.0]), [80.0, 70.0, 50.0]);
    assert_eq!(frechet_pair(100.0, [80.0, 70.0, 75.0]), [80.0, 70.0, 70.0]);
    assert_eq!(frechet_pair(100.0, [40.0, 30.0, -12.0]), [40.0, 30.0, 0.0]);
    assert_eq!(frechet_pair(100.0, [40.0, 30.0, 12.0]), [40.0, 30.0, 12.0]);
}

proptest! {
    #[test]
    fn a_projection_is_feasible_and_no_feasible_table_is_nearer(
        cells in prop::collection::vec(-50.0..100.0_f64, 2..12),
        weights in prop::collection::vec(0.1..10.0_f64, 12),
        other in prop::collection::vec(0.0..1.0_f64, 12),
        total in 1.0..500.0_f64,
    ) {
        let weights = &weights[..cells.len()];
        let mut nearest = cells.clone();
        project_weighted(&mut nearest, weights, total);
        prop_assert!(nearest.iter().all(|&cell| cell >= 0.0));
        prop_assert!((nearest.iter().sum::<f64>() - total).abs() < 1e-9 * total);
        let sum: f64 = other[..cells.len()].iter().sum::<f64>().max(1e-9);
        let distance = |table: &mut dyn Iterator<Item = f64>| -> f64 {
            table.zip(&cells).zip(weights).map(|((x, v), w)| (x - v) * (x - v) / w).sum()
        };
        let theirs = distance(&mut other[..cells.len()].iter().map(|share| share / sum * total));
        prop_assert!(distance(&mut nearest.iter().copied()) <= theirs * (1.0 + 1e-9) + 1e-9);
    }
}

/// Sums of squares of centred draws over their variance, for one column, the other and both.
fn scaled_squares(draws: u64, channels: &[Channel], reports: &[u64]) -> [f64; 3] {
    let mut truth: Vec<f64> = reports.iter().map(|&h| h as f64).collect();
    zeta_over_supersets(&mut truth);
    truth_from_counts(channels, &mut truth);
    let covariance = Covariance::new(channels, &truth, Population::Super, 1e6).unwrap();
    let mut sums = [0.0; 3];
    for trial in 0..draws {
        let mut drawn = normal_draw(channels, reports, &mut SimRng::for_trial(5, "normal draws", trial));
        zeta_over_supersets(&mut drawn);
        assert!((drawn[0] - truth[0]).abs() < 1e-9 * truth[0], "the number of people is known");
        for (set, sum) in sums.iter_mut().enumerate() {
            *sum += (drawn[set + 1] - truth[set + 1]).powi(2) / covariance.variance(set + 1);
        }
    }
    sums
}

#[test]
fn normal_draws_have_the_covariance_of_the_super_population() {
    // Exactly chi-square with as many degrees of freedom as draws, by linearity.
    let (channels, reports, draws) = ([Channel::new(0.1, 0.8).unwrap(); 2], [300, 120, 180, 400], 4000);
    for sum in scaled_squares(draws, &channels, &reports) {
        let tail = chi_square_at_least(draws, sum);
        assert!((1e-9..=1.0 - 1e-9).contains(&tail), "{tail}");
        // A variance off by a fifth is seen.
        assert!(chi_square_at_least(draws, 1.2 * sum) < 1e-9 && chi_square_at_least(draws, sum / 1.2) > 1.0 - 1e-9);
    }
    let drawn = feasible_draw(&channels, &[2, 0, 0, 1], &mut SimRng::for_trial(5, "feasible", 0));
    assert!(drawn.iter().all(|&cell| cell >= 0.0) && (drawn.iter().sum::<f64>() - 3.0).abs() < 1e-12);
}

#[test]
fn the_gibbs_sampler_has_the_posterior_mean_of_one_column() {
    // One column: the posterior is known up to a factor, its mean and variance by quadrature.
    let (channel, reports) = (Channel::new(0.1, 0.8).unwrap(), [130_u64, 70]);
    let density = |share: f64| {
        let g = channel.report_probability(share);
        (70.0 * g.ln() + 130.0 * (1.0 - g).ln() + 127.0).exp()
    };
    let points: Vec<f64> = (0..100_000).map(|i| (f64::from(i) + 0.5) / 100_000.0).collect();
    let mass: f64 = points.iter().map(|&x| density(x)).sum();
    let mean = points.iter().map(|&x| x * density(x)).sum::<f64>() / mass;
    let sd = (points.iter().map(|&x| (x - mean).powi(2) * density(x)).sum::<f64>() / mass).sqrt();
    let channels = [channel];
    let mut gibbs = Gibbs::new(&channels, &reports, 1.0);
    let mut rng = SimRng::for_trial(3, "gibbs", 0);
    let (sweeps, burn_in) = (40_000_usize, 500);
    let drawn: Vec<f64> = (0..sweeps + burn_in).map(|_| gibbs.sweep(&mut rng)[1]).skip(burn_in).collect();
    let average = drawn.iter().sum::<f64>() / sweeps as f64;
    // The chain forgets within a few sweeps; 20 of them for one independent draw is generous, and
    // 6.1 sd is 1e-9.
    let error = 6.1 * sd * (20.0 / sweeps as f64).sqrt();
    assert!((average - mean).abs() < error, "{average} for {mean}, error {error}");
    assert!(error < 0.2 * sd, "the sample is large enough to mean something");
    let spread = (drawn.iter().map(|x| (x - average).powi(2)).sum::<f64>() / sweeps as f64).sqrt();
    assert!((spread / sd - 1.0).abs() < 0.15, "{spread} for {sd}");
}
