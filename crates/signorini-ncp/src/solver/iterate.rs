//! The unknowns of a step.

/// Unknowns: velocities of bodies (6 each) and impulses per contact row.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Iterate {
    /// v.
    pub velocity: Vec<f64>,
    /// x.
    pub impulse: Vec<f64>,
}

impl Iterate {
    /// Takes over the values, keeping the allocation.
    pub fn copy_from(&mut self, other: &Iterate) {
        self.velocity.clone_from(&other.velocity);
        self.impulse.clone_from(&other.impulse);
    }
}
