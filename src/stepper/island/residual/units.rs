//! The units of an island's residual (theory §5.4): the impulses on each body, and the error that rounding
//! leaves.

use crate::contact::{BodyModel, Pair};
use crate::stepper::island::problem::mortar_cone::MortarCone;
use crate::stepper::parameters::{
    ACTING_MOMENTUM, CARRYING_ROUNDS, MOMENTUM_ROUNDINGS, PLACE_ROUNDINGS, SAME_MASS,
};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::Velocity;
use signorini_kernels::math::raise;
use signorini_ncp::problem::{BodyUnit, Cone, ContactProblem};

/// Rule for the units of an island, with the data of each body that are equal at every iterate of the step.
#[derive(Debug, Default)]
pub(in crate::stepper) struct UnitRule {
    bodies: Vec<BodyRule>,
    /// Mass that each body carries at the last update (kg).
    carried: Vec<f64>,
    /// Part of x_n that is no impulse (N s), by cone.
    shifts: Vec<(usize, f64)>,
    /// Tolerance that rounding is compared with.
    tolerance: f64,
    time_step: f64,
    /// The largest fraction of a unit's tolerance that rounding may take up, at the last update.
    rounding: f64,
}

#[derive(Debug)]
struct BodyRule {
    /// Impulse of weight and loads over the step, or a fraction of the momentum at its start (N s).
    acting: f64,
    /// Mass m times the effective-mass ratio (kg).
    mass: f64,
    /// Distance that rounding may move the body by (m).
    place: f64,
    /// Error of its momentum due to rounding (N s).
    carried: f64,
    /// Largest inverse radius of gyration of the body (1/m).
    slenderness: f64,
}

/// Distance (m) that rounding may move a point of the body by.
pub(in crate::stepper) fn rounding_of_place(model: &BodyModel, position: &Vector3<f64>) -> f64 {
    PLACE_ROUNDINGS * f64::EPSILON * (position.norm() + model.size)
}

impl UnitRule {
    /// Reads masses and loads of a step, with its tolerance.
    pub fn set_up(
        &mut self,
        context: &StepContext<'_>,
        bodies: &[usize],
        problem: &mut ContactProblem,
        tolerance: f64,
    ) {
        (self.tolerance, self.time_step) = (tolerance, context.time_step);
        self.bodies.clear();
        let units = &mut problem.at.units;
        (units.momentum, units.length) = (0.0, 0.0);
        units.bodies.clear();
        for ((id, mass), inverse) in bodies.iter().zip(&problem.mass).zip(&problem.mass_inverse) {
            let model = &context.models.bodies[*id];
            let turning = inverse.fixed_view::<3, 3>(3, 3) * model.mass;
            let unit = BodyUnit { momentum: 0.0, turning };
            let carried = carried(context, *id, &mass.fixed_view::<3, 3>(3, 3).into());
            let body = BodyRule {
                acting: model.effective_mass_ratio
                    * acting(context, *id, &unit).max(ACTING_MOMENTUM * carried),
                mass: model.effective_mass_ratio * model.mass,
                carried: MOMENTUM_ROUNDINGS * f64::EPSILON * carried,
                place: rounding_of_place(model, &context.poses[*id].position),
                slenderness: turning.trace().sqrt(),
            };
            units.momentum += f64::max(body.acting, body.floor(self)) / bodies.len() as f64;
            units.length += model.size / bodies.len() as f64;
            self.bodies.push(body);
            units.bodies.push(unit);
        }
        self.update_bodies(&[], problem);
        let ContactProblem { cones, at, .. } = problem;
        at.units.cones.clear();
        at.units.cones.resize(cones.len(), at.units.momentum);
        at.units.stiffening.clear();
        at.units.stiffening.resize(cones.len(), 1.0);
    }

    /// Leaves the part of x_n out that is no impulse of mortar.
    pub fn shift(&mut self, mortar: &[MortarCone]) {
        self.shifts.clear();
        self.shifts.extend(mortar.iter().map(|mortar| (mortar.cone, mortar.apex.unwrap_or(0.0))));
    }

    /// Impulse of a contact, or of a joint, that counts for the units of its bodies (N s).
    fn impulse_of(&self, c: usize, cone: &Cone, x: &[f64]) -> f64 {
        let rows = &x[cone.normal()];
        if cone.bounded {
            return rows.iter().map(|x| x * x).sum::<f64>().sqrt();
        }
        let pressing: f64 = rows.iter().sum();
        let Ok(place) = self.shifts.binary_search_by_key(&c, |(cone, _)| *cone) else { return pressing };
        let friction: f64 = x[cone.friction()].iter().map(|x| x * x).sum();
        (pressing - self.shifts[place].1).hypot(friction.sqrt())
    }

    /// The largest fraction of the tolerance that rounding may take up.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Updates the units to impulses x; `pairs` are those of the first cones, in their order.
    pub fn update(
        &mut self,
        context: &StepContext<'_>,
        pairs: &[Box<Pair>],
        x: &[f64],
        problem: &mut ContactProblem,
    ) {
        self.update_bodies(x, problem);
        self.carry(x, problem);
        let ContactProblem { cones, block_offsets, block_body, at, .. } = problem;
        at.units.cones.clear();
        at.units.stiffening.clear();
        for (c, cone) in cones.iter().enumerate() {
            let sides = &block_body[block_offsets[c]..block_offsets[c + 1]];
            let least = sides.iter().map(|i| at.units.bodies[*i].momentum).fold(f64::INFINITY, f64::min);
            let unit = if least.is_finite() { least } else { at.units.momentum };
            let place = match pairs.get(c) {
                Some(pair) => [pair.body_a, pair.body_b]
                    .map(|id| rounding_of_place(&context.models.bodies[id], &context.poses[id].position))
                    .iter()
                    .sum(),
                None => sides.iter().map(|i| self.bodies[*i].place).sum::<f64>(),
            };
            let heaviest = cone.normal().map(|row| at.weight[row]).fold(0.0, f64::max);
            let floor = place * heaviest / (self.time_step * self.tolerance);
            let unit = f64::max(unit, floor);
            // No slip is asked to be smaller than what rounding makes of a gap.
            let most = if floor > 0.0 { unit / floor } else { f64::INFINITY };
            let stiffening = self.stiffening(sides, unit, &at.units.bodies).min(most);
            raise(&mut self.rounding, stiffening / most);
            at.units.cones.push(unit);
            at.units.stiffening.push(stiffening);
        }
    }

    /// Factor by which a slip of a contact counts more than with the mass of its bodies in its unit: a body's
    /// part of it is as wrong as the momentum that the mass it carries takes up by it, in the body's unit.
    fn stiffening(&self, sides: &[usize], unit: f64, units: &[BodyUnit]) -> f64 {
        let lightness: f64 = sides.iter().map(|i| 1.0 / self.bodies[*i].mass).sum();
        let heaviest = sides.iter().map(|i| self.carried[*i] / units[*i].momentum).fold(0.0, f64::max);
        (unit * heaviest * lightness / sides.len() as f64).max(1.0)
    }

    /// Finds the mass that each body carries at impulses x: its own, or the part of a neighbour's that the
    /// impulse between them is of the neighbour's unit. Passes go back and forth along the contacts.
    fn carry(&mut self, x: &[f64], problem: &ContactProblem) {
        self.carried.clear();
        self.carried.extend(self.bodies.iter().map(|rule| rule.mass));
        if x.is_empty() {
            return;
        }
        let units = &problem.at.units.bodies;
        for round in 0..CARRYING_ROUNDS {
            let mut has_changed = false;
            for i in 0..problem.cones.len() {
                let c = if round % 2 == 0 { i } else { problem.cones.len() - 1 - i };
                let &[a, b] = problem.bodies_of(c) else { continue };
                let impulse = self.impulse_of(c, &problem.cones[c], x);
                for (to, from) in [(a, b), (b, a)] {
                    let mass = self.carried[from] * impulse / units[from].momentum;
                    if mass > SAME_MASS * self.carried[to] {
                        (self.carried[to], has_changed) = (mass, true);
                    }
                }
            }
            if !has_changed {
                break;
            }
        }
    }

    fn update_bodies(&mut self, x: &[f64], problem: &mut ContactProblem) {
        for (rule, unit) in self.bodies.iter().zip(&mut problem.at.units.bodies) {
            unit.momentum = rule.acting;
        }
        if !x.is_empty() {
            for (c, cone) in problem.cones.iter().enumerate() {
                let impulse = self.impulse_of(c, cone, x);
                for i in &problem.block_body[problem.block_offsets[c]..problem.block_offsets[c + 1]] {
                    raise(&mut problem.at.units.bodies[*i].momentum, impulse);
                }
            }
        }
        self.rounding = 0.0;
        for (rule, unit) in self.bodies.iter().zip(&mut problem.at.units.bodies) {
            let floor =
                f64::max(rule.floor(self), rule.place * rule.slenderness * unit.momentum / self.tolerance);
            unit.momentum = f64::max(unit.momentum, floor);
            raise(&mut self.rounding, floor / unit.momentum);
        }
    }
}

impl BodyRule {
    /// Least unit (N s): the rounding error of the momentum, or the momentum that moves the body by the
    /// rounding of its place, over the tolerance.
    fn floor(&self, rule: &UnitRule) -> f64 {
        (self.place * self.mass / rule.time_step).max(self.carried) / rule.tolerance
    }
}

/// Least unit of a body whose inertia in world axes is given with its inverse (N s): the acting impulse, or a
/// fraction of the momentum at the start.
pub(in crate::stepper) fn acting_impulse(
    context: &StepContext<'_>,
    id: usize,
    (inertia, inverse): (&Matrix3<f64>, &Matrix3<f64>),
) -> f64 {
    let model = &context.models.bodies[id];
    let unit = BodyUnit { momentum: 0.0, turning: inverse * model.mass };
    let carried = carried(context, id, inertia);
    model.effective_mass_ratio * acting(context, id, &unit).max(ACTING_MOMENTUM * carried)
}

/// Momentum m |v| + √(m ω·I ω) at the start (N s).
fn carried(context: &StepContext<'_>, id: usize, inertia: &Matrix3<f64>) -> f64 {
    let mass = context.models.bodies[id].mass;
    let Velocity { linear, angular } = &context.velocities[id];
    mass * linear.norm() + angular.dot(&(inertia * mass * angular)).max(0.0).sqrt()
}

/// Acting impulse m |g| h + h |F| + |P| + √(m τ·I⁻¹τ) h + √(m L·I⁻¹L), forces F without gravity (N s).
fn acting(context: &StepContext<'_>, id: usize, unit: &BodyUnit) -> f64 {
    let (h, loads, weight) =
        (context.loaded_time(), context.loads, context.gravity * context.models.bodies[id].mass);
    (weight.norm() + (loads.force[id] - weight).norm() + unit.turned(&loads.torque[id])) * h
        + loads.linear_impulse[id].norm()
        + unit.turned(&loads.angular_impulse[id])
}
