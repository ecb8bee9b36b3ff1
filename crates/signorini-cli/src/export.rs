//! The command `signorini export`.

use super::console::print_line;
use super::exit::{Failure, SUCCESS};
use clap::Args;
use signorini_error::{Error, counted};
use signorini_runs::export::{FclibStep, RunFiles, VtkOptions, fclib_step, write_csv, write_gltf, write_vtk};
use signorini_runs::output::NewFolders;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("paraview").multiple(true).args(["vtk", "vtkhdf"]))]
#[command(group = clap::ArgGroup::new("format").required(true).multiple(true).args(["vtk", "vtkhdf", "gltf", "csv", "fclib"]))]
pub struct ExportOptions {
    /// Folder of a run
    pub dir: PathBuf,
    /// Files for ParaView: run.pvd, and a .vtp file for each frame
    #[arg(long)]
    pub vtk: bool,
    /// Files for ParaView as with --vtk, in one .vtkhdf file for each part of the run
    #[arg(long)]
    pub vtkhdf: bool,
    /// With --vtk and --vtkhdf: surfaces of the bodies that move too
    #[arg(long, requires = "paraview")]
    pub surfaces: bool,
    /// An animation as glTF, run.glb
    #[arg(long)]
    pub gltf: bool,
    /// The run as CSV files, csv/, whatever the format of its tables
    #[arg(long)]
    pub csv: bool,
    /// A step as a problem of the FCLIB collection, step-K.hdf5
    #[arg(long, value_name = "K")]
    pub fclib: Option<usize>,
    /// With --vtk and --vtkhdf: every K-th recorded frame only
    #[arg(long, value_name = "K", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..), allow_hyphen_values = true)]
    pub every: u32,
    /// Most frames of the animation; a longer run is thinned evenly, 2 to 1000000
    #[arg(long, value_name = "N", default_value_t = 2001, value_parser = clap::value_parser!(u32).range(2..=1_000_000), allow_hyphen_values = true)]
    pub frames: u32,
    /// Folder to write [default: DIR/export]
    #[arg(short, long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Replace the export in an existing folder
    #[arg(short, long)]
    pub force: bool,
}

/// Writes a run in the formats that are asked for.
pub fn export(options: &ExportOptions) -> Result<u8, Failure> {
    let run = RunFiles::open(&options.dir)?;
    let out = options.out.clone().unwrap_or_else(|| options.dir.join("export"));
    let old = earlier_export(&out, options.force)?;
    // A step that is refused leaves everything as it was.
    let fclib = options.fclib.map(|step| fclib_step(&run, step)).transpose()?;
    let io = |source| Failure::Other(Error::Io { path: out.clone(), source });
    old.iter().try_for_each(fs::remove_file).map_err(io)?;
    let made = NewFolders::make(&out).map_err(Failure::Other)?;
    let written = write(options, &run, fclib.as_ref(), &out);
    if written.is_err() {
        made.remove();
    }
    written
}

fn write(
    options: &ExportOptions,
    run: &RunFiles,
    fclib: Option<&FclibStep>,
    out: &Path,
) -> Result<u8, Failure> {
    for (_, hdf5) in
        [(options.vtk, false), (options.vtkhdf, true)].into_iter().filter(|(is_asked, _)| *is_asked)
    {
        let vtk = VtkOptions { hdf5, surfaces: options.surfaces, every: options.every as usize };
        let written = write_vtk(run, out, vtk)?;
        print_line(&format!("{}: {}", written.collection.display(), counted(written.frames, "frame")));
    }
    if options.gltf {
        let path = out.join("run.glb");
        let written = write_gltf(run, &path, options.frames as usize)?;
        print_line(&format!(
            "{}: {}, {:.1} MB",
            path.display(),
            counted(written.frames, "frame"),
            written.bytes as f64 / 1e6
        ));
    }
    if let (Some(step), Some(problem)) = (options.fclib, fclib) {
        let path = out.join(format!("step-{step}.hdf5"));
        problem.write(&path)?;
        print_line(&path.display().to_string());
    }
    if options.csv {
        let folder = out.join("csv");
        let written = write_csv(&options.dir, &folder)?;
        print_line(&format!("{}: {}", folder.display(), counted(written.len(), "file")));
    }
    Ok(SUCCESS)
}

/// Returns the files of an earlier export, which `force` allows to remove. Changes nothing.
fn earlier_export(out: &Path, force: bool) -> Result<Vec<PathBuf>, Error> {
    let io = |source| Error::Io { path: out.to_owned(), source };
    let usage = |allowed: &str| Error::Usage {
        what: format!("output folder {}", out.display()),
        allowed: allowed.to_owned(),
    };
    match fs::metadata(out) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => return Err(io(source)),
        Ok(metadata) if !metadata.is_dir() => return Err(usage("exists and is not a folder")),
        Ok(_) => {}
    }
    let entries: Vec<PathBuf> = fs::read_dir(out).map_err(io)?.flatten().map(|e| e.path()).collect();
    if !entries.is_empty() && !force {
        return Err(usage(
            "exists and is not empty; choose another with --out or replace the export with --force",
        ));
    }
    let ours = |path: &PathBuf| {
        path.extension()
            .is_some_and(|e| ["vtp", "pvd", "vtkhdf", "glb", "hdf5"].iter().any(|kind| e == *kind))
    };
    Ok(entries.into_iter().filter(ours).collect())
}
