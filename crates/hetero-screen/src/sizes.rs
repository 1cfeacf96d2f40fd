//! How many other rows match a row's queries, all queries together.
//!
//! What depends on the size of groups (the covariance of class counts, evidence) is a sum over
//! `g`, the rows that match besides one's own, of `M(g) = sum_S P(Bin(R - 1, p_S) = g)`. A
//! binomial that is wide is taken at 16 nodes a standard deviation: the trapezoid rule, whose
//! error for such a bell is below 1e-100.

use privacy_core::binomial::Binomial;
use privacy_core::param::Probability;
use privacy_core::stop::StopFlag;

use crate::lattice::Histogram;
use crate::subsets::Group;

/// Groups of subsets that are kept as they are.
const MOST_GROUPS: usize = 4096;
/// Beyond that many they are gathered: a step of `ln p`.
const STEP: f64 = 0.005;
/// Half of the nodes of a binomial, in standard deviations.
const REACH: f64 = 9.0;
const NODES_PER_SD: f64 = 16.0;
/// A size up to this has a place of its own; larger ones share places, this number for each
/// e-fold.
const OWN_PLACE: usize = 8192;
const PLACES_PER_FOLD: f64 = 256.0;

/// The subsets by match probability, few enough to go over many times.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    groups: Vec<Group>,
    /// Subsets at `ln p = -bin STEP`, once there are too many groups.
    bins: Vec<f64>,
}

impl Profile {
    pub(crate) fn of_histogram(histogram: &Histogram) -> Self {
        let mut profile = Self::default();
        histogram.groups().for_each(|(weight, p)| profile.add(Group { weight, p }));
        profile
    }

    pub(crate) fn add(&mut self, group: Group) {
        if self.bins.is_empty() && self.groups.len() < MOST_GROUPS {
            self.groups.push(group);
        } else {
            if self.bins.is_empty() {
                std::mem::take(&mut self.groups).into_iter().for_each(|group| self.gather(group));
            }
            self.gather(group);
        }
    }

    /// Between the two nearest bins, so that the mean of `ln p` stays.
    fn gather(&mut self, group: Group) {
        // Rarer than this, no table has a second row that matches.
        let place = (-libm::log(group.p).max(-80.0)) / STEP;
        let bin = place as usize;
        if self.bins.len() < bin + 2 {
            self.bins.resize(bin + 2, 0.0);
        }
        let next = place - bin as f64;
        self.bins[bin] += group.weight * (1.0 - next);
        self.bins[bin + 1] += group.weight * next;
    }

    pub(crate) fn groups(&self) -> impl Iterator<Item = Group> + '_ {
        let gathered = self.bins.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let gathered = gathered.map(|(bin, &weight)| Group { weight, p: libm::exp(-(bin as f64) * STEP) });
        self.groups.iter().copied().chain(gathered)
    }
}

/// Calls `f` with sizes and their probabilities, which add up to 1: all that matter, or nodes
/// that stand for them.
pub(crate) fn for_each_size(trials: u64, p: f64, mut f: impl FnMut(u64, f64)) {
    let law = Binomial::new(trials, Probability::new(p.clamp(0.0, 1.0)).expect("clamped to a probability"))
        .expect("rows are at most 2^53");
    let (mean, sd) = (trials as f64 * p, (trials as f64 * p * (1.0 - p)).sqrt());
    let stride = ((sd / NODES_PER_SD) as u64).max(1);
    if stride > 1 {
        let first = (mean - REACH * sd).max(0.0) as u64;
        let last = ((mean + REACH * sd) as u64).min(trials);
        let nodes = || (first..=last).step_by(stride as usize).map(|size| (size, law.pmf(size)));
        let total: f64 = nodes().map(|(_, mass)| mass).sum();
        return nodes().for_each(|(size, mass)| f(size, mass / total));
    }
    let mode = ((trials + 1) as f64 * p) as u64;
    let mode = mode.min(trials);
    let (odds, peak) = (p / (1.0 - p), law.pmf(mode));
    let (mut size, mut mass) = (mode, peak);
    while mass > 1e-18 * peak {
        f(size, mass);
        if size == trials {
            break;
        }
        mass *= (trials - size) as f64 / (size + 1) as f64 * odds;
        size += 1;
    }
    (size, mass) = (mode, peak);
    while size > 0 {
        mass *= size as f64 / ((trials - size + 1) as f64 * odds);
        size -= 1;
        if mass <= 1e-18 * peak {
            break;
        }
        f(size, mass);
    }
}

/// `M`: the sizes of the groups that a row's queries have, with how many queries have them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sizes {
    /// `M(g)` for small `g`.
    small: Vec<f64>,
    /// Queries, and the sum of their sizes, at each place for larger ones.
    large: Vec<(f64, f64)>,
}

impl Sizes {
    pub(crate) fn of(profile: &Profile, others: u64, stop: &StopFlag) -> Self {
        let mut sizes = Self::default();
        for Group { weight, p } in profile.groups().take_while(|_| !stop.is_set()) {
            for_each_size(others, p, |size, mass| sizes.add(size, weight * mass));
        }
        sizes
    }

    pub(crate) fn add(&mut self, size: u64, queries: f64) {
        let place = place_of(size);
        if place < OWN_PLACE {
            if self.small.len() <= place {
                self.small.resize(place + 1, 0.0);
            }
            self.small[place] += queries;
        } else {
            let place = place - OWN_PLACE;
            if self.large.len() <= place {
                self.large.resize(place + 1, (0.0, 0.0));
            }
            self.large[place].0 += queries;
            self.large[place].1 += queries * size as f64;
        }
    }

    /// Sizes with how many queries have them.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, f64)> + '_ {
        let small = self.small.iter().enumerate().map(|(size, &queries)| (size as u64, queries));
        let large = self.large.iter().map(|&(queries, sum)| ((sum / queries) as u64, queries));
        small.chain(large).filter(|(_, queries)| *queries > 0.0)
    }
}

fn place_of(size: u64) -> usize {
    if size < OWN_PLACE as u64 {
        size as usize
    } else {
        OWN_PLACE + (libm::log(size as f64 / OWN_PLACE as f64) * PLACES_PER_FOLD) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_have_the_moments_of_the_law() {
        for (trials, p) in [(1, 0.3), (149, 0.25), (149, 1.0), (149, 1e-9), (99_999, 0.4), (1 << 40, 1e-3)] {
            let (mut mass, mut mean, mut square) = (0.0, 0.0, 0.0);
            let center = trials as f64 * p;
            for_each_size(trials, p, |size, at| {
                let x = size as f64 - center;
                (mass, mean, square) = (mass + at, mean + at * x, square + at * x * x);
            });
            let variance = center * (1.0 - p);
            assert!((mass - 1.0).abs() < 1e-12, "{trials} {p}: {mass}");
            assert!(mean.abs() < 1e-9 * (1.0 + center), "{trials} {p}: {mean}");
            assert!((square - variance).abs() <= 1e-9 * (1e-12 + variance), "{trials} {p}: {square} {variance}");
        }
    }

    #[test]
    fn gathered_groups_keep_their_number_and_their_mean() {
        let mut profile = Profile::default();
        let groups: Vec<Group> =
            (0..10_000).map(|i| Group { weight: 1.0 + f64::from(i % 7), p: libm::exp(-f64::from(i) * 1e-3) }).collect();
        groups.iter().for_each(|&group| profile.add(group));
        assert!(profile.groups().count() < MOST_GROUPS);
        let sums = |groups: &mut dyn Iterator<Item = Group>| {
            groups.fold((0.0, 0.0), |(n, x), g| (n + g.weight, x + g.weight * libm::log(g.p)))
        };
        let (want, got) = (sums(&mut groups.iter().copied()), sums(&mut profile.groups()));
        assert!((want.0 / got.0 - 1.0).abs() < 1e-12 && (want.1 / got.1 - 1.0).abs() < 1e-12);
    }
}
