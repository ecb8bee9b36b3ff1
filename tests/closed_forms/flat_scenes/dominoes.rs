//! A row of twenty dominoes falls as a wave.

use super::chain::Row;
use support::runs::{Run, body, shipped};

const N: usize = 20;
const ROW: Row = Row { height: 0.048, thickness: 0.008, gap: 0.02 };
/// Angular velocity the first starts with (rad/s).
const PUSH: f64 = 8.0;

/// Times at which each domino first carries load of the one before it.
fn hits(run: &mut Run) -> Vec<f64> {
    let ids: Vec<usize> = (1..=N).map(|k| body(run.scene(), &format!("domino-{k}"))).collect();
    let mut times = vec![None; N - 1];
    for _ in 0..run.scene().n_steps() {
        run.advance();
        for c in run.contacts().iter().filter(|c| c.normal_impulse > 0.0) {
            let place = |id: usize| ids.iter().position(|i| *i == id);
            if let (Some(a), Some(b)) = (place(c.body_a), place(c.body_b)) {
                times[a.min(b)].get_or_insert(run.time());
            }
        }
        // The run shows nothing new once the last one is down.
        if times.iter().all(Option::is_some) {
            break;
        }
    }
    times.into_iter().flatten().collect()
}

/// Without friction between dominoes the times are those of a chain with one degree of freedom.
#[test]
fn without_friction_dominoes_fall_as_the_chain_does() {
    let mut scene = shipped("seeds/dominoes.toml");
    for entry in scene.friction.entries.iter_mut().filter(|e| e.coefficient == 0.2) {
        entry.coefficient = 0.0;
    }
    let found = hits(&mut Run::new(scene));
    let expected = ROW.hits(N, PUSH);
    assert_eq!([found.len(), expected.len()], [N - 1, N - 1]);
    for (k, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let late = found - expected;
        // Implicit Euler is late by a part of the order of h in each fall; a hit shows at the end of its
        // step.
        assert!(
            (-0.001..0.02 * expected + 0.001).contains(&late),
            "domino {}: {found} not {expected} s",
            k + 2
        );
    }
}

/// With friction of 0.2 the wave is slower and soon keeps its speed. Each ends leaning on the foot of the
/// next, at the angle cos θ = thickness / pitch, and the last lies.
#[test]
fn a_row_of_dominoes_falls() {
    let mut run = Run::new(shipped("seeds/dominoes.toml"));
    let found = hits(&mut run);
    assert_eq!(found.len(), N - 1, "{found:?}");
    let free = ROW.hits(N, PUSH);
    let pace = |times: &[f64]| (times[N - 2] - times[N - 12]) / 10.0;
    let (slow, fast) = (pace(&found), pace(&free));
    assert!(slow > fast && slow < 1.5 * fast, "{slow} s a domino, {fast} s without friction");
    for k in N - 12..N - 2 {
        let between = found[k + 1] - found[k];
        assert!(
            (between - slow).abs() <= 1.001e-3,
            "{between} s between {k} and the next, {slow} s in the mean"
        );
    }
    // Rows of dominoes run at 1 to 2 √(g H), by experiment.
    let speed = (ROW.gap + ROW.thickness) / slow / (super::G * ROW.height).sqrt();
    assert!((1.0..2.0).contains(&speed), "{speed} √(g H)");
    run.run_to_the_end();
    let leaning = (ROW.thickness / (ROW.gap + ROW.thickness)).acos();
    for k in 1..=N {
        let pose = run.state().poses[body(run.scene(), &format!("domino-{k}"))];
        let angle = pose.orientation.angle();
        // The last few slide a little when the one they fell on gives way.
        let expected = if k == N { std::f64::consts::FRAC_PI_2 } else { leaning };
        assert!((angle - expected).abs() < 0.03, "domino {k} leans by {angle}, not {expected}");
        // Each that leans askew turns the next a little more: set 1e-13 m aside, the first moves the last by
        // .2 mm.
        let aside = if k + 5 < N { 1e-6 } else { 5e-4 };
        assert!(pose.position.y.abs() < aside, "domino {k} left the row: {}", pose.position);
    }
}
