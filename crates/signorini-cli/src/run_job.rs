//! The option `--slurm` of `signorini run`: a job that runs a scene on several ranks.

use super::arguments::RunOptions;
use super::console::print_error;
use super::exit::{Failure, SUCCESS};
use super::output_folder::output_folder;
use super::scene_source;
use super::slurm::{self, Job};
use clap::ValueEnum;
use signorini::simulation::Simulation;
use signorini_error::{Error, Result, counted};
use signorini_runs::output::names;
use signorini_scene::scene;
use std::fs;
use std::path::Path;

/// Name of the scene that the job runs, with all options of the command line.
const GIVEN: &str = "given.toml";

/// Checks the scene as a run does, and writes it with its job.
pub fn write(options: &RunOptions, ranks: u16) -> std::result::Result<u8, Failure> {
    if ranks > 1 && !cfg!(feature = "mpi") {
        return Err(Failure::Input(Error::Usage {
            what: format!("--slurm {ranks}"),
            allowed:
                "1, as this program was built without MPI; build it with cargo build --release --features \
                      signorini-cli/mpi"
                    .to_owned(),
        }));
    }
    let out = output_folder(options)?;
    let mut loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    if let Some(solver) = options.backend.solver {
        loaded.scene.solver.linear_solver = solver;
    }
    if !options.quiet {
        loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    }
    let text = scene::to_toml(&loaded.scene);
    let told = format!(
        "{}, {} on {}",
        counted(loaded.scene.bodies.len(), "body"),
        counted(loaded.scene.n_steps(), "step"),
        counted(ranks.into(), "rank")
    );
    Simulation::new(loaded.scene)?;
    write_files(options, ranks, &out, (&text, &told)).map_err(Failure::Other)?;
    Ok(SUCCESS)
}

fn write_files(options: &RunOptions, ranks: u16, out: &Path, (scene, told): (&str, &str)) -> Result<()> {
    let path = out.join(GIVEN);
    let written = fs::create_dir_all(out).and_then(|()| fs::write(&path, scene));
    written.map_err(|source| Error::Io { path, source })?;
    // The job must not take a run that is replaced for its own.
    for name in names::CHECKPOINTS.into_iter().chain([names::SUMMARY]) {
        let _ = fs::remove_file(out.join(name));
    }
    let job = Job::new(out, options.threads)?.ranks(ranks);
    let script = script(options, ranks, &job.folder())?;
    job.write(out, &script, told)
}

/// The lines of the job.
fn script(options: &RunOptions, ranks: u16, dir: &str) -> Result<String> {
    let program = slurm::program()?;
    let launcher = match ranks {
        1 => "launcher=()\n".to_owned(),
        n => format!(
            "# Open MPI and MPICH ask Slurm for the machines. For another launcher: MPIRUN='srun --mpi=pmix' sbatch …\n\
             read -ra launcher <<< \"${{MPIRUN:-mpirun -n {n}}}\"\n"
        ),
    };
    let word = |value: Option<clap::builder::PossibleValue>| {
        value.map_or_else(String::new, |value| value.get_name().to_owned())
    };
    let common = format!("--threads \"${{SLURM_CPUS_PER_TASK:-1}}\" --checkpoint {}", options.checkpoint);
    let quiet = if options.quiet { " --quiet" } else { "" };
    let left = names::CHECKPOINTS.map(|name| format!("[ -e {dir}/{name} ]")).join(" || ");
    Ok(format!(
        "{launcher}\
         # A run that is finished is left as it is; a job that is requeued goes on from the last checkpoint.\n\
         grep -qs '\"exit_reason\": \"completed\"' {dir}/{} && exit\n\
         if {left}; then\n  \
           exec \"${{launcher[@]}}\" {program} resume {dir} {common}{quiet}\n\
         fi\n\
         exec \"${{launcher[@]}}\" {program} run {dir}/{GIVEN} --out {dir} --force --every {} --audit {} \
         --format {} {common}{quiet}\n",
        names::SUMMARY,
        options.every,
        word(options.audit.to_possible_value()),
        word(options.format.to_possible_value()),
    ))
}
