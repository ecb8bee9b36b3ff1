//! Figures of measures: their columns over time.

use super::chart::{Figure, Panel, PlotAxis, Series, colour};
use super::ticks::Scale;
use crate::output::{names, table};
use serde::Deserialize;
use signorini_error::Result;
use signorini_scene::scene::Scene;
use signorini_scene::scene::measure::Quantity;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

/// Label of the axis, and the columns, of each panel of a measure.
type Panels = &'static [(&'static str, &'static [&'static str])];

/// A row by its columns.
type Row = HashMap<String, Option<f64>>;

/// Points over time.
type Curve = Vec<(f64, f64)>;

/// Makes one figure for each measure with rows.
pub fn figures(scene: &Scene, dir: &Path) -> Result<Vec<Figure>> {
    let mut found = Vec::new();
    for measure in &scene.measures {
        let path = dir.join(names::measure(measure.name()));
        let panels = match &measure.quantity {
            Quantity::Poses => poses(&path)?,
            // A thin table is for other programs, and has names in its rows.
            Quantity::Bodies(_) | Quantity::Contacts(_) => Vec::new(),
            quantity => {
                let mut rows: Vec<Row> = Vec::new();
                table::read(&path, |row| rows.push(row))?;
                let is_grid =
                    matches!(quantity, Quantity::Region { cells: Some(_), .. } | Quantity::Field(_));
                if rows.is_empty() { Vec::new() } else { of_columns(quantity, &rows, is_grid) }
            }
        };
        if !panels.is_empty() {
            let (stem, title) = (format!("measure-{}", measure.name()), measure.name().to_owned());
            found.push(Figure { stem, title, panels });
        }
    }
    Ok(found)
}

fn of_columns(quantity: &Quantity, rows: &[Row], is_grid: bool) -> Vec<Panel> {
    let curves = |column: &&'static str| {
        if is_grid { over_cells(column, rows) } else { vec![((*column).to_owned(), curve(column, rows))] }
    };
    let panel =
        |(label, columns): &(&str, &[&'static str])| panel(label, columns.iter().flat_map(curves).collect());
    panels(quantity).iter().map(panel).collect()
}

fn panel(label: &str, curves: Vec<(String, Curve)>) -> Panel {
    let colours = [colour::BLUE, colour::ORANGE, colour::GREEN, colour::RED, colour::BLACK, colour::PURPLE];
    let curves = curves.into_iter().zip(colours.iter().cycle());
    Panel {
        caption: String::new(),
        x: PlotAxis::time(),
        y_label: label.to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise: 0.0,
        series: curves.map(|((name, points), colour)| Series::line(&name, *colour, points)).collect(),
    }
}

fn point(column: &str, row: &Row) -> Option<(f64, f64)> {
    Some((row.get("time").copied().flatten()?, row.get(column).copied().flatten()?))
}

fn curve(column: &str, rows: &[Row]) -> Curve {
    rows.iter().filter_map(|row| point(column, row)).collect()
}

/// Curves of the least, the mean and the largest of the cells of a grid.
fn over_cells(column: &str, rows: &[Row]) -> Vec<(String, Curve)> {
    let points: Curve = curve(column, rows);
    let values: Vec<(f64, Vec<f64>)> = points
        .chunk_by(|a, b| a.0 == b.0)
        .map(|cells| (cells[0].0, cells.iter().map(|p| p.1).collect()))
        .collect();
    let of = |what: &str, reduce: fn(&[f64]) -> f64| {
        (format!("{what} {column}"), values.iter().map(|(time, cells)| (*time, reduce(cells))).collect())
    };
    vec![
        of("least", |cells| cells.iter().copied().fold(f64::INFINITY, f64::min)),
        of("mean", |cells| cells.iter().sum::<f64>() / cells.len() as f64),
        of("largest", |cells| cells.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
    ]
}

/// Columns of a row of resting poses that are drawn.
#[derive(Deserialize)]
struct PoseRow {
    time: f64,
    kind: usize,
    pose: Option<usize>,
}

/// Panels of the number of bodies in each pose.
fn poses(path: &Path) -> Result<Vec<Panel>> {
    let mut times: Vec<f64> = Vec::new();
    let mut counts: BTreeMap<(usize, Option<usize>), Vec<usize>> = BTreeMap::new();
    table::read(path, |row: PoseRow| {
        if times.last() != Some(&row.time) {
            times.push(row.time);
        }
        let count = counts.entry((row.kind, row.pose)).or_default();
        count.resize(times.len(), 0);
        count[times.len() - 1] += 1;
    })?;
    let curve = |((kind, pose), mut count): ((usize, Option<usize>), Vec<usize>)| {
        count.resize(times.len(), 0);
        let name = pose.map_or("moving".to_owned(), |pose| format!("pose {pose}"));
        let points = times.iter().zip(count).map(|(t, n)| (*t, n as f64)).collect();
        (format!("kind {kind}, {name}"), points)
    };
    let curves: Vec<_> = counts.into_iter().map(curve).collect();
    Ok(if curves.is_empty() { Vec::new() } else { vec![panel("bodies", curves)] })
}

fn panels(quantity: &Quantity) -> Panels {
    match quantity {
        Quantity::Flow { .. } => &[("rate (kg/s)", &["mass_rate"]), ("net mass (kg)", &["net_mass"])],
        Quantity::Region { .. } => &[
            ("solid fraction", &["solid_fraction"]),
            ("coordination", &["coordination"]),
            ("stress (Pa)", &["sxx", "syy", "szz"]),
        ],
        Quantity::Energy => &[
            ("energy (J)", &["kinetic", "potential"]),
            ("in an interval (J)", &["came", "left", "friction", "driven", "impact", "rest"]),
        ],
        Quantity::Forces => &[("force (N)", &["largest", "nine_tenths", "mean", "half"])],
        Quantity::Field(_) => {
            &[("solid fraction", &["solid_fraction"]), ("temperature (m²/s²)", &["temperature"])]
        }
        Quantity::Mixing { .. } => &[("mixing index", &["index"])],
        Quantity::Angle(_) => &[("angle (rad)", &["most", "angle", "least"])],
        Quantity::Body(_) | Quantity::Group { .. } => {
            &[("force (N)", &["fx", "fy", "fz"]), ("torque (N m)", &["tx", "ty", "tz"])]
        }
        Quantity::Residence => &[("time inside (s)", &["most", "mean", "least"])],
        Quantity::Poses | Quantity::Bodies(_) | Quantity::Contacts(_) | Quantity::Wear { .. } => &[],
    }
}
