//! Figures of measures: their columns over time.

use super::chart::{Figure, Panel, PlotAxis, Series, colour};
use super::ticks::Scale;
use crate::error::Result;
use crate::output::{names, table};
use crate::scene::Scene;
use crate::scene::measure::{Measure, Quantity};
use std::collections::HashMap;
use std::path::Path;

/// Label of the axis, and the columns, of each panel of a measure.
type Panels = &'static [(&'static str, &'static [&'static str])];

/// One figure for each measure with rows.
pub fn figures(scene: &Scene, dir: &Path) -> Result<Vec<Figure>> {
    let mut found = Vec::new();
    for measure in &scene.measures {
        let mut rows: Vec<HashMap<String, Option<f64>>> = Vec::new();
        table::read(&dir.join(names::measure(measure.name())), |row| rows.push(row))?;
        if !rows.is_empty() {
            found.push(figure(measure, &rows));
        }
    }
    Ok(found)
}

fn figure(measure: &Measure, rows: &[HashMap<String, Option<f64>>]) -> Figure {
    let colours = [colour::BLUE, colour::ORANGE, colour::GREEN, colour::RED, colour::BLACK];
    let curve = |column: &str| {
        let value = |row: &HashMap<String, Option<f64>>| {
            Some((row.get("time").copied().flatten()?, row.get(column).copied().flatten()?))
        };
        rows.iter().filter_map(value).collect::<Vec<_>>()
    };
    let panel = |(label, columns): &(&str, &[&'static str])| Panel {
        caption: String::new(),
        x: PlotAxis::time(),
        y_label: (*label).to_owned(),
        scale: Scale::Linear,
        with_zero: true,
        noise: 0.0,
        series: columns
            .iter()
            .zip(colours.iter().cycle())
            .map(|(column, colour)| Series::line(column, *colour, curve(column)))
            .collect(),
    };
    Figure {
        stem: format!("measure-{}", measure.name()),
        title: measure.name().to_owned(),
        n_columns: 1,
        panels: panels(measure).iter().map(panel).collect(),
    }
}

fn panels(measure: &Measure) -> Panels {
    match measure.quantity {
        Quantity::Flow { .. } => &[("rate (kg/s)", &["mass_rate"]), ("net mass (kg)", &["net_mass"])],
        Quantity::Region(_) => &[
            ("solid fraction", &["solid_fraction"]),
            ("coordination", &["coordination"]),
            ("stress (Pa)", &["sxx", "syy", "szz"]),
        ],
        Quantity::Energy => &[
            ("energy (J)", &["kinetic", "potential"]),
            ("in an interval (J)", &["came", "left", "friction", "driven", "rest"]),
        ],
        Quantity::Forces => &[("force (N)", &["largest", "nine_tenths", "mean", "half"])],
        Quantity::Body(_) => &[("force (N)", &["fx", "fy", "fz"]), ("torque (N m)", &["tx", "ty", "tz"])],
        Quantity::Residence => &[("time inside (s)", &["most", "mean", "least"])],
    }
}
