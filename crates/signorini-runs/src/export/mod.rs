//! A finished run in the formats of other programs: one HTML page, files for ParaView and OVITO, an animation
//! as glTF, a state as triangles, tables as CSV, records as arrays of NumPy.
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
mod particles;
mod recording;
mod run_files;
mod solids;
mod surface;
mod vtk;

pub use csv::write_csv;
pub use fclib::{FclibFiles, StepRange, write_fclib};
pub use film::Film;
pub use gltf::{GltfFile, write_gltf};
pub use page::{Page, PageOptions};
pub use particles::{ParticleFormat, write_npz, write_particles};
pub use run_files::RunFiles;
pub use solids::{SolidFiles, SolidFormat, SolidOptions, Solids};
pub use surface::{Surface, surfaces};
pub use vtk::{VtkFiles, VtkOptions, write_vtk};
