//! Coordinates and rates of joints and free bodies, read from poses and velocities.

use super::Mechanism;
use nalgebra::Vector3;
use signorini_geometry::linkage::{LinkRow, Placement};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::joint::placement;
use signorini_scene::scene::{Axis, Joint, JointKind, Scene, State};

impl Mechanism<'_> {
    /// Coordinates q of a state.
    pub fn coordinates(&self, state: &State) -> Vec<f64> {
        let mut q = Vec::with_capacity(self.n_coordinates());
        for (body, _) in &self.forest.free {
            let pose = &state.poses[*body];
            q.extend(pose.position.iter());
            q.extend(quaternion(pose));
        }
        for (joint, _) in &self.forest.joints {
            let joint = &self.scene.joints[*joint];
            q.extend(joint_coordinates(joint, joint.bodies.map(|body| &state.poses[body])));
        }
        q
    }

    /// Rates q̇ of a state. They are those of the coordinates, δq = g·(v, ω): where the velocities of two
    /// bodies violate a joint, the rest of them is not in q̇.
    pub fn rates(&self, state: &State) -> Vec<f64> {
        let mut rates = Vec::with_capacity(self.n_rates());
        for (body, _) in &self.forest.free {
            let velocity = &state.velocities[*body];
            rates.extend(velocity.linear.iter().chain(velocity.angular.iter()));
        }
        for (joint, _) in &self.forest.joints {
            let joint = &self.scene.joints[*joint];
            let poses = joint.bodies.map(|body| &state.poses[body]);
            let velocities = joint.bodies.map(|body| &state.velocities[body]);
            rates.extend(joint_rates(joint, poses, velocities));
        }
        rates
    }

    /// Names of the entries of q.
    pub fn coordinate_names(&self) -> Vec<String> {
        const FREE: [&str; 7] = ["x", "y", "z", "qw", "qx", "qy", "qz"];
        self.names(&FREE, &FREE[3..])
    }

    /// Names of the entries of q̇.
    pub fn rate_names(&self) -> Vec<String> {
        const FREE: [&str; 6] = ["vx", "vy", "vz", "wx", "wy", "wz"];
        self.names(&FREE, &FREE[3..])
    }

    /// Names with words for the entries of free bodies and of ball joints.
    fn names(&self, free: &[&str], ball: &[&str]) -> Vec<String> {
        let mut names = Vec::new();
        let add = |names: &mut Vec<String>, owner: &str, words: &[&str]| {
            names.extend(words.iter().map(|word| format!("{owner} {word}")));
        };
        for (body, _) in &self.forest.free {
            add(&mut names, &self.scene.bodies[*body].name, free);
        }
        for (joint, _) in &self.forest.joints {
            let joint = &self.scene.joints[*joint];
            match joint.kind {
                JointKind::Fixed | JointKind::Distance | JointKind::Mortar => {}
                JointKind::Revolute | JointKind::Prismatic => names.push(joint.name.clone()),
                JointKind::Cylindrical => add(&mut names, &joint.name, &["slide", "angle"]),
                JointKind::Universal => add(&mut names, &joint.name, &["angle", "angle-2"]),
                JointKind::Planar => add(&mut names, &joint.name, &["slide", "slide-2", "angle"]),
                JointKind::Ball => add(&mut names, &joint.name, ball),
            }
        }
        names
    }
}

/// Coordinates of a joint, and their rates, by its axes: those of slide or length, and of the angle; None
/// where it has none. For joints that have a single axis of a kind.
pub fn of_axes(joint: &Joint, state: &State) -> [Option<(f64, f64)>; 2] {
    let at = joint.bodies.map(|body| placement(&state.poses[body]));
    let velocities = joint.bodies.map(|body| &state.velocities[body]);
    let mut found = [None; 2];
    for axis in joint.kind.axes() {
        let row = joint.coordinate_row(*axis);
        found[usize::from(*axis == Axis::Angle)] = Some((row.value(&at), rate(&row, &at, &velocities)));
    }
    found
}

/// [`of_axes`] of all joints of a scene.
pub fn of_joints(scene: &Scene, state: &State) -> Vec<[Option<(f64, f64)>; 2]> {
    scene.joints.iter().map(|joint| of_axes(joint, state)).collect()
}

/// The rows whose values are the coordinates of a joint that is neither ball nor universal.
fn rows(joint: &Joint) -> Vec<LinkRow> {
    let anchors = joint.anchors();
    let a = joint.frames[0].rotation();
    match joint.kind {
        JointKind::Planar => {
            let along = |i| LinkRow::Along { direction: a.column(i).into_owned(), anchors };
            vec![along(0), along(1), joint.coordinate_row(Axis::Angle)]
        }
        _ => joint.kind.axes().iter().map(|axis| joint.coordinate_row(*axis)).collect(),
    }
}

fn joint_coordinates(joint: &Joint, poses: [&Pose; 2]) -> Vec<f64> {
    let [a, b] = [0, 1].map(|side| poses[side].compose(&joint.frames[side]));
    match joint.kind {
        JointKind::Fixed | JointKind::Distance | JointKind::Mortar => Vec::new(),
        JointKind::Ball => {
            let turn = a.orientation.inverse() * b.orientation;
            quaternion(&Pose { position: Vector3::zeros(), orientation: turn }).to_vec()
        }
        JointKind::Universal => {
            // B's frame is that of A turned about z, then about its own x.
            let [a, b] = [a.rotation(), b.rotation()];
            let dot = |i: usize, j: usize| a.column(i).dot(&b.column(j));
            vec![dot(1, 0).atan2(dot(0, 0)), dot(2, 1).atan2(dot(2, 2))]
        }
        _ => {
            let at = poses.map(placement);
            rows(joint).iter().map(|row| row.value(&at)).collect()
        }
    }
}

fn joint_rates(joint: &Joint, poses: [&Pose; 2], velocities: [&Velocity; 2]) -> Vec<f64> {
    let turn = velocities[1].angular - velocities[0].angular;
    let [a, b] = [0, 1].map(|side| poses[side].compose(&joint.frames[side]).rotation());
    match joint.kind {
        JointKind::Fixed | JointKind::Distance | JointKind::Mortar => Vec::new(),
        JointKind::Ball => (a.transpose() * turn).iter().copied().collect(),
        JointKind::Universal => vec![a.column(2).dot(&turn), b.column(0).dot(&turn)],
        _ => {
            let at = poses.map(placement);
            rows(joint).iter().map(|row| rate(row, &at, &velocities)).collect()
        }
    }
}

/// Rate of a row's value.
fn rate(row: &LinkRow, at: &[Placement; 2], velocities: &[&Velocity; 2]) -> f64 {
    let gradient = row.gradient(at);
    let of_side = |side: usize| {
        let (part, velocity) = (&gradient[side], velocities[side]);
        part.linear.dot(&velocity.linear) + part.angular.dot(&velocity.angular)
    };
    of_side(0) + of_side(1)
}

fn quaternion(pose: &Pose) -> [f64; 4] {
    let q = pose.orientation.quaternion();
    [q.w, q.i, q.j, q.k]
}
