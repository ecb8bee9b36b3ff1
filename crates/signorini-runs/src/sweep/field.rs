//! Field of a scene file, named by its path: `simulation.time_step`, `body.ball.velocity[2]`,
//! `joint[0].anchor`.

use toml::Value;

/// Segment of a path.
#[derive(Debug, Clone, PartialEq)]
enum PathSegment {
    /// Field of a table, or the entry of that name in a list of tables.
    Name(String),
    /// Index in a list, from 0.
    Place(usize),
}

/// Path of a field.
#[derive(Debug, Clone, PartialEq)]
pub struct FieldPath {
    text: String,
    segments: Vec<PathSegment>,
}

impl FieldPath {
    /// Reads a path. Names with other characters than letters, digits, `-` and `_` stand in quotes.
    ///
    /// # Errors
    /// When the text is no path; the message says why.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut segments = Vec::new();
        let mut rest = text;
        while !rest.is_empty() || segments.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (place, behind) = inner.split_once(']').ok_or("a [ is not closed")?;
                let place = place.trim().parse().map_err(|_| format!("[{place}] is no place in a list"))?;
                segments.push(PathSegment::Place(place));
                rest = behind;
            } else {
                if !segments.is_empty() {
                    rest =
                        rest.strip_prefix('.').ok_or_else(|| format!("a dot is missing before {rest:?}"))?;
                }
                let (name, behind) = name_at_start(rest)?;
                segments.push(PathSegment::Name(name.to_owned()));
                rest = behind;
            }
        }
        Ok(Self { text: text.to_owned(), segments })
    }

    /// Path as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Puts a value at the path. Fields that are missing are added, entries of lists are not.
    ///
    /// # Errors
    /// When the path does not lead to a field of the document; the message says where it ends.
    pub fn set(&self, document: &mut Value, value: &Value) -> Result<(), String> {
        let mut at = document;
        for (i, segment) in self.segments.iter().enumerate() {
            let before = || if i == 0 { "the scene".to_owned() } else { written(&self.segments[..i]) };
            at = match (segment, at) {
                (PathSegment::Name(name), Value::Table(table)) => {
                    table.entry(name).or_insert_with(|| Value::Table(toml::Table::new()))
                }
                (PathSegment::Name(name), Value::Array(list)) => {
                    let named = |entry: &Value| entry.get("name").and_then(Value::as_str) == Some(name);
                    let n = list.len();
                    let found = list.iter_mut().find(|entry| named(entry));
                    found
                        .ok_or_else(|| format!("none of the {n} entries of {} is named {name:?}", before()))?
                }
                (PathSegment::Place(place), Value::Array(list)) => {
                    let n = list.len();
                    list.get_mut(*place).ok_or_else(|| format!("{} has {n} entries, from 0", before()))?
                }
                (PathSegment::Name(name), _) => return Err(format!("{} has no field {name:?}", before())),
                (PathSegment::Place(_), _) => return Err(format!("{} is no list", before())),
            };
        }
        *at = value.clone();
        Ok(())
    }
}

fn written(segments: &[PathSegment]) -> String {
    let mut text = String::new();
    for segment in segments {
        match segment {
            PathSegment::Name(name) if text.is_empty() => text += name,
            PathSegment::Name(name) => text += &format!(".{name}"),
            PathSegment::Place(place) => text += &format!("[{place}]"),
        }
    }
    text
}

/// Splits a text into the name at its start and the rest.
fn name_at_start(text: &str) -> Result<(&str, &str), String> {
    if let Some(inner) = text.strip_prefix('"') {
        return inner.split_once('"').ok_or_else(|| "a quote is not closed".to_owned());
    }
    let end = text.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(text.len());
    if end == 0 {
        return Err("a name is missing".to_owned());
    }
    Ok(text.split_at(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scene() -> Value {
        let text = "[simulation]\ntime_step = 0.1\n[[body]]\nname = \"ball\"\nvelocity = [1, 2, 3]\n[[body]]\nname = \"a.b\"\n";
        Value::Table(toml::from_str(text).unwrap())
    }

    fn set(path: &str) -> Result<String, String> {
        let mut scene = scene();
        FieldPath::parse(path)?.set(&mut scene, &Value::Integer(7))?;
        Ok(toml::to_string(&scene).unwrap())
    }

    #[test]
    fn paths_lead_to_fields() {
        assert!(set("simulation.time_step").unwrap().contains("time_step = 7"));
        assert!(set("simulation.duration").unwrap().contains("duration = 7"));
        assert!(set("body.ball.velocity[1]").unwrap().contains("[1, 7, 3]"));
        assert!(set("body[0].velocity[2]").unwrap().contains("[1, 2, 7]"));
        assert!(set("body.\"a.b\".mass").unwrap().contains("mass = 7"));
        assert!(set("solver.cone.steps").unwrap().contains("[solver.cone]"));
    }

    #[test]
    fn wrong_paths_say_where_they_end() {
        let fault = |path: &str| set(path).unwrap_err();
        assert_eq!(fault("body.bal.mass"), "none of the 2 entries of body is named \"bal\"");
        assert_eq!(fault("body[2].mass"), "body has 2 entries, from 0");
        assert_eq!(fault("simulation.time_step.unit"), "simulation.time_step has no field \"unit\"");
        assert_eq!(fault("simulation[0]"), "simulation is no list");
        assert_eq!(fault("body[x]"), "[x] is no place in a list");
        assert_eq!(fault("body[0"), "a [ is not closed");
        assert_eq!(fault("body..mass"), "a name is missing");
        assert_eq!(fault(""), "a name is missing");
        assert_eq!(fault("body[0]mass"), "a dot is missing before \"mass\"");
    }
}
