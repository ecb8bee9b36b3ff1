//! A move of centres of mass in an impact, against which its places move by u: they gain the velocity ω × u,
//! and impulses F the torque u × F.

use crate::stepper::island::derivative::own;
use nalgebra::Vector3;
use signorini_ncp::linalg::{BLOCK, LANES, Lanes};

/// A vector of each body.
pub type PerBody = Vec<Vector3<f64>>;

/// Angular halves of the blocks of all bodies.
pub fn angular_of(v: &[f64]) -> PerBody {
    v.chunks_exact(BLOCK).map(|block| Vector3::from_column_slice(&block[3..])).collect()
}

/// Linear halves.
pub fn linear_of(v: &[f64]) -> PerBody {
    (0..v.len() / BLOCK).map(|local| own::linear_of(v, local)).collect()
}

/// Velocities ω × u, from u/h; `spins` are h ω.
pub fn swept(spins: &[Vector3<f64>], moved: &[Lanes]) -> Vec<Lanes> {
    let mut out = vec![[0.0; LANES]; moved.len()];
    add_crossed(spins, moved, 0, &mut out);
    out
}

/// Adds the torques u × F, from u/h; `pushes` are h F.
pub fn add_torques(pushes: &[Vector3<f64>], moved: &[Lanes], out: &mut [Lanes]) {
    let opposite: PerBody = pushes.iter().map(|push| -push).collect();
    add_crossed(&opposite, moved, 3, out);
}

/// Adds the gradient with u/h, by that with ω × u.
pub fn add_swept_transposed(spins: &[Vector3<f64>], gradient: &[f64], out: &mut [f64]) {
    add_flat(spins.iter().zip(linear_of(gradient)).map(|(spin, g)| g.cross(spin)), out);
}

/// Adds the gradient with u/h, by that with u × F.
pub fn add_torques_transposed(pushes: &[Vector3<f64>], gradient: &[f64], out: &mut [f64]) {
    add_flat(pushes.iter().zip(angular_of(gradient)).map(|(push, g)| push.cross(&g)), out);
}

/// Adds the products of a vector of each body with the linear half of its block of `moved`, to one half of
/// its block of `out`.
fn add_crossed(by: &[Vector3<f64>], moved: &[Lanes], half: usize, out: &mut [Lanes]) {
    for (local, by) in by.iter().enumerate() {
        for lane in 0..LANES {
            let crossed = by.cross(&Vector3::from_fn(|k, _| moved[BLOCK * local + k][lane]));
            (0..3).for_each(|k| out[BLOCK * local + half + k][lane] += crossed[k]);
        }
    }
}

/// Adds vectors to the linear halves.
fn add_flat(vectors: impl Iterator<Item = Vector3<f64>>, out: &mut [f64]) {
    for (vector, out) in vectors.zip(out.chunks_exact_mut(BLOCK)) {
        out.iter_mut().zip(vector.iter()).for_each(|(out, x)| *out += x);
    }
}
