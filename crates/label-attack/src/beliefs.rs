//! What belief propagation believes: messages of every factor, and their products with the prior
//! law.
//!
//! The prior law of a unit is multinomial. With one layer it is `C(n, k) pi^k (1 - pi)^(n - k)`;
//! with several, layer `r` has the part `pi_r^k / k!`, and the layers are tied by adding up to
//! `n`. Everything is kept in logarithms.

use privacy_core::special::ln_gamma;

use crate::guess::Expected;
use crate::laws::Laws;
use crate::problem::LabelProblem;

pub(crate) struct Beliefs<'a> {
    problem: &'a LabelProblem,
    /// Where the numbers of a unit begin, for one layer; a unit has `n_i + 1`.
    offsets: Vec<usize>,
    /// Prior part plus all messages, by layer, unit and number.
    parts: Vec<Vec<f64>>,
    /// Messages by layer, then membership, then number.
    messages: Vec<Vec<f64>>,
    message_offsets: Vec<usize>,
}

impl<'a> Beliefs<'a> {
    pub(crate) fn new(problem: &'a LabelProblem) -> Self {
        let offsets = ends(problem.sizes.iter().map(|&size| size as usize + 1));
        let of_members = problem.sets.sets().flatten().map(|&unit| problem.sizes[unit as usize] as usize + 1);
        let message_offsets = ends(of_members);
        let parts = (0..problem.layers).map(|layer| prior_parts(problem, layer)).collect();
        let all = message_offsets.last().copied().unwrap_or(0);
        Self { problem, offsets, parts, messages: vec![vec![0.0; all]; problem.layers], message_offsets }
    }

    /// Writes the laws of the units of a set in a layer, each without the message of this set.
    pub(crate) fn cavities(&self, set: usize, layer: usize, cavities: &mut Laws) {
        cavities.clear();
        for (place, &unit) in self.problem.sets.set(set).iter().enumerate() {
            let message = &self.messages[layer][self.message(set, place)];
            let logs = self.part(unit as usize, layer).iter().zip(message).map(|(log, message)| log - message);
            self.become_law(cavities.push(logs), unit as usize, layer);
        }
    }

    /// Mixes `fresh(k)`, the logarithm of a new message, into the message of a set to its unit at
    /// `place`.
    pub(crate) fn mix(&mut self, set: usize, layer: usize, place: usize, fresh: impl Fn(usize) -> f64, share: f64) {
        let at = self.message(set, place);
        let unit = self.problem.sets.set(set)[place] as usize;
        let part = &mut self.parts[layer][self.offsets[unit]..self.offsets[unit + 1]];
        for (k, (message, part)) in self.messages[layer][at].iter_mut().zip(part).enumerate().skip(1) {
            let change = share * (fresh(k) - *message);
            *message += change;
            *part += change;
        }
    }

    /// Expected numbers of every unit.
    pub(crate) fn expected(&self) -> Expected {
        let layers = self.problem.layers;
        let mut law = Vec::new();
        let mean = |at: usize| -> f64 {
            let (unit, layer) = (at / layers, at % layers);
            law.clear();
            law.extend_from_slice(self.part(unit, layer));
            self.become_law(&mut law, unit, layer);
            law.iter().enumerate().map(|(k, p)| k as f64 * p).sum()
        };
        let all: Vec<f64> = (0..self.problem.units() * layers).map(mean).collect();
        Expected::of_layers(self.problem, &all)
    }

    fn message(&self, set: usize, place: usize) -> std::ops::Range<usize> {
        let member = self.problem.sets.start(set) + place;
        self.message_offsets[member]..self.message_offsets[member + 1]
    }

    fn part(&self, unit: usize, layer: usize) -> &[f64] {
        &self.parts[layer][self.offsets[unit]..self.offsets[unit + 1]]
    }

    /// The law of a unit's number in a layer, from its logarithms.
    fn become_law(&self, law: &mut [f64], unit: usize, layer: usize) {
        exponentials(law);
        if self.problem.layers > 1 {
            let rest = self.rest(unit, layer);
            law.iter_mut().zip(rest.iter().rev()).for_each(|(own, rest)| *own *= rest);
        }
        let sum: f64 = law.iter().sum();
        if sum > 0.0 {
            law.iter_mut().for_each(|p| *p /= sum);
        } else {
            // Messages contradict each other beyond all digits: nothing is known.
            law.fill(1.0 / law.len() as f64);
        }
    }

    /// Weights of the other layers' numbers adding up to `0 ..= n`.
    fn rest(&self, unit: usize, layer: usize) -> Vec<f64> {
        let size = self.problem.sizes[unit] as usize;
        let mut sums = vec![0.0; size + 1];
        sums[0] = 1.0;
        for other in (0..self.problem.layers).filter(|&other| other != layer) {
            let mut law = self.part(unit, other).to_vec();
            exponentials(&mut law);
            for sum in (0..=size).rev() {
                sums[sum] = (0..=sum).map(|k| law[k] * sums[sum - k]).sum();
            }
            let largest = sums.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
            sums.iter_mut().for_each(|weight| *weight /= largest);
        }
        sums
    }
}

/// Exponentials, the largest of them 1, in place of their logarithms.
fn exponentials(logs: &mut [f64]) {
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    logs.iter_mut().for_each(|log| *log = (*log - largest).exp());
}

fn ends(lengths: impl Iterator<Item = usize>) -> Vec<usize> {
    let sums = lengths.scan(0, |end, length| {
        Some({
            *end += length;
            *end
        })
    });
    std::iter::once(0).chain(sums).collect()
}

/// The logarithm of a layer's part of the prior law, for every unit and number. A class without
/// share is given 1e-12.
fn prior_parts(problem: &LabelProblem, layer: usize) -> Vec<f64> {
    let share = problem.shares[problem.class_of(layer)].max(1e-12);
    let alone = problem.layers == 1;
    let other = problem.shares[0].max(1e-12);
    let part = |size: u32, k: u32| {
        let (k, rest) = (f64::from(k), f64::from(size - k));
        let own = k * share.ln() - ln_gamma(k + 1.0);
        if alone { own + rest * other.ln() - ln_gamma(rest + 1.0) } else { own }
    };
    problem.sizes.iter().flat_map(|&size| (0..=size).map(move |k| part(size, k))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::incidence::Incidence;

    #[test]
    fn without_messages_beliefs_are_the_prior_law() {
        for shares in [vec![0.3, 0.7], vec![0.5, 0.3, 0.2]] {
            let layers = if shares.len() == 2 { 1 } else { 3 };
            let problem = LabelProblem {
                sizes: vec![1, 3, 7],
                unit_of_row: vec![0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2],
                shares: shares.clone(),
                sets: Incidence::new(),
                sets_of: Incidence::new().transposed(3),
                layers,
                bounds: vec![],
                rows_of: vec![],
                repeats: vec![],
            };
            let expected = Beliefs::new(&problem).expected();
            for (unit, size) in [1.0, 3.0, 7.0].into_iter().enumerate() {
                for (class, share) in shares.iter().enumerate() {
                    let got = expected.0[unit * shares.len() + class];
                    assert!((got - size * share).abs() < 1e-12, "{got} {size} {share}");
                }
            }
        }
    }
}
