//! The command `signorini track`: a part on a track from each of its resting poses.

use super::console::{print_error, print_line};
use super::exit::{Failure, INTERRUPTED, SUCCESS, UNSOLVED};
use super::process;
use super::scene_options::SceneOptions;
use super::scene_source;
use super::slurm::{self, Job, ShareOptions, quoted};
use super::values;
use clap::Args;
use signorini_error::{Error, Result, counted};
use signorini_runs::output::{Share, read_shares, run_share};
use signorini_runs::track::{
    Region, RegionKind, TrackFiles, TrackOptions as Options, TrackSeries, TrackTest, parse_box, read_poses,
    read_regions,
};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Args)]
pub struct TrackOptions {
    /// Scene of the track with the part at its start (TOML, or - for standard input), or model in MJCF (.xml)
    /// or URDF (.urdf)
    pub scene: PathBuf,
    /// Name of the part [default: the only body that moves]
    #[arg(long, value_name = "NAME")]
    pub body: Option<String>,
    /// Resting poses of the part: poses.csv of a drop test
    #[arg(long, value_name = "FILE", required = true)]
    pub from: PathBuf,
    /// Regions (TOML): boxes that are exits or reject, with names
    #[arg(long, value_name = "FILE", required_unless_present = "exit")]
    pub regions: Option<PathBuf>,
    /// Box that is an exit, X0,Y0,Z0,X1,Y1,Z1 in metres, inf for no bound; may be given many times
    #[arg(long, value_name = "BOX", allow_hyphen_values = true)]
    pub exit: Vec<String>,
    /// Box that rejects, likewise
    #[arg(long, value_name = "BOX", allow_hyphen_values = true)]
    pub reject: Vec<String>,
    /// Sectors of yaw at the start
    #[arg(long, value_name = "N", default_value_t = 12, value_parser = values::yaws, allow_hyphen_values = true)]
    pub yaws: usize,
    /// Trials of each pose in each sector of yaw, each at another yaw in it
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = values::seeds, allow_hyphen_values = true)]
    pub seeds: usize,
    /// Largest random speed added at the start, in m/s
    #[arg(long, value_name = "V", default_value_t = 0.0, value_parser = values::not_negative, allow_hyphen_values = true)]
    pub speed: f64,
    /// Largest random angular velocity added at the start, in rad/s
    #[arg(long, value_name = "W", default_value_t = 0.0, value_parser = values::not_negative, allow_hyphen_values = true)]
    pub spin: f64,
    /// Normal of the track at the start and the exits, X,Y,Z [default: against gravity]
    #[arg(long, value_name = "X,Y,Z", value_parser = values::direction, allow_hyphen_values = true)]
    pub up: Option<[f64; 3]>,
    /// Bins of the histogram of yaws
    #[arg(long, value_name = "N", default_value_t = 36, value_parser = values::yaws, allow_hyphen_values = true)]
    pub bins: usize,
    /// Folder to write [default: out/SCENE-track]; trials of the same test in it are not run again
    #[arg(short, long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub shares: ShareOptions,
    /// Replace the files of another test in the folder
    #[arg(short, long)]
    pub force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Worker threads [default: one per core]; the results do not depend on it
    #[arg(short = 'j', long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), allow_hyphen_values = true)]
    pub threads: Option<u16>,
    /// Only errors
    #[arg(short, long)]
    pub quiet: bool,
    #[command(flatten)]
    pub overrides: SceneOptions,
}

/// Validates everything, runs the trials, and writes tables and figure.
pub fn track(options: &TrackOptions) -> std::result::Result<u8, Failure> {
    process::use_threads(options.threads)?;
    let out = options.out.clone().unwrap_or_else(|| {
        let stem = scene_source::stem(&options.scene);
        Path::new("out").join(format!("{}-track", stem.to_string_lossy()))
    });
    let loaded = scene_source::load(&options.scene, &options.overrides.load_options())?;
    let of_test = Options {
        body: options.body.clone(),
        yaws: options.yaws,
        seeds: options.seeds,
        seed: loaded.scene.seed,
        speed: options.speed,
        spin: options.spin,
        up: options.up,
        bins: options.bins,
    };
    let test = TrackTest::new(loaded.scene, read_poses(&options.from)?, regions(options)?, of_test)?;
    let taken = TrackFiles::taken(&out, &test, options.force)?;
    let n_taken = taken.len();
    let share = options.shares.share.map(|share| take_share(options, share, (&test, n_taken), &out));
    let (code, is_stopped) = share.transpose()?.unwrap_or((SUCCESS, false));
    let mut series = TrackSeries::new(test, taken)?;
    if let Some(tasks) = options.shares.slurm {
        return write_job(options, tasks, &series, &out).map(|()| SUCCESS).map_err(Failure::Other);
    }
    series.keep(read_shares(&out, &series.test().digest())?);
    if options.shares.share.is_some() && (is_stopped || !series.is_known()) {
        return Ok(code);
    }
    let is_silent = options.quiet || options.json;
    if !is_silent {
        loaded.notes.iter().for_each(|note| print_error(&format!("note: {note}")));
        let trials = counted(series.test().n_trials(), "trial");
        let there = if n_taken > 0 { format!(", {n_taken} of them there") } else { String::new() };
        let name = &series.test().part().name;
        print_line(&format!("{trials} of {name:?}{there}, writing {}", out.display()));
    }
    let interrupted = process::watch_signals(options.quiet);
    run(&mut series, &out, &interrupted).map_err(Failure::Other)?;
    let summary = series.summary();
    if options.json {
        print_line(summary.to_json().trim_end());
    } else if !options.quiet {
        tell(&series, &out);
    }
    Ok(match (summary.is_done(), summary.is_certain()) {
        (false, _) => INTERRUPTED,
        (true, false) => UNSOLVED,
        (true, true) => SUCCESS,
    })
}

/// Runs a share of the trials: the exit code, and whether it was stopped.
fn take_share(
    options: &TrackOptions,
    share: Share,
    (test, n_taken): (&TrackTest, usize),
    out: &Path,
) -> std::result::Result<(u8, bool), Failure> {
    if !TrackFiles::are_in(out) {
        return Err(slurm::not_prepared(share, out).into());
    }
    let interrupted = process::watch_signals(options.quiet);
    let stops = || interrupted.load(Ordering::SeqCst);
    let all = (n_taken, test.n_trials());
    let rows = run_share((out, &test.digest()), share, all, |numbers| test.run_all(numbers, stops));
    let rows = rows.map_err(Failure::Other)?;
    if !options.quiet && !options.json {
        print_line(&format!("share {} of {}: {}", share.number, share.of, counted(rows.len(), "trial")));
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

/// Writes the folder of a test without a trial, all that its tasks need, and their job.
fn write_job(options: &TrackOptions, tasks: u16, series: &TrackSeries, out: &Path) -> Result<()> {
    TrackFiles::create(out, series)?;
    let copied = |from: &Path, name: &str| {
        let to = out.join(name);
        fs::copy(from, &to).map(drop).map_err(|source| Error::Io { path: to, source })
    };
    copied(&options.from, "given-poses.csv")?;
    let job = Job::new(out, options.threads)?.array(tasks.into());
    let dir = job.folder();
    let mut command = format!("track {dir}/scene.toml --from {dir}/given-poses.csv");
    if let Some(regions) = &options.regions {
        copied(regions, "given-regions.toml")?;
        command += &format!(" --regions {dir}/given-regions.toml");
    }
    for (word, boxes) in [("exit", &options.exit), ("reject", &options.reject)] {
        boxes.iter().for_each(|text| command += &format!(" --{word}={}", quoted(Path::new(text))));
    }
    if let Some([x, y, z]) = options.up {
        command += &format!(" --up={x:?},{y:?},{z:?}");
    }
    // Writing to a text cannot fail.
    let _ = write!(
        command,
        " --body={} --yaws {} --seeds {} --speed {:?} --spin {:?} --bins {}",
        quoted(Path::new(&series.test().part().name)),
        options.yaws,
        options.seeds,
        options.speed,
        options.spin,
        options.bins
    );
    slurm::write_shares(job, &command, tasks, (out, &counted(series.test().n_trials(), "trial")))
}

/// Regions of the file, then those of the options.
fn regions(options: &TrackOptions) -> Result<Vec<Region>> {
    let mut regions = options.regions.as_deref().map(read_regions).transpose()?.unwrap_or_default();
    for (kind, word, boxes) in
        [(RegionKind::Exit, "exit", &options.exit), (RegionKind::Reject, "reject", &options.reject)]
    {
        for (i, text) in boxes.iter().enumerate() {
            let refuse = |allowed| Error::Usage { what: format!("--{word} {text}"), allowed };
            regions.push(parse_box(format!("{word}-{}", i + 1), kind, text).map_err(refuse)?);
        }
    }
    Ok(regions)
}

/// Runs the trials in parallel and writes each as soon as those before it are finished.
fn run(series: &mut TrackSeries, out: &Path, interrupted: &AtomicBool) -> Result<()> {
    let mut files = TrackFiles::create(out, series)?;
    let stops = || interrupted.load(Ordering::SeqCst);
    while !series.is_done() && !stops() {
        files.push(&series.go_on(stops)?)?;
    }
    files.finish(series)
}

fn tell(series: &TrackSeries, out: &Path) {
    let summary = series.summary();
    print_line(&format!(
        "{:>4} → {:<8} {:>7} {:>7} {:>15}",
        "pose", "end", "trials", "share", "95 % interval"
    ));
    for row in series.matrix().iter().filter(|row| row.count > 0) {
        print_line(&format!(
            "{:>4} → {:<8} {:>7} {:>7.4} {:>7.4} {:>7.4}",
            row.from, row.to, row.count, row.share, row.low, row.high
        ));
    }
    for (name, count) in &summary.regions {
        print_line(&format!("region {name:?}: {count}"));
    }
    let rejected = summary.rejected_share;
    print_line(&format!(
        "rejected, poses as often as they come: {:.4} ({:.4} to {:.4})",
        rejected.share, rejected.low, rejected.high
    ));
    let time = summary.exit_time.map_or_else(String::new, |time| format!(", {time:.3} s to an exit"));
    print_line(&format!("throughput of one part at a time: {:.3} 1/s{time}", summary.throughput));
    let certificate = summary.certificate;
    print_line(&format!(
        "{}: {} judged, {} red, {} unsolved",
        counted(certificate.steps, "step"),
        certificate.judged,
        certificate.red,
        certificate.unsolved
    ));
    if !summary.is_certain() {
        print_error("warning: not every step is solved, judged and green: see trials.csv");
    }
    let trials = counted(summary.trials, "trial");
    print_line(&format!(
        "{trials}: {} exits, {} rejected, {} stuck: {}",
        summary.exits,
        summary.rejected,
        summary.stuck,
        out.display()
    ));
}
