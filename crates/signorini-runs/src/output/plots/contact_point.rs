//! Figures of the touch of the most loaded contacts ([XC] figures 6b, 7b, 7c, 8a to 8c): the equivalent
//! contact point against the centre of the body, slip, and the facets that touch.

use super::chart::{Figure, Panel, Pen, PlotAxis, Series, colour, short};
use super::contact::LoadedPair;
use super::motion::BodyMotion;
use super::noise::Noise;
use super::ticks::Scale;
use crate::output::rows::ContactRow;
use crate::output::table;
use nalgebra::Vector3;
use signorini_error::Result;
use signorini_geometry::Shape;
use signorini_geometry::periodic::ITSELF;
use signorini_scene::scene::{ContactKind, Scene};
use std::collections::BTreeMap;
use std::path::Path;

/// Points (time, value).
type Curve = Vec<(f64, f64)>;

/// Touch of a pair at the end of one step under load.
#[derive(Debug, Clone, Copy)]
struct Sample {
    time: f64,
    /// Contact point as A and as B have it (m).
    points: [Vector3<f64>; 2],
    normal: Vector3<f64>,
    kind: ContactKind,
    facets: [usize; 2],
    /// Normal impulse p_n (N s).
    load: f64,
}

impl Sample {
    fn add(&mut self, other: &Sample) {
        let other_load = other.load;
        self.load += other_load;
        for (own, other) in self.points.iter_mut().zip(&other.points) {
            *own += (other - *own) * (other_load / self.load);
        }
    }
}

/// A pair by its bodies' ids with its samples by step.
struct TouchingPair {
    bodies: [usize; 2],
    samples: BTreeMap<usize, Sample>,
}

impl TouchingPair {
    /// Index of the body from whose centre the contact point is measured: B, unless only A moves.
    fn side(&self, scene: &Scene) -> usize {
        usize::from(!scene.bodies[self.bodies[1]].fixed)
    }

    /// Whether the pair ever touches along a line, over a surface, or at an edge or a corner; smooth bodies
    /// always touch at points, and their figure would show nothing.
    fn is_flat(&self) -> bool {
        self.samples.values().any(|s| s.kind > ContactKind::Point || s.facets.iter().any(|n| *n > 1))
    }
}

/// Makes one figure for each of the pairs that ever touch along a line, over a surface, or at an edge or a
/// corner; numbered as those of the forces. `sampled` holds (step, time) of every sample of the run.
pub fn figures(
    scene: &Scene,
    [bodies, contacts]: [&Path; 2],
    pairs: &[LoadedPair],
    sampled: &[(usize, f64)],
) -> Result<Vec<Figure>> {
    let id = |name: &String| scene.bodies.iter().position(|b| b.name == *name);
    let mut touched: Vec<Option<TouchingPair>> = pairs
        .iter()
        .map(|(a, b)| Some(TouchingPair { bodies: [id(a)?, id(b)?], samples: BTreeMap::new() }))
        .collect();
    table::read(contacts, |row: ContactRow<'static>| {
        // Of a halved step only its end counts.
        if row.normal_impulse <= 0.0 || row.substep_end < 1.0 {
            return;
        }
        let Some(i) = pairs.iter().position(|(a, b)| *a == row.body_a && *b == row.body_b) else { return };
        let (Some(pair), Some(touch)) = (&mut touched[i], row.touch()) else { return };
        let point = Vector3::new(row.ecp_x, row.ecp_y, row.ecp_z);
        let image = row.image().unwrap_or_default();
        let shift = scene.periodic.filter(|_| image != ITSELF).map(|periodic| periodic.shift(image));
        let sample = Sample {
            time: row.time,
            points: [point, shift.map_or(point, |shift| point - shift)],
            normal: Vector3::new(row.nx, row.ny, row.nz),
            kind: touch.kind,
            facets: touch.active_facets,
            load: row.normal_impulse,
        };
        // Models with a cone per corner have a row per corner: the pair's point is their mean, by load.
        pair.samples.entry(row.step).and_modify(|of_pair| of_pair.add(&sample)).or_insert(sample);
    })?;
    let mut ids: Vec<usize> = touched.iter().flatten().flat_map(|t| t.bodies).collect();
    ids.sort_unstable();
    ids.dedup();
    let motion = BodyMotion::read(scene, bodies, &ids)?;
    let flat = touched.iter().enumerate().filter_map(|(i, t)| Some((i, t.as_ref().filter(|t| t.is_flat())?)));
    Ok(flat.map(|(i, pair)| figure(i + 1, scene, &motion, pair, sampled)).collect())
}

fn figure(
    number: usize,
    scene: &Scene,
    motion: &BodyMotion,
    pair: &TouchingPair,
    sampled: &[(usize, f64)],
) -> Figure {
    let noise = Noise::of(scene);
    let panel = |y_label: &str, noise: f64, series| Panel {
        caption: String::new(),
        x: PlotAxis::time(),
        y_label: y_label.to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise,
        series,
    };
    let names = pair.bodies.map(|i| short(&scene.bodies[i].name));
    let (point, labels) = point_from_center(scene, motion, pair, sampled);
    let [v_t, v_o, v_r] = slip(scene, motion, pair, sampled);
    let colours = [colour::BLUE, colour::ORANGE, colour::GREEN];
    let lines = |labels: [&str; 3], curves: [Curve; 3]| {
        let lines = labels.into_iter().zip(curves).zip(colours);
        lines.filter(|((label, _), _)| !label.is_empty()).map(|((l, c), k)| Series::line(l, k, c)).collect()
    };
    let panels = vec![
        panel("contact point (m)", 1e-9, lines(labels, point)),
        panel("slip (m/s)", noise.velocity, lines(["v_t", "v_o", ""], [v_t, v_o, Vec::new()])),
        panel("spin (rad/s)", noise.angular_velocity, lines(["v_r", "", ""], [v_r, Vec::new(), Vec::new()])),
        facets_panel(scene, pair, sampled),
    ];
    Figure {
        stem: format!("contact_point_{number}"),
        title: format!("Contact {number}: {} – {}", names[0], names[1]),

        panels,
    }
}

/// The equivalent contact point seen from the centre of the body, in the plane of contact: along a cylinder's
/// axis and across it, else along t and o. An open contact has none.
fn point_from_center(
    scene: &Scene,
    motion: &BodyMotion,
    pair: &TouchingPair,
    sampled: &[(usize, f64)],
) -> ([Curve; 3], [&'static str; 3]) {
    let body = pair.bodies[pair.side(scene)];
    // A body of several parts has no axis of its own.
    let alone = match scene.bodies[body].parts.as_slice() {
        [part] => Some(part),
        _ => None,
    };
    let is_long = |shape: &Shape| matches!(shape, Shape::Cylinder { .. } | Shape::Capsule { .. });
    let cylinder = alone.filter(|part| is_long(&part.shape));
    let values = |step: &usize| {
        let sample = pair.samples.get(step)?;
        let (pose, n) = (motion.at(scene, body, *step)?.0, sample.normal);
        let arm = sample.points[pair.side(scene)] - pose.position;
        let along = if let Some(part) = cylinder {
            let axis = pose.orientation * (part.pose.orientation * Vector3::z());
            // A cylinder that stands has no direction along the plane.
            (axis - n * axis.dot(&n)).try_normalize(1e-6)?
        } else {
            tangent(&n)
        };
        Some([arm.dot(&along), arm.dot(&n.cross(&along)), f64::NAN])
    };
    let labels = if cylinder.is_some() {
        ["from the centre along the axis (L)", "across it (D)", ""]
    } else {
        ["from the centre along t", "along o", ""]
    };
    (curves(sampled, values), labels)
}

/// Tangent t: the direction of the world's x in the plane of contact, or of y where x is nearly its normal; o
/// = n × t.
fn tangent(n: &Vector3<f64>) -> Vector3<f64> {
    let along = if n.x.abs() < 0.9 { Vector3::x() } else { Vector3::y() };
    (along - n * n.dot(&along)).normalize()
}

/// Slip v_t, v_o and v_r = ω_n of B against A at the contact point.
fn slip(scene: &Scene, motion: &BodyMotion, pair: &TouchingPair, sampled: &[(usize, f64)]) -> [Curve; 3] {
    let values = |step: &usize| {
        let sample = pair.samples.get(step)?;
        let [a, b] = pair.bodies.map(|body| motion.at(scene, body, *step));
        let [(pose_a, a), (pose_b, b)] = [a?, b?];
        let n = sample.normal;
        let v = b.linear + b.angular.cross(&(sample.points[1] - pose_b.position))
            - a.linear
            - a.angular.cross(&(sample.points[0] - pose_a.position));
        let t = tangent(&n);
        Some([v.dot(&t), v.dot(&n.cross(&t)), n.dot(&(b.angular - a.angular))])
    };
    curves(sampled, values)
}

/// Makes three curves over the samples of the run, interrupted where no value exists.
fn curves(sampled: &[(usize, f64)], values: impl Fn(&usize) -> Option<[f64; 3]>) -> [Curve; 3] {
    let mut curves: [Curve; 3] = Default::default();
    for (step, time) in sampled {
        let values = values(step).unwrap_or([f64::NAN; 3]);
        for (curve, value) in curves.iter_mut().zip(values) {
            curve.push((*time, value));
        }
    }
    curves
}

/// Panel of N, the number of facets of the body that touch (its nonzero multipliers in [XC]), 0 where it is
/// open, coloured by kind.
fn facets_panel(scene: &Scene, pair: &TouchingPair, sampled: &[(usize, f64)]) -> Panel {
    let side = pair.side(scene);
    let count = |step: &usize| pair.samples.get(step).map_or(0.0, |s| s.facets[side] as f64);
    let mut steps: Curve = Vec::new();
    for (step, time) in sampled {
        let n = count(step);
        // The curve has a step, not a slope, where the number changes.
        if let Some(&(_, before)) = steps.last().filter(|last| last.1 != n) {
            steps.push((*time, before));
        }
        steps.push((*time, n));
    }
    let name = short(&scene.bodies[pair.bodies[side]].name);
    let mut series = vec![Series::line(&format!("facets of {name} that touch"), colour::BLACK, steps)];
    let kinds = [ContactKind::Point, ContactKind::Line, ContactKind::Surface];
    for (kind, colour) in kinds.into_iter().zip([colour::ORANGE, colour::BLUE, colour::GREEN]) {
        let of_kind = pair.samples.values().filter(|s| s.kind == kind);
        let dots: Curve = of_kind.map(|s| (s.time, s.facets[side] as f64)).collect();
        if !dots.is_empty() {
            series.push(Series::line(kind.as_str(), colour, dots).with_pen(Pen::Dots(3)));
        }
    }
    Panel {
        caption: String::new(),
        x: PlotAxis::time(),
        y_label: "active facets".to_owned(),
        scale: Scale::Count,
        with_zero: true,
        noise: 0.0,
        series,
    }
}
