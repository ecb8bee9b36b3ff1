//! Frictional-contact problems of the public FCLIB collection and of linearized packings, read from files.
//!
//! Reduced form, FCLIB signs: find r with u = W r + q, û = u + (μ |u_T|, 0, 0), K* ∋ û ⊥ r ∈ K, K = { r_N ≥
//! |r_T| / μ }; rows per contact (normal, tangent, tangent). Files: `.hdf5` of the collection itself gives W
//! and q or M, H, f, w with W = Hᵀ M⁻¹ H and q = Hᵀ M⁻¹ f + w, and perhaps guesses and a solution; `.fcp`
//! gives these data in fewer bytes; `.gp` gives bodies, contacts and a warm start.
//!
//! References: Acary, Brémond, Huber 2018 (natural residual); FCLIB collection (signs).

mod bytes;
mod cones;
mod cones_file;
mod delassus;
mod fcp;
mod file_problem;
mod global;
mod hdf5;
mod joined;
mod matrices;
mod norms;
mod packing;
mod rank_factor;
mod reduced;
mod solve;

use file_problem::by_matrices;
use signorini_error::{Error, Result, read_regular, without_panic};
use std::path::Path;

pub use cones::{ConeLaws, ConeProblem, Layout, rows_of_file};
pub use delassus::delassus_as_contact_problem;
pub use fcp::{FcpProblem, fcp_as_contact_problem};
pub use file_problem::{BlockForm, Content, FileProblem, Impulses};
pub use global::{GlobalPart, reduced};
pub use hdf5::write;
pub use joined::{Group, joined};
pub use matrices::Triplets;
pub use packing::{PackingProblem, packing_as_contact_problem};
pub use reduced::{Delassus, ReducedProblem, ReducedResidual, project_on_cone};
pub use solve::{Solved, solve_problem};

/// Longest file (bytes).
const LONGEST: u64 = 4 << 30;

/// Reads a `.hdf5`, `.fcp` or `.gp` file (told apart by content and ending).
///
/// # Errors
/// When the file cannot be read or says something impossible.
pub fn read(path: &Path) -> Result<FileProblem> {
    let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let content = read_regular(path, LONGEST)?;
    if content.starts_with(hdf5::MAGIC) {
        let message = |panic| format!("cannot be read as HDF5 ({panic})");
        return without_panic(|| of_hdf5(path, name, content))
            .unwrap_or_else(|panic| Err(Error::Parse { file: path.to_owned(), message: message(panic) }));
    }
    if content.starts_with(fcp::MAGIC) {
        return Ok(by_matrices(name, fcp::parse(path, &content)?));
    }
    if path.extension().is_some_and(|e| e == "gp") {
        let file = packing::parse(path, &content)?;
        let problem = packing_as_contact_problem(&file);
        let free_slip = packing::free_slip(&file, &problem);
        let delassus = Delassus::Bodies(Box::new(problem));
        let reduced = ReducedProblem::new(file.friction_coefficient.clone(), free_slip, delassus);
        let impulses = Impulses::default();
        return Ok(FileProblem { name, content: Content::Packing(file), reduced, impulses });
    }
    let start: Vec<String> = content.iter().take(4).map(|b| format!("{b:02x}")).collect();
    Err(Error::Field {
        file: path.to_owned(),
        at: None,
        field: "magic".to_owned(),
        value: start.join(" "),
        allowed: "must be the bytes of \"FCP1\" or of HDF5 (or the file's name must end in .gp)".to_owned(),
    })
}

fn of_hdf5(path: &Path, name: String, content: Vec<u8>) -> Result<FileProblem> {
    let file = hdf5::open(path, content)?;
    if let Some(read) = cones_file::parse(&file, &name) {
        return read;
    }
    let (problem, impulses) = hdf5::parse(&file)?;
    Ok(FileProblem { impulses, ..by_matrices(name, problem) })
}
