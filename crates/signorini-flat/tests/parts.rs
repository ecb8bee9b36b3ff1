//! Polytopes that are parts of bodies, against one polytope that is the whole body.

mod steps;

use signorini_flat::{Body, FlatSolver, Patch, Problem, Side, Solid, SolidPart};
use steps::{GRAVITY, STEP, box_, floor, moving, patch, problem};

const UP: [f64; 3] = [0.0, 0.0, 1.0];
const HALF: [f64; 3] = [0.3, 0.1, 0.05];

/// The whole plank, each half of it, and a cube.
fn solids() -> [Solid; 3] {
    [Solid::box_(HALF), Solid::box_([0.15, 0.1, 0.05]), Solid::box_([0.05; 3])]
}

/// Half of the plank, on the left or the right.
fn half(right: bool) -> Option<SolidPart> {
    Some(SolidPart { solid: 1, offset: [if right { 0.15 } else { -0.15 }, 0.0, 0.0] })
}

fn solve(solver: &mut FlatSolver, bodies: &[Body], patches: &[Patch]) {
    let (solids, given) = (solids(), [floor()]);
    let problem = problem(bodies, &given, &[]);
    let problem = Problem { patches, solids: &solids, time_step: STEP, tolerance: 1e-6, ..problem };
    let outcome = solver.solve(&problem);
    assert!(outcome.is_solved, "{outcome:?}");
}

/// A plank of two halves moves as the whole: at rest, in a slide, where it lands on one end, and after a
/// step with the impulses that it left.
#[test]
fn two_halves_move_as_the_whole() {
    let on_floor = patch([Side::Given(0), Side::Moving(0)], Some((UP, 0.0)));
    for (tilt, velocity) in
        [(0.0, [0.0; 3]), (0.0, [2.0, 1.0, 0.0]), (0.1, [0.0, 0.0, -1.0]), (-0.1, [1.0, 0.0, -1.0])]
    {
        let (s, c) = f64::sin_cos(tilt);
        let lowest = s.abs() * HALF[0] + c * HALF[2];
        let body = Body {
            rotation: [c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c],
            ..moving(box_([0.0, 0.0, lowest], HALF, 0), [velocity, [0.0; 3]])
        };
        let run = |solid: Option<u32>, parts: &[Option<SolidPart>]| {
            let mut solver = FlatSolver::default();
            let mut patches: Vec<Patch> =
                parts.iter().map(|part| Patch { parts: [None, *part], ..on_floor }).collect();
            [0, 1].map(|_| {
                solve(&mut solver, &[Body { solid, ..body }], &patches);
                patches.iter_mut().enumerate().for_each(|(c, patch)| patch.memory = solver.memory(c));
                let load: f64 = (0..patches.len()).map(|c| solver.patch(c).impulse[0]).sum();
                (solver.velocity(0), load)
            })
        };
        let whole = run(Some(0), &[None]);
        let halves = run(None, &[half(false), half(true)]);
        for ((v, x), (w, y)) in whole.into_iter().zip(halves) {
            let apart = v.iter().flatten().zip(w.iter().flatten()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-4, "{tilt} {velocity:?}: {v:?} {w:?}");
            assert!((x - y).abs() < 1e-4 * body.mass * GRAVITY * STEP, "{tilt} {velocity:?}: {x} {y}");
        }
    }
}

/// A cube on a plank of two halves, off the middle: the halves share its weight and their own as a plank on
/// the floor does, and where the cube presses the arms lead from the centres of mass.
#[test]
fn halves_bear_a_cube() {
    for x in [-0.1, 0.02, 0.2] {
        let plank = Body { solid: None, ..box_([0.0, 0.0, 0.05], HALF, 0) };
        let cube = box_([x, 0.0, 0.15], [0.05; 3], 2);
        let on_floor = patch([Side::Given(0), Side::Moving(0)], Some((UP, 0.0)));
        let under = patch([Side::Moving(0), Side::Moving(1)], None);
        let patches = [false, true].map(|right| {
            [Patch { parts: [None, half(right)], ..on_floor }, Patch { parts: [half(right), None], ..under }]
        });
        let mut solver = FlatSolver::default();
        solve(&mut solver, &[plank, cube], &patches.concat());
        let load = |c: usize| solver.patch(c).impulse[0] / (GRAVITY * STEP);
        let all = plank.mass + cube.mass;
        assert!((load(1) + load(3) - cube.mass).abs() < 1e-4 * cube.mass, "{x}");
        assert!((load(0) + load(2) - all).abs() < 1e-4 * all, "{x}");
        // The load of the cube acts at its middle.
        let moment: f64 = [1, 3].map(|c| load(c) * solver.patch(c).arms[1][0]).iter().sum();
        assert!(moment.abs() < 1e-4 * cube.mass, "{x}: {moment}");
        let moment: f64 = [1, 3].map(|c| load(c) * solver.patch(c).arms[0][0]).iter().sum();
        assert!((moment - x * cube.mass).abs() < 1e-4 * cube.mass, "{x}: {moment}");
        let still = (0..2).flat_map(|k| solver.velocity(k)).flatten().all(|v| v.abs() < 1e-4);
        assert!(still, "{x}");
    }
}
