//! The best iterate met since the set-up, with the contact points that it was judged by.

use crate::contact::{ContactPoint, Pair};
use crate::stepper::island::residual::level::ResidualLevel;
use nalgebra::Vector3;
use signorini_ncp::solver::Residual;

/// An iterate with the contact points that flat pairs had at that iterate. Contact points that come later
/// overlap at its pose, and points that are excluded later lost their load: without its own points, the
/// iterate is another one, and a worse one.
#[derive(Debug, Default)]
pub(in crate::stepper) struct Best {
    /// Residual of the kept iterate; None: nothing is kept yet.
    residual: Option<f64>,
    velocity: Vec<f64>,
    impulse: Vec<f64>,
    /// Contact points of all flat pairs, one pair after the other.
    points: Vec<ContactPoint>,
    /// Number of contact points of each pair, the normal that the next search starts from, and e_r (m).
    pairs: Vec<(usize, Vector3<f64>, f64)>,
    level: ResidualLevel,
}

impl Best {
    /// Removes the kept iterate.
    pub fn clear(&mut self) {
        self.residual = None;
    }

    /// Keeps (v, x), judged with `residual`, if nothing better is kept. `level` is the level of the residual
    /// that the iterate was judged with. Only islands with flat pairs need this: without contact points the
    /// residual at a pose does not depend on the iterates before.
    pub fn keep(
        &mut self,
        v: &[f64],
        x: &[f64],
        pairs: &[Box<Pair>],
        residual: &Residual,
        level: ResidualLevel,
    ) {
        if residual.max().is_nan() || self.residual.is_some_and(|least| residual.max() >= least) {
            return;
        }
        self.residual = Some(residual.max());
        self.level = level;
        self.velocity.clear();
        self.velocity.extend_from_slice(v);
        self.impulse.clear();
        self.impulse.extend_from_slice(x);
        self.points.clear();
        self.pairs.clear();
        for pair in pairs {
            let points = pair.manifold.as_ref().map_or(&[][..], |manifold| &manifold.points);
            self.pairs.push((points.len(), pair.geometry.normal, pair.torsion_radius));
            self.points.extend_from_slice(points);
        }
    }

    /// Moves (v, x) to the kept iterate, and the contact points of flat pairs to those of that iterate.
    /// Returns the level that the iterate was judged with, None if nothing is kept.
    pub fn restore(&self, v: &mut [f64], x: &mut [f64], pairs: &mut [Box<Pair>]) -> Option<ResidualLevel> {
        self.residual?;
        v.copy_from_slice(&self.velocity);
        x.copy_from_slice(&self.impulse);
        let mut first = 0;
        for (pair, (n, normal, radius)) in pairs.iter_mut().zip(&self.pairs) {
            let Some(manifold) = &mut pair.manifold else { continue };
            manifold.points.clear();
            manifold.points.extend_from_slice(&self.points[first..first + n]);
            (pair.geometry.normal, pair.torsion_radius) = (*normal, *radius);
            first += n;
        }
        Some(self.level)
    }
}
