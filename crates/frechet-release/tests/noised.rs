//! The attacker who reads noisy numbers beside exact ones.

use std::collections::BTreeMap;

use frechet_release::{Error, Limits, LinkageAttack, NoisyNumbers, Region};
use privacy_core::rng::SimRng;
use privacy_core::{AttrSet, ContingencyTable, Domain};
use rand_core::Rng;

fn identity(size: usize) -> Vec<Vec<f64>> {
    (0..size).map(|row| (0..size).map(|level| f64::from(row == level)).collect()).collect()
}

/// The sums of both axes, and what is exact besides.
fn attack(domain: &Domain, table: &ContingencyTable, exact: &[usize]) -> LinkageAttack {
    let mut attack = LinkageAttack::new(domain.clone()).unwrap();
    for axis in 0..2 {
        for (level, &sum) in table.marginal(AttrSet::single(axis)).unwrap().cells().iter().enumerate() {
            attack.add(&Region::everything().with(axis, [level]), sum, sum).unwrap();
        }
    }
    for &cell in exact {
        attack.add(&region(domain, cell), table.cells()[cell], table.cells()[cell]).unwrap();
    }
    attack
}

fn region(domain: &Domain, cell: usize) -> Region {
    let columns = domain.cardinality(1);
    Region::everything().with(0, [cell / columns]).with(1, [cell % columns])
}

/// A standard normal number, from twelve even ones: close enough for a picture.
fn normal(rng: &mut SimRng) -> f64 {
    (0..12).map(|_| (rng.next_u64() >> 11) as f64 * (-53_f64).exp2()).sum::<f64>() - 6.0
}

#[test]
fn the_posterior_is_that_of_all_tables_weighed_by_the_noisy_numbers() {
    let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
    let table = ContingencyTable::from_cells(&domain, domain.all(), vec![3, 4, 2, 5]).unwrap();
    let withheld = [region(&domain, 0)];
    let prepared = attack(&domain, &table, &[]).beside_noise(&table, &withheld, Limits::default()).unwrap();
    let mut numbers = NoisyNumbers::new(&domain).unwrap();
    numbers.add_gaussian(&[(0, identity(2)), (1, identity(2))], 2.0, &[2.2, 3.9, 3.0, 5.5]).unwrap();
    // Rows of 7 and 7, columns of 5 and 9: one unknown count x of 0 to 5.
    let mut masses: Vec<BTreeMap<i64, f64>> = vec![BTreeMap::new(); 2];
    for x in 0..=5_i64 {
        let cells = [x, 7 - x, 5 - x, 2 + x];
        let misfit: f64 = cells.iter().zip([2.2, 3.9, 3.0, 5.5]).map(|(&x, y)| (x as f64 - y).powi(2)).sum();
        let people: f64 = cells.iter().map(|&x| (1..=x).map(|k| (k as f64).ln()).sum::<f64>()).sum();
        masses[0].insert(x, (-misfit / 4.0).exp());
        masses[1].insert(x, (-misfit / 4.0 - people).exp());
    }
    let best = masses.iter().map(|mass| {
        let (x, largest) = mass.iter().max_by(|one, other| one.1.total_cmp(other.1)).unwrap();
        (*x, largest / mass.values().sum::<f64>())
    });
    let (guess, probability) = best.max_by(|one, other| one.1.total_cmp(&other.1)).unwrap();
    let found = prepared.posterior(&numbers).unwrap()[0];
    assert!(prepared.is_whole());
    assert_eq!((found.guess, found.standard_error), (guess, 0.0));
    assert!((found.probability - probability).abs() < 1e-12, "{found:?} {probability}");
}

#[test]
fn noise_of_laplace_is_weighed_too_and_more_of_it_says_less() {
    let domain = Domain::of_cardinalities(&[2, 2]).unwrap();
    let table = ContingencyTable::from_cells(&domain, domain.all(), vec![3, 4, 2, 5]).unwrap();
    let withheld = [region(&domain, 0)];
    let prepared = attack(&domain, &table, &[]).beside_noise(&table, &withheld, Limits::default()).unwrap();
    let believed = |scale: f64| {
        let mut numbers = NoisyNumbers::new(&domain).unwrap();
        numbers.add_laplace(&region(&domain, 1), scale, 4).unwrap();
        prepared.posterior(&numbers).unwrap()[0]
    };
    assert_eq!(believed(0.1).guess, 3);
    assert!(believed(0.1).probability > 0.999 && believed(1.0).probability < believed(0.3).probability);
    let blind = prepared.posterior(&NoisyNumbers::new(&domain).unwrap()).unwrap()[0];
    assert!(believed(1e6).probability < blind.probability + 1e-3 && blind.probability < 0.6);
}

/// What the attack reaches on random tables of 4 x 4 whose sums are exact, beside noisy counts of
/// all cells: for each rho, the share of withheld cells that is guessed right, and the mean
/// posterior.
fn reached(rhos: &[Option<f64>], tables: u64) -> Vec<[f64; 2]> {
    let domain = Domain::of_cardinalities(&[4, 4]).unwrap();
    let (mut sums, mut all) = (vec![[0.0; 2]; rhos.len()], 0.0);
    for trial in 0..tables {
        let mut rng = SimRng::for_trial(16, "tables beside noise", trial);
        let counts: Vec<u64> = (0..16).map(|_| rng.next_u64() % 10).collect();
        let table = ContingencyTable::from_cells(&domain, domain.all(), counts.clone()).unwrap();
        // Some of the cells of at least 4 are exact besides.
        let shown: Vec<usize> = (0..16).filter(|&cell| counts[cell] >= 4 && cell % 5 != 0 && cell % 3 != 0).collect();
        let hidden: Vec<usize> = (0..16).filter(|cell| !shown.contains(cell)).collect();
        let withheld: Vec<Region> = hidden.iter().map(|&cell| region(&domain, cell)).collect();
        let prepared = attack(&domain, &table, &shown).beside_noise(&table, &withheld, Limits::default()).unwrap();
        all += hidden.len() as f64;
        for (sums, rho) in sums.iter_mut().zip(rhos) {
            let mut numbers = NoisyNumbers::new(&domain).unwrap();
            if let Some(rho) = rho {
                let variance: f64 = 0.5 / rho;
                let seen: Vec<f64> = counts.iter().map(|&x| x as f64 + variance.sqrt() * normal(&mut rng)).collect();
                numbers.add_gaussian(&[(0, identity(4)), (1, identity(4))], variance, &seen).unwrap();
            }
            for (found, &cell) in prepared.posterior(&numbers).unwrap().iter().zip(&hidden) {
                sums[0] += f64::from(found.guess == counts[cell].cast_signed());
                sums[1] += found.probability;
            }
        }
    }
    sums.into_iter().map(|[right, believed]| [right / all, believed / all]).collect()
}

#[test]
fn noisy_tables_beside_exact_ones_tell_more_the_less_noise_they_have() {
    let curve = reached(&[None, Some(0.05), Some(0.2), Some(0.5), Some(1.0), Some(2.0)], 10);
    assert!(curve.windows(2).all(|pair| pair[0][0] < pair[1][0] + 0.05 && pair[0][1] < pair[1][1]), "{curve:.2?}");
    assert!(curve[0][0] < 0.45 && curve[5][0] > 0.75, "{curve:.2?}");
    // It is surer than it is right, since it believes whichever prior makes it so: never the reverse.
    assert!(curve.iter().all(|[right, believed]| believed + 0.05 > *right), "{curve:.2?}");
}

#[test]
fn what_chains_believe_is_the_same_at_any_number_of_threads() {
    let domain = Domain::of_cardinalities(&[5, 5]).unwrap();
    let table =
        ContingencyTable::from_cells(&domain, domain.all(), (0..25).map(|n| 20 + n * 7 % 11).collect()).unwrap();
    let withheld: Vec<Region> = (0..25).map(|cell| region(&domain, cell)).collect();
    let prepared = attack(&domain, &table, &[]).beside_noise(&table, &withheld, Limits::default()).unwrap();
    assert!(!prepared.is_whole());
    let mut numbers = NoisyNumbers::new(&domain).unwrap();
    for (cell, value) in (0..25).zip(20..) {
        numbers.add_laplace(&region(&domain, cell), 2.0, value).unwrap();
    }
    let believed = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| prepared.posterior(&numbers).unwrap())
    };
    let one = believed(1);
    assert!(one.iter().all(|number| number.standard_error > 0.0 && number.probability > 0.1), "{one:?}");
    assert!([2, 5, 64].into_iter().all(|threads| believed(threads) == one));
}

#[test]
fn numbers_that_do_not_fit_and_tables_that_are_too_large_are_refused() {
    let domain = Domain::of_cardinalities(&[2, 3]).unwrap();
    let mut numbers = NoisyNumbers::new(&domain).unwrap();
    let refused = |result: Result<(), Error>| assert_eq!(result, Err(Error::NoisyShape));
    refused(numbers.add_gaussian(&[(1, identity(2))], 1.0, &[0.0; 2]));
    refused(numbers.add_gaussian(&[(1, identity(3))], 1.0, &[0.0; 2]));
    refused(numbers.add_gaussian(&[(1, identity(3))], 0.0, &[0.0; 3]));
    refused(numbers.add_gaussian(&[(1, identity(3)), (0, identity(2))], 1.0, &[0.0; 6]));
    refused(numbers.add_laplace(&Region::everything(), f64::NAN, 3));
    assert!(matches!(numbers.add_gaussian(&[(7, identity(3))], 1.0, &[0.0; 3]), Err(Error::NoSuchLevel { .. })));
    assert!(numbers.is_empty());
    let large = Domain::of_cardinalities(&[50, 50]).unwrap();
    let table = ContingencyTable::from_cells(&large, large.all(), vec![1; 2500]).unwrap();
    let refused = LinkageAttack::new(large).unwrap().beside_noise(&table, &[], Limits::default()).unwrap_err();
    assert!(matches!(refused, Error::PosteriorTooLarge { .. }), "{refused}");
}
