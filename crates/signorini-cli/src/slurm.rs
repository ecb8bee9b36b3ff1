//! Job scripts for Slurm.

use super::console::print_line;
use super::launcher;
use clap::Args;
use signorini_error::{Error, Result};
use signorini_runs::output::Share;
use std::fs;
use std::path::{Path, PathBuf};

/// Options of studies whose trials several jobs share.
#[derive(Debug, Args)]
pub struct ShareOptions {
    /// Run nothing, write DIR/job.sh: an array job for Slurm of N tasks, which share the trials
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..), allow_hyphen_values = true, conflicts_with = "share")]
    pub slurm: Option<u16>,
    /// Run share K of N of a folder that --slurm prepared; the last one makes the tables
    #[arg(long, value_name = "K/N", value_parser = clap::value_parser!(Share), conflicts_with = "force")]
    pub share: Option<Share>,
}

/// Job in the making.
#[derive(Debug)]
pub struct Job {
    folder: PathBuf,
    head: Vec<String>,
}

impl Job {
    /// Begins a job in a folder that exists, with so many threads of a task.
    ///
    /// # Errors
    /// When the folder cannot be found.
    pub fn new(out: &Path, threads: Option<u16>) -> Result<Self> {
        let folder = out.canonicalize().map_err(|source| Error::Io { path: out.to_owned(), source })?;
        let name = folder.file_name().map_or_else(|| "job".to_owned(), |n| n.to_string_lossy().into_owned());
        let head = vec![format!("--job-name={name}"), format!("--cpus-per-task={}", threads.unwrap_or(1))];
        Ok(Self { folder, head })
    }

    /// Makes it an array of so many tasks.
    pub fn array(mut self, tasks: usize) -> Self {
        self.head.push(format!("--array=1-{tasks}"));
        self.head.push(format!("--output={}/logs/%a.txt", self.folder.display()));
        self
    }

    /// Makes it a job of so many ranks.
    pub fn ranks(mut self, ranks: u16) -> Self {
        self.head.push(format!("--ntasks={ranks}"));
        self.head.push(format!("--output={}/logs/%j.txt", self.folder.display()));
        self
    }

    /// The folder as a word of a shell.
    pub fn folder(&self) -> String {
        quoted(&self.folder)
    }

    /// Writes the script, `job.sh` in the folder, and tells how it is started.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn write(self, out: &Path, script: &str, told: &str) -> Result<()> {
        let path = out.join("job.sh");
        let io = |source| Error::Io { path: path.clone(), source };
        fs::create_dir_all(out.join("logs")).map_err(io)?;
        let head: String = self.head.iter().map(|line| format!("#SBATCH {line}\n")).collect();
        let text = format!("#!/bin/bash\n{head}#SBATCH --requeue\n#SBATCH --open-mode=append\n{script}");
        fs::write(&path, text).map_err(io)?;
        print_line(&format!("{}: {told}; sbatch {}", path.display(), quoted(&path)));
        Ok(())
    }
}

/// Writes the array job of so many shares of a study; `command` is the line that runs all of it.
///
/// # Errors
/// When a file cannot be written.
pub fn write_shares(job: Job, command: &str, tasks: u16, (out, told): (&Path, &str)) -> Result<()> {
    let script = format!(
        "# A task is a share. What it has done before is left as it is; the last one makes the tables.\n\
         exec {} {command} --out {} --share \"$SLURM_ARRAY_TASK_ID/{tasks}\" \
         --threads \"${{SLURM_CPUS_PER_TASK:-1}}\"\n",
        program()?,
        job.folder()
    );
    job.write(out, &script, told)
}

/// The error of a share of no test.
pub fn not_prepared(share: Share, out: &Path) -> Error {
    Error::Usage {
        what: format!("--share {}/{}", share.number, share.of),
        allowed: format!("folder {} must be one that --slurm prepared", out.display()),
    }
}

/// Words of a shell that start this program.
///
/// # Errors
/// When the system does not tell the file of this process.
pub fn program() -> Result<String> {
    Ok(launcher::words()?.iter().map(|word| quoted(Path::new(word))).collect::<Vec<_>>().join(" "))
}

/// Returns a text as a word of a shell.
pub fn quoted(word: &Path) -> String {
    let text = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
