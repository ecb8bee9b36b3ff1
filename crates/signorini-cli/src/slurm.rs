//! An array job for Slurm.

use super::options::SweepOptions;
use crate::launcher;
use signorini_error::{Error, Result};
use signorini_runs::sweep::Plan;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the job script of a sweep into its folder.
///
/// A task that is requeued goes on with its case, or finds it finished.
pub fn write(plan: &Plan, out: &Path, options: &SweepOptions) -> Result<PathBuf> {
    let path = out.join("job.sh");
    let io = |source| Error::Io { path: path.clone(), source };
    let absolute = out.canonicalize().map_err(io)?;
    let folder = quoted(&absolute);
    let logs = out.join("logs");
    fs::create_dir_all(&logs).map_err(io)?;
    let program = launcher::words()?.iter().map(|word| quoted(Path::new(word))).collect::<Vec<_>>().join(" ");
    let name = absolute.file_name().map_or_else(|| "sweep".to_owned(), |n| n.to_string_lossy().into_owned());
    let text = format!(
        "#!/bin/bash\n\
         #SBATCH --job-name={name}\n\
         #SBATCH --array=1-{}\n\
         #SBATCH --cpus-per-task={}\n\
         #SBATCH --requeue\n\
         #SBATCH --open-mode=append\n\
         #SBATCH --output={}/logs/%a.txt\n\
         # A task is a case. One that is finished is left as it is.\n\
         exec {program} sweep {folder}/plan.toml --out {folder} --case \"$SLURM_ARRAY_TASK_ID\" \
         --threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --checkpoint {}\n",
        plan.n_cases(),
        options.threads.unwrap_or(1),
        absolute.display(),
        options.checkpoint,
    );
    fs::write(&path, text).map_err(io)?;
    Ok(path)
}

/// Returns a path as a word of a shell.
fn quoted(word: &Path) -> String {
    let text = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    if text.chars().all(is_plain) { text.into_owned() } else { format!("'{}'", text.replace('\'', r"'\''")) }
}
