//! Annealing: whole labels that meet the intervals, and how they vary where many do.
//!
//! States are labels of all rows, with weight `exp(-violation / T)` times the prior law; a step
//! gives one row another label or exchanges the labels of two rows. `T` falls from 3 to 0.3; at
//! 0.3 the walk goes on, and its averages are expected numbers: a Markov chain that has not been
//! shown to mix, so a proxy.

use privacy_core::rng::SimRng;
use privacy_core::stop::StopFlag;
use rand::RngExt;

use crate::guess::Expected;
use crate::problem::LabelProblem;

const HOT: f64 = 3.0;
const COLD: f64 = 0.3;

/// Whole labels, and by how much they miss the intervals.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    pub(crate) labels: Vec<u32>,
    pub(crate) violation: u64,
}

impl Point {
    pub(crate) fn new(problem: &LabelProblem, labels: Vec<u32>) -> Self {
        Self { violation: problem.violation(&labels), labels }
    }
}

/// The labels that miss the intervals least, out of those that cooling from `start` passes; ends
/// early when they miss none. Visits at most some `visits` memberships.
pub(crate) fn anneal(problem: &LabelProblem, start: &Point, visits: u64, stop: &StopFlag, rng: &mut SimRng) -> Point {
    let mut state = State::new(problem, start, stop);
    let mut best = start.clone();
    // Cooling follows the work that was done, so that it ends when the work does.
    while state.visits < visits && best.violation > 0 && !stop.is_set() {
        let temperature = HOT * (COLD / HOT).powf(state.visits as f64 / visits as f64);
        state.sweep(temperature, rng);
        if state.violation < best.violation {
            best = Point { labels: state.labels.clone(), violation: state.violation };
        }
    }
    best
}

/// Expected numbers, as averages of a walk from `start` that visits some `visits` memberships.
pub(crate) fn walk(problem: &LabelProblem, start: &Point, visits: u64, stop: &StopFlag, rng: &mut SimRng) -> Expected {
    let classes = problem.shares.len();
    let mut state = State::new(problem, start, stop);
    let mut counts = vec![0.0; problem.units() * classes];
    let mut sweeps = 0.0;
    while (state.visits < visits && !stop.is_set()) || sweeps == 0.0 {
        state.sweep(COLD, rng);
        sweeps += 1.0;
        for (&unit, &label) in problem.unit_of_row.iter().zip(&state.labels) {
            counts[unit as usize * classes + label as usize] += 1.0;
        }
    }
    counts.iter_mut().for_each(|count| *count /= sweeps);
    Expected(counts)
}

/// By how much a sum falls short of its interval, and by how much it is beyond. Negative within.
#[derive(Clone, Copy, Debug)]
struct Miss {
    below: i64,
    above: i64,
}

impl Miss {
    /// The same once the sum has grown by 1, or by -1. Sums are between 0 and the number of rows,
    /// so neither number wraps.
    fn moved(self, by: i64) -> Self {
        Self { below: self.below.wrapping_sub(by), above: self.above.wrapping_add(by) }
    }

    fn excess(self) -> i64 {
        self.below.max(self.above).max(0)
    }
}

struct State<'a> {
    problem: &'a LabelProblem,
    labels: Vec<u32>,
    /// By set and layer.
    misses: Vec<Miss>,
    violation: u64,
    /// The sets of the first of two rows, while their exchange is looked at.
    is_of_first: Vec<bool>,
    log_shares: Vec<f64>,
    visits: u64,
    next_look: u64,
    stop: &'a StopFlag,
}

/// Steps and memberships between two looks at the flag. A step visits four times the sets of a
/// row at most; 2^18 memberships take some milliseconds.
const STEPS_BETWEEN_LOOKS: usize = 256;
const VISITS_BETWEEN_LOOKS: u64 = 1 << 18;

impl<'a> State<'a> {
    fn new(problem: &'a LabelProblem, start: &Point, stop: &'a StopFlag) -> Self {
        let log_shares = problem.shares.iter().map(|share| share.max(1e-12).ln()).collect();
        let Point { labels, violation } = start.clone();
        let sums = problem.sums(&labels).into_iter().zip(&problem.bounds);
        let misses = sums.map(|(sum, bound)| Miss { below: bound.lower - sum, above: sum - bound.upper }).collect();
        let is_of_first = vec![false; problem.sets.len()];
        Self { problem, misses, labels, violation, is_of_first, log_shares, visits: 0, next_look: 0, stop }
    }

    fn is_stopped(&mut self) -> bool {
        self.next_look = self.visits + VISITS_BETWEEN_LOOKS;
        self.stop.is_set()
    }

    fn sweep(&mut self, temperature: f64, rng: &mut SimRng) {
        // Rows of no set cost nothing to flip; a sweep must not be free.
        self.visits += self.labels.len() as u64;
        for step in 0..self.labels.len() {
            if (step % STEPS_BETWEEN_LOOKS == 0 || self.visits >= self.next_look) && self.is_stopped() {
                return;
            }
            if rng.random::<bool>() { self.flip(temperature, rng) } else { self.exchange(temperature, rng) }
        }
    }

    fn flip(&mut self, temperature: f64, rng: &mut SimRng) {
        let row = rng.random_range(0..self.labels.len());
        let (old, shift) = (self.labels[row], rng.random_range(1..self.problem.shares.len() as u32));
        let new = (old + shift) % self.problem.shares.len() as u32;
        let change = self.change(row, new);
        let log_prior = self.log_shares[new as usize] - self.log_shares[old as usize];
        if accepts(log_prior - change as f64 / temperature, rng) {
            self.relabel(row, new, change);
        } else {
            // Limits count a refused step twice, as if it were undone.
            self.visits += self.memberships(row, new);
        }
    }

    fn exchange(&mut self, temperature: f64, rng: &mut SimRng) {
        let (a, b) = (rng.random_range(0..self.labels.len()), rng.random_range(0..self.labels.len()));
        let (of_a, of_b) = (self.labels[a], self.labels[b]);
        if of_a == of_b || self.problem.unit_of_row[a] == self.problem.unit_of_row[b] {
            return;
        }
        let visits = self.memberships(a, of_b) + self.memberships(b, of_a);
        self.visits += visits;
        let change = self.change_of_exchange(a, b);
        if accepts(-change as f64 / temperature, rng) {
            self.relabel(a, of_b, change);
            self.relabel(b, of_a, 0);
        } else {
            self.visits += visits;
        }
    }

    /// By how much the violation grows when two rows exchange their labels. Sums of sets that both
    /// are in stay as they are.
    fn change_of_exchange(&mut self, a: usize, b: usize) -> i64 {
        let problem = self.problem;
        let [of_a, of_b] = [a, b].map(|row| problem.layer_of(self.labels[row]));
        let (first, second) = (self.sets_of(a), self.sets_of(b));
        let mut change = 0;
        for &set in first {
            self.is_of_first[set as usize] = true;
            change += self.change_of_set(set, of_a, of_b);
        }
        for &set in second {
            change += match self.is_of_first[set as usize] {
                true => -self.change_of_set(set, of_a, of_b),
                false => self.change_of_set(set, of_b, of_a),
            };
        }
        first.iter().for_each(|&set| self.is_of_first[set as usize] = false);
        change
    }

    /// By how much the violation of a set grows when a row of it leaves one layer for another.
    fn change_of_set(&self, set: u32, from: Option<usize>, to: Option<usize>) -> i64 {
        self.change_at(set, from, -1) + self.change_at(set, to, 1)
    }

    fn change_at(&self, set: u32, layer: Option<usize>, by: i64) -> i64 {
        let miss = layer.map(|layer| self.misses[set as usize * self.problem.layers + layer]);
        miss.map_or(0, |miss| miss.moved(by).excess() - miss.excess())
    }

    /// The sets of a row.
    fn sets_of(&self, row: usize) -> &'a [u32] {
        self.problem.sets_of.set(self.problem.unit_of_row[row] as usize)
    }

    /// By how much the violation grows when a row gets a label. It writes nothing, since most
    /// steps are refused.
    fn change(&mut self, row: usize, new: u32) -> i64 {
        self.visits += self.memberships(row, new);
        let (problem, misses) = (self.problem, &self.misses);
        let mut change = 0;
        for (layer, by) in self.moves(row, new) {
            for &set in self.sets_of(row) {
                let miss = misses[set as usize * problem.layers + layer];
                change += miss.moved(by).excess() - miss.excess();
            }
        }
        change
    }

    /// Gives a row a label, with which the violation grows by `change`.
    fn relabel(&mut self, row: usize, new: u32, change: i64) {
        let problem = self.problem;
        for (layer, by) in self.moves(row, new) {
            for &set in self.sets_of(row) {
                let miss = &mut self.misses[set as usize * problem.layers + layer];
                *miss = miss.moved(by);
            }
        }
        self.labels[row] = new;
        self.violation = (self.violation as i64 + change) as u64;
    }

    /// The layers whose sums change when a row gets a label, and by how much.
    fn moves(&self, row: usize, new: u32) -> impl Iterator<Item = (usize, i64)> + use<> {
        let [old, new] = [self.labels[row], new].map(|class| self.problem.layer_of(class));
        old.map(|layer| (layer, -1)).into_iter().chain(new.map(|layer| (layer, 1)))
    }

    /// Memberships that such a step visits.
    fn memberships(&self, row: usize, new: u32) -> u64 {
        self.sets_of(row).len() as u64 * self.moves(row, new).count() as u64
    }
}

fn accepts(log_ratio: f64, rng: &mut SimRng) -> bool {
    log_ratio >= 0.0 || rng.random::<f64>() < log_ratio.exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::Incidence;
    use crate::problem::Bounds;

    /// Three units of two rows; every two are a set, and all three.
    fn overlapping(shares: &[f64], layers: usize) -> LabelProblem {
        let mut sets = Incidence::new();
        [vec![0, 1], vec![1, 2], vec![0, 2], vec![0, 1, 2]].into_iter().for_each(|set| sets.push(set));
        let bounds = [(1, 1), (2, 3), (0, 0), (4, i64::MAX)];
        let of_set = |(lower, upper)| vec![Bounds { lower, upper }; layers];
        LabelProblem {
            sizes: vec![2; 3],
            unit_of_row: vec![0, 0, 1, 1, 2, 2],
            shares: shares.to_vec(),
            sets_of: sets.transposed(3),
            sets,
            layers,
            bounds: bounds.into_iter().flat_map(of_set).collect(),
            rows_of: vec![4, 4, 4, 6],
            repeats: vec![1; 4],
        }
    }

    #[test]
    fn a_walk_knows_by_how_much_its_labels_miss_the_intervals() {
        let stop = StopFlag::default();
        for (shares, layers) in [(vec![0.3, 0.7], 1), (vec![0.5, 0.3, 0.2], 3)] {
            let problem = overlapping(&shares, layers);
            let start = Point::new(&problem, vec![0, 1, 0, 1, 0, 1]);
            let mut state = State::new(&problem, &start, &stop);
            let mut rng = SimRng::for_trial(1, "sweeps", 0);
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..1_000 {
                state.sweep(HOT, &mut rng);
                assert_eq!(state.violation, problem.violation(&state.labels));
                seen.insert(state.violation);
            }
            assert!(seen.len() > 3, "{seen:?}");
        }
    }
}
