//! Seeded random numbers, the same on every platform.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};
use rand::Rng;
use rand_pcg::Pcg64;

/// A seeded stream of random numbers; the same on every platform (no library distributions).
#[derive(Debug)]
pub struct RandomStream(Pcg64);

impl RandomStream {
    /// The stream of one generator of a scene.
    pub fn new(seed: u64, generator: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), u128::from(generator)))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Uniform in [-1, 1).
    pub(super) fn sign(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    /// Standard normal (Marsaglia's polar method).
    pub fn normal(&mut self) -> f64 {
        loop {
            let (x, y) = (self.sign(), self.sign());
            let s = x * x + y * y;
            if s > 0.0 && s < 1.0 {
                return x * (-2.0 * s.ln() / s).sqrt();
            }
        }
    }

    /// Uniform on the rotations: a uniform direction in four dimensions, by rejection from the cube.
    pub fn rotation(&mut self) -> UnitQuaternion<f64> {
        loop {
            let q = Quaternion::new(self.sign(), self.sign(), self.sign(), self.sign());
            let s = q.norm_squared();
            if s > 1e-4 && s <= 1.0 {
                return UnitQuaternion::new_normalize(q);
            }
        }
    }

    /// Uniform in the unit ball, by rejection from the cube.
    pub fn in_ball(&mut self) -> Vector3<f64> {
        loop {
            let v = Vector3::new(self.sign(), self.sign(), self.sign());
            if v.norm_squared() <= 1.0 {
                return v;
            }
        }
    }

    /// Uniform among 0 … n − 1.
    fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n.saturating_sub(1))
    }
}

/// Puts sites in a random order.
pub(super) fn shuffle(sites: &mut [Vector3<f64>], draw: &mut RandomStream) {
    for i in (1..sites.len()).rev() {
        sites.swap(i, draw.below(i + 1));
    }
}
