//! The units that make 1e-8 mean the same in every scene (theory §5.4).

use crate::contact::BodyModel;
use crate::geometry::Velocity;
use crate::problem::Scaling;
use crate::step::Loads;

/// p_ref = mean over moving bodies of h |F| + |P| + (h |τ| + |L_app|)/size, with F including gravity, at
/// least 1e-3 of the mean of m (|v| + size |ω|), so that free flight has a unit too; L = mean size of the
/// moving bodies.
pub fn scaling(models: &[BodyModel], velocities: &[Velocity], loads: &Loads, time_step: f64) -> Scaling {
    let (mut load, mut motion, mut mass, mut length, mut count) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (i, model) in models.iter().enumerate().filter(|(_, m)| !m.fixed) {
        load += time_step * loads.force[i].norm() + loads.linear_impulse[i].norm();
        load += (time_step * loads.torque[i].norm() + loads.angular_impulse[i].norm()) / model.size;
        motion += model.mass * (velocities[i].linear.norm() + model.size * velocities[i].angular.norm());
        mass += model.mass;
        length += model.size;
        count += 1.0;
    }
    if count == 0.0 {
        return Scaling { momentum: 1.0, length: 1.0 };
    }
    let mut momentum = f64::max(load, 1e-3 * motion) / count;
    if momentum == 0.0 {
        // Nothing moves and nothing acts: any unit will do that scales with the bodies (1e-3 sizes per
        // second).
        momentum = 1e-3 * mass * length / (count * count);
    }
    Scaling { momentum, length: length / count }
}
