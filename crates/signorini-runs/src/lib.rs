//! Runs on disk: tables and figures that a run writes, audits from its files, comparisons of models, exports
//! for other programs, plans of many runs, limits of collapse, drop and track tests, summaries of scenes,
//! bodies that come to rest, and pictures.

pub mod audit;
pub mod check;
pub mod compare;
pub mod derivative;
pub mod drops;
pub mod export;
pub mod limit;
pub mod output;
pub mod picture;
pub mod settle;
pub mod sweep;
pub mod track;

pub use audit::{AuditOptions, AuditReport, Worst, audit};
pub use export::{
    FclibFiles, Film, GltfFile, Page, PageOptions, ParticleFormat, RunFiles, SolidFiles, SolidFormat,
    SolidOptions, Solids, StepRange, Surface, VtkFiles, VtkOptions, surfaces, write_csv, write_fclib,
    write_gltf, write_npz, write_particles, write_vtk,
};
pub use output::plots::draw as draw_figures;
pub use output::summary::{DeviceSummary, RefereeSummary, TimeSplit};
pub use output::table::open_table;
pub use output::{ExitReason, FlowSummary, PortSummary, ResumedRun, RunFolder, Summary, TableFormat};
pub use picture::Picture;
