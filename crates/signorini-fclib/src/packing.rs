//! `.gp` files: step problems of settling piles, f64 throughout (see [`PackingProblem`] for the order).

use super::bytes::{Cursor, check_friction};
use nalgebra::Matrix6;
use signorini_error::Result;
use signorini_ncp::linalg::{BLOCK, BLOCK_LEN};
use signorini_ncp::problem::ContactProblem;
use signorini_ncp::problem::contact_problem::{matrix6, vector6};
use std::path::Path;

/// Values of a contact: two bodies, two 3×6 blocks.
const CONTACT_LEN: usize = 38;
/// Values of one body's rows.
const ROWS_LEN: usize = 3 * BLOCK;

/// M (v − v*) = Jᵀ r, u = J v + w. In the file: n_bodies, n_contacts, M, v*, contacts, μ, w, r.
#[derive(Debug, Clone)]
pub struct PackingProblem {
    /// 6×6 blocks of M.
    pub mass: Vec<Matrix6<f64>>,
    /// v*.
    pub free_velocity: Vec<f64>,
    /// Contacts.
    pub contacts: Vec<PackingContact>,
    /// μ per contact.
    pub friction_coefficient: Vec<f64>,
    /// w: (max(gap, 0)/h, 0, 0) per contact.
    pub offset: Vec<f64>,
    /// Impulses of the previous step.
    pub warm_start: Vec<f64>,
}

/// Bodies of a contact with their rows (3×6, row-major: normal, two tangents); fixed bodies are left out.
#[derive(Debug, Clone, Default)]
pub struct PackingContact {
    /// (body, rows).
    pub sides: Vec<(usize, [f64; ROWS_LEN])>,
}

/// Reads the content of a file.
pub fn parse(path: &Path, content: &[u8]) -> Result<PackingProblem> {
    let mut cursor = Cursor::new(path, content);
    let n_bodies = count(&mut cursor, "number of bodies")?;
    let n_contacts = count(&mut cursor, "number of contacts")?;
    let mut mass = Vec::new();
    for (i, values) in cursor.f64s(n_bodies * BLOCK_LEN as u64, "M")?.chunks_exact(BLOCK_LEN).enumerate() {
        let block = matrix6(values);
        let asymmetry = (block - block.transpose()).amax();
        if asymmetry > 1e-9 * block.amax() || block.cholesky().is_none() {
            let field = format!("M of body {i}");
            return Err(cursor.fault(&field, "not so", "must be symmetric and positive definite"));
        }
        mass.push(block);
    }
    let free_velocity = cursor.f64s(n_bodies * BLOCK as u64, "v*")?;
    let mut contacts = Vec::new();
    let values = cursor.f64s(n_contacts.saturating_mul(CONTACT_LEN as u64), "contacts")?;
    for (c, values) in values.chunks_exact(CONTACT_LEN).enumerate() {
        let mut contact = PackingContact::default();
        for side in 0..2 {
            let Some(body) = body_index(&cursor, values[side], n_bodies, c)? else { continue };
            let mut rows = [0.0; ROWS_LEN];
            rows.copy_from_slice(&values[2 + ROWS_LEN * side..][..ROWS_LEN]);
            match contact.sides.iter_mut().find(|(b, _)| *b == body) {
                // A body against itself: its rows add up.
                Some((_, own)) => own.iter_mut().zip(rows).for_each(|(o, r)| *o += r),
                None => contact.sides.push((body, rows)),
            }
        }
        contacts.push(contact);
    }
    let friction_coefficient = cursor.f64s(n_contacts, "mu")?;
    check_friction(&cursor, &friction_coefficient)?;
    let offset = cursor.f64s(3 * n_contacts, "w")?;
    let warm_start = cursor.f64s(3 * n_contacts, "r")?;
    cursor.end()?;
    Ok(PackingProblem { mass, free_velocity, contacts, friction_coefficient, offset, warm_start })
}

/// A count stored as a float; 2^32 keeps products of counts within u64.
fn count(cursor: &mut Cursor<'_>, field: &str) -> Result<u64> {
    let value = cursor.f64s(1, field)?[0];
    if value.fract() == 0.0 && (0.0..4_294_967_296.0).contains(&value) {
        Ok(value as u64)
    } else {
        Err(cursor.fault(field, value, "must be a whole number from 0 to 2^32 - 1"))
    }
}

fn body_index(cursor: &Cursor<'_>, value: f64, n_bodies: u64, contact: usize) -> Result<Option<usize>> {
    if value == -1.0 {
        Ok(None)
    } else if value.fract() == 0.0 && value >= 0.0 && value < n_bodies as f64 {
        Ok(Some(value as usize))
    } else {
        let allowed = format!("must be -1 (fixed) or a whole number below {n_bodies}");
        Err(cursor.fault(&format!("contact {contact}: body"), value, &allowed))
    }
}

/// A packing as a problem over blocks of unknowns.
pub fn packing_as_contact_problem(file: &PackingProblem) -> ContactProblem {
    let mut problem = ContactProblem::empty();
    problem.mass.clone_from(&file.mass);
    problem.mass_inverse = file.mass.iter().map(|m| m.try_inverse().unwrap_or_default()).collect();
    for (i, mass) in file.mass.iter().enumerate() {
        problem.at.free_momentum.extend((mass * vector6(&file.free_velocity, i)).iter());
    }
    problem.at.velocity = vec![0.0; BLOCK * file.mass.len()];
    for (contact, mu) in file.contacts.iter().zip(&file.friction_coefficient) {
        let c = problem.add_contact(contact.sides.iter().map(|s| s.0), (1, 2), *mu);
        for (k, (_, rows)) in (problem.block_offsets[c]..).zip(&contact.sides) {
            let start = problem.value_offsets[k];
            problem.at.jacobian[start..start + ROWS_LEN].copy_from_slice(rows);
        }
    }
    problem.at.slip.clone_from(&file.offset);
    problem.update_weights();
    let [momentum, length] = units(file, &free_slip(file, &problem));
    problem.set_uniform_units(momentum, length);
    problem
}

/// q = J v* + w.
pub fn free_slip(file: &PackingProblem, problem: &ContactProblem) -> Vec<f64> {
    let mut q = vec![0.0; problem.n_rows()];
    problem.response(&file.free_velocity, &mut q);
    q.iter_mut().zip(&file.offset).for_each(|(q, w)| *q += w);
    q
}

/// The unit of impulse: the lightest body at the largest free slip, so that a momentum row within a fraction
/// of the residual moves no contact by more than that; and that of length: the radius of gyration of the most
/// compact body.
fn units(file: &PackingProblem, free_slip: &[f64]) -> [f64; 2] {
    let lightest = file.mass.iter().map(|m| m[(0, 0)]).fold(f64::INFINITY, f64::min);
    let gyration = |m: &Matrix6<f64>| (3..BLOCK).map(|i| m[(i, i)]).fold(f64::INFINITY, f64::min) / m[(0, 0)];
    let compact = file.mass.iter().map(gyration).fold(f64::INFINITY, f64::min).sqrt();
    let speed = free_slip.iter().fold(0.0_f64, |m, q| m.max(q.abs()));
    if speed > 0.0 && lightest.is_finite() { [lightest * speed, compact] } else { [1.0, 1.0] }
}
