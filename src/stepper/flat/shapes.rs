//! Shapes of polytopes as the flat step sees them, made once for bodies of the same shape.

use crate::contact::Models;
use crate::contact::part_model::PartModel;
use nalgebra::Matrix3;
use signorini_flat::{Solid, SolidPart};
use signorini_geometry::{Polytope, Shape};
use std::collections::HashMap;
use std::sync::Arc;

/// Shapes met so far, which keep their places.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// The shapes.
    pub solids: Vec<Solid>,
    /// Places of boxes, by the bits of the half extents.
    boxes: HashMap<[u64; 3], u32>,
    /// Places of other polytopes, by the address of the shape and the bits of the axes in which it is seen.
    others: HashMap<(usize, [u64; 9]), u32>,
    /// The polytopes whose addresses are known: no other one can take them.
    kept: Vec<Arc<Polytope>>,
}

impl Shapes {
    /// Index of a box in its own axes; None for other shapes.
    fn index_of_box(&mut self, part: &PartModel) -> Option<u32> {
        let half: [f64; 3] = part.half_extents?.into();
        let Self { solids, boxes, .. } = self;
        let index = boxes.entry(half.map(f64::to_bits)).or_insert_with(|| {
            solids.push(Solid::box_(half));
            solids.len() as u32 - 1
        });
        Some(*index)
    }

    /// A polytope that is one of several parts of a moving body, or off its centre of mass; None for others.
    pub fn part_of(&mut self, models: &Models, part: usize) -> Option<SolidPart> {
        let model = &models.parts[part];
        let body = &models.bodies[model.body];
        if !body.has_parts() {
            return None;
        }
        let axes = &body.principal.axes;
        let offset = axes.tr_mul(&model.shape_pose.position).into();
        self.index_of(model, axes).map(|solid| SolidPart { solid, offset })
    }

    /// Index of a part that is a polytope in the given axes (body frame, columns); None for other shapes.
    pub fn index_of(&mut self, part: &PartModel, axes: &Matrix3<f64>) -> Option<u32> {
        let is_own = *axes == part.shape_rotation;
        if is_own && let Some(index) = self.index_of_box(part) {
            return Some(index);
        }
        let Shape::Polytope(polytope) = &part.shape else { return None };
        let rotation = if is_own { Matrix3::identity() } else { axes.transpose() * part.shape_rotation };
        let bits: [u64; 9] = std::array::from_fn(|i| rotation.as_slice()[i].to_bits());
        let Self { solids, others, kept, .. } = self;
        let index = others.entry((Arc::as_ptr(polytope) as usize, bits)).or_insert_with(|| {
            kept.push(Arc::clone(polytope));
            solids.push(solid(polytope, &rotation));
            solids.len() as u32 - 1
        });
        Some(*index)
    }
}

fn solid(polytope: &Polytope, rotation: &Matrix3<f64>) -> Solid {
    let vertices: Vec<[f64; 3]> = polytope.vertices.iter().map(|v| (rotation * v).into()).collect();
    let corners = polytope.faces.iter().map(|face| face.vertices.iter().map(|v| *v as u16).collect());
    Solid::new(&vertices, &corners.collect::<Vec<Vec<u16>>>())
}
