//! Definition of a track test: the scene, the part, its poses, and the starts of the trials.

use super::posture::Ground;
use super::region::{Region, RegionKind};
use crate::drops::PoseRow;
use crate::output::digest::Value as Digest;
use crate::output::table;
use nalgebra::Vector3;
use signorini_error::{Error, Result};
use signorini_kernels::math::{exceeds, larger};
use signorini_scene::scene::packing::RandomStream;
use signorini_scene::scene::resting::{height, vertical_inertia};
use signorini_scene::scene::{self, Body, Scene};
use std::f64::consts::TAU;
use std::path::Path;

/// First number of the trials' generators of random numbers, beyond those of scenes and drops; and the bits
/// of yaw and seed in a number.
const FIRST_GENERATOR: u64 = 1 << 63;
const YAW_BITS: u32 = 16;
const SEED_BITS: u32 = 24;
/// Most poses, yaws and seeds, and trials.
const MOST_POSES: usize = 1000;
const MOST_YAWS: usize = 1 << YAW_BITS;
const MOST_SEEDS: usize = 1 << SEED_BITS;
const MOST_TRIALS: usize = 1_000_000;
/// Largest difference of a pose's height and radius of gyration from those of the part in it, over its size.
const SAME: f64 = 0.01;

/// Options of a track test.
#[derive(Debug, Clone)]
pub struct TrackOptions {
    /// Name of the part; None: the only body that moves.
    pub body: Option<String>,
    /// Number of sectors of yaw; in each of them yaws are uniform.
    pub yaws: usize,
    /// Number of trials of each pose in each sector.
    pub seeds: usize,
    /// Seed of all trials.
    pub seed: u64,
    /// Largest speed (m/s, ≥ 0), added to the velocity in the scene: uniform in a ball.
    pub speed: f64,
    /// Largest angular velocity (rad/s, ≥ 0), added to that in the scene: uniform in a ball.
    pub spin: f64,
    /// Normal of the track where the part begins and where it leaves (world); None: against gravity.
    pub up: Option<[f64; 3]>,
    /// Number of bins of the histogram of yaws.
    pub bins: usize,
}

/// Start of a trial.
#[derive(Debug, Clone)]
pub struct Start {
    /// Scene with the part in its place.
    pub scene: Scene,
    /// Number of the pose.
    pub pose: usize,
    /// Sector of the yaw, from 0.
    pub sector: usize,
    /// Number of the trial among those of its pose and sector, from 1.
    pub seed: usize,
    /// Yaw (rad).
    pub yaw: f64,
}

/// Track test: a part that begins many times.
#[derive(Debug, Clone)]
pub struct TrackTest {
    scene: Scene,
    /// Id of the part.
    body: usize,
    poses: Vec<PoseRow>,
    regions: Vec<Region>,
    options: TrackOptions,
    ground: Ground,
}

/// Reads the resting poses that a drop test found.
///
/// # Errors
/// When the file cannot be read, or is no table of poses.
pub fn read_poses(path: &Path) -> Result<Vec<PoseRow>> {
    let mut poses = Vec::new();
    table::read(path, |row: PoseRow| poses.push(row))?;
    Ok(poses)
}

impl TrackTest {
    /// Makes the track test of a part of a scene.
    ///
    /// # Errors
    /// When the scene lacks the part, the poses are not its, an option or region is not allowed, or bodies
    /// come and leave.
    pub fn new(
        scene: Scene,
        poses: Vec<PoseRow>,
        regions: Vec<Region>,
        options: TrackOptions,
    ) -> Result<Self> {
        let body = part_of(&scene, options.body.as_deref())?;
        check_options(&options)?;
        check_regions(&regions)?;
        if !scene.inlets.is_empty() || !scene.outlets.is_empty() {
            return Err(fault(
                "[[inlet]] and [[outlet]]",
                "the scene may have none: regions take their place",
            ));
        }
        let up = match options.up.map(Vector3::from) {
            Some(up) if up.norm() > 0.0 && up.norm().is_finite() => up,
            Some(up) => return Err(fault(&format!("up {:?}", up.as_slice()), "must be a direction")),
            None if scene.gravity.norm() > 0.0 => -scene.gravity,
            None => return Err(fault("up", "the scene has no gravity; give the normal of the track")),
        };
        let test = Self { scene, body, poses, regions, options, ground: Ground::new(up) };
        test.check_poses()?;
        Ok(test)
    }

    fn check_poses(&self) -> Result<()> {
        let n = self.poses.len();
        if !(1..=MOST_POSES).contains(&n) {
            return Err(fault(&format!("{n} poses"), &format!("must be 1 to {MOST_POSES}")));
        }
        if self.n_trials() > MOST_TRIALS {
            let what = format!("{} trials", self.n_trials());
            return Err(fault(
                &what,
                &format!("must be at most {MOST_TRIALS}: poses times yaws times seeds"),
            ));
        }
        let size = self.part().size().unwrap_or(1.0);
        for row in &self.poses {
            let down = Vector3::new(row.down_x, row.down_y, row.down_z);
            let mut pose = self.part().pose;
            pose.orientation = self.ground.orientation(&down.normalize(), 0.0);
            let here = height(self.part(), &pose, self.ground.up());
            let inertia = vertical_inertia(self.part(), &pose, self.ground.up());
            let gyration = |inertia: f64| (inertia / self.part().mass).max(0.0).sqrt();
            let turns = (gyration(inertia) - gyration(row.vertical_inertia)).abs();
            if exceeds(larger((here - row.height).abs(), turns), SAME * size) {
                let what = format!(
                    "pose {}: height {:.6e} m, vertical inertia {:.6e} kg m²",
                    row.pose, row.height, row.vertical_inertia
                );
                let allowed = format!(
                    "body {:?} has {here:.6e} m, {inertia:.6e} kg m² in it: these poses are of another body, scale or density",
                    self.part().name
                );
                return Err(fault(&what, &allowed));
            }
        }
        Ok(())
    }

    /// Number of trials.
    pub fn n_trials(&self) -> usize {
        let (yaws, seeds) = (self.options.yaws, self.options.seeds);
        self.poses.len().saturating_mul(yaws).saturating_mul(seeds)
    }

    /// Id of the part.
    pub fn body_id(&self) -> usize {
        self.body
    }

    /// The part.
    pub fn part(&self) -> &Body {
        &self.scene.bodies[self.body]
    }

    /// Scene with which the trials begin.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// Resting poses.
    pub fn poses(&self) -> &[PoseRow] {
        &self.poses
    }

    /// Regions, the first of those that overlap first.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Options.
    pub fn options(&self) -> &TrackOptions {
        &self.options
    }

    /// Plane of the track in a region.
    pub fn ground(&self, region: Option<&Region>) -> Ground {
        let up = region.and_then(|region| region.up);
        up.map_or(self.ground, |up| Ground::new(Vector3::from(up)))
    }

    /// Returns the start of a trial, by its number from 1: seeds change fastest, then yaws. The part begins
    /// where the scene has it, its lowest point as high over the track.
    pub fn start(&self, number: usize) -> Start {
        let index = number - 1;
        let (seeds, yaws) = (self.options.seeds, self.options.yaws);
        let (seed, sector, row) = (index % seeds, index / seeds % yaws, index / seeds / yaws);
        // More seeds leave the trials of the others as they are.
        let generator =
            ((row as u64) << (YAW_BITS + SEED_BITS)) | ((sector as u64) << SEED_BITS) | seed as u64;
        let mut draw = RandomStream::new(self.options.seed, FIRST_GENERATOR | generator);
        let yaw = TAU * (sector as f64 + draw.unit()) / yaws as f64;
        let PoseRow { down_x, down_y, down_z, pose, .. } = self.poses[row];
        let mut scene = self.scene.clone();
        let part = &mut scene.bodies[self.body];
        let up = self.ground.up();
        let before = height(part, &part.pose, up);
        let down = Vector3::new(down_x, down_y, down_z).normalize();
        part.pose.orientation = self.ground.orientation(&down, yaw);
        let now = height(part, &part.pose, up);
        part.pose.position += up * (now - before);
        part.velocity.linear += draw.in_ball() * self.options.speed;
        part.velocity.angular += draw.in_ball() * self.options.spin;
        Start { scene, pose, sector, seed: seed + 1, yaw }
    }

    /// Digest of all that decides the trials.
    pub fn digest(&self) -> String {
        let TrackOptions { body: _, yaws, seeds, seed, speed, spin, up, bins: _ } = &self.options;
        let how = format!(
            "signorini {}\n{} {yaws} {seeds} {seed} {speed:?} {spin:?} {up:?}\n{:?}\n{:?}\n{}",
            env!("CARGO_PKG_VERSION"),
            self.part().name,
            self.regions,
            self.poses,
            scene::to_toml(&self.scene)
        );
        Digest::of(how.as_bytes()).to_string()
    }
}

fn fault(what: &str, allowed: &str) -> Error {
    Error::Usage { what: format!("track: {what}"), allowed: allowed.to_owned() }
}

fn part_of(scene: &Scene, name: Option<&str>) -> Result<usize> {
    let moving = || scene.bodies.iter().enumerate().filter(|(_, body)| !body.fixed);
    let Some(name) = name else {
        let mut moving = moving();
        return match (moving.next(), moving.next()) {
            (Some((id, _)), None) => Ok(id),
            _ => Err(fault("body (none)", "name the body that is the part")),
        };
    };
    match scene.bodies.iter().position(|body| body.name == name) {
        Some(id) if !scene.bodies[id].fixed => Ok(id),
        Some(_) => Err(fault(&format!("body {name:?}"), "the body is fixed or driven; one that moves")),
        None => {
            let names: Vec<&str> = moving().take(10).map(|(_, body)| body.name.as_str()).collect();
            let allowed = format!("no such body; that move: {}", names.join(", "));
            Err(fault(&format!("body {name:?}"), &allowed))
        }
    }
}

fn check_options(options: &TrackOptions) -> Result<()> {
    let TrackOptions { yaws, seeds, speed, spin, bins, .. } = options;
    for (name, value, most) in
        [("yaws", yaws, MOST_YAWS), ("seeds", seeds, MOST_SEEDS), ("bins", bins, MOST_YAWS)]
    {
        if !(1..=most).contains(value) {
            return Err(fault(&format!("{name} {value}"), &format!("must be 1 to {most}")));
        }
    }
    for (name, value) in [("speed", speed), ("spin", spin)] {
        if !(*value >= 0.0 && value.is_finite()) {
            return Err(fault(&format!("{name} {value:?}"), "must be a number, 0 or more"));
        }
    }
    Ok(())
}

fn check_regions(regions: &[Region]) -> Result<()> {
    if !regions.iter().any(|region| region.kind == RegionKind::Exit) {
        return Err(fault("regions", "must have an exit at least"));
    }
    for (i, region) in regions.iter().enumerate() {
        if regions[..i].iter().any(|other| other.name == region.name) {
            return Err(fault(&format!("region {:?}", region.name), "must be there once"));
        }
    }
    Ok(())
}
