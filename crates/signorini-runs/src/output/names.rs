//! Names of the files of a run.

/// The scene as resolved.
pub const SCENE: &str = "scene.toml";
/// Poses and velocities.
pub const BODIES: &str = "bodies.csv";
/// Contacts.
pub const CONTACTS: &str = "contacts.csv";
/// Substeps of islands that were halved, if any.
pub const SUBSTEPS: &str = "substeps.csv";
/// Joints, if the scene has any.
pub const JOINTS: &str = "joints.csv";
/// Bodies that came and left, of scenes with inlets or outlets.
pub const FLOW: &str = "flow.csv";
/// File of the tables, where they are written as HDF5.
pub const HDF5: &str = "run.h5";
/// File of the HDF5 tables while it is written again.
pub const HDF5_NEW: &str = "run.h5.new";
/// Results of each step.
pub const STEPS: &str = "steps.csv";
/// Times of each step.
pub const TIMES: &str = "times.csv";
/// Returns the file name of the table of a measure.
pub fn measure(name: &str) -> String {
    format!("measure-{name}.csv")
}

/// Readings of the sensors, of scenes with some.
pub const SENSORS: &str = "sensors.csv";

/// Whether a file is the table of a measure, or of the sensors.
pub fn is_measure(file: &str) -> bool {
    file == SENSORS || file.starts_with("measure-") && file.ends_with(".csv")
}

/// Digests that bind the tables together.
pub const CHAIN: &str = "chain.csv";
/// Checkpoints from which the run goes on, written in turn.
pub const CHECKPOINTS: [&str; 2] = ["checkpoint-1.ckpt", "checkpoint-2.ckpt"];
/// Summary of the run in one page.
pub const SUMMARY: &str = "summary.json";
/// Page of the run for a browser, if one was made.
pub const PAGE: &str = "run.html";
/// Folder of the figures.
pub const PLOTS: &str = "plots";
