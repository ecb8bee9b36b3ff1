//! Motion of bodies, from `bodies.csv`, for the figures of contact points and of heights.

use crate::output::rows::BodyRow;
use crate::output::table;
use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use signorini_error::Result;
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::Scene;
use std::collections::HashMap;
use std::path::Path;

/// Pose and velocity of some bodies at the samples of a run.
#[derive(Debug)]
pub struct BodyMotion {
    /// Pose and velocity by body, then by step.
    samples: HashMap<usize, HashMap<usize, (Pose, Velocity)>>,
}

impl BodyMotion {
    /// Reads the bodies with these ids.
    pub fn read(scene: &Scene, path: &Path, bodies: &[usize]) -> Result<Self> {
        let ids: HashMap<&str, usize> = bodies.iter().map(|&i| (scene.bodies[i].name.as_str(), i)).collect();
        let mut samples: HashMap<usize, HashMap<usize, (Pose, Velocity)>> = HashMap::new();
        table::read(path, |row: BodyRow<'static>| {
            let Some(&id) = ids.get(&*row.body) else { return };
            let turn = Quaternion::new(row.qw, row.qx, row.qy, row.qz);
            let pose = Pose {
                position: Vector3::new(row.x, row.y, row.z),
                orientation: UnitQuaternion::new_normalize(turn),
            };
            let velocity = Velocity {
                linear: Vector3::new(row.vx, row.vy, row.vz),
                angular: Vector3::new(row.wx, row.wy, row.wz),
            };
            samples.entry(id).or_default().insert(row.step, (pose, velocity));
        })?;
        Ok(Self { samples })
    }

    /// Returns a body at the end of a step; fixed bodies that are not in the table stay in place.
    pub fn at(&self, scene: &Scene, body: usize, step: usize) -> Option<(Pose, Velocity)> {
        match self.samples.get(&body).and_then(|s| s.get(&step)) {
            Some(found) => Some(*found),
            None if scene.bodies[body].fixed => Some((scene.bodies[body].pose, Velocity::default())),
            None => None,
        }
    }
}
