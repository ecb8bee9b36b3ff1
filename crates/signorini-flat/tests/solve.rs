//! Steps of spheres and ellipsoids against closed forms and an independent evaluation of gaps and momentum.

mod steps;

use signorini_flat::bodies::Pose;
use signorini_flat::parameters::CIRCLING_TURNS;
use signorini_flat::progress::Progress;
use signorini_flat::{
    Body, Closest, Contact, FlatSolver, Flight, GivenBody, Known, Manifold, Problem, Side, Start, Surfaces,
    Touch,
};
use steps::{GRAVITY, contact, ellipsoid, floor, on_floor, problem, solve};

/// A sphere on a half-space: the impulse is its weight times h, the gap closes.
#[test]
fn a_sphere_rests_on_a_floor() {
    let h = 0.01;
    let bodies = [ellipsoid([0.3, 0.2, 0.1], [0.1; 3], h)];
    let mut solver = FlatSolver::default();
    let outcome = solve(&mut solver, &bodies, &[on_floor(0, 0.2)], 1e-6);
    assert!(outcome.is_solved, "{outcome:?}");
    let touch = solver.touch(0);
    let weight = bodies[0].mass * GRAVITY * h;
    assert!((touch.impulse[0] - weight).abs() < 1e-5 * weight, "{touch:?}");
    assert!(touch.gap.abs() < 1e-7 && touch.normal == [0.0, 0.0, 1.0], "{touch:?}");
    let off =
        touch.arms[1].iter().zip([0.0, 0.0, -0.1]).map(|(arm, at)| (arm - at).abs()).fold(0.0, f64::max);
    assert!(off < 1e-15, "{touch:?}");
}

/// A sphere that slides loses μ g h of its speed and gains the spin 5 μ g h/(2 r) of Coulomb's friction.
#[test]
fn a_sliding_sphere_slows_down() {
    let (h, radius, mu) = (0.01, 0.1, 0.5);
    let mut body = ellipsoid([0.0, 0.0, radius], [radius; 3], h);
    body.velocity = [[2.0, 0.0, 0.0], [0.0; 3]];
    body.free[0][0] = 2.0;
    let mut solver = FlatSolver::default();
    assert!(solve(&mut solver, &[body], &[on_floor(0, 0.2)], 1e-6).is_solved);
    let [linear, angular] = solver.velocity(0);
    let lost = mu * GRAVITY * h;
    assert!((linear[0] - (2.0 - lost)).abs() < 1e-5 * lost, "{linear:?}");
    assert!((angular[1] - 2.5 * lost / radius).abs() < 1e-4 * angular[1].abs(), "{angular:?}");
}

/// A floor that moves to the side takes a sphere on it along: friction acts on the relative velocity.
#[test]
fn a_moving_floor_takes_a_sphere_along() {
    let h = 0.01;
    let bodies = [ellipsoid([0.0, 0.0, 0.1], [0.1; 3], h)];
    let given = [GivenBody { velocity: [[0.01, 0.0, 0.0], [0.0; 3]], ..floor() }];
    let contacts = [on_floor(0, 0.2)];
    let problem = problem(&bodies, &given, &contacts);
    let mut solver = FlatSolver::default();
    assert!(solver.solve(&problem).is_solved);
    let [linear, angular] = solver.velocity(0);
    // It sticks: the surface moves with the floor, and the impulse shares out between speed and spin as 2
    // to 5.
    assert!((linear[0] - 0.1 * angular[1] - 0.01).abs() < 1e-6, "{linear:?} {angular:?}");
    assert!((linear[0] - 0.01 * 2.0 / 7.0).abs() < 1e-6, "{linear:?}");
}

/// Ellipsoids in a loose lattice that fall onto each other within the step, each near its neighbours and
/// the floor.
fn lattice(n: [usize; 3], time_step: f64) -> (Vec<Body>, Vec<Contact>) {
    let (mut bodies, mut contacts) = (Vec::new(), Vec::new());
    let mut seed = 7u64;
    let mut random = || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as f64 / f64::from(1u32 << 31)
    };
    let id = |i: [usize; 3]| (i[0] + n[0] * (i[1] + n[1] * i[2])) as u32;
    for z in 0..n[2] {
        for y in 0..n[1] {
            for x in 0..n[0] {
                let centre = [x, y, z].map(|k| 0.2 * k as f64 + 0.01 * random());
                let mut body = ellipsoid(centre, [0.097, 0.096, 0.095], time_step);
                body.centre[2] += 0.095;
                body.velocity[0] = [random() - 0.5, random() - 0.5, -random()];
                body.velocity[1] = [random() - 0.5, random() - 0.5, random() - 0.5];
                body.free = [body.velocity[0], body.velocity[1]];
                body.free[0][2] -= GRAVITY * time_step;
                bodies.push(body);
                for (d, at) in [x, y, z].into_iter().enumerate() {
                    if at + 1 < n[d] {
                        let mut next = [x, y, z];
                        next[d] += 1;
                        let normal = [0, 1, 2].map(|k: usize| f64::from(u8::from(k == d)));
                        let sides = [Side::Moving(id([x, y, z])), Side::Moving(id(next))];
                        contacts.push(contact(sides, normal, None, 0.2));
                    }
                }
                if z == 0 {
                    contacts.push(on_floor(id([x, y, z]), 0.2));
                }
            }
        }
    }
    (bodies, contacts)
}

fn add([a, b]: [[f64; 3]; 2]) -> [f64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn impulse_of(touch: &Touch) -> [f64; 3] {
    let o = cross(touch.normal, touch.tangent);
    let part = |e: [f64; 3], x: f64| e.map(|e| e * x);
    let [x_n, x_t, x_o, _] = touch.impulse;
    add([part(touch.normal, x_n), add([part(touch.tangent, x_t), part(o, x_o)])])
}

/// The impulses explain the change of every body's momentum, pull nowhere, and lie in their cones.
#[test]
fn impulses_explain_the_motion() {
    let (bodies, contacts) = lattice([6, 6, 9], 0.01);
    assert!(bodies.len() > 300, "several sections");
    let mut solver = FlatSolver::default();
    let tolerance = 1e-3;
    let outcome = solve(&mut solver, &bodies, &contacts, tolerance);
    assert!(outcome.is_solved && outcome.turns > 1, "{outcome:?}");
    let mut momentum = vec![[[0.0; 3]; 2]; bodies.len()];
    let mut units: Vec<f64> = bodies.iter().map(|body| body.acting).collect();
    let mut loaded = 0;
    for (c, pair) in contacts.iter().enumerate() {
        let touch = solver.touch(c);
        let push = impulse_of(&touch);
        let [x_n, x_t, x_o, _] = touch.impulse;
        assert!(x_n >= 0.0 && x_t.hypot(x_o) <= 0.5 * x_n * (1.0 + 1e-5), "{touch:?}");
        assert!(touch.gap > -tolerance * 0.05, "{touch:?}");
        loaded += usize::from(x_n > 0.0);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Side::Moving(i) = pair.sides[side] {
                let [linear, angular] = &mut momentum[i as usize];
                *linear = add([*linear, push.map(|p| sign * p)]);
                *angular = add([*angular, cross(touch.arms[side], push).map(|p| sign * p)]);
                units[i as usize] = units[i as usize].max(x_n);
            }
        }
    }
    assert!(loaded > 50, "{loaded}");
    for (i, (body, gained)) in bodies.iter().zip(&momentum).enumerate() {
        let [linear, angular] = solver.velocity(i);
        for d in 0..3 {
            let missing = body.mass * (linear[d] - body.free[0][d]) - gained[0][d];
            assert!(missing.abs() < 2.0 * tolerance * units[i], "body {i}: {missing}");
            let missing = body.moments[d] * (angular[d] - body.free[1][d]) - gained[1][d];
            let radius = (body.moments[d] / body.mass).sqrt();
            assert!(missing.abs() < 2.0 * tolerance * units[i] * radius, "body {i}: {missing}");
        }
    }
}

/// A tall stack of spheres, whose impulses begin at a part of the weight above them.
fn stack(height: usize, part: f64, time_step: f64) -> (Vec<Body>, Vec<Contact>) {
    let body = |k: usize| ellipsoid([0.0, 0.0, 0.1 + 0.2 * k as f64], [0.1; 3], time_step);
    let bodies: Vec<Body> = (0..height).map(body).collect();
    let contact = |k: u32| match k {
        0 => on_floor(0, 0.2),
        _ => contact([Side::Moving(k - 1), Side::Moving(k)], [0.0, 0.0, 1.0], None, 0.2),
    };
    let mut contacts: Vec<Contact> = (0..height as u32).map(contact).collect();
    for (k, contact) in contacts.iter_mut().enumerate() {
        contact.impulse[0] = part * (height - k) as f64 * bodies[k].acting;
    }
    (bodies, contacts)
}

/// Layers of a pile carry their weight to far more digits than the tolerance of a row has.
#[test]
fn a_tall_stack_carries_its_weight() {
    for part in [0.7, 0.95, 1.1] {
        let (bodies, contacts) = stack(100, part, 0.01);
        let mut solver = FlatSolver::default();
        let outcome = solve(&mut solver, &bodies, &contacts, 1e-1);
        assert!(outcome.is_solved, "{outcome:?}");
        let weight: f64 = bodies.iter().map(|body| body.acting).sum();
        let carried = solver.touch(0).impulse[0];
        assert!((carried / weight - 1.0).abs() < 2e-3, "{part}: {carried} of {weight}, {outcome:?}");
    }
}

/// Where a contact is loaded, its points lie on both ellipsoids with opposite normals, one gap apart.
#[test]
fn points_lie_on_both_surfaces() {
    let h = 0.01;
    let bodies =
        [ellipsoid([0.0, 0.0, 0.1], [0.2, 0.15, 0.1], h), ellipsoid([0.1, 0.05, 0.29], [0.2, 0.15, 0.1], h)];
    let contacts =
        [on_floor(0, 0.2), contact([Side::Moving(0), Side::Moving(1)], [0.0, 0.0, 1.0], None, 0.2)];
    let mut solver = FlatSolver::default();
    assert!(solve(&mut solver, &bodies, &contacts, 1e-6).is_solved);
    let touch = solver.touch(1);
    for (side, body) in bodies.iter().enumerate() {
        let [linear, angular] = solver.velocity(side);
        // Turns of some milliradians: the rotation by the first two orders.
        let turn = angular.map(|w| w * h);
        let arm = touch.arms[side];
        let back =
            add([arm, add([cross(turn, arm).map(|x| -x), cross(turn, cross(turn, arm)).map(|x| 0.5 * x)])]);
        let level: f64 = back.iter().zip(body.semi_axes).map(|(x, a)| (x / a).powi(2)).sum();
        assert!((level - 1.0).abs() < 1e-5, "side {side}: {level}");
        assert!(linear.iter().all(|v| v.is_finite()));
    }
    let [a, b] = [0, 1].map(|i: usize| {
        let [linear, _] = solver.velocity(i);
        add([bodies[i].centre, linear.map(|v| v * h)])
    });
    let between = add([add([b, touch.arms[1]]), add([a, touch.arms[0]]).map(|x| -x)]);
    assert!((dot(between, touch.normal) - touch.gap).abs() < 1e-9, "{between:?} {touch:?}");
}

/// Any number of threads computes the same bits.
#[test]
fn threads_do_not_change_bits() {
    let (bodies, contacts) = lattice([6, 6, 16], 0.01);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut solver = FlatSolver::default();
            let outcome = solve(&mut solver, &bodies, &contacts, 1e-2);
            assert!(outcome.is_solved, "{outcome:?}");
            let velocities: Vec<_> = (0..bodies.len()).map(|i| solver.velocity(i)).collect();
            (outcome, velocities)
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

/// A sphere whose impulse carries its weight is at rest: no pass is made, and its velocity is zero.
#[test]
fn a_start_that_is_solved_is_accepted() {
    let h = 0.01;
    let body = ellipsoid([0.0, 0.0, 0.1], [0.1; 3], h);
    let (given, mut contacts) = ([floor()], [on_floor(0, 0.2)]);
    contacts[0].impulse[0] = body.mass * GRAVITY * h;
    let mut solver = FlatSolver::default();
    let at_rest = Problem { accepted_start: 1e-6, ..problem(std::slice::from_ref(&body), &given, &contacts) };
    let outcome = solver.solve(&at_rest);
    assert!(outcome.is_solved && outcome.turns == 0 && outcome.residual.max() < 1e-6, "{outcome:?}");
    assert_eq!(solver.velocity(0), [[0.0; 3]; 2]);
    let mut less = contacts;
    less[0].impulse[0] *= 0.9;
    let outcome = solver.solve(&Problem { contacts: &less, ..at_rest });
    assert!(outcome.is_solved && outcome.turns > 0, "{outcome:?}");
}

/// Bodies that may be at rest are swept on until they are, further than the tolerance asks for.
#[test]
fn slow_bodies_are_swept_on_until_they_may_rest() {
    let (given, (bodies, contacts)) = ([floor()], stack(12, 0.9, 0.01));
    let roughly = Problem { tolerance: 1e-2, ..problem(&bodies, &given, &contacts) };
    let mut solver = FlatSolver::default();
    let rough = solver.solve(&roughly);
    let slow = solver.solve(&Problem { accepted_start: 1e-3, ..roughly });
    assert!(rough.is_solved && slow.is_solved, "{rough:?} {slow:?}");
    assert!(rough.residual.max() > 1e-3 && slow.residual.max() <= 2.5e-4, "{rough:?} {slow:?}");
}

/// Bodies that turn by a quarter about the vertical, whatever their spin.
struct Turned;

impl Flight for Turned {
    fn end(&self, _: usize, velocity: [[f64; 3]; 2]) -> ([f64; 3], [f64; 9]) {
        let centre = [0.0, 0.0, 0.1 + 0.01 * velocity[0][2]];
        (centre, [0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    }
}

/// The check takes the poses of the flight that is given, for a body that turns by two radians: the
/// ellipsoid does not reach the ball as it is turned.
#[test]
fn the_check_takes_the_flight_that_is_given() {
    let h = 0.01;
    let mut bodies = [ellipsoid([0.0, 0.0, 0.1], [0.2, 0.1, 0.1], h)];
    bodies[0].velocity = [[0.0; 3]; 2];
    (bodies[0].velocity[1][2], bodies[0].free[1][2]) = (200.0, 200.0);
    let wall = GivenBody { centre: [0.35, 0.0, 0.1], semi_axes: [0.1; 3], ..floor() };
    let (given, contacts) = (
        [floor(), wall],
        [on_floor(0, 0.2), contact([Side::Given(1), Side::Moving(0)], [-1.0, 0.0, 0.0], None, 0.2)],
    );
    let mut solver = FlatSolver::default();
    let outcome = solver.solve(&Problem { flight: Some(&Turned), ..problem(&bodies, &given, &contacts) });
    assert!(outcome.checks > 0, "{outcome:?}");
    // 0.35 − 0.1 − 0.1, turned by a quarter; 0.05 as it is.
    assert!((solver.touch(1).gap - 0.15).abs() < 1e-6, "{:?}", solver.touch(1));
}

/// A sphere that spins about the vertical loses μ g h e_r m/I of its spin, and does not move aside.
#[test]
fn torsion_slows_a_spin() {
    let (h, radius, e_r) = (0.01, 0.1, 0.03);
    let mut body = ellipsoid([0.0, 0.0, radius], [radius; 3], h);
    body.velocity[1][2] = 40.0;
    body.free[1][2] = 40.0;
    let contacts = [Contact { torsion: e_r, ..on_floor(0, 0.2) }];
    let mut solver = FlatSolver::default();
    assert!(solve(&mut solver, &[body], &contacts, 1e-6).is_solved);
    let lost = 0.5 * body.mass * GRAVITY * h * e_r / body.moments[2];
    let [linear, angular] = solver.velocity(0);
    assert!((angular[2] - (40.0 - lost)).abs() < 1e-5 * lost, "{angular:?}: {lost} less than 40");
    assert!(linear.iter().all(|v| v.abs() < 1e-6), "{linear:?}");
    // A slower one stops at once.
    body.velocity[1][2] = 0.5 * lost;
    body.free[1][2] = 0.5 * lost;
    assert!(solve(&mut solver, &[body], &contacts, 1e-6).is_solved);
    assert!(solver.velocity(0)[1][2].abs() < 1e-4 * lost, "{:?}", solver.velocity(0));
}

/// Two balls that meet through the wall of a periodic box: the same velocities as beside each other.
#[test]
fn an_image_is_met_as_the_body_is() {
    let h = 0.01;
    let at = |x: f64| {
        let mut body = ellipsoid([x, 0.0, 1.0], [0.1, 0.08, 0.1], h);
        body.velocity[0][0] = if x == 0.0 { 1.0 } else { -1.0 };
        body.free[0][0] = body.velocity[0][0];
        body
    };
    let met = |bodies: [Body; 2], shift: [f64; 3]| {
        let sides = [Side::Moving(0), Side::Moving(1)];
        let contacts = [Contact { shift, ..contact(sides, [1.0, 0.0, 0.0], None, 0.2) }];
        let mut solver = FlatSolver::default();
        assert!(solve(&mut solver, &bodies, &contacts, 1e-6).is_solved);
        (solver.velocity(0), solver.velocity(1), solver.touch(0).arms)
    };
    let beside = met([at(0.0), at(0.205)], [0.0; 3]);
    let mut far = at(0.205);
    far.centre[0] -= 4.0;
    let through = met([at(0.0), far], [4.0, 0.0, 0.0]);
    for (a, b) in [(beside.0, through.0), (beside.1, through.1), (beside.2, through.2)] {
        let apart =
            a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-6, "{beside:?} {through:?}");
    }
    assert!(beside.0[0][0] < 0.5, "they hit each other: {beside:?}");
}

/// Spheres of a radius on each other and on the floor z = 0, with one contact that transmits nothing.
struct Spheres<'a> {
    radius: f64,
    contacts: &'a [Contact],
    open: usize,
}

impl Surfaces for Spheres<'_> {
    fn closest(&self, contact: usize, [a, b]: [&Pose; 2], _: Start) -> Closest {
        let (r, is_open) = (self.radius, contact == self.open);
        let of = |normal: [f64; 3], gap: f64, arm_a: [f64; 3]| {
            let at = Start { normal, feature: 5 };
            Closest { at, gap, arms: [arm_a, normal.map(|n| -r * n)], is_open, surface: [[0.0; 3]; 2] }
        };
        if self.contacts[contact].plane.is_some() {
            let [x, y, z] = b.0;
            return of([0.0, 0.0, 1.0], z - r, [x, y, 0.0]);
        }
        let way = [0, 1, 2].map(|d| b.0[d] - a.0[d]);
        let length = dot(way, way).sqrt();
        let normal = way.map(|w| w / length);
        of(normal, length - 2.0 * r, normal.map(|n| r * n))
    }

    fn points(&self, _: usize, _: [&Pose; 2], _: Known<'_>, _: f64) -> Manifold {
        unreachable!("spheres meet at a point")
    }
}

/// Spheres whose closest points the caller finds move as those that are known as ellipsoids; a contact that
/// transmits nothing has no impulse, and tells its gap.
#[test]
fn the_caller_may_know_the_shapes() {
    let (h, r) = (0.01, 0.1);
    let centres = [[0.0, 0.0, r], [0.2, 0.01, r], [0.1, 0.0, r + 0.17], [0.4, 0.0, r]];
    let bodies = centres.map(|centre| ellipsoid(centre, [r; 3], h));
    let pair = |a: u32, b: u32| contact([Side::Moving(a), Side::Moving(b)], [1.0, 0.0, 0.0], None, r);
    let mut contacts: Vec<Contact> = (0..4).map(|body| on_floor(body, r)).collect();
    contacts.extend([pair(0, 1), pair(0, 2), pair(1, 2), pair(1, 3)]);
    let (mut known, mut called) = (FlatSolver::default(), FlatSolver::default());
    // The contact with the last sphere is left out, or open.
    assert!(solve(&mut known, &bodies, &contacts[..7], 1e-7).is_solved);
    contacts.iter_mut().for_each(|contact| contact.feature = Some(3));
    let spheres = Spheres { radius: r, contacts: &contacts, open: 7 };
    let given = [floor()];
    let surfaces: Option<&dyn Surfaces> = Some(&spheres);
    let problem = Problem { surfaces, tolerance: 1e-7, ..problem(&bodies, &given, &contacts) };
    assert!(called.solve(&problem).is_solved);
    for body in 0..4 {
        let [a, b] = [&known, &called].map(|solver| solver.velocity(body));
        let off = a.iter().flatten().zip(b.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-5, "{body}: {a:?} {b:?}");
    }
    assert!((0..7).all(|c| called.touch(c).feature == 5 && !called.touch(c).is_open));
    let open = called.touch(7);
    assert!(open.is_open && open.impulse == [0.0; 4] && open.gap.abs() < 1e-3, "{open:?}");
}

/// Changes that fall by a tenth in each turn get nearer, those that go up and down do not.
#[test]
fn a_circle_is_told_from_a_slow_way() {
    let mut slow = Progress::default();
    assert!((0..60).all(|k| !slow.circles(0.9_f64.powi(k))));
    let mut around = Progress::default();
    let told: Vec<bool> = (0..60).map(|k| around.circles(if k % 2 == 0 { 3.0 } else { 1.0 })).collect();
    assert_eq!(told.iter().position(|circles| *circles), Some(2 * CIRCLING_TURNS - 1));
}
