//! Contacts of the flat step as kernels get them.

use crate::harness::random;
use nalgebra::{Matrix3, Rotation3, Vector3};
use signorini_kernels::flat_contact::{AGE, FACTOR, LAST_SQUARE, PROXIMAL, SCALARS, STILL};
use signorini_kernels::flat_sweep::SWEPT;
use signorini_kernels::types::{FlatBody, FlatFrame, FlatRow, FlatState, PairKey, nine, six};

/// Contacts of one colour: each between two bodies of its own, some with a half-space or a body that nothing
/// moves.
#[derive(Clone)]
pub struct Laid {
    pub keys: Vec<PairKey>,
    pub rows: Vec<FlatRow<f32>>,
    pub states: Vec<FlatState<f32>>,
    pub frames: Vec<FlatFrame<f64>>,
    pub bodies: Vec<FlatBody<f64>>,
    pub bases: Vec<[f64; 8]>,
    pub swept: Vec<[f32; SWEPT]>,
    pub directions: Vec<[f32; SWEPT]>,
    pub scalars: [f32; SCALARS],
}

fn body(next: &mut impl FnMut() -> f64, center: Vector3<f64>, is_given: bool) -> FlatBody<f64> {
    let rotation = Rotation3::new(Vector3::from_fn(|_, _| 2.0 * next())).into_inner();
    let semi_axes = Vector3::from_fn(|_, _| 0.08 + 0.03 * next());
    let mass = if is_given { 0.0 } else { 2.0 + next() };
    let moments = Vector3::from_fn(|_, _| 0.01 + 0.003 * next());
    let inverse = if is_given { Matrix3::zeros() } else { Matrix3::from_diagonal(&moments.map(f64::recip)) };
    FlatBody {
        center: center.into(),
        rotation: nine(&rotation),
        inverse_inertia: six(&(rotation * inverse * rotation.transpose())),
        inverse_mass: [if is_given { 0.0 } else { mass.recip() }],
        moments: moments.into(),
        semi_axes: semi_axes.into(),
        acting: [0.3],
        free: std::array::from_fn(|_| next()),
    }
}

pub fn laid(n: usize, age: f32) -> Laid {
    let mut next = random(77);
    let mut all = Laid {
        keys: Vec::new(),
        rows: Vec::new(),
        states: Vec::new(),
        frames: Vec::new(),
        bodies: Vec::new(),
        bases: Vec::new(),
        swept: Vec::new(),
        directions: Vec::new(),
        scalars: [0.0; SCALARS],
    };
    (all.scalars[FACTOR], all.scalars[AGE], all.scalars[PROXIMAL]) = (0.6, age, 0.01);
    (all.scalars[STILL], all.scalars[LAST_SQUARE]) = (0.5, 1e9);
    for k in 0..n {
        let n_ab = Vector3::from_fn(|_, _| next()).normalize();
        let center = Vector3::from_fn(|_, _| 3.0 * next());
        let (is_plane, is_given) = (k % 5 == 3, k % 7 == 4);
        all.bodies.push(body(&mut next, center, is_plane || is_given));
        let beside = center + n_ab * (0.16 + 0.03 * next());
        all.bodies.push(body(&mut next, beside, false));
        for body in &all.bodies[2 * k..] {
            let unit = if body.inverse_mass[0] > 0.0 { 0.5 + 0.2 * next() } else { 1e30 };
            let [a, b, c, d, e, f]: [f64; 6] = std::array::from_fn(|_| 0.3 * next());
            all.bases.push([a, b, c, unit, d, e, f, 0.01]);
            let i = body.inverse_inertia.map(|x| x as f32);
            let m = body.inverse_mass[0] as f32;
            let [a, b, c, d, e, f]: [f32; 6] =
                std::array::from_fn(|_| if m > 0.0 { 0.1 * next() as f32 } else { 0.0 });
            all.swept.push([a, b, c, m, d, e, f, 0.0, i[0], i[1], i[2], i[3], i[4], i[5], 0.0, 0.0]);
            let along = std::array::from_fn(|k| if k % 4 == 3 { 0.0 } else { 0.1 * next() as f32 });
            all.directions.push(along);
        }
        let start = (n_ab + Vector3::from_fn(|_, _| 0.1 * next())).normalize();
        let tangent = start.cross(&Vector3::new(0.3, 0.4, 0.9)).normalize();
        let three = |v: Vector3<f64>| [v.x as f32, v.y as f32, v.z as f32];
        let mut four = || -> [f32; 4] { std::array::from_fn(|_| next() as f32) };
        let (impulse, direction, change, centre, offset) = (four(), four(), four(), four(), four());
        let [x, ..] = impulse;
        let impulse = [if k % 4 == 1 { 0.0 } else { x.abs() }, impulse[1], impulse[2], impulse[3]];
        all.keys.push(PairKey {
            body_a: 2 * k as u32,
            body_b: 2 * k as u32 + 1,
            flags: if is_plane { PairKey::PLANE } else { 0 },
        });
        all.rows.push(FlatRow {
            normal: three(start),
            friction: [0.5],
            tangent: three(tangent),
            torsion: [if k % 3 == 0 { 0.0 } else { 0.02 }],
            arm_a: three(0.08 * n_ab),
            normal_step: [0.9],
            arm_b: three(-0.08 * n_ab),
            friction_step: [0.6],
            offset,
            coupling: [0.1, -0.2, 0.05],
            per_unit: [1.5],
        });
        all.states.push(FlatState { impulse, direction, change, centre, moved: [0.01], unused: [0.0; 3] });
        all.frames.push(FlatFrame {
            normal: start.into(),
            offset: [start.dot(&(center + n_ab * 0.07))],
            shift: [0.001, -0.002, 0.0],
            pull: [if k % 2 == 0 { 0.0 } else { 0.1 }],
        });
    }
    all
}

fn f32s<T: Copy, const N: usize>(items: &[T], write: impl Fn(&T) -> [f32; N]) -> Vec<u8> {
    let all: Vec<f32> = items.iter().flat_map(write).collect();
    bytemuck::cast_slice(&all).to_vec()
}

fn flat_row(row: &FlatRow<f32>) -> [f32; FlatRow::<f32>::LEN] {
    let mut out = [0.0; FlatRow::<f32>::LEN];
    row.write(&mut out);
    out
}

fn flat_state(state: &FlatState<f32>) -> [f32; FlatState::<f32>::LEN] {
    let mut out = [0.0; FlatState::<f32>::LEN];
    state.write(&mut out);
    out
}

fn wide<T>(items: &[T], length: usize, write: impl Fn(&T, &mut [f64])) -> Vec<u8> {
    let mut all = vec![0.0; items.len() * length];
    items.iter().zip(all.chunks_exact_mut(length)).for_each(|(item, out)| write(item, out));
    bytemuck::cast_slice(&all).to_vec()
}

impl Laid {
    pub fn keys(&self) -> Vec<u8> {
        let words: Vec<u32> = self.keys.iter().flat_map(PairKey::words).collect();
        bytemuck::cast_slice(&words).to_vec()
    }

    pub fn rows(&self) -> Vec<u8> {
        f32s(&self.rows, flat_row)
    }

    pub fn states(&self) -> Vec<u8> {
        f32s(&self.states, flat_state)
    }

    pub fn frames(&self) -> Vec<u8> {
        wide(&self.frames, FlatFrame::<f64>::LEN, |frame, out| frame.write(out))
    }

    pub fn bodies(&self) -> Vec<u8> {
        wide(&self.bodies, FlatBody::<f64>::LEN, |body, out| body.write(out))
    }

    pub fn bases(&self) -> Vec<u8> {
        bytemuck::cast_slice(&self.bases).to_vec()
    }

    pub fn swept(&self) -> Vec<u8> {
        bytemuck::cast_slice(&self.swept).to_vec()
    }

    pub fn directions(&self) -> Vec<u8> {
        bytemuck::cast_slice(&self.directions).to_vec()
    }

    pub fn scalars(&self) -> Vec<u8> {
        bytemuck::cast_slice(&self.scalars).to_vec()
    }

    /// Each body's contacts: the one of its own, and for bodies that move those of two others.
    pub fn incidence(&self) -> Vec<u32> {
        let (n, contacts) = (self.bodies.len() as u32, self.keys.len() as u32);
        let start: Vec<u32> = (0..=n).map(|i| n + 1 + 3 * i).collect();
        let of = |i: u32| [0, 1, 5].map(|step| 2 * ((i / 2 + step) % contacts) + i % 2);
        start.into_iter().chain((0..n).flat_map(of)).collect()
    }
}
