//! Poses on which bodies rest.

use super::observed::Observed;
use super::value::{Value, numbers};
use serde::{Deserialize, Serialize};
use signorini_scene::scene::{Body, resting};

/// A body rests when its speed, and its angular velocity times its radius of gyration R, are below this part
/// of √(g R).
const REST_SPEED: f64 = 1e-3;
/// Two bodies lie alike when height over R and radius of gyration about the vertical over R agree to this.
const POSE_TOLERANCE: f64 = 2e-3;
/// Bodies are of one kind when their principal moments of inertia over m R² agree to this.
const KIND_TOLERANCE: f64 = 1e-6;

/// The poses that came up so far, by kind of body.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Poses {
    kinds: Vec<Kind>,
}

/// Bodies that differ by their size alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Kind {
    /// Principal moments of inertia over m R², rising.
    moments: [f64; 3],
    /// Height and radius of gyration about the vertical over R of each pose.
    poses: Vec<[f64; 2]>,
}

impl Poses {
    pub const COLUMNS: [&'static str; 8] =
        ["body", "kind", "pose", "height", "vertical_inertia", "down_x", "down_y", "down_z"];

    /// A row for each body that can move, at the end of a step.
    pub fn rows(&mut self, step: &Observed<'_>) -> Vec<Vec<Value>> {
        let gravity = step.scene.gravity;
        let up = -gravity.normalize();
        let mut rows = Vec::new();
        for (i, body) in step.scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            let (pose, velocity) = (&step.state.poses[i], &step.state.velocities[i]);
            let radius = (body.inertia.trace() / body.mass).max(0.0).sqrt();
            let height = resting::height(body, pose, &up);
            let inertia = resting::vertical_inertia(body, pose, &up);
            let slow = REST_SPEED * (gravity.norm() * radius).sqrt();
            let is_at_rest = velocity.linear.norm() <= slow && radius * velocity.angular.norm() <= slow;
            let gyration = (inertia / body.mass).max(0.0).sqrt();
            let kind = self.kind(body, radius);
            let found = is_at_rest.then(|| self.kinds[kind].pose([height / radius, gyration / radius]));
            let down = pose.orientation.inverse() * -up;
            let mut row = vec![Value::Name(body.name.clone()), Value::Count(kind + 1)];
            row.push(found.map_or(Value::Nothing, |pose| Value::Count(pose + 1)));
            row.extend(numbers([height, inertia, down.x, down.y, down.z]));
            rows.push(row);
        }
        rows
    }

    /// The kind of a body, added if it is new.
    fn kind(&mut self, body: &Body, radius: f64) -> usize {
        let mut moments: [f64; 3] = body.inertia.symmetric_eigenvalues().into();
        moments.sort_by(f64::total_cmp);
        let moments = moments.map(|moment| moment / (body.mass * radius * radius));
        let same =
            |kind: &Kind| kind.moments.iter().zip(&moments).all(|(a, b)| (a - b).abs() <= KIND_TOLERANCE);
        self.kinds.iter().position(same).unwrap_or_else(|| {
            self.kinds.push(Kind { moments, poses: Vec::new() });
            self.kinds.len() - 1
        })
    }
}

impl Kind {
    /// The pose of these numbers, added if it is new.
    fn pose(&mut self, found: [f64; 2]) -> usize {
        let alike = |pose: &[f64; 2]| pose.iter().zip(&found).all(|(a, b)| (a - b).abs() <= POSE_TOLERANCE);
        self.poses.iter().position(alike).unwrap_or_else(|| {
            self.poses.push(found);
            self.poses.len() - 1
        })
    }
}
