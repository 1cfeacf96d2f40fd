//! Which queries may have the largest variance.
//!
//! The variance of a query about several attributes is a sum of products of one form an
//! attribute, linear in each `(with, without)` with coefficients that are not negative. So the
//! largest one is at a vertex of the upper right hull of the forms, for every attribute, and the
//! other queries need not be looked at: some dozen are left of 500,500.

use crate::queries::basis::Form;

/// The vertices of the upper right hull, by increasing `with`.
pub(crate) fn hull(forms: &[Form]) -> Vec<Form> {
    let mut sorted = forms.to_vec();
    sorted.sort_by(|a, b| a.with.total_cmp(&b.with).then(a.without.total_cmp(&b.without)));
    let mut hull: Vec<Form> = Vec::new();
    for form in sorted {
        // Below and to the left of the new form: never the largest.
        while hull.last().is_some_and(|last| last.without <= form.without) {
            hull.pop();
        }
        // Monotone chain (Andrew 1979): b is no vertex if it is on or under the line from a to
        // the new form.
        while let [.., a, b] = hull.as_slice()
            && below(*a, *b, form)
        {
            hull.pop();
        }
        hull.push(form);
    }
    hull
}

/// Whether `b` is not above the line from `a` to `c`.
fn below(a: Form, b: Form, c: Form) -> bool {
    (b.with - a.with) * (c.without - a.without) >= (b.without - a.without) * (c.with - a.with)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_query_is_above_the_hull_in_any_direction(
            points in proptest::collection::vec((0_u8..20, 0_u8..20), 1..40), angle in 0.0_f64..1.0,
        ) {
            let forms: Vec<Form> =
                points.iter().map(|&(with, without)| Form { with: with.into(), without: without.into() }).collect();
            let best = |forms: &[Form]| {
                forms.iter().map(|f| angle * f.with + (1.0 - angle) * f.without).fold(0.0, f64::max)
            };
            prop_assert!((best(&hull(&forms)) - best(&forms)).abs() < 1e-12);
        }
    }

    proptest! {
        /// A point under another one, or on or under a line between two, is no vertex.
        #[test]
        fn nothing_but_the_vertices_is_left(points in proptest::collection::btree_set((0_i32..9, 0_i32..9), 1..30)) {
            let is_vertex = |&(x, y): &(i32, i32)| {
                let is_under = points.iter().any(|&(a, b)| (a, b) != (x, y) && a >= x && b >= y);
                // Of two points to the left and to the right.
                let (left, right) = (points.iter().filter(|p| p.0 < x), points.iter().filter(|p| p.0 > x));
                let is_between = left.flat_map(|a| right.clone().map(move |b| (a, b)))
                    .any(|(a, b)| (y - a.1) * (b.0 - a.0) <= (b.1 - a.1) * (x - a.0));
                !is_under && !is_between
            };
            let form = |&(with, without): &(i32, i32)| Form { with: with.into(), without: without.into() };
            let vertices: Vec<Form> = points.iter().filter(|point| is_vertex(point)).map(form).collect();
            let all: Vec<Form> = points.iter().rev().map(form).collect();
            prop_assert_eq!(hull(&all), vertices);
        }
    }

    #[test]
    fn vertices_alone_are_left() {
        let form = |(with, without): (f64, f64)| Form { with, without };
        let forms = [(0.0, 3.0), (1.0, 3.0), (2.0, 2.0), (3.0, 1.0), (2.5, 2.4), (3.0, 0.0)].map(form);
        assert_eq!(hull(&forms), [(1.0, 3.0), (2.5, 2.4), (3.0, 1.0)].map(form));
    }
}
