//! A finished run in the formats of other programs: one HTML page, files for ParaView, an animation as glTF,
//! tables as CSV.
//!
//! [`RunFiles`] reads the folder of a run step by step; the other modules write from it. Memory holds one
//! step of a run for ParaView, and the frames that are shown for the others. `docs/guide/viewer.md` and
//! `docs/guide/paraview.md` describe the results.

mod arrivals;
mod csv;
mod fclib;
mod film;
mod gltf;
mod mesh;
mod page;
mod recording;
mod run_files;
mod surface;
mod vtk;

pub use csv::write_csv;
pub use fclib::{FclibStep, fclib_step};
pub use film::Film;
pub use gltf::{GltfFile, write_gltf};
pub use page::{Page, PageOptions};
pub use run_files::RunFiles;
pub use surface::{Surface, surfaces};
pub use vtk::{VtkFiles, VtkOptions, write_vtk};
