//! The command line.

use super::browser::{MovieOptions, PictureOptions};
use super::convert::ConvertOptions;
use super::export::ExportOptions;
use super::limit::LimitOptions;
use super::scene_options::SceneOptions;
use super::shell::{CompletionsOptions, ManOptions};
use super::slurm::ShareOptions;
use super::sweep::SweepOptions;
use super::track::TrackOptions;
use super::values::{self, CheckpointPeriod};
use super::view::ViewOptions;
use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use serde::{Deserialize, Serialize};
use signorini_runs::compare::Model;
use signorini_runs::output::TableFormat;
use signorini_scene::scene::LoadOptions;
use signorini_scene::settings::Formulation;
use signorini_scene::settings::LinearSolver;
use std::path::PathBuf;

/// Rigid bodies in frictional contact, solved to the accuracy asked for, with a referee for every step.
#[derive(Debug, Parser)]
#[command(name = "signorini", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
    /// Tell more: a line for each step, how the solver went; twice: each of its iterations
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scene and write its folder
    Run(RunOptions),
    /// Go on with a run that was stopped, killed or is to last longer, in its folder
    Resume(ResumeOptions),
    /// Tell what is in a checkpoint
    Inspect {
        /// Checkpoint (.ckpt)
        checkpoint: PathBuf,
    },
    /// Validate a scene and summarise it; nothing is run, nothing is written
    Check(CheckOptions),
    /// Write the scene of a model in MJCF or URDF
    Convert(ConvertOptions),
    /// Run a scene under several models and time steps and compare them with a reference run
    Compare(CompareOptions),
    /// Run a scene many times with other values, as a plan says, and make one table of the results
    Sweep(SweepOptions),
    /// Search for the value of a field at which a scene collapses
    Limit(LimitOptions),
    /// Drop a body many times from random orientations and count its resting poses
    Drop(DropOptions),
    /// Run a part along a track from each of its resting poses and count how it comes out
    Track(TrackOptions),
    /// Compare derivatives of steps with differences of steps that are solved again
    Derivative(DerivativeOptions),
    /// Judge a finished run again from its files alone
    Audit {
        /// Folder of a run
        dir: PathBuf,
        /// Let pass that not every step was written (--every): the steps written are judged as far as
        /// possible
        #[arg(long)]
        thinned: bool,
        /// Let pass that the run was stopped, killed, or is still going on
        #[arg(long)]
        unfinished: bool,
    },
    /// Draw the figures of a finished run from its files, into DIR/plots (PNG and SVG)
    Plot {
        /// Folder of a run
        dir: PathBuf,
    },
    /// Make one HTML file that shows a finished run in a browser, without a network
    View(ViewOptions),
    /// Draw a finished run at a time (needs Chromium)
    Picture(PictureOptions),
    /// Make a film of a finished run (needs Chromium)
    Movie(MovieOptions),
    /// Write a finished run for ParaView, as an animation, or as CSV files
    Export(ExportOptions),
    /// Solve frictional-contact problems from files of the FCLIB collection (.hdf5), .fcp and .gp files
    Fclib(FclibOptions),
    /// List graphics processors: limits, self-test, speed of copying
    Devices,
    /// Measure how quick all cores are, and a graphics processor beside them
    Bench(BenchOptions),
    /// List scenes that come with the program, or write one of them
    Example(ExampleOptions),
    /// Print the JSON schema of scene files
    Schema,
    /// Print the completions of a shell
    Completions(CompletionsOptions),
    /// Print the manual page, or write one for each command
    Man(ManOptions),
}

impl Command {
    /// Whether notes are not wanted.
    pub fn is_quiet(&self) -> bool {
        match self {
            Self::Run(options) => options.quiet,
            Self::Resume(options) => options.quiet,
            Self::Compare(options) => options.quiet,
            Self::Sweep(options) => options.quiet,
            Self::Limit(options) => options.quiet,
            Self::Drop(options) => options.quiet,
            Self::Track(options) => options.quiet,
            _ => false,
        }
    }
}

/// Options of `bench`.
#[derive(Debug, Args)]
pub struct BenchOptions {
    /// Measure the best graphics processor beside the cores
    #[arg(long)]
    pub device: bool,
    /// File for all numbers, as JSON; one that is there is replaced
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Seconds that it may take, about; sizes that do not fit are left out
    #[arg(long, value_name = "S", default_value_t = 420, value_parser = clap::value_parser!(u16).range(2..))]
    pub seconds: u16,
}

/// Options of `example`.
#[derive(Debug, Args)]
pub struct ExampleOptions {
    /// Scene to write, with the meshes that it names; without, all are listed
    pub name: Option<String>,
    /// Folder to write it into, which is made where there is none
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub out: PathBuf,
    /// Replace files that are there
    #[arg(short, long)]
    pub force: bool,
}

/// Options of `derivative`.
#[derive(Debug, Args)]
pub struct DerivativeOptions {
    /// Scene (TOML), or model in MJCF (.xml) or URDF (.urdf); - for a scene on standard input
    pub scene: PathBuf,
    /// Steps that are taken before
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub first: usize,
    /// Steps that the derivatives are over
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub over: u32,
    /// Random directions in the state at the start, beside friction, gravity and masses
    #[arg(long, value_name = "D", default_value_t = 5)]
    pub directions: usize,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub overrides: SingleRunOptions,
}

/// Options that override the scene file in a single run.
#[derive(Debug, Args)]
pub struct SingleRunOptions {
    /// Time-stepping model, instead of the scene's
    #[arg(long, value_name = "F", value_parser = values::formulation())]
    pub formulation: Option<Formulation>,
    /// Time step in seconds, instead of the scene's
    #[arg(long, alias = "step", value_name = "H", allow_hyphen_values = true)]
    pub time_step: Option<f64>,
    #[command(flatten)]
    pub common: SceneOptions,
    /// Take meshes from outside the scene's folder too
    #[arg(long)]
    pub allow_outside: bool,
    /// Of a model in MJCF or URDF, leave out shapes of moving bodies that cannot be taken over
    #[arg(long)]
    pub allow_missing_shapes: bool,
}

impl SingleRunOptions {
    /// Returns the options in the form of the loader.
    pub fn load_options(&self) -> LoadOptions {
        let mut options = self.common.load_options();
        options.allow_outside = self.allow_outside;
        options.allow_missing_shapes = self.allow_missing_shapes;
        options.overrides.formulation = self.formulation;
        options.overrides.time_step = self.time_step;
        options
    }
}

#[derive(Debug, Args)]
pub struct RunOptions {
    /// Scene (TOML), or model in MJCF (.xml) or URDF (.urdf); - for a scene on standard input
    pub scene: PathBuf,
    /// Folder to write [default: out/NAME of NAME.toml]
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub overrides: SingleRunOptions,
    /// Seconds of the clock that a step may take; the results then depend on the machine [default: no limit;
    /// `step_seconds` of the scene limits the work of a step]
    #[arg(long, value_name = "S", value_parser = values::time_limit, allow_hyphen_values = true)]
    pub wall_limit: Option<f64>,
    /// Worker threads [default: one per core]; the results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    #[command(flatten)]
    pub backend: BackendOptions,
    /// Write bodies and contacts of every K-th step only (and of the last)
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), allow_hyphen_values = true)]
    pub every: u32,
    /// Which steps the independent referee judges
    #[arg(long, value_enum, default_value_t = JudgedSteps::Every)]
    pub audit: JudgedSteps,
    /// Write a checkpoint so often (10min, 60s, 500ms), at signals and at the end; or off
    #[arg(long, value_name = "T", default_value = "10min", value_parser = values::checkpoint_period)]
    pub checkpoint: CheckpointPeriod,
    /// Format of the tables
    #[arg(long, value_enum, default_value_t = TableFiles::Csv)]
    pub format: TableFiles,
    /// Run nothing, write DIR/job.sh: a job for Slurm that runs the scene on N ranks, and goes on with it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_hyphen_values = true, conflicts_with_all = ["wall_limit", "backend"])]
    pub slurm: Option<u16>,
    /// Replace the run in an existing folder
    #[arg(short, long)]
    pub force: bool,
    /// No progress, no notes, no summary
    #[arg(short, long)]
    pub quiet: bool,
}

/// Format of the tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TableFiles {
    /// Text, one file each
    Csv,
    /// One compressed file, run.h5
    Hdf5,
}

impl From<TableFiles> for TableFormat {
    fn from(files: TableFiles) -> Self {
        match files {
            TableFiles::Csv => TableFormat::Csv,
            TableFiles::Hdf5 => TableFormat::Hdf5,
        }
    }
}

#[derive(Debug, Args)]
pub struct ResumeOptions {
    /// Folder of a run
    pub dir: PathBuf,
    /// Simulated time in seconds, instead of that with which the run was started
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub duration: Option<f64>,
    /// Seconds of the clock that a step may take; the results then depend on the machine [default: no limit;
    /// `step_seconds` of the scene limits the work of a step]
    #[arg(long, value_name = "S", value_parser = values::time_limit, allow_hyphen_values = true)]
    pub wall_limit: Option<f64>,
    /// Worker threads [default: one per core]; the results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Write a checkpoint so often (10min, 60s, 500ms), at signals and at the end; or off
    #[arg(long, value_name = "T", default_value = "10min", value_parser = values::checkpoint_period)]
    pub checkpoint: CheckpointPeriod,
    /// No progress, no notes, no summary
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct DropOptions {
    /// Scene (TOML, or - for standard input), model in MJCF (.xml) or URDF (.urdf), or mesh (.obj, .stl,
    /// .ply, .dae, .glb, .gltf, .msh), whose hull falls on a floor
    pub scene: PathBuf,
    /// Name of the body that is dropped [default: the only one that moves]
    #[arg(long, value_name = "NAME")]
    pub body: Option<String>,
    /// Number of drops, each from another random orientation
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = values::drops, allow_hyphen_values = true)]
    pub count: usize,
    /// Largest random speed added at the start, in m/s
    #[arg(long, value_name = "V", default_value_t = 0.0, value_parser = values::not_negative, allow_hyphen_values = true)]
    pub speed: f64,
    /// Largest random angular velocity added at the start, in rad/s
    #[arg(long, value_name = "W", default_value_t = 0.0, value_parser = values::not_negative, allow_hyphen_values = true)]
    pub spin: f64,
    /// Of a mesh: metres per unit of the file
    #[arg(long, value_name = "M", default_value_t = 1.0, value_parser = values::scale, allow_hyphen_values = true)]
    pub scale: f64,
    /// Folder to write [default: out/SCENE-drop]; drops of the same test in it do not run again
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub shares: ShareOptions,
    /// Replace the files of another test in the folder
    #[arg(short, long)]
    pub force: bool,
    /// Worker threads [default: one per core]; the results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Only errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub overrides: SceneOptions,
}

#[derive(Debug, Args)]
pub struct CompareOptions {
    /// Scene (TOML), or model in MJCF (.xml) or URDF (.urdf); - for a scene on standard input
    pub scene: PathBuf,
    /// Models, separated by commas: formulations, or staggered for the implicit one under the staggered
    /// integrator
    #[arg(long, value_name = "F,…", required = true, value_delimiter = ',', value_parser = values::model)]
    pub formulations: Vec<Model>,
    /// Time steps in seconds, separated by commas [default: the scene's]
    #[arg(long, alias = "steps", value_name = "H,…", value_delimiter = ',', value_parser = values::positive, allow_hyphen_values = true)]
    pub time_steps: Vec<f64>,
    /// Time step of the reference run in seconds [default: a quarter of the smallest]
    #[arg(long, alias = "reference-step", value_name = "H", value_parser = values::positive, allow_hyphen_values = true)]
    pub reference_time_step: Option<f64>,
    /// Positions known exactly: a TOML file of [[body]] with name and position = [x, y, z], formulas in t
    #[arg(long, value_name = "FILE")]
    pub closed_form: Option<PathBuf>,
    /// Folder to write
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub overrides: SceneOptions,
    /// Replace table and figures in an existing folder
    #[arg(short, long)]
    pub force: bool,
    /// No notes, no progress, no table
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct CheckOptions {
    /// Scene (TOML), or model in MJCF (.xml) or URDF (.urdf); - for a scene on standard input
    pub scene: PathBuf,
    #[command(flatten)]
    pub overrides: SingleRunOptions,
    /// Print one JSON document: faults with file, field, value and what is allowed, or counts and settings
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct FclibOptions {
    /// Problem files (.hdf5 and .fcp cold, .gp with their own warm start)
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Start from the first guess of an .hdf5 file, where it has one
    #[arg(long)]
    pub guess: bool,
    /// Write the problem with its solution as FCLIB does (.hdf5; of one problem)
    #[arg(long, value_name = "OUT")]
    pub export: Option<PathBuf>,
    /// Print one JSON array instead of a table
    #[arg(long)]
    pub json: bool,
    /// Bound that both residuals have to fall below, 1e-14 to 1
    #[arg(long, value_name = "E", default_value_t = 1e-8, value_parser = values::tolerance, allow_hyphen_values = true)]
    pub tolerance: f64,
    /// Method that solves the problems
    #[arg(long, value_enum, default_value_t = FclibMethod::Proximal)]
    pub core: FclibMethod,
    /// Directions of the friction polygon of --core lemke, even
    #[arg(long, value_name = "M", default_value_t = 32, value_parser = values::directions, allow_hyphen_values = true)]
    pub directions: usize,
    /// Seconds per problem, conversion included [default: 5 for .fcp and .hdf5, 20 for .gp]
    #[arg(long, value_name = "S", value_parser = values::time_limit, allow_hyphen_values = true)]
    pub time_limit: Option<f64>,
}

/// Method for `fclib`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FclibMethod {
    /// The production method
    Proximal,
    /// Accelerated projected gradient, in a fixed point for Coulomb's law
    Apgd,
    /// Lemke's pivoting on the problem with friction polygons: small problems, and not exact
    Lemke,
}

/// Processor that solves the steps, and how.
#[derive(Debug, Clone, Args, Serialize, Deserialize)]
pub struct BackendOptions {
    /// Processor that solves large islands
    #[arg(long, value_enum, default_value_t = BackendChoice::Auto)]
    pub backend: BackendChoice,
    /// How Newton systems are solved, instead of the scene's choice
    #[arg(long, value_parser = values::linear_solver())]
    pub solver: Option<LinearSolver>,
}

/// Processor that solves large islands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum BackendChoice {
    /// The quickest by measurement: the CPU
    Auto,
    /// The CPU
    Cpu,
    /// A graphics processor, or a program that stands in for one
    Gpu,
}

/// Steps that the referee judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum JudgedSteps {
    /// Every step
    Every,
    /// The last step of the scene
    Final,
    /// None
    Off,
}
