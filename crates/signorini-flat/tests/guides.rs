//! Bodies on guides against closed forms: they slide along a direction, do not turn, and a motor may hold
//! their speed.

mod steps;

use signorini_flat::{Body, Contact, Drive, FlatSolver, Guide, Hold, Problem, Resistance, Side, Solid};
use steps::{GRAVITY, STEP, box_, contact, ellipsoid, floor, on_floor, patch, problem, solve};

const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// A body on a guide, with the velocity that an impulse along it gives besides gravity.
fn guided(body: Body, direction: [f64; 3], impulse: f64, drive: Drive) -> Body {
    let along = |v: [f64; 3], push: f64| direction.map(|d| d * (dot(direction, v) + push / body.mass));
    Body {
        velocity: [along(body.velocity[0], 0.0), [0.0; 3]],
        free: [along(body.free[0], impulse), [0.0; 3]],
        acting: body.acting.max(impulse.abs()),
        guide: Some(Guide { direction, drive }),
        ..body
    }
}

/// A ball that slides down a slanted guide onto a floor: the floor takes its speed along the guide, with the
/// part of its normal along it; rolling resistance and torsion turn nothing.
#[test]
fn a_floor_stops_a_ball_on_a_slanted_guide() {
    let direction = [0.48, 0.36, 0.8];
    let body = guided(ellipsoid([0.0, 0.0, 0.1], [0.1; 3], STEP), direction, -0.5, Drive::Free);
    let rolling = Resistance { length: 0.01, arm: 0.2, impulse: [0.0; 2] };
    for contact in [
        Contact { friction: 0.0, ..on_floor(0, 0.2) },
        Contact { friction: 0.3, torsion: 0.02, rolling, ..on_floor(0, 0.2) },
    ] {
        let mut solver = FlatSolver::default();
        let outcome = solve(&mut solver, &[body], &[contact], 1e-6);
        assert!(outcome.is_solved, "{outcome:?}");
        let ([linear, angular], [x_n, x_t, x_o, _]) = (solver.velocity(0), solver.touch(0).impulse);
        // Friction along (1, 0, 0) and (0, 1, 0) helps.
        let taken = 0.8 * x_n + 0.48 * x_t + 0.36 * x_o;
        let given = -body.mass * dot(direction, body.free[0]);
        assert!((taken - given).abs() < 1e-5 * given, "{taken} N s of {given}");
        assert!(linear.iter().all(|v| v.abs() < 1e-6), "{linear:?}");
        assert_eq!(angular, [0.0; 3]);
    }
}

/// A plate on a guide presses off its centre on four boxes: they and the floor carry its force and
/// the weights, and the plate neither turns nor moves sideways. A plate of a
/// thousandth of their mass presses alike.
#[test]
fn a_plate_presses_boxes() {
    for density in [1.0, 1e-3] {
        let halves = [[0.5, 0.5, 0.02], [0.1; 3]];
        let solids = halves.map(Solid::box_);
        let mut plate = box_([-0.2, 0.1, 0.22], halves[0], 0);
        plate.mass *= density;
        plate.moments = plate.moments.map(|moment| moment * density);
        let mut bodies = vec![guided(plate, [0.0, 0.0, -1.0], 5.0, Drive::Free)];
        let places = [[-0.1, -0.1], [0.1, -0.1], [-0.1, 0.1], [0.1, 0.1]].map(|p| p.map(|x| 1.2 * x));
        for [x, y] in places {
            bodies.push(box_([x, y, 0.1], halves[1], 1));
        }
        let mut patches = Vec::new();
        for body in 1..5 {
            patches.push(patch([Side::Given(0), Side::Moving(body)], Some((UP, 0.0))));
            patches.push(patch([Side::Moving(body), Side::Moving(0)], None));
        }
        let given = [floor()];
        let tolerance = 1e-5;
        let mut solver = FlatSolver::default();
        let stands =
            Problem { patches: &patches, solids: &solids, tolerance, ..problem(&bodies, &given, &[]) };
        let outcome = solver.solve(&stands);
        assert!(outcome.is_solved, "{density}: {outcome:?}");
        let load = |all: [usize; 4]| all.iter().map(|c| solver.patch(*c).impulse[0]).sum::<f64>();
        let (pressed, borne) = (load([1, 3, 5, 7]), load([0, 2, 4, 6]));
        let plate = 5.0 + bodies[0].mass * GRAVITY * STEP;
        let all = plate + 4.0 * bodies[1].mass * GRAVITY * STEP;
        assert!((pressed - plate).abs() < 1e-4 * plate, "{density}: {pressed} N s of {plate}");
        assert!((borne - all).abs() < 1e-4 * all, "{density}: {borne} N s of {all}");
        let [[x, y, z], spin] = solver.velocity(0);
        assert!((x, y, spin) == (0.0, 0.0, [0.0; 3]) && z.abs() < 1e-4, "{density}: {x} {y} {z} {spin:?}");
    }
}

/// A ball on a guide presses two that touch it askew: they and the floor carry the force.
#[test]
fn a_ball_on_a_guide_presses_two() {
    let height = 0.1 + 0.2 * 0.75_f64.sqrt();
    let bodies = [
        guided(ellipsoid([0.0, 0.0, height], [0.1; 3], STEP), UP, -3.0, Drive::Free),
        ellipsoid([-0.1, 0.0, 0.1], [0.1; 3], STEP),
        ellipsoid([0.1, 0.0, 0.1], [0.1; 3], STEP),
    ];
    let tilt = 0.75_f64.sqrt();
    let contacts = [
        on_floor(1, 0.2),
        on_floor(2, 0.2),
        contact([Side::Moving(1), Side::Moving(0)], [0.5, 0.0, tilt], None, 0.2),
        contact([Side::Moving(2), Side::Moving(0)], [-0.5, 0.0, tilt], None, 0.2),
    ];
    let mut solver = FlatSolver::default();
    let outcome = solve(&mut solver, &bodies, &contacts, 1e-6);
    assert!(outcome.is_solved, "{outcome:?}");
    let borne = solver.touch(0).impulse[0] + solver.touch(1).impulse[0];
    let all = 3.0 + 3.0 * bodies[1].mass * GRAVITY * STEP;
    assert!((borne - all).abs() < 1e-5 * all, "{borne} N s of {all}");
}

/// A motor holds a speed with what that takes, or with all it has where that is not enough; a floor in the
/// way carries what the motor has.
#[test]
fn a_motor_holds_the_speed_of_a_body() {
    let down = [0.0, 0.0, -1.0];
    let of = |most: f64, height: f64| {
        let hold = Hold { speed: 0.2, most, impulse: 0.0 };
        let body = guided(ellipsoid([0.0, 0.0, height], [0.1; 3], STEP), down, 0.0, Drive::Hold(hold));
        let contacts = [Contact { friction: 0.0, ..on_floor(0, 0.2) }];
        let mut solver = FlatSolver::default();
        let outcome = solve(&mut solver, &[body], &contacts, 1e-6);
        assert!(outcome.is_solved, "{most} {height}: {outcome:?}");
        (solver.velocity(0)[0][2], solver.touch(0).impulse[0], body.mass)
    };
    let (speed, load, mass) = of(1.0, 1.0);
    assert!((speed + 0.2).abs() < 1e-9 && load == 0.0, "{speed} {load}");
    let little = 0.1 * mass * 0.05;
    let (speed, ..) = of(little, 1.0);
    assert!((speed + GRAVITY * STEP + little / mass).abs() < 1e-9, "{speed}");
    let (speed, load, _) = of(1.0, 0.1);
    let all = 1.0 + mass * GRAVITY * STEP;
    assert!(speed.abs() < 1e-6 && (load - all).abs() < 1e-5 * all, "{speed} {load} of {all}");
}

/// A body that is led goes on at its velocity, and pushes what is in the way.
#[test]
fn a_led_body_pushes() {
    let mut led = guided(ellipsoid([-0.2, 0.0, 0.1], [0.1; 3], STEP), [1.0, 0.0, 0.0], 0.0, Drive::Led);
    let speed = [[0.3, 0.0, 0.0], [0.0; 3]];
    (led.velocity, led.free) = (speed, speed);
    let pushed = ellipsoid([0.0, 0.0, 0.1], [0.1; 3], STEP);
    let sides = [Side::Moving(0), Side::Moving(1)];
    let contacts = [contact(sides, [1.0, 0.0, 0.0], None, 0.2), on_floor(1, 0.2)];
    let contacts = contacts.map(|contact| Contact { friction: 0.0, ..contact });
    let mut solver = FlatSolver::default();
    let outcome = solve(&mut solver, &[led, pushed], &contacts, 1e-6);
    assert!(outcome.is_solved, "{outcome:?}");
    assert_eq!(solver.velocity(0), speed);
    let x_n = solver.touch(0).impulse[0];
    assert!((x_n - 0.3 * pushed.mass).abs() < 1e-5 * x_n, "{x_n} N s");
}
