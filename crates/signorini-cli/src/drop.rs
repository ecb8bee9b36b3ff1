//! The command `signorini drop`: a body's resting poses, counted.

use super::arguments::DropOptions;
use super::console::{print_error, print_line};
use super::exit::{Failure, INTERRUPTED, SUCCESS, UNSOLVED};
use super::process;
use super::scene_source;
use super::slurm::{self, Job, quoted};
use signorini_error::{Result, counted};
use signorini_runs::drops::{DropFiles, DropSeries, DropTest, PoseRow, RandomStart, scene_of_file};
use signorini_runs::output::{Share, read_shares, run_share};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Validates everything, drops, and writes tables and figure.
pub fn drop(options: &DropOptions) -> std::result::Result<u8, Failure> {
    let out = options.out.clone().unwrap_or_else(|| {
        let stem = scene_source::stem(&options.scene);
        Path::new("out").join(format!("{}-drop", stem.to_string_lossy()))
    });
    process::use_threads(options.threads)?;
    let load = options.overrides.load_options();
    let (scene, notes) = if scene_source::is_stdin(&options.scene) && options.scale == 1.0 {
        let loaded = scene_source::load(&options.scene, &load)?;
        (loaded.scene, loaded.notes)
    } else {
        scene_of_file(&options.scene, options.scale, &load)?
    };
    if !options.quiet {
        notes.iter().for_each(|note| print_error(&format!("note: {note}")));
    }
    let start = RandomStart { seed: scene.seed, speed: options.speed, spin: options.spin };
    let test = DropTest::new(scene, options.body.as_deref(), start)?;
    let taken = DropFiles::taken(&out, &test, options.count, options.force)?;
    let n_taken = taken.len();
    let share = options.shares.share.map(|share| take_share(options, share, (&test, n_taken), &out));
    let (code, is_stopped) = share.transpose()?.unwrap_or((SUCCESS, false));
    let mut series = DropSeries::new(test, options.count, taken)?;
    if let Some(tasks) = options.shares.slurm {
        return write_job(options, tasks, &series, &out).map(|()| SUCCESS).map_err(Failure::Other);
    }
    series.keep(read_shares(&out, &series.test().digest())?);
    if options.shares.share.is_some() && (is_stopped || !series.is_known()) {
        return Ok(code);
    }
    if !options.quiet {
        let drops = counted(options.count, "drop");
        let there = if n_taken > 0 { format!(", {n_taken} of them there") } else { String::new() };
        let name = &series.test().body().name;
        print_line(&format!("{drops} of {name:?}{there}, writing {}", out.display()));
    }
    let interrupted = process::watch_signals(options.quiet);
    run(&mut series, &out, &interrupted).map_err(Failure::Other)?;
    if !options.quiet {
        report(&series, &series.poses(), &out);
    }
    Ok(match (series.is_done(), series.unsolved()) {
        (false, _) => INTERRUPTED,
        (true, 1..) => UNSOLVED,
        (true, 0) => SUCCESS,
    })
}

/// Runs a share of the drops: the exit code, and whether it was stopped.
fn take_share(
    options: &DropOptions,
    share: Share,
    (test, n_taken): (&DropTest, usize),
    out: &Path,
) -> std::result::Result<(u8, bool), Failure> {
    if !DropFiles::are_in(out) {
        return Err(slurm::not_prepared(share, out).into());
    }
    let interrupted = process::watch_signals(options.quiet);
    let stops = || interrupted.load(Ordering::SeqCst);
    let all = (n_taken, options.count);
    let rows = run_share((out, &test.digest()), share, all, |numbers| test.run_all(numbers, stops));
    let rows = rows.map_err(Failure::Other)?;
    if !options.quiet {
        print_line(&format!("share {} of {}: {}", share.number, share.of, counted(rows.len(), "drop")));
    }
    let is_certain = rows.iter().all(|row| row.unsolved_steps + row.red_steps == 0);
    let code = if stops() {
        INTERRUPTED
    } else if is_certain {
        SUCCESS
    } else {
        UNSOLVED
    };
    Ok((code, stops()))
}

/// Writes the folder of a test without a drop, and the job of its tasks.
fn write_job(options: &DropOptions, tasks: u16, series: &DropSeries, out: &Path) -> Result<()> {
    DropFiles::create(out, series)?;
    let job = Job::new(out, options.threads)?.array(tasks.into());
    let command = format!(
        "drop {}/scene.toml --body={} --count {} --speed {:?} --spin {:?}",
        job.folder(),
        quoted(Path::new(&series.test().body().name)),
        options.count,
        options.speed,
        options.spin
    );
    slurm::write_shares(job, &command, tasks, (out, &counted(options.count, "drop")))
}

/// Runs the drops in parallel and writes each as soon as those before it are finished.
fn run(series: &mut DropSeries, out: &Path, interrupted: &AtomicBool) -> Result<()> {
    let mut files = DropFiles::create(out, series)?;
    let stops = || interrupted.load(Ordering::SeqCst);
    while !series.is_done() && !stops() {
        files.push(&series.go_on(stops)?)?;
    }
    files.finish(series)
}

fn report(series: &DropSeries, poses: &[PoseRow], out: &Path) {
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
    if series.moving() > 0 {
        print_line(&format!(
            "{} of {} did not come to rest",
            series.moving(),
            counted(series.taken(), "drop")
        ));
    }
    if series.unsolved() > 0 {
        print_error(&format!(
            "warning: {} with steps that are unsolved or red",
            counted(series.unsolved(), "drop")
        ));
    }
    print_line(&format!("{}: {}", counted(series.taken(), "drop"), out.display()));
}
