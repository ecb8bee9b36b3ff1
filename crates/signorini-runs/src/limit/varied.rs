//! Scene whose fields follow one number x.

use crate::compare::closed_form::formula;
use crate::sweep::{FieldPath, without_place};
use exmex::{Express, FlatEx};
use signorini_error::{Error, Result, read_regular_text};
use signorini_scene::robots;
use signorini_scene::scene::start::STANDARD_GRAVITY;
use signorini_scene::scene::{self, LONGEST_FILE, LoadOptions, Renamed, Scene, current_path};
use std::path::{Path, PathBuf};
use toml::Value;

const ALLOWED: &str = "must be a formula in x, such as \"-9.81*cos(x)\"";

/// Field of a scene file, and the formula in x that it follows.
#[derive(Debug, Clone)]
pub struct Variation {
    path: FieldPath,
    /// Formula; None where the field is x itself.
    formula: Option<FlatEx<f64>>,
    text: String,
}

impl Variation {
    /// Reads `PATH`, whose field is x, or `PATH=FORMULA` in x.
    ///
    /// # Errors
    /// When the path is none, or the formula; the message says why.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let (path, formula) = match split(text) {
            Some((path, text)) => (path.trim(), Some(formula("x", text.trim(), ALLOWED)?)),
            None => (text.trim(), None),
        };
        let current = current_path(path);
        let path = FieldPath::parse(current.as_deref().unwrap_or(path))
            .map_err(|e| format!("{e}; must be a path such as friction[0].coefficient"))?;
        Ok(Self { path, formula, text: text.to_owned() })
    }

    /// The words with which it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Value of the field at x; NaN where the formula has none.
    fn value(&self, x: f64) -> f64 {
        let Some(formula) = &self.formula else { return x };
        let values = [x];
        formula.eval(&values[..formula.var_names().len()]).unwrap_or(f64::NAN)
    }
}

/// Splits at the first `=` outside of quotes.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut is_quoted = false;
    let at = text.find(|c: char| {
        is_quoted ^= c == '"';
        c == '=' && !is_quoted
    })?;
    Some((&text[..at], &text[at + 1..]))
}

/// Scene file of which some fields follow x.
#[derive(Debug, Clone)]
pub struct VariedScene {
    document: Value,
    file: PathBuf,
    variations: Vec<Variation>,
    options: LoadOptions,
}

impl VariedScene {
    /// Makes it of the text of a scene file.
    ///
    /// # Errors
    /// When the text is not TOML, or nothing varies.
    pub fn new(text: &str, file: &Path, variations: Vec<Variation>, options: LoadOptions) -> Result<Self> {
        if variations.is_empty() {
            let allowed = "must name one field at least".to_owned();
            return Err(Error::Usage { what: "limit: vary".to_owned(), allowed });
        }
        let text = Renamed::of(text).map_or_else(|| text.to_owned(), |renamed| renamed.text);
        let parsed = toml::from_str::<toml::Table>(&text);
        let told = |e: toml::de::Error| Error::Parse {
            file: file.to_owned(),
            message: e.to_string().trim_end().to_owned(),
        };
        let mut document = Value::Table(parsed.map_err(told)?);
        fill_gravity(&mut document);
        Ok(Self { document, file: file.to_owned(), variations, options })
    }

    /// Makes it of a scene file, or of the scene of a model in MJCF or URDF, with remarks about it.
    ///
    /// # Errors
    /// When the file cannot be read, or as of a text.
    pub fn of_file(
        file: &Path,
        variations: Vec<Variation>,
        options: LoadOptions,
    ) -> Result<(Self, Vec<String>)> {
        let extension = file.extension().map(|e| e.to_string_lossy().to_lowercase());
        let (text, notes) = if matches!(extension.as_deref(), Some("xml" | "urdf")) {
            let loaded = robots::load(file, &options)?;
            (scene::to_toml(&loaded.scene), loaded.notes)
        } else {
            (read_regular_text(file, LONGEST_FILE)?, Vec::new())
        };
        Ok((Self::new(&text, file, variations, options)?, notes))
    }

    /// The variations in words.
    pub fn what(&self) -> String {
        let words: Vec<&str> = self.variations.iter().map(Variation::as_str).collect();
        words.join(", ")
    }

    /// The scene at a value of x.
    ///
    /// # Errors
    /// When the file lacks a field, a formula has no value, or the scene is not allowed.
    pub fn at(&self, x: f64) -> Result<Scene> {
        let mut document = self.document.clone();
        for variation in &self.variations {
            let value = variation.value(x);
            let told = |allowed: String| Error::Field {
                file: self.file.clone(),
                at: None,
                field: variation.path.as_str().to_owned(),
                value: format!("{value:?}"),
                allowed,
            };
            if !value.is_finite() {
                return Err(told(format!("has no finite value at x = {x:?}")));
            }
            variation.path.set(&mut document, &Value::Float(value)).map_err(told)?;
        }
        let unwritten =
            |e: toml::ser::Error| Error::Parse { file: self.file.clone(), message: e.to_string() };
        let text = toml::to_string(&document).map_err(unwritten)?;
        let loaded = scene::parse(&text, &self.file, &self.options);
        loaded.map(|loaded| loaded.scene).map_err(without_place)
    }
}

/// Writes the default of gravity out: its components can vary where a file has none.
fn fill_gravity(document: &mut Value) {
    let Some(simulation) = document.get_mut("simulation").and_then(Value::as_table_mut) else { return };
    let gravity = [0.0, 0.0, -STANDARD_GRAVITY].map(Value::Float);
    simulation.entry("gravity").or_insert_with(|| Value::Array(gravity.into()));
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCENE: &str = "format = 1\n[simulation]\ntime_step = 0.1\nduration = 1\n\
        [[body]]\nname = \"a=b\"\nshape = { type = \"sphere\", radius = 1 }\nmass = 1\n";

    fn scene_at(variations: &[&str], x: f64) -> std::result::Result<Scene, String> {
        let parsed: std::result::Result<Vec<_>, _> =
            variations.iter().map(|text| Variation::parse(text)).collect();
        let varied = VariedScene::new(SCENE, Path::new("s.toml"), parsed?, LoadOptions::default());
        varied.and_then(|varied| varied.at(x)).map_err(|e| e.to_string())
    }

    #[test]
    fn fields_follow_x() {
        let scene = scene_at(&["simulation.gravity = [0]"], 1.0).unwrap_err();
        assert!(scene.contains("must be a formula in x"), "{scene}");
        let scene = scene_at(&["body.\"a=b\".mass = 2*x + 1"], 3.0).expect("a scene");
        assert_eq!(scene.bodies[0].mass, 7.0);
        let scene = scene_at(&["body[0].mass", "simulation.step=x/100"], 3.0).expect("a scene");
        assert_eq!((scene.bodies[0].mass, scene.time_step), (3.0, 0.03));
    }

    #[test]
    fn faults_name_the_field() {
        let fault = |variations: &[&str], x: f64| scene_at(variations, x).unwrap_err();
        assert!(fault(&[], 1.0).contains("must name one field"));
        assert!(fault(&["body[0].mass"], -1.0).contains("s.toml"), "{}", fault(&["body[0].mass"], -1.0));
        assert!(fault(&["body.c.mass"], 1.0).contains("none of the 1 entries of body is named \"c\""));
        assert!(fault(&["body[0].mass=1/x"], 0.0).contains("has no finite value at x = 0.0"));
        assert!(fault(&["body[0].mass=y"], 0.0).contains("knows no [\"y\"]"));
        assert!(fault(&["body[0.mass"], 0.0).contains("a [ is not closed"));
    }
}
