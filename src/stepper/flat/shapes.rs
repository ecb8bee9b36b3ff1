//! Shapes of boxes as the flat step sees them, made once for bodies of the same shape.

use crate::contact::part_model::PartModel;
use signorini_flat::Solid;
use std::collections::HashMap;

/// Shapes met so far, which keep their places.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// The shapes.
    pub solids: Vec<Solid>,
    /// Their places, by the bits of the half extents.
    boxes: HashMap<[u64; 3], u32>,
}

impl Shapes {
    /// Index of a box; None for other shapes.
    pub fn index_of(&mut self, part: &PartModel) -> Option<u32> {
        let half: [f64; 3] = part.half_extents?.into();
        let Self { solids, boxes } = self;
        let index = boxes.entry(half.map(f64::to_bits)).or_insert_with(|| {
            solids.push(Solid::box_(half));
            solids.len() as u32 - 1
        });
        Some(*index)
    }
}
