//! The nearest possible table: cells not below 0 that add up.
//!
//! `v` cells, `N` their total, `w > 0` weights. Minimises `sum (x - v)^2 / w` over `x >= 0`,
//! `sum x = N`: `x = max(0, v - lambda w)`, with `lambda` from the cells in order of `v /
//! w` (norm-sub for equal weights). `O(m log m)`.

/// Projects cells on the simplex of total `total`, in the plain metric.
///
/// # Panics
/// If there is no cell.
pub fn project_on_simplex(cells: &mut [f64], total: f64) {
    project(cells, |_| 1.0, total);
}

/// Projects cells on the simplex of total `total`, where a cell with a larger weight (its
/// variance) gives way more.
///
/// # Panics
/// If there is no cell, or not a weight for each.
pub fn project_weighted(cells: &mut [f64], weights: &[f64], total: f64) {
    assert_eq!(cells.len(), weights.len(), "a weight for each cell");
    project(cells, |cell| weights[cell].max(f64::MIN_POSITIVE), total);
}

fn project(cells: &mut [f64], weight: impl Fn(usize) -> f64, total: f64) {
    assert!(!cells.is_empty(), "a simplex has a corner");
    // The multiplier lambda leaves a prefix of this order above 0: it is found in one pass.
    let mut order: Vec<usize> = (0..cells.len()).collect();
    order.sort_unstable_by(|&a, &b| (cells[b] / weight(b)).total_cmp(&(cells[a] / weight(a))));
    let (mut sum, mut weights, mut lambda) = (-total, 0.0, f64::NEG_INFINITY);
    for cell in order {
        // A cell joins while it stays above 0 with those before it.
        if weights > 0.0 && cells[cell] <= lambda * weight(cell) {
            break;
        }
        sum += cells[cell];
        weights += weight(cell);
        lambda = sum / weights;
    }
    cells.iter_mut().enumerate().for_each(|(cell, value)| *value = (*value - lambda * weight(cell)).max(0.0));
}
