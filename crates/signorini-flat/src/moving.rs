//! Velocities of the bodies of four contacts in a turn.

use crate::geometry::{Contacts, Sides, slip};
use crate::numbers::{Four, Symmetric, Vector, add, add_scaled, product, sub, sub_scaled};
use crate::simd::Simd;

/// Velocities of both bodies of four contacts, as impulses change them.
#[derive(Clone, Copy)]
pub struct Moving<S: Simd> {
    /// Velocities of A and B (m/s).
    pub velocity: [Vector<Four<S>>; 2],
    /// Spins (rad/s).
    pub spin: [Vector<Four<S>>; 2],
    inverse_mass: [Four<S>; 2],
    inverse_inertia: [Symmetric<Four<S>>; 2],
    mobility: Option<[Symmetric<Four<S>>; 2]>,
}

impl<S: Simd> Moving<S> {
    /// Velocities of the bodies as they are.
    #[inline(always)]
    pub fn of(sides: &Sides<S>) -> Self {
        let Sides { a, b, mobility } = sides;
        Self {
            velocity: [a.velocity, b.velocity],
            spin: [a.spin, b.spin],
            inverse_mass: [a.inverse_mass, b.inverse_mass],
            inverse_inertia: [a.inverse_inertia, b.inverse_inertia],
            mobility: *mobility,
        }
    }

    /// Takes an impulse on B, its reaction on A, and their moments.
    #[inline(always)]
    pub fn push(&mut self, impulse: Vector<Four<S>>, moments: [Vector<Four<S>>; 2]) {
        self.velocity = match &self.mobility {
            None => [
                sub_scaled(impulse, self.inverse_mass[0], self.velocity[0]),
                add_scaled(impulse, self.inverse_mass[1], self.velocity[1]),
            ],
            Some([a, b]) => {
                [sub(self.velocity[0], product(a, impulse)), add(self.velocity[1], product(b, impulse))]
            }
        };
        self.spin = [
            sub(self.spin[0], product(&self.inverse_inertia[0], moments[0])),
            add(self.spin[1], product(&self.inverse_inertia[1], moments[1])),
        ];
    }

    /// Spin of the surface of B over that of A (rad/s).
    #[inline(always)]
    pub fn spin_over(&self, at: &Contacts<S>) -> Vector<Four<S>> {
        add(sub(self.spin[1], self.spin[0]), at.surface[1])
    }

    /// Velocity of B over A along the rows of a contact (m/s).
    #[inline(always)]
    pub fn slip(&self, at: &Contacts<S>) -> [Four<S>; 4] {
        slip([self.velocity[0], self.spin[0]], [self.velocity[1], self.spin[1]], at)
    }
}
