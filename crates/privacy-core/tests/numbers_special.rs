//! Pieces, inverses and identities of the special functions.

use privacy_core::param::Probability;
use privacy_core::{normal, special};
use proptest::prelude::*;
use testkit::{fixtures, hex_f64, relative_error};

#[test]
fn pieces_that_must_not_cancel_agree_with_four_hundred_digits() {
    let mut worst = [0f64; 4];
    for line in fixtures::text("core/pieces.txt").lines().skip(1) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (x, want) = (hex_f64(words[1]), words.last().unwrap().parse::<f64>().unwrap());
        let (place, got, allowed) = match words[0] {
            "log1pmx" => (0, special::log1pmx(x), 1e-15),
            "expm1mx" => (1, special::expm1mx(x), 1e-15),
            "deviance" => (2, special::deviance(x, hex_f64(words[2])), 4e-15),
            // An exponent: its absolute error is what counts.
            "stirling_error" => (3, special::stirling_error(x), if x.fract() == 0.0 { 1e-16 } else { 4e-15 } / want),
            other => panic!("unknown function {other}"),
        };
        if want.abs() > 1e-300 {
            let error = relative_error(got, want);
            assert!(error <= allowed, "{line}: got {got:e}, error {error:e}");
            worst[place] = worst[place].max(if place == 3 { error * want } else { error });
        }
    }
    println!(
        "log1pmx {:.1e}, expm1mx {:.1e}, deviance {:.1e}, stirling_error {:.1e} absolute",
        worst[0], worst[1], worst[2], worst[3]
    );
}

#[test]
fn outside_its_domain_a_function_is_not_a_number() {
    for nan in [
        special::ln_gamma(-1.0),
        special::stirling_error(-0.5),
        special::deviance(-1.0, -1.0),
        special::deviance(1.0, 0.0),
        special::log1pmx(-1.5),
        special::beta_reg(0.0, 1.0, 0.5),
        special::beta_reg(1.0, f64::INFINITY, 0.5),
        special::beta_reg(1.0, f64::NAN, 0.5),
        special::beta_reg(1.0, 1.0, -0.1),
        special::beta_reg_upper(1.0, 1.0, 1.1),
        special::beta_reg_inv(1.0, -1.0, 0.5),
        special::beta_reg_inv(1.0, 1.0, f64::NAN),
        special::erfc_inv(-0.1),
        special::erfc_inv(2.1),
        special::erfc(f64::NAN),
        normal::at_least(f64::NAN),
        normal::ln_at_least(f64::NAN),
    ] {
        assert!(nan.is_nan());
    }
}

#[test]
fn ends_of_each_domain_are_exact() {
    assert_eq!((special::beta_reg(2.5, 0.5, 0.0), special::beta_reg(2.5, 0.5, 1.0)), (0.0, 1.0));
    assert_eq!((special::beta_reg_upper(2.5, 0.5, 0.0), special::beta_reg_upper(2.5, 0.5, 1.0)), (1.0, 0.0));
    assert_eq!((special::beta_reg_inv(2.5, 0.5, 0.0), special::beta_reg_inv(2.5, 0.5, 1.0)), (0.0, 1.0));
    assert_eq!(
        (special::erfc_inv(0.0), special::erfc_inv(1.0), special::erfc_inv(2.0)),
        (f64::INFINITY, 0.0, f64::NEG_INFINITY)
    );
    assert_eq!((normal::at_least(f64::INFINITY), normal::at_least(f64::NEG_INFINITY)), (0.0, 1.0));
    assert_eq!((normal::ln_at_least(f64::INFINITY), normal::ln_at_least(f64::NEG_INFINITY)), (f64::NEG_INFINITY, 0.0));
    assert_eq!((normal::at_least(0.0), normal::at_most(-0.0), normal::density(f64::INFINITY)), (0.5, 0.5, 0.0));
    assert_eq!((normal::mills_ratio(f64::INFINITY), normal::mills_ratio(-50.0)), (0.0, f64::INFINITY));
    assert_eq!(special::ln_gamma(0.0), f64::INFINITY);
}

#[test]
fn the_forms_of_the_incomplete_beta_function_meet_where_they_change_over() {
    // Variance N p q = 100, and the ratio of neighbours 0.6: the integral on one side, the
    // fraction on the other.
    for (a, b) in [(200.0, 200.0), (101.0, 1e5), (150.5, 600.25), (1e4, 1e4), (300.0, 1e6)] {
        let mean = a / (a + b);
        let values: Vec<f64> =
            (0..200_000).map(|i| special::beta_reg(a, b, mean * (0.4 + 3e-6 * f64::from(i))).ln()).collect();
        for w in values.windows(4).filter(|w| w[0] > -690.0) {
            let jump = (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).abs();
            assert!(jump < 2e-11, "a jump of {jump:e} near ln I = {} for a = {a}, b = {b}", w[0]);
        }
    }
}

proptest! {
    #[test]
    fn the_inverse_of_the_incomplete_beta_function_is_its_inverse(
        ln_a in -0.7..12f64, ln_b in -0.7..12f64, ln_q in -300.0..-0.7f64, upper: bool,
    ) {
        let (a, b, q) = (ln_a.exp(), ln_b.exp(), ln_q.exp());
        let q = if upper { 1.0 - q } else { q };
        let x = special::beta_reg_inv(a, b, q);
        prop_assert!((0.0..=1.0).contains(&x));
        // Within two neighbours the function passes the probability, up to its own error.
        let (low, high) = (x * (1.0 - 1e-12), x + 1e-12 * x.min(1.0 - x) + f64::EPSILON);
        prop_assert!(special::beta_reg(a, b, low) <= q * (1.0 + 1e-11));
        prop_assert!(special::beta_reg(a, b, high.min(1.0)) >= q * (1.0 - 1e-11));
    }

    #[test]
    fn both_tails_of_the_beta_law_add_to_one_and_mirror(ln_a in -0.7..15f64, ln_b in -0.7..15f64, x in 0.5..1f64) {
        let (a, b) = (ln_a.exp(), ln_b.exp());
        prop_assert!((special::beta_reg(a, b, x) + special::beta_reg_upper(a, b, x) - 1.0).abs() <= 1e-15);
        prop_assert_eq!(special::beta_reg(a, b, x), special::beta_reg_upper(b, a, 1.0 - x));
    }

    #[test]
    fn the_incomplete_beta_function_increases(ln_a in -0.7..15f64, ln_b in -0.7..15f64, z in -6.0..6f64) {
        let (a, b) = (ln_a.exp(), ln_b.exp());
        let (mean, spread) = (a / (a + b), (a * b / (a + b + 1.0)).sqrt() / (a + b));
        let (low, high) = (mean + z * spread, mean + (z + 1e-6) * spread);
        prop_assume!(low > 0.0 && high < 1.0);
        prop_assert!(special::beta_reg(a, b, low) <= special::beta_reg(a, b, high) * (1.0 + 1e-13));
    }

    #[test]
    fn the_second_opinion_on_the_beta_function_agrees(a in 0.5..50f64, b in 0.5..50f64, x in 0.001..0.999f64) {
        let theirs = statrs::function::beta::beta_reg(a, b, x);
        prop_assume!(theirs > 1e-10);
        prop_assert!(relative_error(special::beta_reg(a, b, x), theirs) < 1e-9);
    }

    #[test]
    fn normal_quantiles_invert_the_tails(ln_p in -690.0..-0.7f64) {
        let p = Probability::new(ln_p.exp()).unwrap();
        let x = normal::upper_quantile(p);
        // A relative error e of x is x^2 e in the tail.
        prop_assert!(relative_error(normal::at_least(x), p.get()) < 1e-15 * (2.0 + x * x));
        prop_assert_eq!(normal::quantile(p), -x);
    }

    #[test]
    fn normal_tails_are_monotone_and_add_to_one(x in -40.0..40f64) {
        prop_assert!((normal::at_least(x) + normal::at_most(x) - 1.0).abs() <= 1e-15);
        prop_assert!(normal::at_least(x + 1e-3) <= normal::at_least(x));
        prop_assert!(normal::ln_at_least(x + 1e-3) <= normal::ln_at_least(x));
        prop_assert!(normal::mills_ratio(x + 1e-3) < normal::mills_ratio(x) || x < -37.0);
        prop_assert!((normal::ln_at_least(x) - normal::at_least(x).ln()).abs() < 1e-12 || x > 37.0);
    }
}
