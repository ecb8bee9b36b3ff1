//! Bodies that a guide lets slide along a direction, without turning. An impulse moves them by its part along
//! the direction d alone: their mobility d dᵀ/m takes the place of 1/m, and I⁻¹ is 0.

use crate::bodies::{FourBodies, PlacedBody, SweptBody, at, columns};
use crate::numbers::{Four, Symmetric};
use crate::simd::{HALF, Simd};

/// A guide of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Guide {
    /// Unit direction d in which the body slides.
    pub direction: [f64; 3],
    /// Drive along it, besides motors whose impulse is part of the free velocity.
    pub drive: Drive,
}

/// Drive of a body along its guide.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Drive {
    /// Nothing.
    Free,
    /// A motor that holds its speed.
    Hold(Hold),
    /// Its velocity is given, whatever acts on it.
    Led,
}

/// A motor that holds the speed of a body along its guide, with no more than an impulse.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hold {
    /// Speed along the direction of the guide (m/s).
    pub speed: f64,
    /// Largest impulse (N s).
    pub most: f64,
    /// Impulse from which the solve starts (N s).
    pub impulse: f64,
}

/// Mobility d dᵀ/m (1/kg) of a body of mass m (kg) on a guide along the unit vector d; 0 where it is led.
pub fn mobility(mass: f64, guide: &Guide) -> Symmetric<f64> {
    let [x, y, z] = match guide.drive {
        Drive::Led => [0.0; 3],
        _ => guide.direction,
    };
    [x * x, x * y, x * z, y * y, y * z, z * z].map(|square| square / mass)
}

impl PlacedBody {
    /// Puts the body on a guide.
    pub fn guide(&mut self, mobility: &Symmetric<f64>) {
        self.0[at::GUIDED] = 1.0;
        self.0[at::INVERSE_INERTIA..at::INVERSE_INERTIA + 6].copy_from_slice(mobility);
    }

    /// Mobility of a body on a guide (1/kg); None of others.
    pub fn mobility(&self) -> Option<Symmetric<f64>> {
        (self.0[at::GUIDED] != 0.0).then(|| self.six_of_inertia())
    }
}

impl SweptBody {
    /// Puts the body on a guide.
    pub fn guide(&mut self, mobility: &Symmetric<f64>) {
        self.0[1][Self::GUIDED] = 1.0;
        for (to, from) in self.0[1].iter_mut().zip(mobility) {
            *to = *from as f32;
        }
    }
}

impl<S: Simd> FourBodies<S> {
    /// Takes the guides of bodies into account, of which some may be on one; returns the mobility of each.
    #[inline(always)]
    pub fn guided(&mut self, s: S, bodies: [&PlacedBody; HALF]) -> Symmetric<Four<S>> {
        let [_, _, _, guided] = columns(s, bodies.map(|body| &body.0), at::GUIDED - 3);
        let free = Four::all(s, 1.0) - guided;
        let (m, six) = (self.inverse_mass * free, self.inverse_inertia);
        self.inverse_inertia = six.map(|x| x * free);
        let [a, b, c, d, e, f] = six.map(|x| x * guided);
        [a + m, b, c, d + m, e, f + m]
    }
}
