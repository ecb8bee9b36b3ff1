//! Data of a step before it is solved, and the place of each unknown.
//!
//! z = [ν of every moving body (6 each) | per pair a1 (3), a2 (3), d, p_n, p_t, p_o, p_r, σ, and if one of
//! its bodies has several facets l of every facet of A and of B | joint impulses].

use super::facet::Facet;
use super::unknowns::{BODY_UNKNOWNS, LOCAL, PAIR_UNKNOWNS, stack};
use crate::step::Loads;
use crate::stepper::joints::{Clock, JointModel, JointStart};
use nalgebra::{DVector, Matrix3, SVector, Vector3};
use signorini_geometry::{Pose, Shape};
use signorini_scene::scene::{Body, Friction, Scene, State};
use signorini_scene::settings::{Gyroscopic, LiteralSettings};

/// Body at the start of the step.
#[derive(Debug, Clone)]
pub(super) struct BodyAtStart {
    /// Place of the body's ν in z; None when the body is fixed.
    pub unknown: Option<usize>,
    /// Shape, in the shape frame.
    pub shape: Shape,
    /// Facets of the shape.
    pub facets: Vec<Facet>,
    /// Pose of the shape frame in the body frame.
    pub shape_pose: Pose,
    /// Centre of mass (m).
    pub centre: Vector3<f64>,
    /// Rotation from body to world.
    pub rotation: Matrix3<f64>,
    /// Mass (kg).
    pub mass: f64,
    /// Inertia I0 = R I_b Rᵀ (kg m²).
    pub inertia: Matrix3<f64>,
    /// Linear velocity v at the start (m/s).
    pub linear: Vector3<f64>,
    /// Angular velocity ω at the start (rad/s).
    pub angular: Vector3<f64>,
    /// Linear impulse h f + P of the loads (N s).
    pub linear_impulse: Vector3<f64>,
    /// Angular impulse h τ + L of the loads, with −h ω × I0 ω when the gyroscopic torque is explicit (N m s).
    pub angular_impulse: Vector3<f64>,
    /// Size of the body for scaling (m).
    pub size: f64,
}

/// Pair of bodies that may touch in this step. The normal points from A into B.
#[derive(Debug, Clone)]
pub(super) struct Pair {
    /// Id of body A (a half-space if the pair has one).
    pub body_a: usize,
    /// Id of body B.
    pub body_b: usize,
    /// Friction between the bodies.
    pub friction: Friction,
    /// Direction that is projected to give t.
    pub tangent: TangentReference,
    /// Scales of rows and columns.
    pub scale: PairScale,
    /// Place of the pair's first unknown in z.
    pub offset: usize,
    /// Numbers of facets of A and of B that have a multiplier: none when both bodies are one smooth surface.
    pub n_facets: [usize; 2],
    /// Facet k1 of A if the block is that of [XC (13) to (17)] as printed.
    pub printed: Option<usize>,
}

impl Pair {
    /// Whether the pair has multipliers.
    pub fn has_facets(&self) -> bool {
        self.n_facets[0] > 0
    }

    /// Number of multipliers of the pair.
    pub fn n_multipliers(&self) -> usize {
        self.n_facets[0] + self.n_facets[1]
    }

    /// Number of unknowns of the pair.
    pub fn n_unknowns(&self) -> usize {
        PAIR_UNKNOWNS + self.n_multipliers()
    }

    /// Unit of multiplier i, A's first: 1, but for k1 of the printed block a distance.
    pub fn multiplier_unit(&self, i: usize) -> f64 {
        if self.printed == Some(i) { self.scale.travel } else { 1.0 }
    }
}

/// Direction whose projection on the contact plane is t.
#[derive(Debug, Clone, Copy)]
pub(super) enum TangentReference {
    /// Direction fixed in the world during the step: isotropic friction, for which any t serves.
    World(Vector3<f64>),
    /// Direction fixed in body A.
    BodyA(Vector3<f64>),
    /// Direction fixed in body B.
    BodyB(Vector3<f64>),
}

/// Units in which the equations of a pair are of order 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct PairScale {
    /// Unit of impulse (N s).
    pub impulse: f64,
    /// Unit of speed (m/s).
    pub speed: f64,
    /// Length of a move in the step (m).
    pub travel: f64,
    /// Unit of length, the size (m).
    pub size: f64,
    /// Effective mass along the normal (kg), to compare a gap with an impulse.
    pub mass: f64,
}

/// Joint at the start of the step.
#[derive(Debug, Clone)]
pub(super) struct JointAtStart {
    /// Model of the joint: its rows.
    pub model: JointModel,
    /// Placements and velocities of the joint's bodies.
    pub start: JointStart,
    /// Impulses of the last step, row by row.
    pub start_impulses: Vec<f64>,
    /// Lowest and highest impulse of each row.
    pub bounds: Vec<[f64; 2]>,
    /// Effective mass r of each row (kg).
    pub weight: Vec<f64>,
}

/// Data of a step to be solved.
#[derive(Debug, Clone)]
pub(super) struct ReferenceProblem {
    /// Time step h (s).
    pub time_step: f64,
    /// Rule of the gyroscopic torque.
    pub gyroscopic: Gyroscopic,
    /// Settings that choose between the printed equations and the default ones.
    pub literal: LiteralSettings,
    /// Bodies, by id.
    pub bodies: Vec<BodyAtStart>,
    /// Near pairs.
    pub pairs: Vec<Pair>,
    /// Reference impulse p_ref (N s), theory (5.7).
    pub reference_impulse: f64,
    /// Mean size L of the moving bodies (m).
    pub size: f64,
    /// Number of moving bodies.
    pub n_moving: usize,
    /// Joints; their impulses are the last unknowns.
    pub joints: Vec<JointAtStart>,
    /// Times of the step.
    pub clock: Clock,
}

impl ReferenceProblem {
    /// Makes the problem of the step that starts at `state`, without pairs.
    pub fn new(scene: &Scene, state: &State, loads: &Loads) -> Self {
        let h = scene.time_step;
        let mut bodies: Vec<BodyAtStart> = Vec::with_capacity(scene.bodies.len());
        let mut n_moving = 0;
        for (i, body) in scene.bodies.iter().enumerate() {
            let mut start = body_at_start(scene, body, i, state, loads);
            if !body.fixed {
                start.unknown = Some(BODY_UNKNOWNS * n_moving);
                n_moving += 1;
            }
            bodies.push(start);
        }
        let moving = bodies.iter().filter(|b| b.unknown.is_some());
        let mean = |sum: f64| sum / n_moving.max(1) as f64;
        let size = mean(moving.clone().map(|b| b.size).sum());
        let mass = mean(moving.clone().map(|b| b.mass).sum());
        let momentum = mean(moving.map(|b| b.mass * (b.linear.norm() + b.size * b.angular.norm())).sum());
        let load = mean(scene.bodies.iter().enumerate().map(|(i, b)| load_size(b, i, loads, h)).sum());
        let mut reference_impulse = load.max(1e-3 * momentum);
        if reference_impulse <= 0.0 {
            // Nothing moves and nothing acts: any unit serves.
            reference_impulse = 1e-3 * mass * size / h;
        }
        Self {
            time_step: h,
            gyroscopic: scene.solver.spin_rule(),
            literal: scene.solver.literal,
            bodies,
            pairs: Vec::new(),
            reference_impulse,
            size,
            n_moving,
            joints: Vec::new(),
            clock: Clock {
                time_step: h,
                loaded_time: h,
                end_time: loads.end_time,
                rate_time: loads.end_time,
            },
        }
    }

    /// Appends a pair; the caller has put a half-space first.
    pub fn add_pair(&mut self, scene: &Scene, body_a: usize, body_b: usize) {
        let (a, b) = (&scene.bodies[body_a], &scene.bodies[body_b]);
        let friction = *scene.friction.between(a.parts[0].material, b.parts[0].material);
        let tangent = match friction.direction {
            None => TangentReference::World(Vector3::x()),
            Some(direction) if a.parts[0].material == friction.direction_owner => {
                TangentReference::BodyA(direction)
            }
            Some(direction) => TangentReference::BodyB(direction),
        };
        let (start_a, start_b) = (&self.bodies[body_a], &self.bodies[body_b]);
        let inverse: f64 =
            [start_a, start_b].iter().filter(|s| s.unknown.is_some()).map(|s| 1.0 / s.mass).sum();
        let mass = 1.0 / inverse;
        let velocity = (start_b.linear - start_a.linear).norm()
            + start_b.size * start_b.angular.norm()
            + start_a.size * start_a.angular.norm();
        let speed = (self.reference_impulse / mass).max(velocity);
        let size = match (a.size(), b.size()) {
            (Some(x), Some(y)) => x.min(y),
            (x, y) => x.or(y).unwrap_or(1.0),
        };
        let scale = PairScale {
            impulse: self.reference_impulse,
            speed,
            travel: (self.time_step * speed).clamp(1e-3 * size, size),
            size,
            mass,
        };
        let offset = self.n_unknowns();
        let n_facets = [start_a.facets.len(), start_b.facets.len()];
        // A capsule has one facet, and is no surface that this formulation knows without a multiplier.
        let is_surface = |body: &BodyAtStart| !matches!(body.shape, Shape::Capsule { .. });
        let are_surfaces = n_facets == [1, 1] && is_surface(start_a) && is_surface(start_b);
        let n_facets = if are_surfaces { [0, 0] } else { n_facets };
        let printed = None;
        self.pairs.push(Pair { body_a, body_b, friction, tangent, scale, offset, n_facets, printed });
    }

    /// Number of unknowns of the step.
    pub fn n_unknowns(&self) -> usize {
        self.joint_offset(self.joints.len())
    }

    /// Place in z of the first impulse of a joint.
    pub fn joint_offset(&self, joint: usize) -> usize {
        let rows: usize = self.joints[..joint].iter().map(|j| j.model.n_rows()).sum();
        let last = self.pairs.last();
        last.map_or(BODY_UNKNOWNS * self.n_moving, |pair| pair.offset + pair.n_unknowns()) + rows
    }

    /// Place in z of the first unknown of a pair.
    pub fn pair_offset(&self, pair: usize) -> usize {
        self.pairs[pair].offset
    }

    /// Velocity ν of a body in z; of a fixed body, that of its prescribed motion.
    pub fn velocity(&self, z: &DVector<f64>, body: usize) -> (Vector3<f64>, Vector3<f64>) {
        match self.bodies[body].unknown {
            Some(k) => (z.fixed_rows::<3>(k).into(), z.fixed_rows::<3>(k + 3).into()),
            None => (self.bodies[body].linear, self.bodies[body].angular),
        }
    }

    /// Product of M⁻¹ and a wrench; zero when the body is fixed.
    pub fn mobility(&self, body: usize, wrench: &SVector<f64, BODY_UNKNOWNS>) -> SVector<f64, BODY_UNKNOWNS> {
        let start = &self.bodies[body];
        let Some(inverse) = start.unknown.and_then(|_| start.inertia.try_inverse()) else {
            return SVector::zeros();
        };
        let linear: Vector3<f64> = wrench.fixed_rows::<3>(0).into();
        let angular: Vector3<f64> = wrench.fixed_rows::<3>(3).into();
        stack(&(linear / start.mass), &(inverse * angular))
    }

    /// Place in z of each unknown that a pair sees; None for velocities of fixed bodies.
    pub fn local_places(&self, pair: usize) -> Vec<Option<usize>> {
        let mut places = vec![None; LOCAL + self.pairs[pair].n_multipliers()];
        let bodies = [self.pairs[pair].body_a, self.pairs[pair].body_b];
        for (side, body) in bodies.into_iter().enumerate() {
            if let Some(k) = self.bodies[body].unknown {
                for i in 0..BODY_UNKNOWNS {
                    places[side * BODY_UNKNOWNS + i] = Some(k + i);
                }
            }
        }
        let offset = self.pair_offset(pair);
        for i in 0..self.pairs[pair].n_unknowns() {
            places[2 * BODY_UNKNOWNS + i] = Some(offset + i);
        }
        places
    }
}

fn body_at_start(scene: &Scene, body: &Body, i: usize, state: &State, loads: &Loads) -> BodyAtStart {
    let h = scene.time_step;
    let rotation = state.poses[i].rotation();
    let inertia = rotation * body.inertia * rotation.transpose();
    let (linear, angular) = (state.velocities[i].linear, state.velocities[i].angular);
    let mut angular_impulse = loads.torque[i] * h + loads.angular_impulse[i];
    if scene.solver.gyroscopic == Gyroscopic::Explicit {
        angular_impulse -= angular.cross(&(inertia * angular)) * h;
    }
    BodyAtStart {
        unknown: None,
        facets: Facet::all(&body.parts[0].shape),
        shape: body.parts[0].shape.clone(),
        shape_pose: body.parts[0].pose,
        centre: state.poses[i].position,
        rotation,
        mass: body.mass,
        inertia,
        linear,
        angular,
        linear_impulse: loads.force[i] * h + loads.linear_impulse[i],
        angular_impulse,
        size: body.size().unwrap_or(0.0),
    }
}

/// Load size h|F| + |P| + h|τ|/L + |L_app|/L of one body (N s); 0 when the body is fixed.
fn load_size(body: &Body, i: usize, loads: &Loads, h: f64) -> f64 {
    if body.fixed {
        return 0.0;
    }
    let size = body.size().unwrap_or(1.0);
    h * loads.force[i].norm()
        + loads.linear_impulse[i].norm()
        + (h * loads.torque[i].norm() + loads.angular_impulse[i].norm()) / size
}
