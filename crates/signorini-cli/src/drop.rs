//! The command `signorini drop`: a body's resting poses, counted.

use super::arguments::{DropOptions, SceneOptions};
use super::console::{print_error, print_line};
use super::exit::{Failure, INTERRUPTED, SUCCESS, UNSOLVED};
use super::process;
use super::scene_source;
use rayon::prelude::*;
use signorini_error::{Error, Result, counted};
use signorini_runs::drops::{DropRow, DropTest, PoseRow, Poses, RandomStart, draw_poses, scene_of_mesh};
use signorini_runs::output::table::Table;
use signorini_runs::output::{RunFolder, names};
use signorini_scene::scene::{self, Scene, is_mesh};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of drops per thread after which rows are written.
const CHUNK: usize = 4;
/// Number of drops whose starts are checked before anything is written.
const CHECKED: usize = 1000;

/// Results of a drop test.
struct DropResults {
    drops: usize,
    unsolved: usize,
    poses: Poses,
    interrupted: bool,
}

/// Validates everything, drops, and writes tables and figure.
pub fn drop(options: &DropOptions) -> std::result::Result<u8, Failure> {
    let out = options.out.clone().unwrap_or_else(|| {
        let stem = scene_source::stem(&options.scene);
        Path::new("out").join(format!("{}-drop", stem.to_string_lossy()))
    });
    RunFolder::check_vacant(&out, options.force)?;
    process::use_threads(options.threads)?;
    let scene = scene_of(options)?;
    let start = RandomStart { seed: scene.seed, speed: options.speed, spin: options.spin };
    let test = DropTest::new(scene, options.body.as_deref(), start)?;
    (1..=options.count.min(CHECKED)).into_par_iter().try_for_each(|number| test.check(number))?;
    if !options.quiet {
        let drops = counted(options.count, "drop");
        print_line(&format!("{drops} of {:?}, writing {}", test.body().name, out.display()));
    }
    let interrupted = process::watch_signals(options.quiet);
    let account = run(options, &test, &out, &interrupted).map_err(Failure::Other)?;
    let poses = account.poses.rows();
    write_poses(&test, &poses, &out).map_err(Failure::Other)?;
    if !options.quiet {
        report(&account, &poses, &out);
    }
    Ok(match account {
        DropResults { interrupted: true, .. } => INTERRUPTED,
        DropResults { unsolved: 1.., .. } => UNSOLVED,
        _ => SUCCESS,
    })
}

fn scene_of(options: &DropOptions) -> Result<Scene> {
    let extension = options.scene.extension().map(|e| e.to_string_lossy().to_lowercase());
    if !extension.is_some_and(|extension| is_mesh(&extension)) {
        if options.scale != 1.0 {
            let allowed = "for meshes; a scene says how large its bodies are".to_owned();
            return Err(Error::Usage { what: "--scale".to_owned(), allowed });
        }
        let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
        if !options.quiet {
            loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
        }
        return Ok(loaded.scene);
    }
    let (mut scene, notes) = scene_of_mesh(&options.scene, options.scale)?;
    if !options.quiet {
        notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    }
    let SceneOptions { duration, tolerance, seed, .. } = options.overrides;
    scene.duration = duration.unwrap_or(scene.duration);
    scene.solver.tolerance = tolerance.unwrap_or(scene.solver.tolerance);
    scene.seed = seed.unwrap_or(scene.seed);
    scene.validate()?;
    Ok(scene)
}

/// Runs the drops in parallel and writes each as soon as those before it are finished.
fn run(options: &DropOptions, test: &DropTest, out: &Path, interrupted: &AtomicBool) -> Result<DropResults> {
    fs::create_dir_all(out).map_err(|source| Error::Io { path: out.to_owned(), source })?;
    let path = out.join(names::SCENE);
    fs::write(&path, scene::to_toml(test.scene())).map_err(|source| Error::Io { path, source })?;
    let mut table = Table::create(out.join("drops.csv"), &DropRow::COLUMNS)?;
    let mut account = DropResults { drops: 0, unsolved: 0, poses: Poses::new(test), interrupted: false };
    let stops = || interrupted.load(Ordering::SeqCst);
    let chunk = CHUNK * rayon::current_num_threads();
    let mut first = 1;
    while first <= options.count && !account.interrupted {
        let last = (first + chunk - 1).min(options.count);
        let ends: Result<Vec<Option<DropRow>>> =
            (first..=last).into_par_iter().map(|number| test.run(number, stops)).collect();
        for end in ends? {
            let Some(mut row) = end else {
                account.interrupted = true;
                break;
            };
            account.poses.take(&mut row);
            account.drops += 1;
            account.unsolved += usize::from(row.unsolved_steps + row.red_steps > 0);
            table.push(&row)?;
        }
        table.flush()?;
        first = last + 1;
    }
    Ok(account)
}

fn write_poses(test: &DropTest, poses: &[PoseRow], out: &Path) -> Result<()> {
    let mut table = Table::create(out.join("poses.csv"), &PoseRow::COLUMNS)?;
    poses.iter().try_for_each(|row| table.push(row))?;
    table.flush()?;
    if !poses.is_empty() {
        draw_poses(test.body(), poses, out)?;
    }
    Ok(())
}

fn report(account: &DropResults, poses: &[PoseRow], out: &Path) {
    print_line(&format!(
        "{:>4} {:>7} {:>7} {:>15} {:>11}   {}",
        "pose", "drops", "share", "95 % interval", "height (m)", "down in body axes"
    ));
    for row in poses {
        print_line(&format!(
            "{:>4} {:>7} {:>7.4} {:>7.4} {:>7.4} {:>11.4e}   [{:.3}, {:.3}, {:.3}]",
            row.pose, row.count, row.share, row.low, row.high, row.height, row.down_x, row.down_y, row.down_z
        ));
    }
    if account.poses.moving() > 0 {
        print_line(&format!(
            "{} of {} did not come to rest",
            account.poses.moving(),
            counted(account.drops, "drop")
        ));
    }
    if account.unsolved > 0 {
        print_error(&format!(
            "warning: {} with steps that are unsolved or red",
            counted(account.unsolved, "drop")
        ));
    }
    print_line(&format!("{}: {}", counted(account.drops, "drop"), out.display()));
}
