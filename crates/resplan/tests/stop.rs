//! A set flag ends every long call, and nothing comes back.

use std::time::{Duration, Instant};

use privacy_core::accounting::PrivacyCost;
use privacy_core::param::StdDev;
use privacy_core::stop::StopFlag;
use privacy_core::table::{CountError, TableSource};
use privacy_core::{AttrSet, ContingencyTable, CountSource, Domain};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
use resplan::{Error, NonnegativeSpec, NormOrder, Objective, Plan, PlanLimits, PlanSpec, QueryBasis, Workload};

fn spec(sizes: &[usize], basis: QueryBasis, objective: Objective) -> PlanSpec {
    let domain = Domain::of_cardinalities(sizes).unwrap();
    let bases = vec![basis; sizes.len()];
    PlanSpec { bases, objective, ..PlanSpec::new(domain, Workload::UpTo(2), PrivacyCost::new(1.0).unwrap()) }
}

fn limits(stop: &StopFlag) -> PlanLimits {
    PlanLimits { stop: stop.clone(), ..PlanLimits::default() }
}

#[test]
fn a_flag_that_is_set_before_planning_ends_it_at_once() {
    let stop = StopFlag::new();
    stop.set();
    let norm = Objective::NormVariance(NormOrder::new(8.0).unwrap());
    for objective in [Objective::SumVariance, Objective::MaxVariance, norm] {
        for basis in [QueryBasis::Identity, QueryBasis::Prefix, QueryBasis::Range] {
            let refused = Plan::new(spec(&[4, 7], basis, objective), &limits(&stop));
            assert!(matches!(refused, Err(Error::Stopped)), "{objective:?}");
        }
    }
    let bounds = vec![(AttrSet::first(2), StdDev::new(3.0).unwrap())];
    let bounded = PlanSpec { bounds, ..spec(&[4, 7], QueryBasis::Identity, Objective::SumVariance) };
    assert!(matches!(Plan::new(bounded, &limits(&stop)), Err(Error::Stopped)));
}

/// Planning that takes many seconds ends soon after another thread sets the flag.
#[test]
fn planning_ends_when_another_thread_says_so() {
    let stop = StopFlag::new();
    let other = stop.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(30));
        other.set();
        Instant::now()
    });
    let sizes = [90, 80, 70, 60];
    let refused = Plan::new(spec(&sizes, QueryBasis::Range, Objective::MaxVariance), &limits(&stop));
    let ended = Instant::now();
    assert!(matches!(refused, Err(Error::Stopped)));
    // 50 ms on a machine of its own; tests share theirs, unoptimised.
    let late = ended.saturating_duration_since(setter.join().unwrap());
    assert!(late < Duration::from_secs(5), "{late:?}");
}

/// Sets the flag when it is asked.
struct Stops(TableSource, StopFlag);

impl CountSource for Stops {
    fn domain(&self) -> &Domain {
        self.0.domain()
    }

    fn marginals(&self, sets: &[AttrSet]) -> Result<Vec<ContingencyTable>, CountError> {
        self.1.set();
        self.0.marginals(sets)
    }
}

#[test]
fn a_measurement_and_an_adjustment_end_with_nothing() {
    for basis in [QueryBasis::Identity, QueryBasis::Prefix] {
        let stop = StopFlag::new();
        let plan = Plan::new(spec(&[3, 4], basis, Objective::SumVariance), &limits(&stop)).unwrap();
        let source = TableSource::new(plan.domain().clone(), vec![0, 0, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0]).unwrap();
        let rng = || ChaCha20Rng::from_seed([6; 32]); // tests only
        let measured = plan.duplicate().measure(&source, &mut rng()).unwrap();
        let adjust = |stop: &StopFlag| {
            measured.nonnegative(NonnegativeSpec { stop: stop.clone(), ..NonnegativeSpec::default() }).map(|_| ())
        };
        assert!(adjust(&stop).is_ok());
        let stopped = plan.measure(&Stops(source, stop.clone()), &mut rng());
        assert!(matches!(stopped, Err(Error::Stopped)));
        assert!(matches!(adjust(&stop), Err(Error::Stopped)));
    }
}
