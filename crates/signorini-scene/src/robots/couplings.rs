//! Couplings of a model's joints: mimic joints of URDF, equalities of two joints of MJCF.

use super::model::{Model, ModelJoint, Positions};
use crate::scene::{Coordinate, Coupling, JointCoordinate, Scene};

/// A position that differs less from the one that a coupling asks for is left (m or rad).
const SAME_POSITION: f64 = 1e-9;

/// Positions of joints that follow others and were given no position, where the model puts them elsewhere;
/// `set` are the positions that count before those of the model.
pub fn positions(model: &Model, given: &Positions, set: &Positions) -> Positions {
    let mut found = Positions::new();
    // A chain of couplings is at most as long as there are couplings.
    for _ in 0..model.couplings.len() {
        for coupling in &model.couplings {
            let [of, to] = coupling.joints.map(|joint| &model.joints[joint]);
            let at = |joint: &ModelJoint| {
                let known = found.get(&joint.name).or(set.get(&joint.name));
                known.copied().unwrap_or(joint.position)
            };
            let due = coupling.value(at(to));
            if !given.contains_key(&of.name) && (at(of) - due).abs() > SAME_POSITION {
                found.insert(of.name.clone(), due);
            }
        }
    }
    found
}

/// Adds the couplings to the scene of a model, whose joints count their coordinates as the model does.
pub fn add(scene: &mut Scene, model: &Model) {
    for coupling in &model.couplings {
        let find = |joint: usize| {
            let from = &model.joints[joint];
            let axis = from.driven()?;
            let joint = scene.joints.iter().position(|joint| joint.name == from.name)?;
            Some((JointCoordinate { joint, axis }, from.position))
        };
        let [Some(of), Some(to)] = coupling.joints.map(find) else { continue };
        for (JointCoordinate { joint, axis }, start) in [of, to] {
            let coordinates = &mut scene.joints[joint].coordinates;
            if coordinates.iter().all(|c| c.axis != axis) {
                let (limits, motion, motors) = (None, None, Vec::new());
                coordinates.push(Coordinate { axis, limits, motion, motors, armature: 0.0, start });
            }
        }
        let (name, coefficients) = (coupling.name.clone(), coupling.coefficients);
        scene.couplings.push(Coupling { name, of: of.0, to: to.0, coefficients });
    }
}

#[cfg(test)]
mod tests {
    use crate::robots::model::ModelCoupling;

    #[test]
    fn a_polynomial_is_moved_to_other_origins() {
        let given = [0.1, -0.7, 0.4, 0.25, -0.3];
        let (q0, followed0) = (0.6, -0.45);
        let moved = ModelCoupling::about(&given, q0, followed0);
        for q in [-1.3, 0.0, 0.8] {
            let d: f64 = q - followed0;
            let expected: f64 = q0 + given.iter().enumerate().map(|(k, a)| a * d.powi(k as i32)).sum::<f64>();
            let found: f64 = moved.iter().enumerate().map(|(k, a)| a * q.powi(k as i32)).sum();
            assert!((found - expected).abs() < 1e-14, "{q}: {found} {expected}");
        }
    }
}
