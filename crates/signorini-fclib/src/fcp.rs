//! `.fcp` files: "FCP1" | u32 flags | u32 nc | u32 0 | μ | q | W | (flags bit 0: u64 n | M | H | f | w).

use super::bytes::{Cursor, check_friction};
use super::delassus_as_contact_problem;
use super::global::{GlobalPart, global_as_contact_problem};
use signorini_error::Result;
use signorini_ncp::problem::ContactProblem;
use sprs::CsMat;
use std::path::Path;
use std::time::Instant;

/// First bytes of a file.
pub const MAGIC: &[u8] = b"FCP1";

/// Contents of a `.fcp` file.
#[derive(Debug, Clone)]
pub struct FcpProblem {
    /// μ per contact.
    pub friction_coefficient: Vec<f64>,
    /// q.
    pub free_slip: Vec<f64>,
    /// W: positive semidefinite up to noise, often of low rank, sometimes slightly unsymmetric.
    pub delassus: CsMat<f64>,
    /// M, H, f, w, where the file has them.
    pub global: Option<GlobalPart>,
}

/// Reads the content of a file.
pub fn parse(path: &Path, content: &[u8]) -> Result<FcpProblem> {
    let mut cursor = Cursor::new(path, content);
    cursor.take(MAGIC.len() as u64, 1, "magic")?;
    let flags = cursor.u32("flags")?;
    if flags > 1 {
        return Err(cursor.fault("flags", flags, "must be 0 or 1"));
    }
    let n_contacts = u64::from(cursor.u32("number of contacts")?);
    let reserved = cursor.u32("reserved field")?;
    if reserved != 0 {
        return Err(cursor.fault("reserved field", reserved, "must be 0"));
    }
    let rows = 3 * n_contacts;
    let friction_coefficient = cursor.f64s(n_contacts, "mu")?;
    check_friction(&cursor, &friction_coefficient)?;
    let free_slip = cursor.f64s(rows, "q")?;
    let delassus = cursor.matrix(rows, rows, "W")?;
    let global = if flags == 1 { Some(parse_global(&mut cursor, rows)?) } else { None };
    cursor.end()?;
    Ok(FcpProblem { friction_coefficient, free_slip, delassus, global })
}

fn parse_global(cursor: &mut Cursor<'_>, rows: u64) -> Result<GlobalPart> {
    let n = cursor.u64("degrees of freedom")?;
    if n > u64::from(u32::MAX) {
        return Err(cursor.fault("degrees of freedom", n, "must be below 2^32"));
    }
    Ok(GlobalPart {
        mass: cursor.matrix(n, n, "M")?,
        force_directions: cursor.matrix(n, rows, "H")?,
        force: cursor.f64s(n, "f")?,
        offset: cursor.f64s(rows, "w")?,
    })
}

/// The problem over bodies where the file has a usable M, else over the factors of W with the remainder of
/// that. `None` when the time is up first.
pub fn fcp_as_contact_problem(
    file: &FcpProblem,
    deadline: Option<Instant>,
) -> Option<(ContactProblem, Option<CsMat<f64>>)> {
    let mu = &file.friction_coefficient;
    let global = file.global.as_ref().and_then(|g| global_as_contact_problem(g, mu, &file.free_slip));
    if let Some(problem) = global {
        return Some((problem, None));
    }
    let (problem, remainder) = delassus_as_contact_problem(&file.delassus, &file.free_slip, mu, deadline)?;
    Some((problem, Some(remainder).filter(|r| r.nnz() > 0)))
}
