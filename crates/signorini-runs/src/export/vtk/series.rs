//! Polygonal data over time in one file: VTKHDF, type `PolyData` with a group `Steps`.
//!
//! Arrays of all frames stand one behind the other, and `Steps` has the offset of each frame. An array equal
//! to that of the frame before is not written again: the frame gets the same offset.

use super::poly_data::{Array, PolyData, Values};
use crate::output::hdf5::fault;
use hdf5_pure::{AttrValue, FileBuilder, GroupBuilder};
use std::io;
use std::path::Path;

/// Version of the format: the first with steps of polygonal data.
const VERSION: [i64; 2] = [2, 0];
/// Kinds of cells, in the order of `CellOffsets`.
const KINDS: [&str; 4] = ["Vertices", "Lines", "Polygons", "Strips"];
/// Level of the compression, as in the tables of a run.
const LEVEL: u32 = 1;
/// Number of rows that are compressed together.
const CHUNK: usize = 4096;

/// Frames of polygonal data over time.
#[derive(Debug, Default)]
pub struct Series {
    times: Vec<f64>,
    points: Column,
    point_data: Vec<Column>,
    cell_data: Vec<Column>,
    cells: Cells,
    names: Vec<String>,
}

/// Array over all frames.
#[derive(Debug, Default)]
struct Column {
    name: &'static str,
    components: usize,
    real: bool,
    bytes: Vec<u8>,
    /// Offset in `bytes` of the array of the last frame.
    last: usize,
    /// First row of each frame.
    offsets: Vec<i64>,
}

/// Cells of all frames: the points that they join.
#[derive(Debug, Default)]
struct Cells {
    /// Whether the cells are polygons; else each point is a cell.
    polygons: bool,
    /// Sizes of the parts, in the order of the file.
    parts: Vec<Part>,
    /// Part of each frame; None for a frame without cells.
    of_frame: Vec<Option<usize>>,
    /// Corners of the polygons of all parts.
    connectivity: Vec<u8>,
    /// Offsets of the polygons of each part: 0, then the end of each polygon.
    ends: Vec<u8>,
}

/// Cells that one or several frames have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Part {
    n_points: usize,
    n_cells: usize,
    n_corners: usize,
}

impl Series {
    /// Makes a series without frames; the names go into a dataset `names` beside VTK's group, by id.
    pub fn new(names: Vec<String>) -> Self {
        Self { names, ..Self::default() }
    }

    /// Adds a frame. All frames have the same arrays; arrays of names are left out.
    pub fn push(&mut self, time: f64, data: &PolyData) {
        let first = self.times.is_empty();
        self.times.push(time);
        if first {
            let columns = |arrays: &[Array]| arrays.iter().filter_map(Column::of).collect();
            self.point_data = columns(&data.point_data);
            self.cell_data = columns(&data.cell_data);
            self.points = Column { name: "Points", components: 3, real: true, ..Column::default() };
            self.cells.polygons = data.polygons.is_some();
        }
        self.points.push(&Array::real("Points", data.points.iter().copied()));
        for (columns, arrays) in
            [(&mut self.point_data, &data.point_data), (&mut self.cell_data, &data.cell_data)]
        {
            let numbers = arrays.iter().filter(|array| !matches!(array.values, Values::Text(_)));
            columns.iter_mut().zip(numbers).for_each(|(column, array)| column.push(array));
        }
        self.cells.push(data);
    }

    /// Writes the file. With `timeless`, for bodies that never move, the file has no steps.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(mut self, path: &Path, timeless: bool) -> io::Result<()> {
        let mut file = FileBuilder::new();
        let mut root = file.create_group("VTKHDF");
        root.set_attr("Version", AttrValue::I64Array(VERSION.to_vec()));
        root.set_attr("Type", AttrValue::AsciiString("PolyData".into()));
        if !timeless {
            self.write_steps(&mut root);
        }
        self.cells.write(&mut root);
        self.points.write(&mut root);
        for (group, columns) in [("PointData", self.point_data), ("CellData", self.cell_data)] {
            let mut group = root.create_group(group);
            columns.into_iter().for_each(|mut column| column.write(&mut group));
            root.add_group(group.finish());
        }
        file.add_group(root.finish());
        if !self.names.is_empty() {
            let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
            file.create_dataset("names").with_vlen_strings(&names);
        }
        file.write(path).map_err(fault)
    }

    /// Writes the offsets of each frame in each array.
    fn write_steps(&self, root: &mut GroupBuilder) {
        let n = self.times.len();
        let mut steps = root.create_group("Steps");
        steps.set_attr("NSteps", AttrValue::I64(n as i64));
        steps.create_dataset("Values").with_f64_data(&self.times).with_shape(&[n as u64]);
        let parts: Vec<i64> = self.cells.part_of_frames().map(|part| part as i64).collect();
        write_whole(&mut steps, "PartOffsets", &parts, 1);
        write_whole(&mut steps, "NumberOfParts", &vec![1; n], 1);
        write_whole(&mut steps, "PointOffsets", &self.points.offsets, 1);
        let starts = self.cells.starts();
        let of_kind = |start: fn(&(i64, i64)) -> i64| -> Vec<i64> {
            let row = |start: i64| if self.cells.polygons { [0, 0, start, 0] } else { [0; 4] };
            parts.iter().flat_map(|part| row(starts.get(*part as usize).map_or(0, start))).collect()
        };
        write_whole(&mut steps, "CellOffsets", &of_kind(|(cells, _)| *cells), 4);
        write_whole(&mut steps, "ConnectivityIdOffsets", &of_kind(|(_, corners)| *corners), 4);
        for (group, columns) in [("PointDataOffsets", &self.point_data), ("CellDataOffsets", &self.cell_data)]
        {
            let mut group = steps.create_group(group);
            columns.iter().for_each(|column| write_whole(&mut group, column.name, &column.offsets, 1));
            steps.add_group(group.finish());
        }
        root.add_group(steps.finish());
    }
}

impl Column {
    /// Makes the column of an array of numbers; None for names.
    fn of(array: &Array) -> Option<Self> {
        let real = match array.values {
            Values::Real(_) => true,
            Values::Whole(_) => false,
            Values::Text(_) => return None,
        };
        Some(Self { name: array.name, components: array.components, real, ..Self::default() })
    }

    /// Adds the array of a frame.
    fn push(&mut self, array: &Array) {
        let bytes = array.bytes();
        if self.offsets.is_empty() || self.bytes[self.last..] != bytes {
            self.last = self.bytes.len();
            self.bytes.extend(bytes);
        }
        self.offsets.push((self.last / (8 * self.components)) as i64);
    }

    /// Writes all frames and drops them.
    fn write(&mut self, group: &mut GroupBuilder) {
        let bytes = std::mem::take(&mut self.bytes);
        write_bytes(group, self.name, bytes, self.components, self.real);
    }
}

impl Cells {
    fn push(&mut self, data: &PolyData) {
        let (_, _, [corners, ends]) = data.cells();
        let [corners, ends] = [corners.bytes(), ends.bytes()];
        let part =
            Part { n_points: data.points.len(), n_cells: ends.len() / 8, n_corners: corners.len() / 8 };
        if !self.polygons {
            self.parts.push(part);
            self.of_frame.push(Some(self.parts.len() - 1));
            return;
        }
        let is_last = |last: &Part| {
            *last == part && self.connectivity.ends_with(&corners) && self.ends.ends_with(&ends)
        };
        if part.n_cells > 0 && !self.parts.last().is_some_and(is_last) {
            self.parts.push(part);
            self.connectivity.extend(corners);
            self.ends.extend(0_i64.to_le_bytes());
            self.ends.extend(ends);
        }
        self.of_frame.push((part.n_cells > 0).then(|| self.parts.len() - 1));
    }

    /// Part of each frame. A frame without cells has the part behind all others: readers count the cells of
    /// the parts before it to find its own.
    fn part_of_frames(&self) -> impl Iterator<Item = usize> {
        self.of_frame.iter().map(|part| part.unwrap_or(self.parts.len()))
    }

    /// Number of cells and corners before each part.
    fn starts(&self) -> Vec<(i64, i64)> {
        let before = |sum: &mut (i64, i64), part: &Part| {
            let start = *sum;
            *sum = (start.0 + part.n_cells as i64, start.1 + part.n_corners as i64);
            Some(start)
        };
        self.parts.iter().scan((0, 0), before).collect()
    }

    fn write(&mut self, root: &mut GroupBuilder) {
        if self.of_frame.contains(&None) {
            self.parts.push(Part { n_points: 0, n_cells: 0, n_corners: 0 });
        }
        let of_parts = |size: fn(&Part) -> usize| self.parts.iter().map(|part| size(part) as i64).collect();
        let n_points: Vec<i64> = of_parts(|part| part.n_points);
        write_whole(root, "NumberOfPoints", &n_points, 1);
        if !self.polygons {
            // All frames count their points from 0: they use the cells of the largest one.
            let most = n_points.iter().max().copied().unwrap_or(0);
            self.connectivity = (0..most).flat_map(i64::to_le_bytes).collect();
            self.ends = (0..=most).flat_map(i64::to_le_bytes).collect();
        } else if self.ends.is_empty() {
            self.ends.extend(0_i64.to_le_bytes());
        }
        let own = KINDS[if self.polygons { 2 } else { 0 }];
        for kind in KINDS {
            let mut group = root.create_group(kind);
            let (mut n_cells, mut n_corners) =
                (of_parts(|part| part.n_cells), of_parts(|part| part.n_corners));
            let (mut corners, mut ends) = (Vec::new(), 0_i64.to_le_bytes().to_vec());
            if kind == own {
                corners = std::mem::take(&mut self.connectivity);
                ends = std::mem::take(&mut self.ends);
            } else {
                n_cells.fill(0);
                n_corners.fill(0);
            }
            write_whole(&mut group, "NumberOfCells", &n_cells, 1);
            write_whole(&mut group, "NumberOfConnectivityIds", &n_corners, 1);
            write_bytes(&mut group, "Connectivity", corners, 1, false);
            write_bytes(&mut group, "Offsets", ends, 1, false);
            root.add_group(group.finish());
        }
    }
}

fn write_whole(group: &mut GroupBuilder, name: &str, values: &[i64], width: usize) {
    let bytes = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    write_bytes(group, name, bytes, width, false);
}

/// Writes a dataset of rows of 64-bit numbers.
fn write_bytes(group: &mut GroupBuilder, name: &str, bytes: Vec<u8>, width: usize, real: bool) {
    let n_rows = bytes.len() / (8 * width);
    let datatype = if real { hdf5_pure::make_f64_type() } else { hdf5_pure::make_i64_type() };
    let columns = (width > 1).then_some(width as u64);
    let shape: Vec<u64> = std::iter::once(n_rows as u64).chain(columns).collect();
    let chunk: Vec<u64> = std::iter::once(n_rows.min(CHUNK) as u64).chain(columns).collect();
    let dataset = group.create_dataset(name);
    dataset.with_raw_data(datatype, bytes, (n_rows * width) as u64).with_shape(&shape);
    if n_rows > 0 {
        dataset.with_chunks(&chunk).with_shuffle().with_deflate(LEVEL);
    }
}
