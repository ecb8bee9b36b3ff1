//! The ways in which joints let bodies move, as velocities of the point at the world's origin and angular
//! velocities: so they add up along a tree.

use super::Mechanism;
use nalgebra::{Matrix3, Vector3};
use signorini_geometry::{Pose, Velocity};
use signorini_scene::scene::{Joint, JointKind, State};

impl Mechanism<'_> {
    /// The motion of what an entry of q̇ moves when it is 1 and the others are 0: of a free body, or of body
    /// B of a joint relative to A.
    pub(super) fn ways(&self, state: &State) -> Vec<Velocity> {
        let mut ways = Vec::with_capacity(self.n_rates());
        for (body, _) in &self.forest.free {
            let axes = Matrix3::identity();
            ways.extend([0, 1, 2].map(|i| sliding(axes.column(i).into())));
            ways.extend([0, 1, 2].map(|i| turning(axes.column(i).into(), &state.poses[*body].position)));
        }
        for (joint, _) in &self.forest.joints {
            let joint = &self.scene.joints[*joint];
            joint_ways(joint, joint.bodies.map(|body| &state.poses[body]), &mut ways);
        }
        ways
    }
}

/// The ways in which B moves relative to A.
fn joint_ways(joint: &Joint, poses: [&Pose; 2], ways: &mut Vec<Velocity>) {
    let [a, b] = [0, 1].map(|side| poses[side].compose(&joint.frames[side]));
    let (axes, anchor) = (a.rotation(), b.position);
    let slide = |i: usize| sliding(axes.column(i).into());
    let turn = |i: usize| turning(axes.column(i).into(), &anchor);
    match joint.kind {
        JointKind::Fixed | JointKind::Distance | JointKind::Mortar => {}
        JointKind::Ball => ways.extend([turn(0), turn(1), turn(2)]),
        JointKind::Revolute => ways.push(turn(2)),
        JointKind::Prismatic => ways.push(slide(2)),
        JointKind::Cylindrical => ways.extend([slide(2), turn(2)]),
        JointKind::Universal => {
            ways.extend([turn(2), turning(b.rotation().column(0).into(), &anchor)]);
        }
        JointKind::Planar => ways.extend([slide(0), slide(1), turn(2)]),
    }
}

fn sliding(direction: Vector3<f64>) -> Velocity {
    Velocity { linear: direction, angular: Vector3::zeros() }
}

/// A rotation about an axis through a point: the point stands still.
fn turning(axis: Vector3<f64>, point: &Vector3<f64>) -> Velocity {
    Velocity { linear: point.cross(&axis), angular: axis }
}
