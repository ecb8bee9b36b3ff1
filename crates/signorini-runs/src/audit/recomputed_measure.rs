//! Table of a measure that is computed again.

use crate::output::{names, source};
use signorini::measure::MeasureState;
use signorini_error::{Error, Result};
use signorini_scene::scene::Scene;
use std::path::Path;

/// Measure that is computed again, and the rows of its table.
pub struct RecomputedMeasure {
    pub gauge: MeasureState,
    pub file: String,
    pub rows: csv::StringRecordsIntoIter<Box<dyn std::io::Read + Send>>,
}

/// Opens the tables of the measures and sensors of a scene, at their first rows.
///
/// # Errors
/// When a table is missing, or has other columns.
pub fn open(folder: &Path, scene: &Scene) -> Result<Vec<RecomputedMeasure>> {
    let mut found = Vec::new();
    let measured = scene.measures.iter().map(|measure| {
        (names::measure(measure.name()), MeasureState::new(measure, scene, &scene.initial_state()))
    });
    let sensors =
        (!scene.sensors.is_empty()).then(|| (names::SENSORS.to_owned(), MeasureState::of_sensors()));
    for (file, gauge) in measured.chain(sensors) {
        let path = folder.join(&file);
        let io = |source| Error::Io { path: path.clone(), source };
        let mut reader = csv::Reader::from_reader(source::open(&path).map_err(io)?);
        let columns =
            reader.headers().map_err(|e| Error::Parse { file: path.clone(), message: e.to_string() })?;
        if !columns.iter().eq(gauge.columns()) {
            let message = format!("the columns must be {}", gauge.columns().join(", "));
            return Err(Error::Parse { file: path, message });
        }
        found.push(RecomputedMeasure { gauge, file, rows: reader.into_records() });
    }
    Ok(found)
}
