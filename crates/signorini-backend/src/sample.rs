//! Made-up pairs for measurements: ellipsoids about to touch, as they lie in a pile.

use super::{Batch, IslandData};
use nalgebra::{Matrix3, Matrix6, Rotation3, Vector3};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use signorini_kernels::body_momentum::BODY;
use signorini_kernels::smooth_pair::Ellipsoid;
use signorini_kernels::types::{BodyState, ContactLawState, PairKey, PairState, nine, six};
use signorini_ncp::linalg::BLOCK_LEN;

/// Makes `n` loaded pairs of bodies i and i + 1 (semi-axes 0.10, 0.07, 0.05 m) with friction and torsion, up
/// to 1 mm apart; the start normal is off by as much as a step turns it. Equal n give equal pairs.
pub fn sample_batch(n: usize) -> Batch {
    let mut random = Pcg64::seed_from_u64(1);
    let mut next = move || random.random_range(-1.0..1.0);
    let mut batch = Batch { time_step: 0.005, ..Batch::default() };
    let mut shapes = Vec::with_capacity(n + 1);
    for _ in 0..=n {
        let rotation = Rotation3::new(Vector3::new(next(), next(), next()) * 3.0).into_inner();
        let shape = Ellipsoid::new(Vector3::zeros(), &rotation, &Vector3::new(0.10, 0.07, 0.05));
        batch.bodies.push(BodyState {
            center: [0.0; 3],
            q: six(&shape.q),
            velocity: [next(), next(), next()],
            spin: [next(), next(), next()],
            turn: nine(&Matrix3::identity()),
        });
        shapes.push(shape);
    }
    let flags = PairKey::LOADED | PairKey::FRICTION | PairKey::TORSION;
    for i in 0..n {
        let normal = Vector3::new(next(), next(), next()).normalize();
        let reach = shapes[i].support(&normal).1 + shapes[i + 1].support(&normal).1;
        let start = (normal + Vector3::new(next(), next(), next()) * 0.02).normalize();
        let tangent = normal.cross(&Vector3::new(next(), next(), next())).normalize();
        batch.keys.push(PairKey { body_a: i as u32, body_b: i as u32 + 1, flags });
        batch.pairs.push(PairState {
            offset: (reach + normal * (5e-4 * (1.0 + next()))).into(),
            start: start.into(),
            frame_normal: normal.into(),
            frame_tangent: tangent.into(),
            direction: [0.0; 3],
            height: [0.0],
            scale: [1.0, 1.0, 0.02],
            impulse: [0.05, 0.01 * next(), 0.01 * next(), 0.01 * next()],
        });
    }
    batch
}

/// Makes the bodies of such pairs an island: 1 kg each, at rest, with the impulses of the pairs.
pub fn sample_island(batch: &Batch) -> IslandData {
    let (n, identity) = (batch.bodies.len(), Matrix6::<f64>::identity());
    let mut island = IslandData { n_moving: n, ..IslandData::default() };
    for _ in 0..n {
        island.bodies.extend(identity.iter().chain(&[0.0; BODY - BLOCK_LEN]));
        island.inverse.extend(identity.iter());
    }
    island.contacts.extend(batch.pairs.iter().map(|pair| ContactLawState {
        centre: pair.impulse,
        friction_coefficient: [0.5],
        ..ContactLawState::filled(0.0)
    }));
    island
}
