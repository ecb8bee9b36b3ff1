//! Bodies with prescribed motion: how what they do in a step, or in a part of it, follows from its start and
//! from the velocity that takes them to its end (theory §17.9).

use crate::step::BodyTangent;
use nalgebra::{Matrix3, SVector, UnitQuaternion, Vector3};
use signorini_geometry::Velocity;
use signorini_geometry::pose::left_jacobian;
use signorini_ncp::linalg::BLOCK;

/// Entries of a [`DrivenMove`].
pub const MOVES: usize = 3 * BLOCK;

/// Small change of what rows see of a body with prescribed motion: displacement at the end over h, velocity,
/// displacement at the start.
pub type DrivenMove = SVector<f64, MOVES>;

/// A body with prescribed motion, which has one velocity over a step.
#[derive(Debug, Clone, Copy)]
pub struct DrivenPath {
    /// Place in the scene.
    pub id: usize,
    velocity: Velocity,
    /// Length of the step or of the part of it (s).
    h: f64,
    /// exp(h ω), and h J_l(h ω) with its inverse.
    carried: Matrix3<f64>,
    turn: Matrix3<f64>,
    back: Matrix3<f64>,
}

impl DrivenPath {
    /// Of a body over so many seconds.
    pub fn new(id: usize, velocity: Velocity, h: f64) -> Self {
        let angle = velocity.angular * h;
        let carried = UnitQuaternion::from_scaled_axis(angle).to_rotation_matrix().into_inner();
        let turn = left_jacobian(&angle) * h;
        let back = turn.try_inverse().unwrap_or_else(Matrix3::zeros);
        Self { id, velocity, h, carried, turn, back }
    }

    /// The change at the end by that at the start, its velocity that of the step, of what takes `longer` (s).
    pub fn end(&self, start: &BodyTangent, longer: f64) -> BodyTangent {
        let Velocity { linear, angular } = self.velocity;
        BodyTangent {
            position: start.position + start.velocity * self.h + linear * longer,
            rotation: self.carried * start.rotation + self.turn * start.spin + angular * longer,
            ..*start
        }
    }

    /// The gradients with the start and with the length of a function whose gradient with the end is given.
    pub fn end_gradient(&self, end: &BodyTangent) -> (BodyTangent, f64) {
        let BodyTangent { position, rotation, velocity, spin } = *end;
        let start = BodyTangent {
            position,
            rotation: self.carried.tr_mul(&rotation),
            velocity: velocity + position * self.h,
            spin: spin + self.turn.tr_mul(&rotation),
        };
        (start, self.along(&[position, rotation]))
    }

    /// Gives the start the velocity that takes it to where the end changes to: δc and δθ.
    pub fn lead(&self, start: &mut BodyTangent, end: [Vector3<f64>; 2], longer: f64) {
        let Velocity { linear, angular } = self.velocity;
        start.velocity = (end[0] - start.position - linear * longer) / self.h;
        start.spin = self.back * (end[1] - self.carried * start.rotation - angular * longer);
    }

    /// Makes the gradient with the start one of poses alone; returns those with where the end changes to, and
    /// with the length.
    pub fn lead_gradient(&self, start: &mut BodyTangent) -> ([Vector3<f64>; 2], f64) {
        let end = [start.velocity / self.h, self.back.tr_mul(&start.spin)];
        start.position -= end[0];
        start.rotation -= self.carried.tr_mul(&end[1]);
        (start.velocity, start.spin) = (Vector3::zeros(), Vector3::zeros());
        (end, -self.along(&end))
    }

    /// The part of a change that rows see.
    pub fn moved(&self, start: &BodyTangent, longer: f64) -> DrivenMove {
        let end = self.end(start, longer);
        let [place, turn] = [end.position / self.h, end.rotation / self.h];
        let parts = [place, turn, start.velocity, start.spin, start.position, start.rotation];
        DrivenMove::from_fn(|i, _| parts[i / 3][i % 3])
    }

    /// The gradients of [`Self::end_gradient`], of a function that looks at what rows see besides.
    pub fn gradient(&self, moved: &DrivenMove, end: &BodyTangent) -> (BodyTangent, f64) {
        let parts = std::array::from_fn(|k| moved.fixed_rows::<3>(3 * k).into_owned());
        let [place, turn, velocity, spin, start_place, start_turn]: [Vector3<f64>; MOVES / 3] = parts;
        let at_end = BodyTangent {
            position: end.position + place / self.h,
            rotation: end.rotation + turn / self.h,
            velocity: end.velocity + velocity,
            spin: end.spin + spin,
        };
        let (mut start, longer) = self.end_gradient(&at_end);
        start.position += start_place;
        start.rotation += start_turn;
        (start, longer)
    }

    fn along(&self, [linear, angular]: &[Vector3<f64>; 2]) -> f64 {
        self.velocity.linear.dot(linear) + self.velocity.angular.dot(angular)
    }
}
