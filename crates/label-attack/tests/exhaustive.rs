//! Tiny worlds, where every labelling can be tried.

use label_attack::{
    AttackLimits, Evidence, Features, LabelProblem, LabelRelease, LabelView, LabelWorld, Population, Suppression,
    attack_labels, exposed_rows,
};
use privacy_core::rng::SimRng;

/// A world, its release, and all labellings that agree with it, by the definition of the release.
struct Tiny {
    world: LabelWorld,
    view: LabelView,
    agreeing: Vec<Vec<u32>>,
}

fn tiny(evidence: Evidence, classes: u32, trial: u64) -> Tiny {
    let mut rng = SimRng::for_trial(5, "tiny", trial);
    let rows = if classes == 2 { 8 } else { 6 };
    let population = Population::new(rows, Features::uniform(&[2, 3]), &vec![1.0; classes as usize]).unwrap();
    let world = LabelWorld::draw(&population, &mut rng);
    let mut release = LabelRelease::new(trial % 4, trial % 3).unwrap();
    release.clamp_at_zero = trial.is_multiple_of(2);
    release.suppression = if trial.is_multiple_of(5) { Suppression::GroupSize } else { Suppression::PerClass };
    let view = LabelView::of(&world, &release, &AttackLimits::default(), &mut rng).unwrap();
    let number = (classes as usize).pow(rows as u32);
    let labelling = |number: usize| -> Vec<u32> {
        (0..rows).map(|row| (number / (classes as usize).pow(row as u32)) as u32 % classes).collect()
    };
    let agreeing = (0..number).map(labelling).filter(|labels| agrees(&view, evidence, labels)).collect();
    Tiny { world, view, agreeing }
}

/// Whether a release of these labels could have been this one, as far as the evidence goes.
fn agrees(view: &LabelView, evidence: Evidence, labels: &[u32]) -> bool {
    let (threshold, noise) = (view.release().suppress_below() as i64, view.release().noise() as i64);
    let by_count = view.release().suppression == Suppression::PerClass && evidence == Evidence::WithSuppressed;
    view.answers().all(|(rows, answers)| {
        answers.iter().enumerate().all(|(class, answer)| {
            let count = rows.iter().filter(|&&row| labels[row] as usize == class).count() as i64;
            match answer {
                // With clamping, 0 stands for every noisy count below it; a count of 0 is then at
                // most the noise.
                Some(0) if view.release().clamp_at_zero => count <= noise && !(by_count && count < threshold),
                Some(noisy) => (noisy - count).abs() <= noise && !(by_count && count < threshold),
                None => !by_count || count < threshold.max(1),
            }
        })
    })
}

fn every_world(mut check: impl FnMut(Evidence, Tiny)) {
    for evidence in [Evidence::Released, Evidence::WithSuppressed] {
        for classes in [2, 3] {
            for trial in 0..40 {
                check(evidence, tiny(evidence, classes, trial));
            }
        }
    }
}

#[test]
fn intervals_are_met_by_exactly_the_labels_that_agree_with_the_release() {
    every_world(|evidence, Tiny { world, view, agreeing }| {
        let problem = LabelProblem::of(&view, evidence);
        let classes = world.class_shares().len();
        let rows = world.labels().len() as u32;
        let met = (0..classes.pow(rows)).filter(|&number| {
            let labels: Vec<u32> = (0..rows).map(|row| (number / classes.pow(row) % classes) as u32).collect();
            problem.violation(&labels) == 0
        });
        assert_eq!(met.count(), agreeing.len());
        assert!(agreeing.iter().all(|labels| problem.violation(labels) == 0));
        assert_eq!(problem.violation(world.labels()), 0, "the truth always agrees");
    });
}

#[test]
fn proved_rows_have_one_label_in_all_labels_that_agree() {
    let (mut proved, mut pinned) = (0, 0);
    every_world(|evidence, Tiny { view, agreeing, .. }| {
        let mut rng = SimRng::for_trial(6, "tiny attack", 0);
        let attack =
            attack_labels(&view, evidence, &AttackLimits { visits: 20_000, ..AttackLimits::default() }, &mut rng)
                .unwrap();
        let exposed = exposed_rows(&view, evidence, &attack.guess, &AttackLimits::default());
        for row in &exposed.rows {
            assert!(agreeing.iter().all(|labels| labels[row.row] == row.label), "a proof must hold");
        }
        proved += exposed.rows.len();
        let first = &agreeing[0];
        pinned += (0..first.len()).filter(|&row| agreeing.iter().all(|labels| labels[row] == first[row])).count();
    });
    // Bounds of linear programs do not find them all.
    assert!(proved * 10 >= pinned * 7 && proved > 100, "{proved} of {pinned}");
}

#[test]
fn the_portfolio_is_close_to_the_best_guess_there_is() {
    // Every labelling that agrees is equally likely: classes have equal shares, noise is uniform,
    // nothing was clamped.
    let (mut best, mut got) = (0.0, 0.0);
    every_world(|evidence, Tiny { world, view, agreeing }| {
        if view.release().clamp_at_zero {
            return;
        }
        let mut rng = SimRng::for_trial(7, "tiny attack", 0);
        let attack =
            attack_labels(&view, evidence, &AttackLimits { visits: 200_000, ..AttackLimits::default() }, &mut rng)
                .unwrap();
        for (row, &guess) in attack.guess.labels.iter().enumerate() {
            let right = |label: u32| {
                agreeing.iter().filter(|labels| labels[row] == label).count() as f64 / agreeing.len() as f64
            };
            best += (0..world.class_shares().len() as u32).map(right).fold(0.0, f64::max);
            got += right(guess);
        }
    });
    assert!(got >= 0.985 * best, "{got} of {best}");
    assert!(got <= best * (1.0 + 1e-12));
}
