//! What a released count tells about a row's label, when the labels of the other rows in its
//! group are not known either.
//!
//! `v_r` is what is left to know about class r: the variance of a row's membership,
//! `pi_r (1 - pi_r)` at first. A count over `g` other rows tells apart a label with a Gaussian of
//! variance `g v_r + sigma^2`: the others' labels and the noise. UniformNoise that is uniform on
//! `2e + 1` values overlaps with itself moved by one in `B = 2e / (2e + 1)` (Bhattacharyya), a
//! Gaussian of variance `sigma^2` in `exp(-1 / (8 sigma^2))`, so `sigma^2 = -1 / (8 ln B)`, (8).
//! UniformNoise that is clamped at 0 overlaps more for counts below `e`, (9).

use crate::spec::UniformNoise;

/// `1 / sigma^2` of exact counts: they are not infinitely telling, since a solver sees them
/// through other rows.
const EXACT: f64 = 20.0;
/// Largest groups whose counts are summed over for clamped noise; larger ones are taken at their
/// mean.
const MOST_SUMMED: u64 = 1024;

/// How far noise tells a count of `count` from one more: `1 / sigma^2`, (8) and (9).
pub(crate) fn precision(noise: UniformNoise, count: u64) -> f64 {
    let e = f64::from(noise.half_width);
    if e == 0.0 {
        return EXACT;
    }
    let overlap = if noise.is_clamped && count < u64::from(noise.half_width) {
        let below = e - count as f64; // masses at 0 are (below + 1) and below, of 2e + 1
        (((below + 1.0) * below).sqrt() + count as f64 + e) / noise.values()
    } else {
        1.0 - 1.0 / noise.values()
    };
    -8.0 * libm::log(overlap)
}

/// Mean of [`precision`] over the counts of a class of share `share` among `size` rows, given
/// that they are at least `least`.
pub(crate) fn mean_precision(noise: UniformNoise, size: u64, share: f64, least: u64) -> f64 {
    let full = precision(noise, u64::MAX);
    let e = u64::from(noise.half_width);
    if !noise.is_clamped || least >= e {
        return full;
    }
    let mean = size as f64 * share;
    if size > MOST_SUMMED || share >= 1.0 {
        return precision(noise, least.max(mean as u64));
    }
    // Masses relative to the one at 0, in logs, so that none is lost.
    let ln_odds = libm::log(share / (1.0 - share));
    let ln_zero = size as f64 * libm::log1p(-share);
    let (mut ln_mass, mut below, mut at_least, mut sum) = (ln_zero, 0.0, 0.0, 0.0);
    for count in 0..=size {
        let mass = libm::exp(ln_mass);
        if count < least {
            below += mass;
        } else if count < e {
            at_least += mass;
            sum += mass * precision(noise, count);
        } else {
            break;
        }
        ln_mass += libm::log((size - count) as f64 / (count + 1) as f64) + ln_odds;
    }
    let above = (1.0 - below - at_least).max(0.0);
    if at_least + above > 0.0 { (sum + above * full) / (at_least + above) } else { precision(noise, least) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_only_loses_and_only_below_the_half_width() {
        let (plain, clamped) = (UniformNoise::uniform(5), UniformNoise::uniform(5).clamped());
        for count in 0..5 {
            assert!(precision(clamped, count) < precision(plain, count), "{count}");
            assert!(precision(clamped, count) > 0.0);
        }
        for count in 5..9 {
            assert_eq!(precision(clamped, count), precision(plain, count));
        }
        let sigma_squared = 1.0 / precision(UniformNoise::uniform(2), 0);
        assert!((sigma_squared - 0.560_177_5).abs() < 1e-6, "{sigma_squared}");
        assert_eq!(1.0 / precision(UniformNoise::uniform(0), 0), 0.05);
    }

    #[test]
    fn the_mean_is_over_released_counts() {
        let noise = UniformNoise::uniform(4).clamped();
        // Two rows of share 1/2, at least 1: one with probability 2/3, two with 1/3.
        let want = (2.0 * precision(noise, 1) + precision(noise, 2)) / 3.0;
        assert!((mean_precision(noise, 2, 0.5, 1) - want).abs() < 1e-14);
        assert_eq!(mean_precision(noise, 2, 0.5, 4), precision(noise, 4));
        assert!(mean_precision(noise, 2, 0.5, 3) > 0.0);
    }
}
