//! Velocity Jacobians and the mass matrix.

use super::Mechanism;
use super::forest::{Holder, counts};
use nalgebra::{DMatrix, Vector3};
use signorini_geometry::Velocity;
use signorini_scene::scene::joint::placement;
use signorini_scene::scene::{Axis, State};

/// Number of rates of a free body.
const FREE: usize = 6;

/// Motion of a body with one entry of q̇, by its place: velocity of the point at the world's origin, and
/// angular velocity.
type Part = (usize, Velocity);

impl Mechanism<'_> {
    /// The motions of a body with the entries of q̇ that move it.
    fn parts(&self, body: usize, ways: &[Velocity]) -> Vec<Part> {
        let (mut parts, mut body) = (Vec::new(), body);
        loop {
            match self.forest.holder(body) {
                None | Some(Holder::Ground) => return parts,
                Some(Holder::Nothing) => {
                    let first = self.forest.entries_of_free(body).map_or(0, |entries| entries.rate);
                    parts.extend((first..first + FREE).map(|place| (place, ways[place])));
                    return parts;
                }
                Some(Holder::Joint { joint, parent, is_b }) => {
                    let first = self.forest.entries_of(joint).map_or(0, |entries| entries.rate);
                    let [_, n] = counts(self.scene.joints[joint].kind);
                    let sign = if is_b { 1.0 } else { -1.0 };
                    parts.extend((first..first + n).map(|place| {
                        let Velocity { linear, angular } = ways[place];
                        (place, Velocity { linear: linear * sign, angular: angular * sign })
                    }));
                    body = parent;
                }
            }
        }
    }

    /// Velocity Jacobians of a point that moves with a body, 3 × n: velocity of the point (m/s) and angular
    /// velocity of the body (rad/s), world axes, with q̇. `point` is in the world (m), `body` an index of the
    /// scene. Zero of a body that no joint connects. On driven ground, velocities relative to it.
    pub fn jacobian(&self, state: &State, body: usize, point: &Vector3<f64>) -> [DMatrix<f64>; 2] {
        let mut found = [0, 1].map(|_| DMatrix::zeros(3, self.n_rates()));
        for (place, part) in self.parts(body, &self.ways(state)) {
            found[0].set_column(place, &part.about(point).linear);
            found[1].set_column(place, &part.angular);
        }
        found
    }

    /// Mass matrix, n × n: M = Σ m J_vᵀ J_v + J_ωᵀ I J_ω over the bodies, with the Jacobians of their centres
    /// of mass and their inertia in world axes, and the armature of joints on the diagonal. ½ q̇ᵀ M q̇ is the
    /// kinetic energy of the bodies that joints connect. Joints that close loops do not count.
    pub fn mass_matrix(&self, state: &State) -> DMatrix<f64> {
        let (n, ways) = (self.n_rates(), self.ways(state));
        let mut matrix = DMatrix::zeros(n, n);
        for (index, body) in self.scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed) {
            let pose = &state.poses[index];
            let rotation = pose.rotation();
            let inertia = rotation * body.inertia * rotation.transpose();
            let parts: Vec<Part> = self
                .parts(index, &ways)
                .into_iter()
                .map(|(place, part)| (place, part.about(&pose.position)))
                .collect();
            for (i, p) in &parts {
                let (force, torque) = (p.linear * body.mass, inertia * p.angular);
                for (j, q) in &parts {
                    matrix[(*i, *j)] += force.dot(&q.linear) + torque.dot(&q.angular);
                }
            }
        }
        for (joint, entries) in &self.forest.joints {
            let joint = &self.scene.joints[*joint];
            for coordinate in &joint.coordinates {
                let axes = joint.kind.axes();
                let place = axes.iter().position(|axis: &Axis| *axis == coordinate.axis).unwrap_or(0);
                let at = entries.rate + place;
                matrix[(at, at)] += coordinate.armature;
            }
        }
        matrix
    }

    /// Derivative with q̇ of the equations of joints that close loops, m × n: its product with q̇ is zero
    /// where the loops stay closed. A row for each equation, joint by joint; of displacements (m) and sines
    /// of angles.
    pub fn loop_jacobian(&self, state: &State) -> DMatrix<f64> {
        let ways = self.ways(state);
        let mut rows = Vec::new();
        for joint in self.loops() {
            let joint = &self.scene.joints[*joint];
            let at = joint.bodies.map(|body| placement(&state.poses[body]));
            let parts = joint.bodies.map(|body| self.parts(body, &ways));
            for (equation, ..) in joint.equations() {
                let gradient = equation.gradient(&at);
                let mut row = vec![0.0; self.n_rates()];
                for ((parts, at), gradient) in parts.iter().zip(&at).zip(&gradient) {
                    for (place, part) in parts {
                        let Velocity { linear, angular } = part.about(&at.position);
                        row[*place] += gradient.linear.dot(&linear) + gradient.angular.dot(&angular);
                    }
                }
                rows.extend(row);
            }
        }
        DMatrix::from_row_slice(rows.len() / self.n_rates().max(1), self.n_rates(), &rows)
    }
}
