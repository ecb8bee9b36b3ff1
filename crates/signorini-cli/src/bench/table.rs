//! The measurements as lines of text, a column for each processor.

use serde_json::Value;

/// The text of a label or a number of a row.
type Cell = fn(&Value) -> String;

/// Processors in the order of the columns.
const COLUMNS: [&str; 2] = ["cpu", "device"];

/// Lines of a table of what [`super::measure::measure`] found.
pub fn lines(found: &Value) -> Vec<String> {
    let has_device = !found["adapter"].is_null();
    let columns = if has_device { &COLUMNS[..] } else { &COLUMNS[..1] };
    let line = |label: &str, cells: Vec<String>| {
        cells.iter().fold(format!("{label:<36}"), |line, cell| line + &format!(" {cell:>12}"))
    };
    let name = found["adapter"]["name"].as_str().map_or_else(String::new, |name| format!(", {name}"));
    let threads = &found["threads_count"];
    let mut lines = vec![line(
        &format!("{threads} threads{name}"),
        columns.iter().map(|column| (*column).to_owned()).collect(),
    )];
    let sections: [(&str, Cell, Cell); 3] = [
        ("copy", |_| "copies (GB/s)".to_owned(), |row| number(&row["gigabytes_per_second"], 1.0)),
        (
            "flat",
            |row| format!("passes over {} contacts (1/s)", row["lattice"]),
            |row| number(&row["passes_per_second"], 1.0),
        ),
        ("steps", |row| format!("step of {} {} (ms)", row["bodies_count"], word(&row["shape"])), step),
    ];
    for (section, label, cell) in sections {
        let rows = found[section].as_array().map_or(&[][..], Vec::as_slice);
        let mut labels: Vec<String> = rows.iter().map(label).collect();
        labels.dedup();
        for text in labels {
            let of = |column: &&str| {
                let row = rows.iter().find(|row| row["backend"] == **column && label(row) == text);
                row.map_or_else(String::new, cell)
            };
            lines.push(line(&text, columns.iter().map(of).collect()));
        }
    }
    lines
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// A number in some unit, or a dash for what was left out.
fn number(value: &Value, unit: f64) -> String {
    value.as_f64().map_or_else(|| "–".to_owned(), |x| format!("{:.1}", x / unit))
}

/// The time of the quickest step that was solved.
fn step(row: &Value) -> String {
    let Some(steps) = row["steps"].as_array() else { return "–".to_owned() };
    let solved = steps.iter().filter(|step| word(&step["status"]).starts_with("Solved"));
    let quickest = solved.filter_map(|step| step["whole_seconds"].as_f64()).min_by(f64::total_cmp);
    quickest.map_or_else(|| "unsolved".to_owned(), |seconds| format!("{:.1}", 1e3 * seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_processors_stand_side_by_side_whichever_came_first() {
        let step = |seconds: f64, status: &str| json!({ "whole_seconds": seconds, "status": status });
        let bed = |backend: &str, steps: Value| json!({ "backend": backend, "shape": "boxes", "bodies_count": 1000, "steps": steps });
        let found = json!({
            "threads_count": 16,
            "adapter": { "name": "A chip" },
            "copy": [
                { "backend": "device", "gigabytes_per_second": 3000.0 },
                { "backend": "cpu", "gigabytes_per_second": 12.34 },
            ],
            "flat": [
                { "backend": "device", "lattice": 3000, "passes_per_second": 7.0 },
                { "backend": "cpu", "lattice": 3000, "skipped": "no time" },
            ],
            "steps": [
                bed("device", json!([step(0.25, "Solved"), step(0.125, "Solved"), step(0.01, "MaxIterations")])),
                bed("cpu", json!([step(0.5, "MaxIterations")])),
            ],
        });
        let expected = [
            "16 threads, A chip                            cpu       device",
            "copies (GB/s)                                12.3       3000.0",
            "passes over 3000 contacts (1/s)                 –          7.0",
            "step of 1000 boxes (ms)                  unsolved        125.0",
        ];
        assert_eq!(lines(&found), expected);
    }
}
