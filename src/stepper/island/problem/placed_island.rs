//! The bodies of an island at an iterate, by their parts.

use crate::contact::{MovedPart, Pair, Placed};
use crate::stepper::step_context::StepContext;
use signorini_geometry::Pose;

/// Moving bodies at the end pose of an iterate.
#[derive(Debug, Clone, Default)]
pub struct PlacedIsland {
    /// Parts of all local bodies, one body after the other.
    parts: Vec<MovedPart>,
    /// Index of the first part of each local body.
    first: Vec<usize>,
}

impl PlacedIsland {
    /// Removes all bodies.
    pub fn clear(&mut self) {
        self.parts.clear();
        self.first.clear();
    }

    /// Appends the next local body, which is body `id`, at a pose.
    pub fn push(&mut self, context: &StepContext<'_>, id: usize, pose: &Pose) {
        self.first.push(self.parts.len());
        let parts = &context.models.parts[context.models.bodies[id].parts.clone()];
        self.parts.extend(parts.iter().map(|part| MovedPart::new(part, pose)));
    }

    /// Index of a part of a local body among all parts.
    pub fn place(&self, local: usize, part: usize) -> usize {
        self.first[local] + part
    }

    /// Returns part number `part` of body `id`, whose local index is given if it moves.
    pub fn part<'a>(
        &'a self,
        context: &StepContext<'a>,
        local: Option<usize>,
        id: usize,
        part: usize,
    ) -> &'a MovedPart {
        match local {
            Some(local) => &self.parts[self.place(local, part)],
            None => &context.prescribed[context.models.bodies[id].parts.start + part],
        }
    }

    /// Returns the parts of a pair, whose bodies have these local indices if they move.
    pub fn sides<'a>(
        &'a self,
        context: &StepContext<'a>,
        local: [Option<usize>; 2],
        pair: &Pair,
    ) -> [Placed<'a>; 2] {
        let [of_a, of_b] = context.models.parts_of(pair);
        let models = [&context.models.parts[of_a], &context.models.parts[of_b]];
        let a = self.part(context, local[0], pair.body_a, pair.part_a);
        let b = self.part(context, local[1], pair.body_b, pair.part_b);
        [Placed::new(models[0], a), context.models.image(Placed::new(models[1], b), pair.image)]
    }
}
