//! The command `signorini export`.

use super::console::print_line;
use super::exit::{Failure, SUCCESS};
use super::values;
use clap::Args;
use signorini_error::{Error, counted};
use signorini_runs::export::{
    ParticleFormat, RunFiles, SolidFormat, SolidOptions, Solids, StepRange, VtkOptions, write_csv,
    write_fclib, write_gltf, write_npz, write_particles, write_vtk,
};
use signorini_runs::output::NewFolders;
use std::fs;
use std::path::{Path, PathBuf};

/// Extensions of files of an export.
const FILES: [&str; 11] =
    ["vtp", "pvd", "vtkhdf", "glb", "hdf5", "stl", "ply", "obj", "xyz", "lammpstrj", "npz"];
/// Folder of problems of steps, and that in which they are made.
const FCLIB: &str = "fclib";
const STAGED: &str = "fclib.part";
/// Folders of files of bodies, and the extension of these.
const SOLIDS: [&str; 3] = ["stl", "ply", "obj"];

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("paraview").multiple(true).args(["vtk", "vtkhdf"]))]
#[command(group = clap::ArgGroup::new("solids").multiple(true).args(["stl", "ply", "obj"]))]
#[command(group = clap::ArgGroup::new("format").required(true).multiple(true).args([
    "vtk", "vtkhdf", "gltf", "stl", "ply", "obj", "xyz", "lammps", "npz", "csv", "fclib",
]))]
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
    /// Triangles of the bodies at a time as binary STL, bodies.stl (m; 32-bit numbers)
    #[arg(long)]
    pub stl: bool,
    /// Triangles of the bodies at a time as binary PLY, bodies.ply (m; 64-bit numbers)
    #[arg(long)]
    pub ply: bool,
    /// Triangles of the bodies at a time as Wavefront OBJ, bodies.obj (m; all digits)
    #[arg(long)]
    pub obj: bool,
    /// All records for OVITO as extended XYZ, run.xyz
    #[arg(long)]
    pub xyz: bool,
    /// All records for OVITO as a dump of LAMMPS, run.lammpstrj
    #[arg(long)]
    pub lammps: bool,
    /// All records as arrays of NumPy, run.npz
    #[arg(long)]
    pub npz: bool,
    /// The run as CSV files, csv/, whatever the format of its tables
    #[arg(long)]
    pub csv: bool,
    /// Steps as problems of the FCLIB collection, fclib/step-K.hdf5 and a table: K, A-B or all; the run is
    /// made again
    #[arg(long, value_name = "STEPS", value_parser = values::steps, allow_hyphen_values = true)]
    pub fclib: Option<StepRange>,
    #[command(flatten)]
    pub solid: SolidArguments,
    /// With --vtk, --vtkhdf, --xyz, --lammps and --npz: every K-th record only
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

/// How bodies become triangles.
#[derive(Debug, Args)]
pub struct SolidArguments {
    /// With --stl, --ply and --obj: time in seconds; the last record at or before it is written [default:
    /// the last record]
    #[arg(long, value_name = "T", requires = "solids", value_parser = values::time, allow_hyphen_values = true)]
    pub time: Option<f64>,
    /// With --stl, --ply and --obj: largest distance between round shapes and their triangles, in metres
    /// [default: 1e-3 of the radius of a cylinder, and of the longest semi-axis of an ellipsoid]
    #[arg(long, value_name = "LENGTH", requires = "solids", value_parser = values::length, allow_hyphen_values = true)]
    pub chord: Option<f64>,
    /// With --stl, --ply and --obj: corners of round shapes lie so far outside that volumes are exact
    #[arg(long, requires = "solids")]
    pub keep_volume: bool,
    /// With --stl, --ply and --obj: a file for each body, in a folder of the format's name
    #[arg(long, requires = "solids")]
    pub per_body: bool,
    /// With --stl, --ply and --obj: bodies that never move too; half-spaces and bores are left out
    #[arg(long, requires = "solids")]
    pub fixed: bool,
    /// With --stl: as text with all digits
    #[arg(long, requires = "stl")]
    pub text: bool,
}

/// Writes a run in the formats that are asked for.
pub fn export(options: &ExportOptions) -> Result<u8, Failure> {
    let run = RunFiles::open(&options.dir)?;
    let out = options.out.clone().unwrap_or_else(|| options.dir.join("export"));
    let old = earlier_export(&out, options.force)?;
    // An export that is refused leaves everything as it was.
    let solids = solids(options, &run)?;
    let io = |source| Failure::Other(Error::Io { path: out.clone(), source });
    let made = NewFolders::make(&out).map_err(Failure::Other)?;
    let staged = out.join(STAGED);
    if let Err(failure) = fclib(options, &run, &staged) {
        let _ = fs::remove_dir_all(&staged);
        made.remove();
        return Err(failure);
    }
    old.iter().try_for_each(fs::remove_file).map_err(io)?;
    let written =
        take_staged(options, &staged, &out.join(FCLIB)).and_then(|()| write(options, &run, &out)).and_then(
            |()| solids.iter().try_for_each(|(name, solids)| write_solids(options, name, solids, &out)),
        );
    if written.is_err() {
        made.remove();
    }
    written.map(|()| SUCCESS)
}

/// Plans the triangles of each format that is asked for.
fn solids<'a>(options: &ExportOptions, run: &'a RunFiles) -> Result<Vec<(&'static str, Solids<'a>)>, Error> {
    let how = &options.solid;
    let stl = if how.text { SolidFormat::StlText } else { SolidFormat::Stl };
    let formats = [(options.stl, stl), (options.ply, SolidFormat::Ply), (options.obj, SolidFormat::Obj)];
    let planned = |format: SolidFormat| {
        let options = SolidOptions {
            format,
            time: how.time,
            chord: how.chord,
            per_body: how.per_body,
            fixed: how.fixed,
            keep_volume: how.keep_volume,
        };
        Solids::of(run, &options).map(|solids| (format.extension(), solids))
    };
    formats.into_iter().filter(|(is_asked, _)| *is_asked).map(|(_, format)| planned(format)).collect()
}

fn write_solids(options: &ExportOptions, name: &str, solids: &Solids<'_>, out: &Path) -> Result<(), Failure> {
    let path = if options.solid.per_body { out.join(name) } else { out.join(format!("bodies.{name}")) };
    let written = solids.write(&path)?;
    let mut line = format!(
        "{}: {} at {} s, {}",
        path.display(),
        counted(written.bodies, "body"),
        written.time,
        counted(written.triangles, "triangle")
    );
    if written.unbounded > 0 {
        line += &format!("; {} left out", counted(written.unbounded, "unbounded body"));
    }
    print_line(&line);
    Ok(())
}

/// Writes the problems of steps that are asked for into a folder of their own.
fn fclib(options: &ExportOptions, run: &RunFiles, staged: &Path) -> Result<(), Failure> {
    let Some(steps) = &options.fclib else { return Ok(()) };
    fs::create_dir_all(staged)
        .map_err(|source| Failure::Other(Error::Io { path: staged.to_owned(), source }))?;
    let written = write_fclib(run, &options.dir, steps, staged)?;
    let [of_steps, files, contacts] =
        [(written.steps, "step"), (written.files, "file"), (written.contacts, "contact")]
            .map(|(n, what)| counted(n, what));
    print_line(&format!("{steps}: {of_steps} in {files}, {contacts}, residual {:.1e}", written.residual));
    Ok(())
}

/// Gives the folder of problems its place.
fn take_staged(options: &ExportOptions, staged: &Path, folder: &Path) -> Result<(), Failure> {
    if options.fclib.is_none() {
        return Ok(());
    }
    let io = |source| Failure::Other(Error::Io { path: folder.to_owned(), source });
    match fs::remove_dir(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(e)),
        _ => {}
    }
    fs::rename(staged, folder).map_err(io)?;
    print_line(&folder.display().to_string());
    Ok(())
}

fn write(options: &ExportOptions, run: &RunFiles, out: &Path) -> Result<(), Failure> {
    let every = options.every as usize;
    for (_, hdf5) in
        [(options.vtk, false), (options.vtkhdf, true)].into_iter().filter(|(is_asked, _)| *is_asked)
    {
        let vtk = VtkOptions { hdf5, surfaces: options.surfaces, every };
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
    for (is_asked, format, name) in [
        (options.xyz, ParticleFormat::Xyz, "run.xyz"),
        (options.lammps, ParticleFormat::Lammps, "run.lammpstrj"),
    ] {
        if is_asked {
            let path = out.join(name);
            let records = write_particles(run, &path, format, every)?;
            print_line(&format!("{}: {}", path.display(), counted(records, "record")));
        }
    }
    if options.npz {
        let path = out.join("run.npz");
        let records = write_npz(run, &path, every)?;
        print_line(&format!("{}: {}", path.display(), counted(records, "record")));
    }
    if options.csv {
        let folder = out.join("csv");
        let written = write_csv(&options.dir, &folder)?;
        print_line(&format!("{}: {}", folder.display(), counted(written.len(), "file")));
    }
    Ok(())
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
    let mut ours: Vec<PathBuf> = entries.into_iter().filter(|path| is_one_of(path, &FILES)).collect();
    for kind in SOLIDS {
        if let Ok(folder) = fs::read_dir(out.join(kind)) {
            ours.extend(folder.flatten().map(|e| e.path()).filter(|path| is_one_of(path, &[kind])));
        }
    }
    if let Ok(folder) = fs::read_dir(out.join(FCLIB)) {
        ours.extend(folder.flatten().map(|e| e.path()).filter(|path| is_one_of(path, &["hdf5", "csv"])));
    }
    Ok(ours)
}

fn is_one_of(path: &Path, kinds: &[&str]) -> bool {
    path.extension().is_some_and(|extension| kinds.iter().any(|kind| extension == *kind))
}
