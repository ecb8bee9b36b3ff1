//! Continuous collision detection: pairs that move further within a step than they are thick, and the side
//! on which they met.
//!
//! The poses at the end of the step do not tell the side. A body that went most of the way through a plate is
//! nearer to its far side, and one that went all the way through is apart from it. The side is that of the
//! normal with which the bodies first touch as they move.

use crate::contact::part_model::{MovedPart, PartBrief, PartModel};
use crate::contact::placed::Placed;
use crate::contact::tolerances::{SAME_SMOOTH_SIDE, SWEPT_MOTION};
use nalgebra::{Matrix3, Rotation3, UnitQuaternion, Vector3};
use signorini_geometry::Pose;

/// Placement of a pair at the start of a step in which it moves far.
#[derive(Debug, Clone)]
pub struct SweptPair {
    /// A and B at the start.
    pub start: [MovedPart; 2],
    /// Normal from A into B at the start.
    pub normal: Vector3<f64>,
    /// Least widths of both (m).
    pub widths: [f64; 2],
}

impl SweptPair {
    /// Makes the swept pair with that normal at the start, if it may move by `reach` (m); None if that
    /// is little.
    pub fn of(normal: Vector3<f64>, a: &Placed<'_>, b: &Placed<'_>, reach: f64) -> Option<Box<Self>> {
        let briefs = [a, b].map(|part| part.model.brief());
        let start = [*a.moved, *b.moved];
        let widths = briefs.map(|part| part.width);
        Self::is_far(&briefs, reach).then(|| Box::new(Self { start, normal, widths }))
    }

    /// Whether two parts that may move by `reach` (m) may pass through each other.
    pub fn is_far([a, b]: &[PartBrief; 2], reach: f64) -> bool {
        !a.is_plane && reach > SWEPT_MOTION * (a.width + b.width)
    }

    /// Sum of the widths (m).
    pub fn width(&self) -> f64 {
        self.widths[0] + self.widths[1]
    }

    /// Index of the body of lesser width, A (0) or B (1). Sides are those of this body: normals turn with it.
    /// A plate that turns by a tenth of a radian while a ball slides over its edge is not passed.
    pub fn thinner(&self) -> usize {
        usize::from(self.widths[1] < self.widths[0])
    }

    /// Normal of the start, turned with the thinner body to its placement at the end.
    pub fn normal_at(&self, ends: [&Placed<'_>; 2]) -> Vector3<f64> {
        self.normal_turned(&ends[self.thinner()].moved.rotation)
    }

    /// Normal of the start, turned with the thinner body to a rotation.
    fn normal_turned(&self, rotation: &Matrix3<f64>) -> Vector3<f64> {
        rotation * self.start[self.thinner()].rotation.tr_mul(&self.normal)
    }

    /// Whether a normal of a smooth pair may be one of the far side, with the thinner body at a rotation.
    pub fn may_have_passed(&self, normal: &Vector3<f64>, rotation: &Matrix3<f64>) -> bool {
        normal.dot(&self.normal_turned(rotation)) < SAME_SMOOTH_SIDE
    }
}

/// Motion of a part from the start to the end of a step: on a straight line, with a steady turn.
pub struct PartMotion {
    start_position: Vector3<f64>,
    /// Displacement to the end (m).
    pub displacement: Vector3<f64>,
    start_orientation: UnitQuaternion<f64>,
    /// Turn to the end, as a rotation vector (rad).
    pub turn: Vector3<f64>,
}

impl PartMotion {
    /// Makes the motion from one placement to another.
    pub fn new(start: &MovedPart, end: &MovedPart) -> Self {
        let turned = |body: &MovedPart| {
            UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(body.rotation))
        };
        let start_orientation = turned(start);
        let turn = (turned(end) * start_orientation.inverse()).scaled_axis();
        let displacement = end.position - start.position;
        Self { start_position: start.position, displacement, start_orientation, turn }
    }

    /// Turns a normal with the body from a fraction of the motion to the end.
    pub fn carried(&self, normal: Vector3<f64>, fraction: f64) -> Vector3<f64> {
        UnitQuaternion::from_scaled_axis(self.turn * (1.0 - fraction)) * normal
    }

    /// Places the body after a fraction of its motion.
    pub fn at(&self, fraction: f64, model: &PartModel) -> MovedPart {
        let orientation = UnitQuaternion::from_scaled_axis(self.turn * fraction) * self.start_orientation;
        MovedPart::new(
            model,
            &Pose { position: self.start_position + self.displacement * fraction, orientation },
        )
    }
}
