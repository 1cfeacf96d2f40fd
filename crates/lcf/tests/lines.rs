//! What whole lines of groups reveal, by the definitions of `docs/math/lcf.md`: every draw of the
//! noise, and every size of group up to one far above cap and noise.

use std::collections::BTreeMap;

use lcf::{ClampedNormal, Counted, GroupNumber, HardThreshold, LinePair, NumberNoise, ThresholdTable};
use privacy_core::param::StdDev;

fn normal(mean: f64, sd: f64, bound: f64) -> ThresholdTable {
    ThresholdTable::new(ClampedNormal::new(mean, StdDev::new(sd).unwrap(), bound).unwrap())
}

fn tables() -> [ThresholdTable; 3] {
    [normal(8.0, 1.5, 2.0), normal(4.0, 0.5, 2.0), ThresholdTable::new(HardThreshold::at_least(5).unwrap())]
}

fn rounded(base: u32) -> GroupNumber {
    GroupNumber::Rounded(NumberNoise::rounding(base).unwrap())
}

fn noisy(scale: f64, base: u32) -> GroupNumber {
    GroupNumber::Noisy(NumberNoise::laplace(scale).unwrap().rounded_to(base).unwrap())
}

/// `P(Z + T = x)` of (17) as products of the two laws. Tails below 10^-17 are left out.
fn moves(noise: &NumberNoise) -> BTreeMap<i64, f64> {
    let base = i64::from(noise.base());
    let mut moves = BTreeMap::new();
    let scale = noise.scale().unwrap_or(0.0);
    let ratio = if noise.scale().is_some() { (-1.0 / scale).exp() } else { 0.0 };
    let reach = (40.0 * scale) as i64;
    for z in -reach..=reach {
        let density = (1.0 - ratio) / (1.0 + ratio) * ratio.powi(z.unsigned_abs() as i32);
        for up in 0..base {
            *moves.entry(z + up).or_insert(0.0) += density / base as f64;
        }
    }
    moves
}

/// The number of `n` entities that are moved by `x`.
fn shown(noise: &NumberNoise, floor: u64, n: u64, x: i64) -> u64 {
    let base = i64::from(noise.base());
    (((n as i64 + x).max(0) / base * base) as u64).max(floor)
}

/// The law of the number of `n` entities.
fn numbers(noise: &NumberNoise, moves: &BTreeMap<i64, f64>, floor: u64, n: u64) -> BTreeMap<u64, f64> {
    let mut numbers = BTreeMap::new();
    for (&x, p) in moves {
        *numbers.entry(shown(noise, floor, n, x)).or_insert(0.0) += p;
    }
    numbers
}

/// `c` and `d` of (19): whether two numbers are the same with one noise, and with two.
fn same(number: &GroupNumber, moves: &BTreeMap<i64, f64>, floor: u64, n: u64) -> [f64; 2] {
    let Some(noise) = number.noise() else {
        let hidden = f64::from(u8::from(*number == GroupNumber::Hidden));
        return [hidden; 2];
    };
    let is_same = |x: i64| shown(noise, floor, n, x) == shown(noise, floor, n + 1, x);
    let (fewer, more) = (numbers(noise, moves, floor, n), numbers(noise, moves, floor, n + 1));
    let anew = fewer.iter().map(|(v, p)| p * more.get(v).unwrap_or(&0.0)).sum();
    [moves.iter().filter(|(x, _)| is_same(**x)).map(|(_, p)| p).sum(), anew]
}

/// (19), and the pairs after which all of them are equal in one case of a hundred.
fn pair(table: &ThresholdTable, number: &GroupNumber, moves: &BTreeMap<i64, f64>, n: u64) -> (f64, Option<u64>) {
    let [fewer, more] = [n, n + 1].map(|n| table.decision_probability(n));
    let [one_noise, two] = same(number, moves, table.floor(), n);
    let least_stays = n as f64 / (n as f64 + 1.0);
    let same = fewer.reported * more.reported * (least_stays * one_noise + (1.0 - least_stays) * two);
    let detection = 1.0 - fewer.suppressed * more.suppressed - same;
    let (mut pairs, mut undetected) = (0, 1.0);
    while detection > 1e-12 && undetected > 0.01 {
        (pairs, undetected) = (pairs + 1, undetected * (1.0 - detection));
    }
    (detection, (pairs > 0).then_some(pairs))
}

fn laws() -> Vec<GroupNumber> {
    let exact = [GroupNumber::Hidden, GroupNumber::Exact(Counted::Entities)];
    let drawn = [rounded(2), rounded(5), rounded(30), noisy(0.5, 3), noisy(2.0, 10)];
    exact.into_iter().chain(drawn).collect()
}

/// A size far above cap and noise.
fn far_size(table: &ThresholdTable, number: &GroupNumber) -> u64 {
    table.cap() + number.noise().map_or(3, |noise| 3 * u64::from(noise.base()) + 90)
}

fn moves_of(number: &GroupNumber) -> BTreeMap<i64, f64> {
    number.noise().map(moves).unwrap_or_default()
}

fn assert_is(got: LinePair, (detection, pairs): (f64, Option<u64>), what: &str) {
    assert!((got.detection - detection).abs() < 1e-11, "{what}: {got:?}, not {detection}");
    assert_eq!(got.pairs_for_99_percent, pairs, "{what}: {got:?}");
}

#[test]
fn a_pair_of_lines_differs_as_often_as_its_draws_say() {
    for number in laws().into_iter().chain([noisy(10.0, 4)]) {
        let moves = moves_of(&number);
        for table in tables() {
            for n in (table.floor() - 1..table.cap() + 12).chain([97, 100]) {
                let want = pair(&table, &number, &moves, n);
                assert_is(table.line_pair(&number, n), want, &format!("{number:?} {n}"));
            }
        }
    }
}

#[test]
fn the_worst_pair_is_the_first_of_all_sizes_where_lines_differ_most() {
    for number in laws() {
        let moves = moves_of(&number);
        for table in tables() {
            let odds = table.line_odds(&number);
            let far = far_size(&table, &number);
            for (first, got) in [(table.floor() - 1, odds.worst), (table.cap(), odds.certain_groups)] {
                let mut worst = (first, (0.0, None));
                for n in first..far {
                    let next = pair(&table, &number, &moves, n);
                    // What differs by roundings alone is the same.
                    if next.0 > worst.1.0 + 1e-12 {
                        worst = (n, next);
                    }
                }
                assert_eq!(got.n, worst.0, "{number:?} {got:?} {worst:?}");
                assert_is(got, worst.1, &format!("{number:?} from {first}"));
            }
        }
    }
}

/// The probability that a line proves one of two sizes, and the largest posterior of the others.
fn one_line(table: &ThresholdTable, number: &GroupNumber, moves: &BTreeMap<i64, f64>, n: u64) -> [f64; 2] {
    let line = |n: u64| {
        let decision = table.decision_probability(n);
        let mut lines: BTreeMap<Option<u64>, f64> = match (number, number.noise()) {
            (_, Some(noise)) => {
                let numbers = numbers(noise, moves, table.floor(), n);
                numbers.into_iter().map(|(v, p)| (Some(v), p * decision.reported)).collect()
            }
            (GroupNumber::Hidden, _) => BTreeMap::from([(Some(0), decision.reported)]),
            _ => BTreeMap::from([(Some(n), decision.reported)]),
        };
        lines.insert(None, decision.suppressed);
        lines
    };
    let (fewer, more) = (line(n), line(n + 1));
    let (mut certain, mut posterior) = (0.0, 0.5_f64);
    for line in fewer.keys().chain(more.keys().filter(|line| !fewer.contains_key(*line))) {
        let [here, there] = [&fewer, &more].map(|law| law.get(line).copied().unwrap_or(0.0));
        if here.min(there) == 0.0 {
            certain += 0.5 * here.max(there);
        } else if here.min(there) > 1e-9 {
            posterior = posterior.max(here.max(there) / (here + there));
        }
    }
    [certain, posterior]
}

#[test]
fn certainty_and_posterior_are_the_largest_over_all_sizes() {
    for number in laws() {
        let moves = moves_of(&number);
        for table in tables() {
            let odds = table.line_odds(&number);
            let far = far_size(&table, &number);
            let all = (table.floor() - 1..far).map(|n| one_line(&table, &number, &moves, n));
            let [certain, posterior] = all.fold([0.0, 0.5], |[a, b], [c, d]| [f64::max(a, c), f64::max(b, d)]);
            assert!((odds.certainty - certain).abs() < 1e-12, "{number:?}: {} {certain}", odds.certainty);
            assert!((odds.posterior - posterior).abs() < 1e-5, "{number:?}: {} {posterior}", odds.posterior);
        }
    }
}

/// `m` of (20), with the least sum over 4,096 values of `s`, beside sets of a thousand and more.
fn numbers_needed(noise: &NumberNoise) -> u64 {
    let moves = moves(noise);
    let information = |x: u64| {
        let (fewer, more) = (numbers(noise, &moves, 0, x), numbers(noise, &moves, 0, x + 1));
        let logs: Vec<[f64; 2]> = fewer.iter().filter_map(|(v, p)| Some([p.ln(), more.get(v)?.ln()])).collect();
        let sum = |s: f64| logs.iter().map(|[p, p1]| (s * p + (1.0 - s) * p1).exp()).sum::<f64>();
        -(0..=4096).map(|s| sum(f64::from(s) / 4096.0)).fold(1.0, f64::min).ln()
    };
    let best = (1000..1000 + u64::from(noise.base())).map(information).fold(0.0, f64::max);
    (50_f64.ln() / best).ceil() as u64
}

#[test]
fn noise_is_averaged_out_after_as_many_numbers_as_the_bound_of_chernoff_says() {
    for (scale, base) in [(0.5, 3), (1.5, 2), (0.5, 30)] {
        let number = noisy(scale, base);
        let needed = tables()[0].line_odds(&number).numbers_for_99_percent;
        assert_eq!(needed, number.noise().map(numbers_needed), "{number:?}");
    }
    // Noise alone: the law and its neighbour are mirrored, so that s = 1/2, and the sum is
    // 1 / cosh(1 / (2 a)).
    for scale in [0.5, 3.0, 8.0] {
        let unrounded = GroupNumber::Noisy(NumberNoise::laplace(scale).unwrap());
        let want = (50_f64.ln() / (0.5 / scale).cosh().ln()).ceil() as u64;
        assert_eq!(tables()[0].line_odds(&unrounded).numbers_for_99_percent, Some(want), "{scale}");
    }
}
