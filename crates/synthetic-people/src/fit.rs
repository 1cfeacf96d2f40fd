//! The probabilities that fit noised measurements best.
//!
//! `p` probabilities over all combinations, `N` people, `Q_m` the queries of measurement m, `y_m`
//! its answers, `w_m` one over their variance.
//!
//! ```text
//! least  f(p) = 1/2 sum of w_m |Q_m N p - y_m|^2      over the marginals p that some distribution has
//! y = (1 - t) x + t z,   psi+ = psi - grad f(y) / (t l),   z+ the probabilities of psi+,   x+ = (1 - t) x + t z+
//! (1 - t+) / (l+ t+^2) = 1 / (l t^2)
//! ```
//!
//! Mirror descent with the entropy as its distance, accelerated: `z` is always the distribution of
//! largest entropy with its marginals, and the least f is approached as 1 / steps^2. `l` follows
//! the curvature that is met: a step is taken when `1/2 sum of w_m |Q_m N (z+ - z)|^2 <= l KL(z+ |
//! z)`, and otherwise tried again with twice the l. When f rises, the iteration begins anew from
//! the best x.
//!
//! `f(x) - least f <= grad f(x) . x - least over all combinations v of grad f(x) . v`: the gap that
//! is reported, a certificate whatever the iteration did. The minimum over v is one pass of
//! [`Space::largest_sum`].
//!
//! Sources: McKenna, Sheldon, Miklau, *Graphical-model based estimation and inference for
//! differential privacy* (ICML 2019), section 4; Hanzely, Richtarik, Xiao, *Accelerated Bregman
//! proximal gradient methods for relatively smooth convex optimization* (2021), for the step and
//! its gain.

use crate::error::Error;
use crate::measurement::Measurement;
use crate::space::{Projection, Space};

/// How well a model fits its measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct FitReport {
    /// Half the sum of squared errors over variances: about half the number of independent answers
    /// where the model fits.
    pub loss: f64,
    /// No distribution over the same attributes has a loss below `loss - gap`: certified.
    pub gap: f64,
    /// Steps that were taken.
    pub steps: usize,
}

/// How long a model is fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FitSpec {
    /// The iteration ends at this gap, as a share of the loss plus one. 0.001 by default.
    pub gap: f64,
    /// The most steps. 1,000 by default.
    pub most_steps: usize,
}

impl Default for FitSpec {
    fn default() -> Self {
        Self { gap: 1e-3, most_steps: 1_000 }
    }
}

/// Steps between two looks at the gap.
const STEPS_A_LOOK: usize = 10;
/// How much the curvature is assumed to fall from one step to the next.
const GAIN: f64 = 1.5;
/// Most doublings of the curvature within a step.
const MOST_DOUBLINGS: usize = 60;

/// A measurement with its place in the tree.
struct Placed<'a> {
    measurement: &'a Measurement,
    /// The table of the model that has its attributes.
    table: usize,
    projection: Projection<'a>,
    /// The answers, as they are compared.
    values: Vec<f64>,
    weight: f64,
}

/// Answers to all measurements.
type Answers = Vec<Vec<f64>>;

pub(crate) struct Problem<'a, S> {
    space: &'a S,
    placed: Vec<Placed<'a>>,
    total: f64,
    /// Minus infinity where no person can be, 0 elsewhere; one table for each of the model.
    possible: Vec<Vec<f64>>,
}

/// Probabilities, with what they answer.
struct Point {
    beliefs: Vec<Vec<f64>>,
    answers: Answers,
}

impl<'a, S: Space> Problem<'a, S> {
    /// # Errors
    /// What is wrong with a measurement; every set of one is within a table of the model.
    pub(crate) fn new(
        space: &'a S,
        measurements: &'a [Measurement],
        total: f64,
        possible: Vec<Vec<f64>>,
    ) -> Result<Self, Error> {
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::BadTotal { total });
        }
        let mut placed = Vec::with_capacity(measurements.len());
        for measurement in measurements {
            measurement.check(space.sizes())?;
            let projection = space.projection(measurement.set);
            let (table, projection) =
                projection.ok_or(Error::BadMeasurement { set: measurement.set, what: "it is in no clique" })?;
            // Centred numbers are compared without what rounding left of their sums.
            let values = match measurement.along.iter().all(|along| *along == crate::Along::Centred) {
                true => measurement.answers(space.sizes(), measurement.values.clone()),
                false => measurement.values.clone(),
            };
            placed.push(Placed { measurement, table, projection, values, weight: 1.0 / measurement.variance });
        }
        Ok(Self { space, placed, total, possible })
    }

    /// The best probabilities, from those of largest entropy, or from the
    /// potentials of others.
    pub(crate) fn solve(
        &self,
        spec: FitSpec,
        start: Option<Vec<Vec<f64>>>,
    ) -> Result<(Vec<Vec<f64>>, FitReport), Error> {
        let mut psi = self.possible.clone();
        for (psi, start) in psi.iter_mut().flatten().zip(start.iter().flatten().flatten()) {
            *psi += start;
        }
        let start = self.space.probabilities(&psi);
        if start.log_sum == f64::NEG_INFINITY {
            return Err(Error::NothingPossible);
        }
        let mut log_sum = start.log_sum;
        let mut z = self.point(start.beliefs);
        let mut x = Point { beliefs: z.beliefs.clone(), answers: z.answers.clone() };
        let (mut share, mut curvature) = (1.0, self.curvature());
        let (mut loss, mut is_first) = (self.loss(&x.answers), true);
        let mut report = FitReport { loss, gap: self.gap(&x), steps: 0 };
        while report.steps < spec.most_steps && report.gap > spec.gap * (1.0 + loss) {
            let before = share * share * curvature;
            curvature /= GAIN;
            let mut taken = None;
            for _ in 0..MOST_DOUBLINGS {
                let t = if is_first { 1.0 } else { next_share(before, curvature) };
                let y = mixed_answers(&x.answers, &z.answers, t);
                let slopes = self.slopes(&y);
                let rate = 1.0 / (t * curvature);
                let next_psi = moved(&psi, &slopes, rate);
                let next = self.space.probabilities(&next_psi);
                let next_z = self.point(next.beliefs);
                let bend = self.bend(&next_z.answers, &z.answers);
                let (distance, rounding) = self.divergence(&slopes, rate, &next_z.beliefs, next.log_sum - log_sum);
                if bend <= curvature * (distance + rounding) {
                    taken = Some((t, next_psi, next.log_sum, next_z));
                    break;
                }
                curvature *= 2.0;
            }
            let Some((t, next_psi, next_sum, next_z)) = taken else { break };
            report.steps += 1;
            let answers = mixed_answers(&x.answers, &next_z.answers, t);
            let next_loss = self.loss(&answers);
            if next_loss > loss && !is_first {
                // Momentum leads uphill: begin anew from x, whose potentials follow from it.
                psi = self.space.potentials(&x.beliefs);
                log_sum = 0.0;
                z = Point { beliefs: x.beliefs.clone(), answers: x.answers.clone() };
                (share, is_first) = (1.0, true);
                continue;
            }
            for (x, z) in x.beliefs.iter_mut().zip(&next_z.beliefs) {
                x.iter_mut().zip(z).for_each(|(x, z)| *x = (1.0 - t) * *x + t * z);
            }
            x.answers = answers;
            (psi, log_sum, z, share, loss, is_first) = (next_psi, next_sum, next_z, t, next_loss, false);
            if report.steps.is_multiple_of(STEPS_A_LOOK) {
                (report.loss, report.gap) = (loss, self.gap(&x));
            }
        }
        (report.loss, report.gap) = (loss, self.gap(&x));
        Ok((x.beliefs, report))
    }

    /// What probabilities answer.
    fn point(&self, beliefs: Vec<Vec<f64>>) -> Point {
        let answers = self.placed.iter().map(|placed| {
            let mut cells = placed.projection.sums(&beliefs[placed.table]);
            cells.iter_mut().for_each(|cell| *cell *= self.total);
            placed.measurement.answers(self.space.sizes(), cells)
        });
        let answers = answers.collect();
        Point { beliefs, answers }
    }

    fn loss(&self, answers: &Answers) -> f64 {
        let squares = self.placed.iter().zip(answers).map(|(placed, answers)| {
            placed.weight * answers.iter().zip(&placed.values).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        });
        0.5 * squares.sum::<f64>()
    }

    /// How f bends between two points.
    fn bend(&self, one: &Answers, other: &Answers) -> f64 {
        let squares = self.placed.iter().zip(one.iter().zip(other)).map(|(placed, (one, other))| {
            placed.weight * one.iter().zip(other).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()
        });
        0.5 * squares.sum::<f64>()
    }

    /// The gradient of f in the probabilities of every table.
    fn slopes(&self, answers: &Answers) -> Vec<Vec<f64>> {
        let mut slopes = self.space.zeros();
        for (placed, answers) in self.placed.iter().zip(answers) {
            let factor = placed.weight * self.total;
            let pulled = answers.iter().zip(&placed.values).map(|(a, b)| factor * (a - b)).collect();
            let cells = placed.measurement.pulls(self.space.sizes(), pulled);
            placed.projection.add(&mut slopes[placed.table], &cells);
        }
        slopes
    }

    /// A start for the curvature: a thousandth of what bounds it, since the bound is far off.
    fn curvature(&self) -> f64 {
        let bound = self.placed.iter().map(|placed| placed.weight * placed.measurement.sensitivity(self.space.sizes()));
        (1e-3 * self.total * self.total * bound.sum::<f64>()).max(f64::MIN_POSITIVE)
    }

    /// `KL(z+ | z)`, from the potentials' difference `-rate slopes` and that of the sums, and how
    /// far rounding may have taken it.
    fn divergence(&self, slopes: &[Vec<f64>], rate: f64, next: &[Vec<f64>], sums: f64) -> (f64, f64) {
        let mut inner = 0.0;
        for (slopes, next) in slopes.iter().zip(next) {
            inner += slopes.iter().zip(next).map(|(slope, p)| slope * p).sum::<f64>();
        }
        let distance = -rate * inner - sums;
        (distance.max(0.0), 1e-13 * ((rate * inner).abs() + sums.abs()))
    }

    /// By how much the loss may be above the least.
    fn gap(&self, x: &Point) -> f64 {
        let mut slopes = self.slopes(&x.answers);
        let mut here = 0.0;
        for (slopes, beliefs) in slopes.iter().zip(&x.beliefs) {
            here += slopes.iter().zip(beliefs).map(|(slope, p)| slope * p).sum::<f64>();
        }
        for (slopes, possible) in slopes.iter_mut().zip(&self.possible) {
            slopes.iter_mut().zip(possible).for_each(|(slope, possible)| *slope = possible - *slope);
        }
        (here + self.space.largest_sum(&slopes)).max(0.0)
    }
}

/// The next share t of z: `(1 - t) / (l t^2) = 1 / before`, with `before` the last `l t^2`.
fn next_share(before: f64, curvature: f64) -> f64 {
    // l t^2 + before t - before = 0, in the form that does not cancel.
    2.0 * before / (before + (before * before + 4.0 * curvature * before).sqrt())
}

fn mixed_answers(x: &Answers, z: &Answers, share: f64) -> Answers {
    let pairs = x.iter().zip(z);
    pairs.map(|(x, z)| x.iter().zip(z).map(|(x, z)| (1.0 - share) * x + share * z).collect()).collect()
}

fn moved(psi: &[Vec<f64>], slopes: &[Vec<f64>], rate: f64) -> Vec<Vec<f64>> {
    let tables = psi.iter().zip(slopes);
    tables.map(|(psi, slopes)| psi.iter().zip(slopes).map(|(psi, slope)| psi - rate * slope).collect()).collect()
}
