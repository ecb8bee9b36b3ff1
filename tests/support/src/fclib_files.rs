//! A small writer of `.fcp` and `.gp` files, from the description of the formats.

use std::path::{Path, PathBuf};

/// A matrix by rows, dense here, sparse in the file.
pub type Dense = Vec<Vec<f64>>;

pub struct Fcp {
    pub mu: Vec<f64>,
    pub q: Vec<f64>,
    pub w: Dense,
    pub global: Option<Global>,
}

pub struct Global {
    pub m: Dense,
    pub h: Dense,
    pub f: Vec<f64>,
    pub w: Vec<f64>,
}

#[derive(Clone)]
pub struct Gp {
    pub mass: Vec<f64>,
    pub free: Vec<[f64; 6]>,
    /// Two bodies and two 3×6 blocks.
    pub contacts: Vec<(f64, f64, [f64; 18], [f64; 18])>,
    pub mu: Vec<f64>,
    pub w: Vec<f64>,
    pub r: Vec<f64>,
}

fn floats(out: &mut Vec<u8>, values: &[f64]) {
    values.iter().for_each(|v| out.extend(v.to_le_bytes()));
}

fn matrix(out: &mut Vec<u8>, rows: &Dense) {
    let entries: Vec<Vec<(u32, f64)>> = rows
        .iter()
        .map(|row| row.iter().enumerate().filter(|e| *e.1 != 0.0).map(|(j, v)| (j as u32, *v)).collect())
        .collect();
    let n: usize = entries.iter().map(Vec::len).sum();
    out.extend((n as u64).to_le_bytes());
    let mut pointer = 0_u32;
    out.extend(pointer.to_le_bytes());
    for row in &entries {
        pointer += row.len() as u32;
        out.extend(pointer.to_le_bytes());
    }
    entries.iter().flatten().for_each(|(j, _)| out.extend(j.to_le_bytes()));
    entries.iter().flatten().for_each(|(_, v)| out.extend(v.to_le_bytes()));
}

impl Fcp {
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = b"FCP1".to_vec();
        out.extend(u32::from(self.global.is_some()).to_le_bytes());
        out.extend((self.mu.len() as u32).to_le_bytes());
        out.extend(0_u32.to_le_bytes());
        floats(&mut out, &self.mu);
        floats(&mut out, &self.q);
        matrix(&mut out, &self.w);
        if let Some(global) = &self.global {
            out.extend((global.m.len() as u64).to_le_bytes());
            matrix(&mut out, &global.m);
            matrix(&mut out, &global.h);
            floats(&mut out, &global.f);
            floats(&mut out, &global.w);
        }
        out
    }

    /// One contact over a diagonal W.
    pub fn one_contact(d: [f64; 3], q: [f64; 3], mu: f64) -> Self {
        let w = (0..3).map(|i| (0..3).map(|j| if i == j { d[i] } else { 0.0 }).collect()).collect();
        Self { mu: vec![mu], q: q.to_vec(), w, global: None }
    }
}

impl Gp {
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::new();
        floats(&mut out, &[self.mass.len() as f64, self.contacts.len() as f64]);
        for m in &self.mass {
            // A solid sphere of radius 1: inertia 2/5 m.
            for i in 0..6 {
                let d = if i < 3 { *m } else { 0.4 * m };
                (0..6).for_each(|j| floats(&mut out, &[if i == j { d } else { 0.0 }]));
            }
        }
        self.free.iter().for_each(|v| floats(&mut out, v));
        for (a, b, rows_a, rows_b) in &self.contacts {
            floats(&mut out, &[*a, *b]);
            floats(&mut out, rows_a);
            floats(&mut out, rows_b);
        }
        floats(&mut out, &self.mu);
        floats(&mut out, &self.w);
        floats(&mut out, &self.r);
        out
    }

    /// A unit sphere of mass m on the plane z = 0, which is fixed: normal z, tangents x and y, arm (0, 0,
    /// −1).
    pub fn sphere_on_plane(m: f64, free: [f64; 6], mu: f64) -> Self {
        // Velocity of the contact point: v + ω × (0, 0, −1) = (v_x − ω_y, v_y + ω_x, v_z).
        let rows = [0., 0., 1., 0., 0., 0., 1., 0., 0., 0., -1., 0., 0., 1., 0., 1., 0., 0.];
        Self {
            mass: vec![m],
            free: vec![free],
            contacts: vec![(0.0, -1.0, rows, [0.0; 18])],
            mu: vec![mu],
            w: vec![0.0; 3],
            r: vec![0.0; 3],
        }
    }
}

pub fn save(folder: &Path, name: &str, bytes: &[u8]) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, bytes).expect("written");
    path
}
