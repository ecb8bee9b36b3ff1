//! Steps of one ball with rolling resistance and with cohesion against closed forms.

mod steps;

use signorini_flat::{Contact, FlatSolver, Resistance, Side};
use steps::{GRAVITY, contact, ellipsoid, on_floor, solve};

/// A ball that rolls loses 5/7 g h ρ/R of its speed, and rolls on; a slow one stops (theory 14.2).
#[test]
fn rolling_resistance_slows_a_ball() {
    let (h, radius, length) = (0.01, 0.1, 0.004);
    let rolling = |speed: f64| {
        let mut body = ellipsoid([0.0, 0.0, radius], [radius; 3], h);
        body.velocity = [[0.6 * speed, 0.8 * speed, 0.0], [-8.0 * speed, 6.0 * speed, 0.0]];
        body.free = [[0.6 * speed, 0.8 * speed, -GRAVITY * h], body.velocity[1]];
        let resistance = Resistance { length, arm: 2.0 * radius, impulse: [0.0; 2] };
        let mut solver = FlatSolver::default();
        let contacts = [Contact { rolling: resistance, ..on_floor(0, 0.2) }];
        assert!(solve(&mut solver, &[body], &contacts, 1e-6).is_solved);
        let couple = solver.touch(0).rolling.map(|x| 2.0 * radius * x);
        (solver.velocity(0), couple[0].hypot(couple[1]) / (body.mass * GRAVITY * h))
    };
    let lost = 5.0 / 7.0 * GRAVITY * h * length / radius;
    let ([linear, angular], couple) = rolling(2.0);
    for (d, part) in [(0, 0.6), (1, 0.8)] {
        assert!((linear[d] - part * (2.0 - lost)).abs() < 1e-5 * lost, "{linear:?}: {lost} less than 2");
    }
    assert!((linear[0] - radius * angular[1]).abs() < 1e-6, "{linear:?} {angular:?}");
    assert!((couple - length).abs() < 1e-5 * length, "{couple} m of {length} m");
    let ([linear, angular], couple) = rolling(0.5 * lost);
    let speed = linear.into_iter().chain(angular).fold(0.0, |most: f64, v| most.max(v.abs()));
    assert!(speed < 1e-3 * lost && couple < 0.51 * length, "{linear:?} {angular:?} {couple}");
}

/// Cohesion holds a ball under a ceiling: what it pulls less the weight presses, and friction reads the sum.
/// A weaker one lets it fall with what the weight is more.
#[test]
fn cohesion_holds_a_ball_under_a_ceiling() {
    let (h, radius) = (0.01, 0.1);
    let body = ellipsoid([0.0, 0.0, -radius], [radius; 3], h);
    let weight = body.mass * GRAVITY * h;
    let under = |pull: f64| {
        let mut solver = FlatSolver::default();
        let ceiling = contact([Side::Given(0), Side::Moving(0)], [0.0, 0.0, -1.0], Some(0.0), 0.2);
        assert!(solve(&mut solver, &[body], &[Contact { pull, ..ceiling }], 1e-6).is_solved);
        (solver.touch(0).impulse[0], solver.velocity(0)[0][2])
    };
    let (x, v) = under(1.5 * weight);
    assert!((x - 0.5 * weight).abs() < 1e-5 * weight && v.abs() < 1e-6, "{x} of {weight} N s, {v} m/s");
    let (x, v) = under(0.75 * weight);
    assert!(x == 0.0 && (v + 0.25 * GRAVITY * h).abs() < 1e-6, "{x} N s, {v} m/s");
}
