//! What a release contains, and what stays with the owner of the data.

use frechet_release::{
    Class, DisclosureRule, DisclosureTarget, Knowledge, Limits, Region, ReleaseProblem, Scope, plan,
};
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

/// A plan that publishes the total of two groups, 435 and 500 of 1,000 each. The attacker is
/// assumed to know the first to within ten.
fn planned() -> (frechet_release::ReleasePlan, ContingencyTable) {
    let domain = Domain::of_cardinalities(&[2]).unwrap();
    let table = |cells: [u64; 2]| ContingencyTable::from_cells(&domain, domain.all(), cells.to_vec()).unwrap();
    let mut background = Knowledge::with_population(domain.clone(), &table([1_000, 1_000])).unwrap();
    background.assume_range("last year", &Region::from(&Class::cell([0])), 430, 440).unwrap();
    let rule = DisclosureRule::new(0, 0.05, 20, Scope::All).unwrap();
    let problem = ReleaseProblem::new(background, rule, DisclosureTarget::Undisclosed, Limits::default());
    let counts = table([435, 500]);
    (plan(&problem.request_margin(AttrSet::EMPTY, 1.0).unwrap()).unwrap(), counts)
}

#[test]
fn the_published_part_repeats_no_assumed_fact() {
    let (plan, counts) = planned();
    let (published, audit) = plan.release(&counts, &mut ChaCha20Rng::from_seed([7; 32])).unwrap();
    let published = serde_json::to_string(&published).unwrap();
    assert!(published.contains("935"), "the total is published: {published}");
    for assumed in ["430", "440", "495", "505"] {
        assert!(!published.contains(assumed), "{assumed} is in {published}");
    }
    let own = serde_json::to_string(&audit.into_inner()).unwrap();
    assert!(own.contains("430") && own.contains("440"), "the audit of the owner has the bounds: {own}");
}
