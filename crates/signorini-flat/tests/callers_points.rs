//! Pairs whose contact points the caller finds, against polytopes that are known.

mod steps;

use signorini_flat::bodies::Pose;
use signorini_flat::patch::axis::Axis;
use signorini_flat::{
    Body, Closest, FlatSolver, Known, Manifold, Name, Patch, Point, Problem, Side, Solid, Start, Surfaces,
};
use steps::{GRAVITY, STEP, box_, floor, moving, patch, problem};

const UP: [f64; 3] = [0.0, 0.0, 1.0];

/// A box of half extents over the floor z = 0, whose points the caller finds.
struct Corners([f64; 3]);

impl Surfaces for Corners {
    fn closest(&self, _: usize, _: [&Pose; 2], _: Start) -> Closest {
        unreachable!("all pairs have several points")
    }

    fn points(&self, _: usize, [_, (centre, r)]: [&Pose; 2], _: Known<'_>, margin: f64) -> Manifold {
        let corner = |k: usize| {
            let sign = |d: usize| if k >> d & 1 == 0 { -self.0[d] } else { self.0[d] };
            let at = [0, 1, 2].map(|i: usize| {
                centre[i] + r[3 * i] * sign(0) + r[3 * i + 1] * sign(1) + r[3 * i + 2] * sign(2)
            });
            Point { name: Name::Callers(k as u64), at, gap: at[2], normal: UP, rim: None, beside: 0.0 }
        };
        let mut points: Vec<Point> = (0..8).map(corner).collect();
        points.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        let gap = points[0].gap;
        points.retain(|point| point.gap <= gap + margin);
        let mut found = Manifold { axis: Axis::Callers, normal: UP, n: points.len(), ..Manifold::default() };
        (found.separation, found.widest) = (gap, gap);
        found.points[..points.len()].copy_from_slice(&points);
        found
    }
}

/// A box whose points the caller finds moves as one that is known as a polytope: at rest, in a slide and in
/// the air, warm and cold.
#[test]
fn the_caller_may_find_the_points() {
    let half = [0.3, 0.1, 0.05];
    let solids = [Solid::box_(half)];
    let given = [floor()];
    let velocities = [[0.0; 3], [2.0, 1.0, 0.0], [0.0, 0.3, 2.0]];
    for velocity in velocities {
        let body = moving(box_([0.0, 0.0, 0.05], half, 0), [velocity, [0.1, 0.0, 0.2]]);
        let sides = [Side::Given(0), Side::Moving(0)];
        let known = Patch { torsion: Some(0.05), ..patch(sides, Some((UP, 0.0))) };
        let run = |bodies: &[Body], patch: Patch, solids: &[Solid]| {
            let mut solver = FlatSolver::default();
            let mut patch = patch;
            [0, 1].map(|_| {
                let problem = Problem {
                    patches: &[patch],
                    solids,
                    surfaces: Some(&Corners(half)),
                    time_step: STEP,
                    tolerance: 1e-5,
                    ..problem(bodies, &given, &[])
                };
                assert!(solver.solve(&problem).is_solved);
                patch.memory = solver.memory(0);
                (solver.velocity(0), solver.patch(0).impulse, solver.patch(0).gap)
            })
        };
        let native = run(&[body], known, &solids);
        let found = run(&[Body { solid: None, ..body }], Patch { is_callers: true, ..known }, &[]);
        for ((v, x, gap), (w, y, other)) in native.into_iter().zip(found) {
            let apart = v.iter().flatten().zip(w.iter().flatten()).map(|(a, b)| (a - b).abs());
            assert!(apart.fold(0.0, f64::max) < 1e-4, "{velocity:?}: {v:?} {w:?}");
            let unit = body.mass * GRAVITY * STEP;
            assert!(
                (x[0] - y[0]).abs() < 1e-4 * unit && (gap - other).abs() < 1e-5,
                "{x:?} {y:?} {gap} {other}"
            );
        }
    }
}
