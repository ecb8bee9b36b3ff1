//! Bodies, contacts and steps of the tests.
#![allow(dead_code)] // Each test uses some of them.

use signorini_flat::{
    Body, Contact, FlatSolver, GivenBody, Outcome, Patch, PatchMemory, Problem, Resistance, Side,
};

/// Gravity (m/s²).
pub const GRAVITY: f64 = 9.81;
/// Length of the steps of boxes (s).
pub const STEP: f64 = 0.01;
/// No rotation.
pub const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// An ellipsoid of 1000 kg/m³ at rest, under gravity.
pub fn ellipsoid(centre: [f64; 3], semi_axes: [f64; 3], time_step: f64) -> Body {
    let [a, b, c] = semi_axes;
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * a * b * c;
    let moments = [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| mass / 5.0 * sum);
    Body {
        centre,
        rotation: IDENTITY,
        mass,
        moments,
        semi_axes,
        solid: None,
        velocity: [[0.0; 3]; 2],
        free: [[0.0, 0.0, -GRAVITY * time_step], [0.0; 3]],
        acting: mass * GRAVITY * time_step,
        guide: None,
    }
}

/// A body at rest.
pub fn floor() -> GivenBody {
    GivenBody {
        centre: [0.0; 3],
        rotation: IDENTITY,
        semi_axes: [0.0; 3],
        solid: None,
        velocity: [[0.0; 3]; 2],
    }
}

/// A contact with friction 0.5.
pub fn contact(sides: [Side; 2], normal: [f64; 3], plane: Option<f64>, size: f64) -> Contact {
    let tangent = if normal[0].abs() < 0.9 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    Contact {
        sides,
        normal,
        tangent,
        shift: [0.0; 3],
        impulse: [0.0; 4],
        friction: 0.5,
        torsion: 0.0,
        rolling: Resistance::default(),
        pull: 0.0,
        plane,
        size,
        feature: None,
    }
}

/// A contact with the floor z = 0.
pub fn on_floor(body: u32, size: f64) -> Contact {
    contact([Side::Given(0), Side::Moving(body)], [0.0, 0.0, 1.0], Some(0.0), size)
}

/// A step of 0.01 s.
pub fn problem<'a>(bodies: &'a [Body], given: &'a [GivenBody], contacts: &'a [Contact]) -> Problem<'a> {
    Problem { bodies, given, contacts, time_step: 0.01, tolerance: 1e-6, budget: 4000, ..Problem::default() }
}

/// Solves a step on the floor.
pub fn solve(solver: &mut FlatSolver, bodies: &[Body], contacts: &[Contact], tolerance: f64) -> Outcome {
    let given = [floor()];
    solver.solve(&Problem { tolerance, ..problem(bodies, &given, contacts) })
}

/// A box of half extents and 1000 kg/m³ at rest, under gravity.
pub fn box_(centre: [f64; 3], [a, b, c]: [f64; 3], solid: u32) -> Body {
    let mass = 8000.0 * a * b * c;
    Body {
        centre,
        rotation: IDENTITY,
        mass,
        moments: [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| mass / 3.0 * sum),
        semi_axes: [0.0; 3],
        solid: Some(solid),
        velocity: [[0.0; 3]; 2],
        free: [[0.0, 0.0, -GRAVITY * STEP], [0.0; 3]],
        acting: mass * GRAVITY * STEP,
        guide: None,
    }
}

/// A body with a velocity and a spin.
pub fn moving(body: Body, velocity: [[f64; 3]; 2]) -> Body {
    let [linear, angular] = velocity;
    Body { velocity, free: [[linear[0], linear[1], linear[2] - GRAVITY * STEP], angular], ..body }
}

/// A pair with several points and friction 0.5; `plane` is that of the half-space A, if A is one.
pub fn patch(sides: [Side; 2], plane: Option<([f64; 3], f64)>) -> Patch {
    let memory = PatchMemory::default();
    Patch {
        sides,
        shift: [0.0; 3],
        plane,
        friction: 0.5,
        torsion: None,
        size: 0.2,
        is_callers: false,
        parts: [None; 2],
        memory,
    }
}
