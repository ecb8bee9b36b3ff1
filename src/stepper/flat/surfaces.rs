//! Closest points of smooth pairs in flat arrays, where a body is more than one ellipsoid about its centre of
//! mass: the contact geometry of the other paths finds them.

use crate::contact::feature::Feature;
use crate::contact::pair::smooth::SmoothPoint;
use crate::contact::{MovedPart, Pair, Placed};
use crate::stepper::step_context::StepContext;
use nalgebra::{Matrix3, Vector3};
use signorini_flat::bodies::Pose;
use signorini_flat::{Closest, Contact, Side, Start, Surfaces};

/// Features that touch an ellipsoid: the parts of a polytope with an index, and those of a cylinder.
fn kinds(index: usize) -> [Feature; 9] {
    use Feature::{Cap, Edge, Ellipsoid, Face, Rim, Side, Vertex};
    [Ellipsoid, Cap(true), Cap(false), Rim(true), Rim(false), Side, Vertex(index), Edge(index), Face(index)]
}

/// Code of a feature that touches an ellipsoid.
pub(super) fn code_of(feature: Feature) -> u64 {
    let index = match feature {
        Feature::Vertex(index) | Feature::Edge(index) | Feature::Face(index) => index,
        _ => 0,
    };
    let kinds = kinds(index);
    let kind = kinds.iter().position(|kind| *kind == feature).unwrap_or(0);
    (index * kinds.len() + kind) as u64
}

/// Feature of a code.
pub(super) fn feature_of(code: u64) -> Feature {
    let n = kinds(0).len();
    kinds(code as usize / n)[code as usize % n]
}

/// The smooth pairs of an island with the parts that they are between.
pub(super) struct SmoothPairs<'a> {
    pub context: &'a StepContext<'a>,
    pub pairs: &'a [Box<Pair>],
    pub contacts: &'a [Contact],
    /// Pair of each contact.
    pub pair_of: &'a [u32],
    /// Principal axes of each local body, in axes of the body.
    pub axes: &'a [Matrix3<f64>],
}

impl SmoothPairs<'_> {
    /// The part of a side of a contact: of a moving body at a pose of its principal axes, of others at the
    /// end of the step.
    fn moved(&self, side: Side, part: usize, (centre, rotation): &Pose) -> MovedPart {
        match side {
            Side::Given(_) => self.context.prescribed[part],
            Side::Moving(local) => {
                let rotation = Matrix3::from_row_slice(rotation) * self.axes[local as usize].transpose();
                MovedPart::of_bounded(&self.context.models.parts[part], Vector3::from(*centre), rotation)
            }
        }
    }
}

impl Surfaces for SmoothPairs<'_> {
    fn closest(&self, contact: usize, [pose_a, pose_b]: [&Pose; 2], from: Start) -> Closest {
        let models = self.context.models;
        let pair = &self.pairs[self.pair_of[contact] as usize];
        let ([a, b], sides) = (models.parts_of(pair), self.contacts[contact].sides);
        let moved = [self.moved(sides[0], a, pose_a), self.moved(sides[1], b, pose_b)];
        let [of_a, of_b] = [&models.parts[a], &models.parts[b]];
        let a = Placed::new(of_a, &moved[0]);
        let b = models.image(Placed::new(of_b, &moved[1]), pair.image);
        let start = (feature_of(from.feature), &Vector3::from(from.normal));
        let SmoothPoint { feature, normal, arms, gap, is_hidden, .. } =
            pair.smooth_point([&a, &b], of_a.smaller_size(of_b), start);
        let at = Start { normal: normal.into(), feature: code_of(feature) };
        let [on_a, on_b] =
            [0, 1].map(|side: usize| moved[side].surface.unwrap_or_default().about(&arms[side]));
        let surface = [(on_b.linear - on_a.linear).into(), (on_b.angular - on_a.angular).into()];
        Closest { at, gap, arms: arms.map(Into::into), is_open: is_hidden, surface }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_tells_its_feature() {
        use Feature::{Cap, Edge, Ellipsoid, Face, Rim, Side, Vertex};
        let some = [Vertex(0), Vertex(9), Edge(0), Edge(700), Face(1), Cap(true), Cap(false), Rim(true)];
        for feature in some.into_iter().chain([Rim(false), Side, Ellipsoid]) {
            assert_eq!(feature_of(code_of(feature)), feature);
        }
    }
}
