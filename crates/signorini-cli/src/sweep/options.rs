//! Options of `signorini sweep`.

use crate::values::{CheckpointPeriod, checkpoint_period};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SweepOptions {
    #[command(subcommand)]
    pub command: Option<SweepCommand>,
    /// Plan (TOML): a scene, and fields that vary
    #[arg(required = true)]
    pub plan: Option<PathBuf>,
    /// Folder to write; finished cases in it are left as they are
    #[arg(short, long, value_name = "DIR", required = true)]
    pub out: Option<PathBuf>,
    /// Cases at a time, each in a process of its own [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub jobs: Option<u16>,
    /// Run one case only, in this process
    #[arg(long, value_name = "K", conflicts_with_all = ["jobs", "slurm", "prepare"])]
    pub case: Option<usize>,
    /// Worker threads of a case [default: cores over cases at a time]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Time between checkpoints of a case (10min, 60s, 500ms), from which it goes on if killed; or off
    #[arg(long, value_name = "T", default_value = "1min", value_parser = checkpoint_period)]
    pub checkpoint: CheckpointPeriod,
    /// Run nothing, write DIR/job.sh: an array job for Slurm, one task a case
    #[arg(long, conflicts_with = "jobs")]
    pub slurm: bool,
    /// Run nothing, write DIR/plan.toml, with which each case can be run from anywhere
    #[arg(long, conflicts_with_all = ["jobs", "slurm"])]
    pub prepare: bool,
    /// Only errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Subcommand)]
pub enum SweepCommand {
    /// Print the table of a sweep as CSV: values, outcome and results of each case
    Table {
        /// Folder of a sweep
        dir: PathBuf,
    },
    /// Print the cases of a plan as CSV, without running them
    Cases {
        /// Plan (TOML)
        plan: PathBuf,
    },
}
