//! Mass functions of the noise, in floating point and by their definition, for [`law`](crate::law).

/// `weight(x) / sum of weights over |x| <= half`; what lies beyond must be too little to matter.
fn normalised(half: i64, weight: impl Fn(i64) -> f64) -> impl Fn(i64) -> f64 {
    let total: f64 = (-half..=half).map(&weight).sum();
    move |x| weight(x) / total
}

/// The discrete Gaussian: `exp(-x^2 / (2 sigma2))`, normalised.
///
/// # Panics
/// For a `sigma2` above 40,000, whose tails the normalisation would cut.
pub fn gaussian(sigma2: f64) -> impl Fn(i64) -> f64 {
    assert!(sigma2 <= 40_000.0, "wider ones are compared in cells");
    normalised(2_000, move |x| (-((x * x) as f64) / (2.0 * sigma2)).exp())
}

/// The discrete Laplace: `(1 - q) / (1 + q) q^|x|` with `q = exp(-1 / scale)`.
pub fn laplace(scale: f64) -> impl Fn(i64) -> f64 {
    let at_zero = -(-1.0 / scale).exp_m1() / (1.0 + (-1.0 / scale).exp());
    move |x| at_zero * (-(x.abs() as f64) / scale).exp()
}

/// The mass that a Gaussian gives to the `width` integers from `cell * width` on, by the midpoint
/// rule: `sigma >= 1000` makes the discrete law smooth, and cells of a tenth of it cut in 64 pieces
/// are exact to 1e-9.
pub fn gaussian_cells(sigma: f64, width: i128) -> impl Fn(i64) -> f64 {
    let (width, scale) = (width as f64, sigma * std::f64::consts::TAU.sqrt());
    move |cell| {
        let first = cell as f64 * width - 0.5;
        let middles = (0..64).map(|piece| first + (f64::from(piece) + 0.5) * width / 64.0);
        middles.map(|x| (-(x * x) / (2.0 * sigma * sigma)).exp()).sum::<f64>() * width / 64.0 / scale
    }
}

/// Every one of the numbers below `end`, with the same mass.
pub fn uniform(end: i64) -> impl Fn(i64) -> f64 {
    move |digit| if (0..end).contains(&digit) { 1.0 / end as f64 } else { 0.0 }
}

/// A coin: 1 with this probability, else 0.
pub fn coin(heads: f64) -> impl Fn(i64) -> f64 {
    move |side| match side {
        0 => 1.0 - heads,
        1 => heads,
        _ => 0.0,
    }
}

/// These masses of 0, 1 and so on.
pub fn listed(masses: Vec<f64>) -> impl Fn(i64) -> f64 {
    move |value| usize::try_from(value).ok().and_then(|value| masses.get(value)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relative_error;

    #[test]
    fn masses_add_up_to_one() {
        let laws: [&dyn Fn(i64) -> f64; 8] = [
            &gaussian(0.25),
            &gaussian(333.0),
            &laplace(0.5),
            &laplace(1000.0),
            &uniform(32),
            &coin(0.3),
            &listed(vec![0.25, 0.0, 0.75]),
            &gaussian_cells(1e9, 100_000_000),
        ];
        for mass in laws {
            assert!(relative_error((-40_000..=40_000).map(mass).sum(), 1.0) < 1e-9);
        }
    }

    #[test]
    fn neighbours_have_the_ratio_of_the_definition() {
        assert!(relative_error(gaussian(2.0)(3) / gaussian(2.0)(1), (-2.0_f64).exp()) < 1e-12);
        assert!(relative_error(laplace(2.0)(-4) / laplace(2.0)(0), (-2.0_f64).exp()) < 1e-12);
    }

    #[test]
    fn a_cell_has_the_mass_of_its_integers() {
        let exact: f64 = (100..200).map(gaussian(2_500.0)).sum();
        assert!(relative_error(gaussian_cells(50.0, 100)(1), exact) < 1e-3, "a sigma of 50 is not smooth yet");
        assert!(gaussian_cells(1_000.0, 100)(0) > gaussian_cells(1_000.0, 100)(-1), "0 to 99 is nearer to 0");
    }
}
