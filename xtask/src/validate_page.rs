//! The parts of `docs/validation.md` that no run changes.

/// How the page begins.
pub(crate) const HEAD: &str = "\
# Validation

What simulated attackers found in the last complete run at the full tier. To regenerate this page,
run `cargo xtask validate --tier full --write docs/validation.md`.

An attacker sees what is released, and never the data. **Measured** is an interval that contains the
true value, with the error rate below. The value is a share, a mean or a privacy loss; for a privacy
loss, the lower end is a bound over all attackers, and the interval is that of this attacker.
**NotContradicted** means that the measured and the claimed values overlap *and* that the same
attacker, with the same number of trials, did contradict the negative control: the same promise with
a seeded fault. It does not mean proved. **Reached** is the lower end of a privacy loss over the
claim: what this attacker showed with that many trials. At 0 % it showed no loss, and
NotContradicted says no more than that the seeded fault was exposed. A privacy loss is also measured
for people outside the data and for an attacker who does not look; if either is above 0, the claim
is contradicted. `cargo xtask validate --seeded-faults` seeds faults in the promises themselves, and
reports how many are caught. [Known attacks](known-attacks.md) says which scenario runs which
attack.

";

/// The last section that is written here.
pub(crate) const CLAIMS: &str = "## What each claims";

/// What follows it in a page: results that were written by hand.
pub(crate) fn later_sections(page: &str) -> &str {
    let after = page.split_once(CLAIMS).map_or("", |(_, after)| after);
    after.find("\n## ").map_or("", |at| &after[at..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_after_the_claims_are_kept_and_none_before() {
        let page = format!("# Validation\n\n## Table\n\n{CLAIMS}\n\n- one\n");
        assert_eq!(later_sections(&page), "");
        assert_eq!(later_sections("# Validation\n\n## Table\n"), "");
        let kept = "\n## At depth\n\nwords\n\n## Inputs\n";
        assert_eq!(later_sections(&format!("{page}{kept}")), kept);
    }
}
