//! Pairs of polytopes against closed forms, an independent evaluation of momentum, and each other.

mod steps;

use signorini_flat::patch::axis::{Axis, Separations, Stay};
use signorini_flat::patch::manifold::{Manifold, Name, Within};
use signorini_flat::patch::solid::PlacedSolid;
use signorini_flat::{Body, FlatSolver, Outcome, Patch, PatchSeen, Problem, Side, Solid};
use steps::{GRAVITY, IDENTITY, STEP, box_, floor, moving, patch, problem};

const UP: [f64; 3] = [0.0, 0.0, 1.0];

fn on_floor(body: u32) -> Patch {
    patch([Side::Given(0), Side::Moving(body)], Some((UP, 0.0)))
}

fn between(a: u32, b: u32) -> Patch {
    patch([Side::Moving(a), Side::Moving(b)], None)
}

fn solve(
    solver: &mut FlatSolver,
    bodies: &[Body],
    solids: &[Solid],
    patches: &[Patch],
    tolerance: f64,
) -> Outcome {
    let given = [floor()];
    solver.solve(&Problem { patches, solids, time_step: STEP, tolerance, ..problem(bodies, &given, &[]) })
}

/// Unlike boxes in a stack: each pair carries the weight above it, at rest.
#[test]
fn a_stack_of_unlike_boxes_stands() {
    let halves = [[0.3, 0.05, 0.1], [0.1, 0.2, 0.05], [0.05, 0.05, 0.3]];
    let solids = halves.map(Solid::box_);
    let mut z = 0.0;
    let bodies = [0, 1, 2].map(|k: usize| {
        z += halves[k][2];
        let body = box_([0.01 * k as f64, 0.0, z], halves[k], k as u32);
        z += halves[k][2];
        body
    });
    let mut solver = FlatSolver::default();
    let outcome = solve(&mut solver, &bodies, &solids, &[on_floor(0), between(0, 1), between(1, 2)], 1e-5);
    assert!(outcome.is_solved, "{outcome:?}");
    let mut above = 0.0;
    for k in (0..3).rev() {
        above += bodies[k].mass * GRAVITY * STEP;
        let PatchSeen { impulse, gap, .. } = solver.patch(k);
        assert!((impulse[0] - above).abs() < 1e-4 * above, "{k}: {impulse:?} of {above}");
        assert!(gap.abs() < 1e-6, "{k}: {gap}");
        let [linear, angular] = solver.velocity(k);
        assert!(linear.iter().chain(&angular).all(|v| v.abs() < 1e-4), "{k}: {linear:?} {angular:?}");
    }
}

/// Cubes on top of each other, and their pairs from the floor upwards.
fn stack(n: u32) -> (Vec<Body>, Vec<Patch>) {
    let body = |k: u32| box_([0.0, 0.0, 0.1 + 0.2 * f64::from(k)], [0.1; 3], 0);
    let pair = |k: u32| if k == 0 { on_floor(0) } else { between(k - 1, k) };
    ((0..n).map(body).collect(), (0..n).map(pair).collect())
}

/// A tall stack of boxes, whose impulses begin at a part of the weight above them: layers carry their weight
/// to far more digits than the tolerance of a row has.
#[test]
fn a_tall_stack_carries_its_weight() {
    let solids = [Solid::box_([0.1; 3])];
    let (bodies, mut patches) = stack(60);
    let n = bodies.len();
    let mut solver = FlatSolver::default();
    assert!(solve(&mut solver, &bodies, &solids, &patches, 1e-4).is_solved);
    for part in [0.8, 1.1] {
        for (k, patch) in patches.iter_mut().enumerate() {
            patch.memory = solver.memory(k);
            let load: f32 = patch.memory.impulses.iter().sum();
            let above = (n - k) as f64 * bodies[0].acting;
            patch.memory.impulses = patch.memory.impulses.map(|x| x * part * above as f32 / load);
        }
        let outcome = solve(&mut solver, &bodies, &solids, &patches, 1e-1);
        assert!(outcome.is_solved, "{outcome:?}");
        let (carried, weight) = (solver.patch(0).impulse[0], n as f64 * bodies[0].acting);
        assert!((carried / weight - 1.0).abs() < 2e-3, "{part}: {carried} of {weight}, {outcome:?}");
    }
}

/// A sliding box loses μ g h of its speed, and the load moves ahead of its centre.
#[test]
fn a_sliding_box_slows_down() {
    let half = [0.1, 0.1, 0.05];
    let bodies = [moving(box_([0.0, 0.0, 0.05], half, 0), [[1.0, 0.0, 0.0], [0.0; 3]])];
    let mut solver = FlatSolver::default();
    assert!(solve(&mut solver, &bodies, &[Solid::box_(half)], &[on_floor(0)], 1e-6).is_solved);
    let [linear, _] = solver.velocity(0);
    assert!((linear[0] - (1.0 - 0.5 * GRAVITY * STEP)).abs() < 1e-5, "{linear:?}");
    let arm = solver.patch(0).arms[1];
    // Friction at the floor turns about the centre: m g μ c is the moment of the load ahead of it.
    assert!((arm[0] - 0.5 * 0.05).abs() < 1e-5 && arm[1].abs() < 1e-6, "{arm:?}");
}

/// A spinning box is slowed by torsion at the radius of its square: (√2 + asinh 1)/3 of the half side.
#[test]
fn torsion_follows_from_the_touching_region() {
    let half = [0.1, 0.1, 0.05];
    let bodies = [moving(box_([0.0, 0.0, 0.05], half, 0), [[0.0; 3], [0.0, 0.0, 5.0]])];
    let mut solver = FlatSolver::default();
    let solids = [Solid::box_(half)];
    assert!(solve(&mut solver, &bodies, &solids, &[on_floor(0)], 1e-6).is_solved);
    let radius = 0.1 * (2.0_f64.sqrt() + 1.0_f64.asinh()) / 3.0;
    assert!((solver.patch(0).radius - radius).abs() < 1e-7, "{:?}", solver.patch(0));
    let expected = 5.0 - 0.5 * bodies[0].mass * GRAVITY * STEP * radius / bodies[0].moments[2];
    let [_, angular] = solver.velocity(0);
    assert!((angular[2] - expected).abs() < 1e-5, "{angular:?} {expected}");
    // A radius that is given counts instead.
    let given = Patch { torsion: Some(0.05), ..on_floor(0) };
    assert!(solve(&mut solver, &bodies, &solids, &[given], 1e-6).is_solved);
    let expected = 5.0 - 0.5 * bodies[0].mass * GRAVITY * STEP * 0.05 / bodies[0].moments[2];
    assert!((solver.velocity(0)[1][2] - expected).abs() < 1e-5, "{:?} {expected}", solver.velocity(0));
}

/// A fixed sequence of numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as f64 / f64::from(1u32 << 31)
    }

    fn rotation(&mut self) -> [f64; 9] {
        let x = unit([0; 3].map(|_| self.next() - 0.5));
        let y = unit(cross(x, [0; 3].map(|_| self.next() - 0.5)));
        let z = cross(x, y);
        [x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]]
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: [f64; 3]) -> [f64; 3] {
    a.map(|x| x / dot(a, a).sqrt())
}

fn add(a: [f64; 3], b: [f64; 3], s: f64) -> [f64; 3] {
    [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]]
}

/// A hexagonal prism about z.
fn prism(radius: f64, half: f64) -> Solid {
    let corner = |k: usize| {
        let (s, c) = (std::f64::consts::TAU * (k % 6) as f64 / 6.0).sin_cos();
        [radius * c, radius * s, if k < 6 { -half } else { half }]
    };
    let vertices: Vec<[f64; 3]> = (0..12).map(corner).collect();
    let mut faces: Vec<Vec<u16>> = vec![(0..6).rev().collect(), (6..12).collect()];
    faces.extend((0..6).map(|k| vec![k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6]));
    Solid::new(&vertices, &faces)
}

/// The widest separation is that over the normals of all faces and of all pairs of edges, by supports alone;
/// a box is found the same by the axes of boxes and by those of polytopes.
#[test]
fn the_widest_axis_is_found() {
    let boxed = Solid::box_([0.1, 0.07, 0.04]);
    let plain = Solid { as_box: None, ..boxed.clone() };
    let shapes = [boxed, plain, prism(0.08, 0.05)];
    let mut random = Random(3);
    let mut separations = Separations::default();
    for k in 0..600 {
        let pair = [&shapes[k % 3], &shapes[k / 3 % 3]];
        let way = [0; 3].map(|_| 0.35 * (random.next() - 0.5));
        let a = PlacedSolid::new(pair[0], ([0.0; 3], random.rotation()), [0.0; 3]);
        let b = PlacedSolid::new(pair[1], (way, random.rotation()), [0.0; 3]);
        let along = |n: [f64; 3]| dot(n, way) - a.reach(n) - b.reach(n.map(|x| -x));
        let both = |n: [f64; 3]| along(n).max(along(n.map(|x| -x)));
        let mut widest = f64::NEG_INFINITY;
        for (body, sign) in [(&a, 1.0), (&b, -1.0)] {
            for face in &body.solid.faces {
                widest = widest.max(along(body.turned(face.normal).map(|x| sign * x)));
            }
        }
        for ea in &pair[0].edges {
            for eb in &pair[1].edges {
                let n = cross(a.turned(ea.along), b.turned(eb.along));
                // Edges that are nearly parallel have no normal.
                if dot(n, n) > 1e-4 {
                    widest = widest.max(both(unit(n)));
                }
            }
        }
        separations.find([&a, &b]);
        let chosen = separations.choose([&a, &b], Stay { known: Default::default(), slack: 0.0, part: 0.0 });
        // Bodies deep in each other may have a wider axis that is none of their difference.
        assert!((chosen.widest - widest).abs() < 1e-12 || widest < -0.03, "{k}: {chosen:?} {widest}");
    }
}

/// A slender wedge of five corners: the face that points most against a direction is often none of those at
/// its lowest corner.
fn wedge() -> Solid {
    let vertices = [
        [-0.064, 0.016, -0.019],
        [0.129, -0.073, 0.085],
        [-0.016, 0.015, -0.026],
        [0.038, -0.011, 0.02],
        [-0.087, 0.053, -0.059],
    ];
    let faces = [[2, 0, 4], [2, 1, 0], [3, 4, 0], [3, 0, 1], [3, 2, 4], [3, 1, 2]];
    Solid::new(&vertices, &faces.map(|face| face.to_vec()))
}

/// The deepest corner is among the contact points, over a plane and over the face of another body.
#[test]
fn the_deepest_corner_is_a_contact_point() {
    let shapes = [wedge(), prism(0.08, 0.05)];
    let mut random = Random(11);
    let mut separations = Separations::default();
    let within = Within { margin: 1e-3, lean: 0.0 };
    let stay = Stay { known: Axis::Unknown, slack: 0.0, part: 0.0 };
    let mut over_face = 0;
    for k in 0..2000 {
        let solids = [&shapes[k % 2], &shapes[k / 2 % 2]];
        let [a, b] = solids.map(|solid| PlacedSolid::new(solid, ([0.0; 3], random.rotation()), [0.0; 3]));
        let overlap = -1e-5 * random.next();
        let n = unit([0; 3].map(|_| random.next() - 0.5));
        let on_plane = Manifold::on_plane(&b, (n, -b.reach(n.map(|x| -x)) - overlap), within.margin);
        let least =
            |made: &Manifold| made.points().iter().map(|point| point.gap).fold(f64::INFINITY, f64::min);
        assert!((least(&on_plane) - overlap).abs() < 1e-12, "{k}: {:?} {overlap}", on_plane.points());
        // Moved along a normal until they overlap by so little.
        let n = a.turned(a.solid.faces[k % a.solid.faces.len()].normal);
        let far = a.reach(n) + b.reach(n.map(|x| -x)) + overlap;
        let b = PlacedSolid::new(b.solid, (add([0.0; 3], n, far), b.rotation), [0.0; 3]);
        separations.find([&a, &b]);
        let chosen = separations.choose([&a, &b], stay);
        if !(chosen.axis.is_face() && chosen.widest < 0.0) {
            continue;
        }
        let made = Manifold::pick([&a, &b], (chosen, Axis::Unknown), &separations, within);
        assert!((least(&made) - chosen.widest).abs() < 1e-12, "{k}: {:?} {chosen:?}", made.points());
        over_face += 1;
    }
    assert!(over_face > 100, "{over_face}");
}

/// Both ends of an edge that lies level on a plane are contact points, whichever is lower by rounding.
#[test]
fn both_ends_of_a_level_edge_are_contact_points() {
    let rotation = IDENTITY;
    for solid in [wedge(), prism(0.08, 0.05)] {
        for edge in &solid.edges {
            let [f, g] = edge.faces.map(|face| solid.faces[face as usize].normal);
            let down = unit(add(f, g, 1.0));
            for tilt in [-1e-7, 1e-7] {
                let n = unit(add(down.map(|x| -x), edge.along, tilt));
                let b = PlacedSolid::new(&solid, ([0.0; 3], rotation), [0.0; 3]);
                let made = Manifold::on_plane(&b, (n, -b.reach(n.map(|x| -x))), 1e-3);
                let has = |vertex: u16| made.has(Name::OfB(vertex));
                assert!(edge.vertices.into_iter().all(has), "{edge:?} {tilt}: {:?}", made.points());
            }
        }
    }
}

/// Turned boxes in a loose lattice that fall onto each other and the floor.
fn lattice(n: [usize; 3], seed: u64) -> (Vec<Body>, Vec<Patch>) {
    let mut random = Random(seed);
    let (mut bodies, mut patches) = (Vec::new(), Vec::new());
    let id = |x: usize, y: usize, z: usize| (x + n[0] * (y + n[1] * z)) as u32;
    let half = [0.1, 0.09, 0.08];
    for z in 0..n[2] {
        for y in 0..n[1] {
            for x in 0..n[0] {
                let noise = [0; 3].map(|_| 0.01 * random.next());
                let place = [0.2 * x as f64, 0.18 * y as f64, 0.16 * z as f64 + 0.08];
                let velocity = [
                    [random.next() - 0.5, random.next() - 0.5, -random.next()],
                    [0; 3].map(|_| random.next() - 0.5),
                ];
                bodies.push(moving(box_(add(place, noise, 1.0), half, 0), velocity));
                let here = id(x, y, z);
                if x + 1 < n[0] {
                    patches.push(between(here, id(x + 1, y, z)));
                }
                if y + 1 < n[1] {
                    patches.push(between(here, id(x, y + 1, z)));
                }
                patches.push(if z > 0 { between(id(x, y, z - 1), here) } else { on_floor(here) });
            }
        }
    }
    (bodies, patches)
}

/// The wrenches at the equivalent contact points explain the change of every body's momentum, pull nowhere,
/// and lie in their cones.
#[test]
fn wrenches_explain_the_motion() {
    let (bodies, patches) = lattice([5, 4, 16], 7);
    let solids = [Solid::box_([0.1, 0.09, 0.08])];
    let (mut solver, tolerance) = (FlatSolver::default(), 1e-2);
    let outcome = solve(&mut solver, &bodies, &solids, &patches, tolerance);
    assert!(outcome.is_solved && outcome.turns > 1, "{outcome:?}");
    let mut gained = vec![[[0.0; 3]; 2]; bodies.len()];
    let mut units: Vec<f64> = bodies.iter().map(|body| body.acting).collect();
    let mut loaded = 0;
    for (c, patch) in patches.iter().enumerate() {
        let PatchSeen { frame: [n, t], arms, gap, impulse, radius, .. } = *solver.patch(c);
        let [x_n, x_t, x_o, x_r] = impulse;
        let length = (x_t * x_t + x_o * x_o + x_r * x_r).sqrt();
        assert!(x_n >= 0.0 && length <= 0.5 * x_n * (1.0 + 1e-5), "{c}: {impulse:?}");
        assert!(gap > -tolerance * 0.05, "{c}: {gap}");
        loaded += usize::from(x_n > 0.0);
        let push = add(add(n.map(|n| n * x_n), t, x_t), cross(n, t), x_o);
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            if let Side::Moving(i) = patch.sides[side] {
                let turning = add(cross(arms[side], push), n, radius * x_r);
                let [linear, angular] = &mut gained[i as usize];
                *linear = add(*linear, push, sign);
                *angular = add(*angular, turning, sign);
                units[i as usize] = units[i as usize].max(x_n);
            }
        }
    }
    assert!(loaded > 100, "{loaded}");
    for (i, (body, [gained, turned])) in bodies.iter().zip(gained).enumerate() {
        let [linear, angular] = solver.velocity(i);
        for d in 0..3 {
            let missing = body.mass * (linear[d] - body.free[0][d]) - gained[d];
            assert!(missing.abs() < 2.0 * tolerance * units[i], "body {i}: {missing}");
            let missing = body.moments[d] * (angular[d] - body.free[1][d]) - turned[d];
            let reach = (body.moments[d] / body.mass).sqrt();
            assert!(missing.abs() < 2.0 * tolerance * units[i] * reach, "body {i}: {missing}");
        }
    }
}

/// Any number of threads computes the same bits.
#[test]
fn threads_compute_the_same_bits() {
    let solids = [Solid::box_([0.1, 0.09, 0.08])];
    let run = |threads: usize, bodies: &[Body], patches: &[Patch]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| {
            let mut solver = FlatSolver::default();
            let outcome = solve(&mut solver, bodies, &solids, patches, 1e-2);
            assert!(outcome.is_solved, "{outcome:?}");
            let velocities: Vec<_> = (0..bodies.len()).map(|i| solver.velocity(i)).collect();
            let memory: Vec<_> = (0..patches.len()).map(|c| solver.memory(c)).collect();
            (outcome, velocities, memory)
        })
    };
    for seed in 0..8 {
        let (bodies, patches) = lattice([5, 4, 16], seed);
        assert!(run(3, &bodies, &patches) == run(1, &bodies, &patches), "{seed}");
    }
}

/// The impulses that one step of bodies at rest keeps are the solution of the next.
#[test]
fn what_a_step_keeps_starts_the_next() {
    let solids = [Solid::box_([0.1; 3])];
    let (bodies, mut patches) = stack(20);
    let mut solver = FlatSolver::default();
    let cold = solve(&mut solver, &bodies, &solids, &patches, 1e-3);
    patches.iter_mut().enumerate().for_each(|(c, patch)| patch.memory = solver.memory(c));
    let warm = solve(&mut solver, &bodies, &solids, &patches, 1e-3);
    assert!(cold.is_solved && warm.is_solved && 4 * warm.sweeps < cold.sweeps, "{cold:?} {warm:?}");
}

/// Bodies that come apart within the step are seen near both of them, with the slip that they have there.
#[test]
fn what_opens_is_seen_where_it_is() {
    let half = [0.1, 0.1, 0.05];
    let resting = box_([0.4, 0.3, 0.05], half, 0);
    let solids = [Solid::box_(half)];
    let mut solver = FlatSolver::default();
    assert!(solve(&mut solver, &[resting], &solids, &[on_floor(0)], 1e-5).is_solved);
    let known = Patch { memory: solver.memory(0), ..on_floor(0) };
    let rising = moving(resting, [[0.3, 0.0, 2.0], [0.0; 3]]);
    assert!(solve(&mut solver, &[rising], &solids, &[known], 1e-5).is_solved);
    let PatchSeen { arms, gap, slip, impulse, frame, .. } = *solver.patch(0);
    assert!(
        impulse[0] == 0.0 && (gap - 0.02 + 0.5 * GRAVITY * STEP * STEP).abs() < 1e-3,
        "{gap} {impulse:?}"
    );
    assert!(arms[1].iter().zip(half).all(|(arm, half)| arm.abs() < half + 2.0 * gap), "{arms:?}");
    assert!((slip[0].hypot(slip[1]) - 0.3).abs() < 1e-9 && frame[0] == UP, "{slip:?}");
    // The radius of torsion is known again where they meet.
    assert_eq!(solver.memory(0).region, None);
    let given = Patch { torsion: Some(0.07), memory: solver.memory(0), ..on_floor(0) };
    assert!(solve(&mut solver, &[rising], &solids, &[given], 1e-5).is_solved);
    assert_eq!(solver.patch(0).radius, 0.07);
}

/// Bodies that stand still without loads have no unit of their own: they stay where they are, in touch or
/// not, and others are solved beside them.
#[test]
fn what_floats_still_has_a_step() {
    let half = [0.1; 3];
    let solids = [Solid::box_(half)];
    let still = |x: f64| Body { free: [[0.0; 3]; 2], acting: 0.0, ..box_([x, 0.0, 0.5], half, 0) };
    let hit = Body { velocity: [[1.0, 0.0, 0.0], [0.0; 3]], acting: 8.0, ..still(-0.005) };
    let hit = Body { free: hit.velocity, ..hit };
    let bodies = [hit, still(0.2), still(0.4005), still(2.0), still(2.2)];
    let pairs = [between(0, 1), between(1, 2), between(3, 4)];
    let mut solver = FlatSolver::default();
    let outcome = solve(&mut solver, &bodies, &solids, &pairs, 1e-4);
    assert!(outcome.is_solved, "{outcome:?}");
    assert!([3, 4].map(|i: usize| solver.velocity(i)) == [[[0.0; 3]; 2]; 2]);
    let moved = [0, 1, 2].map(|i: usize| solver.velocity(i)[0][0]);
    let [first, second, third] = moved;
    assert!((moved.iter().sum::<f64>() - 1.0).abs() < 1e-3, "{moved:?}");
    // Gaps of 5 and .5 mm close within the step: the bodies go on in touch.
    assert!((first - second - 0.5).abs() < 1e-3 && (second - third - 0.05).abs() < 1e-3, "{moved:?}");
}
