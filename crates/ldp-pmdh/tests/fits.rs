//! Draws and fits of tables against what is known of one step or of very many reports.

use crate::support::assert_all_close;
use ldp_pmdh::Channel;
use ldp_pmdh::estimate::{cells_from_reports, reports_from_cells};
use ldp_pmdh::feasible::{FitLimits, Gibbs, least_squares, maximum_likelihood, normal_draw};
use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;

fn channel(p: f64, q: f64) -> Channel {
    Channel::new(p, q).unwrap()
}

fn rng() -> SimRng {
    SimRng::for_trial(7, "fits", 0)
}

/// `P(report | row)`, bit by bit.
fn chance(channels: &[Channel], row: usize, report: usize) -> f64 {
    let of_bit = |(i, channel): (usize, &Channel)| {
        let one = if row >> i & 1 == 1 { channel.q() } else { channel.p() };
        if report >> i & 1 == 1 { one } else { 1.0 - one }
    };
    channels.iter().enumerate().map(of_bit).product()
}

/// With very many reports a sweep of the Gibbs sampler has no luck: it divides every kind of report
/// over the rows as Bayes' theorem does, and adds the prior.
#[test]
fn a_sweep_over_very_many_reports_is_bayes_theorem() {
    let reports = [4_000_000_000_u64, 1_000_000_000, 0, 2_500_000_000, 3_000_000_000, 0, 500_000_000, 900_000_000];
    let total: f64 = reports.iter().map(|&h| h as f64).sum();
    for channels in
        [[channel(0.2, 0.7), channel(0.05, 0.6), channel(0.3, 0.9)], [0.0, 0.0, 0.0].map(|p| channel(p, 1.0))]
    {
        let mut shares = vec![0.125; 8];
        for prior in [0.5, 1.0e9] {
            let mut gibbs = Gibbs::new(&channels, &reports, prior);
            shares.fill(0.125);
            for _ in 0..2 {
                let mut rows = [prior; 8];
                for (report, &count) in reports.iter().enumerate() {
                    let weight = |row: usize| shares[row] * chance(&channels, row, report);
                    let all: f64 = (0..8).map(weight).sum();
                    if count > 0 {
                        rows.iter_mut().enumerate().for_each(|(row, sum)| *sum += count as f64 * weight(row) / all);
                    }
                }
                shares = rows.iter().map(|row| row / (total + 8.0 * prior)).collect();
                let mut rng = rng();
                assert_all_close(gibbs.sweep(&mut rng), &shares, 1e-3, "shares");
            }
        }
    }
}

/// Section 7 of `docs/math/ldp-pmdh.md`, with normal numbers from the same generator: drawn where
/// there are reports.
#[test]
fn a_normal_draw_moves_reports_as_a_sample_of_people_does() {
    let (channels, reports) = ([channel(0.2, 0.7), channel(0.05, 0.6)], [40_u64, 0, 3, 70]);
    let n: f64 = 113.0;
    let mut same = rng();
    let xi = reports.map(|h| if h > 0 { sample_normal(&mut same) } else { 0.0 });
    let along: f64 = reports.iter().zip(xi).map(|(&h, xi)| (h as f64).sqrt() * xi).sum();
    let mut want: Vec<f64> = reports
        .iter()
        .zip(xi)
        .map(|(&h, xi)| {
            let h = h as f64;
            h + (n / (n - 1.0)).sqrt() * (h.sqrt() * xi - h * along / n)
        })
        .collect();
    cells_from_reports(&channels, &mut want);
    let got = normal_draw(&channels, &reports, &mut rng());
    assert_all_close(&got, &want, 1e-11, "cells");
    assert!((got.iter().sum::<f64>() - n).abs() < 1e-9, "as many people as there are");
    // One person leaves nothing to estimate a variance from.
    let mut alone = vec![0.0, 0.0, 1.0, 0.0];
    cells_from_reports(&channels, &mut alone);
    assert_all_close(&normal_draw(&channels, &[0, 0, 1, 0], &mut rng()), &alone, 1e-12, "one person");
}

fn sample_normal(rng: &mut SimRng) -> f64 {
    rand_distr::Distribution::sample(&rand_distr::StandardNormal, rng)
}

#[test]
fn a_prior_is_a_number_above_zero() {
    let channels = [channel(0.2, 0.7)];
    for prior in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        assert!(std::panic::catch_unwind(|| Gibbs::new(&channels, &[1, 2], prior)).is_err(), "{prior}");
    }
}

/// Reports of which the estimate has cells below 0: a fit has to search.
const CROWDED: [f64; 4] = [400.0, 10.0, 30.0, 20.0];

#[test]
fn a_fit_ends_by_its_limits_and_its_gap_bounds_the_rest() {
    let channels = [channel(0.2, 0.7), channel(0.05, 0.6)];
    let stop = StopFlag::new();
    stop.set();
    let exact = FitLimits { gap: 1e-11, ..FitLimits::default() };
    for (fit, sign) in [(least_squares as fn(&[Channel], &[f64], &FitLimits) -> _, 1.0), (maximum_likelihood, -1.0)] {
        let best = fit(&channels, &CROWDED, &exact);
        assert!(best.iterations > 3, "{}", best.iterations);
        for (limits, iterations) in [
            (FitLimits { gap: 0.0, iterations: 3, ..FitLimits::default() }, 3),
            (FitLimits { gap: 0.0, iterations: 0, ..FitLimits::default() }, 0),
            (FitLimits { gap: f64::INFINITY, ..FitLimits::default() }, 0),
            (FitLimits { gap: 0.0, stop: stop.clone(), ..FitLimits::default() }, 0),
        ] {
            let early = fit(&channels, &CROWDED, &limits);
            assert!(early.iterations <= iterations, "{limits:?}: {}", early.iterations);
            let lost = sign * (early.objective - best.objective);
            assert!((-1e-9..=early.gap + 1e-9).contains(&lost) && early.gap > 1e-6, "{limits:?}: {lost} {}", early.gap);
            let sum: f64 = early.cells.iter().sum();
            assert!(early.cells.iter().all(|&cell| cell >= 0.0) && (sum - 460.0).abs() < 1e-9, "{limits:?}");
        }
    }
}

/// The objectives, from their formulas at the table that is returned.
#[test]
fn objectives_are_those_of_the_tables() {
    let channels = [channel(0.2, 0.7), channel(0.05, 0.6)];
    let predicted = |cells: &[f64]| {
        let mut predicted = cells.to_vec();
        reports_from_cells(&channels, &mut predicted);
        predicted
    };
    let likeliest = maximum_likelihood(&channels, &CROWDED, &FitLimits::default());
    let want: f64 = predicted(&likeliest.cells).iter().zip(CROWDED).map(|(mean, h)| h * (mean / 460.0).ln()).sum();
    assert!((likeliest.objective - want).abs() < 1e-9);
    // No cell can gain from another: those that have people have the same slope.
    let slopes = (0..4).map(|row| {
        let means = predicted(&likeliest.cells);
        (0..4).map(|report| chance(&channels, row, report) * CROWDED[report] / means[report]).sum::<f64>()
    });
    for (slope, cell) in slopes.zip(&likeliest.cells) {
        assert!(slope < 1.0 + 1e-8 && (*cell < 1e-3 || slope > 1.0 - 1e-6), "{slope} {cell}");
    }
}

/// An estimate inside the simplex, or on its edge, is the maximum, without a step.
#[test]
fn an_estimate_that_is_a_table_is_the_likeliest_at_once() {
    let noiseless = [channel(0.0, 1.0); 2];
    for (channels, reports) in [(noiseless, [3.0, 0.0, 0.0, 4.0]), ([channel(0.2, 0.7); 2], [60.0, 55.0, 50.0, 55.0])] {
        let found = maximum_likelihood(&channels, &reports, &FitLimits::default());
        let mut cells = reports.to_vec();
        cells_from_reports(&channels, &mut cells);
        assert_eq!((found.cells, found.iterations, found.gap), (cells, 0, 0.0));
    }
}
