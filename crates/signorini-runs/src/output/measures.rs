//! The tables of the measures of a run in progress.

use super::names;
use super::table::{Mark, Table};
use serde::{Deserialize, Serialize};
use signorini::measure::{MeasureState, Observed, Value};
use signorini::simulation::Simulation;
use signorini_error::Result;
use std::path::Path;

/// Measures of a run, each with its table; the sensors are the last.
#[derive(Debug, Default)]
pub struct Measures(Vec<(MeasureState, Table)>);

/// State of a measure at some step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MeasureMark {
    gauge: MeasureState,
    table: Mark,
}

impl Measures {
    /// Creates the tables in a folder, for a simulation before its first step.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn create(folder: &Path, simulation: &Simulation) -> Result<Self> {
        let mut list = Vec::new();
        for measure in &simulation.scene().measures {
            let gauge = MeasureState::new(measure, simulation.scene(), simulation.state());
            let table = Table::create(folder.join(names::measure(measure.name())), &gauge.columns())?;
            list.push((gauge, table));
        }
        if !simulation.scene().sensors.is_empty() {
            let gauge = MeasureState::of_sensors();
            let table = Table::create(folder.join(names::SENSORS), &gauge.columns())?;
            list.push((gauge, table));
        }
        Ok(Self(list))
    }

    /// Opens the tables in a folder to go on behind marks.
    ///
    /// # Errors
    /// When a file cannot be opened, or its content differs from that at the mark.
    pub fn open(folder: &Path, simulation: &Simulation, marks: Vec<MeasureMark>) -> Result<Self> {
        let scene = simulation.scene();
        let files = scene.measures.iter().map(|measure| names::measure(measure.name()));
        let sensors = (!scene.sensors.is_empty()).then(|| names::SENSORS.to_owned());
        let open = |(file, mark): (String, MeasureMark)| {
            Ok((mark.gauge, Table::open(folder.join(file), &mark.table)?))
        };
        files.chain(sensors).zip(marks).map(open).collect::<Result<_>>().map(Self)
    }

    /// Observes the step that a simulation just took, and writes the rows of intervals that end with it.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn observe(&mut self, simulation: &Simulation) -> Result<()> {
        let (seen, step) = (observed(simulation), simulation.step_index());
        for (gauge, table) in &mut self.0 {
            write(table, &gauge.observe(&seen, step))?;
        }
        Ok(())
    }

    /// Writes the rows of intervals that were begun.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn finish(&mut self, simulation: &Simulation) -> Result<()> {
        let (seen, step) = (observed(simulation), simulation.step_index());
        for (gauge, table) in &mut self.0 {
            write(table, &gauge.finish(&seen, step))?;
        }
        Ok(())
    }

    /// Returns the marks of all measures.
    pub fn marks(&self) -> Vec<MeasureMark> {
        let mark = |(gauge, table): &(MeasureState, Table)| MeasureMark {
            gauge: gauge.clone(),
            table: table.mark(),
        };
        self.0.iter().map(mark).collect()
    }

    /// Removes rows behind the last row that is known.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn cut(&mut self) -> Result<()> {
        self.0.iter_mut().try_for_each(|(_, table)| table.cut())
    }

    /// Has the operating system write everything to the disk.
    ///
    /// # Errors
    /// When the system fails to do so.
    pub fn sync(&self) -> Result<()> {
        self.0.iter().try_for_each(|(_, table)| table.sync())
    }
}

fn write(table: &mut Table, rows: &[Vec<Value>]) -> Result<()> {
    rows.iter().try_for_each(|row| table.push(row))?;
    if rows.is_empty() { Ok(()) } else { table.flush() }
}

fn observed(simulation: &Simulation) -> Observed<'_> {
    Observed {
        scene: simulation.scene(),
        state: simulation.state(),
        ids: simulation.body_ids(),
        contacts: simulation.contacts(),
        joints: simulation.joints(),
        flow: simulation.flow(),
    }
}
