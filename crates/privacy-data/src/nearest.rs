//! The name that somebody may have meant.

/// Fewest letters for each slip that is taken for a typing error.
const LETTERS_PER_SLIP: usize = 3;

/// The candidate nearest to a name, where it differs by few letters: one slip for every three
/// letters, at least one; capital letters do not count. The first of equals.
///
/// ```
/// use privacy_data::nearest;
///
/// assert_eq!(nearest("lables", ["size", "labels"]), Some("labels"));
/// assert_eq!(nearest("Age", ["age", "sex"]), Some("age"));
/// assert_eq!(nearest("colour", ["size", "labels"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = name.to_lowercase();
    let most = (wanted.chars().count() / LETTERS_PER_SLIP).max(1);
    let slips = candidates.into_iter().map(|candidate| {
        let slips = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
        (slips, candidate)
    });
    let found = slips.min_by_key(|(slips, _)| *slips);
    found.filter(|(slips, candidate)| *slips <= most && *slips < candidate.chars().count()).map(|(_, name)| name)
}

/// The question at the end of a message: `; did you mean "labels"?`, or nothing.
#[must_use]
pub fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, candidates).map_or_else(String::new, |found| format!("; did you mean {found:?}?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_other_things_are_not_suggested() {
        for (name, candidates, want) in [
            ("marginal", vec!["marginals", "margins"], Some("marginals")),
            ("max_pinend_cells", vec!["max_pinned_groups", "max_pinned_cells"], Some("max_pinned_cells")),
            ("a", vec!["b"], None),
            ("rho", vec!["mu", "epsilon"], None),
            ("x", vec![], None),
        ] {
            assert_eq!(nearest(name, candidates), want, "{name}");
        }
        assert_eq!(did_you_mean("sexx", ["age", "sex"]), "; did you mean \"sex\"?");
        assert_eq!(did_you_mean("weight", ["age", "sex"]), "");
    }
}
