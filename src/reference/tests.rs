//! Small problem in general position, for derivative checks.

use super::prediction::{PairWarmStart, free_flight, orient_tangents, place_points};
use super::problem::ReferenceProblem;
use super::unknowns::{P_N, P_T, PAIR_UNKNOWNS, SIGMA};
use crate::step::Loads;
use nalgebra::{DVector, Matrix3, UnitQuaternion, Vector3};
use signorini_geometry::{Polytope, Pose, Shape, Velocity};
use signorini_scene::scene::{Body, Friction, FrictionTable, Part, Scene, Torsion};
use signorini_scene::settings::SolverSettings;
use std::sync::Arc;

fn ellipsoid(name: &str, position: Vector3<f64>, turn: Vector3<f64>, velocity: Velocity) -> Body {
    let shape = Shape::Ellipsoid { semi_axes: Vector3::new(0.5, 0.4, 0.3) };
    let shape_pose = Pose {
        position: Vector3::new(0.02, -0.01, 0.03),
        orientation: UnitQuaternion::from_scaled_axis(Vector3::new(0.1, 0.2, -0.3)),
    };
    Body {
        name: name.into(),
        parts: vec![Part { pose: shape_pose, ..Part::new(shape) }],
        triangles: None,
        mass: 1.5,
        inertia: Matrix3::new(0.2, 0.01, 0.0, 0.01, 0.15, 0.02, 0.0, 0.02, 0.12),
        pose: Pose { position, orientation: UnitQuaternion::from_scaled_axis(turn) },
        velocity,
        fixed: false,
        force: Vector3::zeros(),
        torque: Vector3::zeros(),
    }
}

/// Makes the problem with a box and a cylinder for its two bodies, and multipliers in general position too.
pub(super) fn facet_problem() -> (ReferenceProblem, DVector<f64>) {
    let (problem, smooth) = anisotropic_problem_of([
        Shape::Polytope(Arc::new(Polytope::box_(Vector3::new(0.4, 0.3, 0.2)))),
        Shape::Cylinder { radius: 0.3, half_length: 0.4 },
    ]);
    let mut z = smooth;
    for pair in &problem.pairs {
        for i in 0..pair.n_multipliers() {
            z[pair.offset + PAIR_UNKNOWNS + i] = 0.4 + 0.1 * (1.0 + i as f64).cos();
        }
    }
    (problem, z)
}

/// Makes the problem of two rotated, off-centre ellipsoids over a tilted plane with anisotropic and torsional
/// friction, everything moving and every impulse non-zero.
pub(super) fn anisotropic_problem() -> (ReferenceProblem, DVector<f64>) {
    let shape = Shape::Ellipsoid { semi_axes: Vector3::new(0.5, 0.4, 0.3) };
    anisotropic_problem_of([shape.clone(), shape])
}

fn anisotropic_problem_of([of_low, of_high]: [Shape; 2]) -> (ReferenceProblem, DVector<f64>) {
    let velocity = |a: [f64; 3], b: [f64; 3]| Velocity { linear: a.into(), angular: b.into() };
    let mut plane = ellipsoid("plane", Vector3::zeros(), Vector3::new(0.1, 0.0, 0.0), Velocity::default());
    plane.parts[0].shape = Shape::HalfSpace { normal: Vector3::z(), offset: -0.2 };
    plane.fixed = true;
    let mut low = ellipsoid(
        "low",
        Vector3::new(0.1, 0.2, 0.3),
        Vector3::new(1.0, -0.4, 0.3),
        velocity([1.0, -0.5, -0.7], [3.0, -2.0, 1.0]),
    );
    let mut high = ellipsoid(
        "high",
        Vector3::new(0.3, 0.1, 1.05),
        Vector3::new(-0.2, 0.9, 0.5),
        velocity([-0.2, 0.4, -1.0], [-1.0, 1.5, 4.0]),
    );
    (low.parts[0].shape, high.parts[0].shape) = (of_low, of_high);
    let friction = Friction {
        coefficient: 0.4,
        tangential: [0.7, 1.3],
        torsional: Torsion::Radius(0.1),
        direction: Some(Vector3::new(0.6, 0.0, 0.8)),
        ..Friction::NONE
    };
    let scene = Scene {
        time_step: 0.05,
        duration: 0.05,
        gravity: Vector3::new(0.0, 0.0, -9.81),
        seed: 1,
        solver: SolverSettings::default(),
        bodies: vec![plane, low, high],
        friction: FrictionTable { materials: vec!["stone".into()], entries: vec![friction] },
        impulses: Vec::new(),
        forces: Vec::new(),
        springs: Vec::new(),
        joints: Vec::new(),
        couplings: Vec::new(),
        controls: Vec::new(),
        servos: Vec::new(),
        motions: Vec::new(),
        excluded: Vec::new(),
        compliance: Vec::new(),
        inlets: Vec::new(),
        outlets: Vec::new(),
        measures: Vec::new(),
        sensors: Vec::new(),
        periodic: None,
    };
    let mut loads = Loads::default();
    loads.gather(&scene, 0);
    let mut problem = ReferenceProblem::new(&scene, &scene.initial_state(), &loads);
    for (a, b) in [(0, 1), (0, 2), (1, 2)] {
        problem.add_pair(&scene, a, b);
    }
    let mut z = free_flight(&problem);
    let mut normals = vec![Vector3::z(); 3];
    let warm_starts = vec![PairWarmStart::open(Vector3::z()); 3];
    place_points(&problem, &mut z, &mut normals, &warm_starts);
    orient_tangents(&mut problem, &normals);
    for i in 0..problem.n_unknowns() {
        z[i] += 0.01 * (1.0 + i as f64).sin(); // Every unknown is off special positions.
    }
    for pair in 0..problem.pairs.len() {
        let offset = problem.pair_offset(pair);
        z[offset + P_N] = 0.9;
        z[offset + P_T] = 0.1;
        z[offset + P_T + 1] = -0.2;
        z[offset + P_T + 2] = 0.015;
        z[offset + SIGMA] = 0.6;
    }
    (problem, z)
}
