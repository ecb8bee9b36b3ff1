//! The document: included files in their places, compiler settings, default classes.

use super::super::model_files::ModelFiles;
use super::super::xml::Element;
use signorini_error::Result;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::PathBuf;

/// Deepest chain of files that include files.
const MAX_DEPTH: usize = 16;

/// Puts the contents of included files where they are included.
///
/// # Errors
/// When a file cannot be read, or includes itself.
pub fn with_includes(element: &mut Element, files: &mut ModelFiles, depth: usize) -> Result<()> {
    let mut children = Vec::new();
    for mut child in std::mem::take(&mut element.children) {
        if child.tag != "include" {
            with_includes(&mut child, files, depth)?;
            children.push(child);
            continue;
        }
        if depth >= MAX_DEPTH {
            return Err(child.refusal("files include each other more than 16 deep"));
        }
        let Some(file) = child.get("file") else { return Err(child.refusal("needs a file")) };
        let mut included = files.include(&child, file)?;
        with_includes(&mut included, files, depth + 1)?;
        children.append(&mut included.children);
    }
    element.children = children;
    Ok(())
}

/// Settings of `<compiler>`.
#[derive(Debug, Clone)]
pub struct Compiler {
    /// Angles are in degrees.
    pub degrees: bool,
    /// Axes of Euler angles; capital letters are axes that stay.
    pub euler: [char; 3],
    /// A range limits even where no attribute says so.
    pub autolimits: bool,
    /// Whether masses follow from geoms.
    pub from_geoms: FromGeoms,
    /// Groups of geoms that have mass.
    pub groups: [f64; 2],
    /// Least mass and moment of inertia of a body that moves.
    pub bounds: [f64; 2],
    /// Whether moments that no body can have are made equal.
    pub balance: bool,
    /// The mass of all bodies together, if positive.
    pub total: f64,
    /// Folder of meshes, relative to that of the model.
    pub meshes: PathBuf,
    /// Joints that have actuators, belong to a tendon, or follow another one or lead it.
    pub driven: HashSet<String>,
}

/// Whether masses follow from geoms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromGeoms {
    Never,
    Always,
    WithoutInertial,
}

impl Compiler {
    /// The range that an attribute gives, where it limits: as the attribute `limited` says, or by itself
    /// where limits are inferred and it has an extent.
    ///
    /// # Errors
    /// When the range is no two numbers.
    pub fn limits(&self, element: &Element, range: &str, limited: &str) -> Result<Option<[f64; 2]>> {
        let found = element.numbers::<2>(range)?;
        Ok(found.filter(|[low, high]| match element.get(limited) {
            Some("true") => true,
            Some("false") => false,
            // A range without extent is none, as where nothing is written.
            _ => self.autolimits && low < high,
        }))
    }

    /// Reads the settings of all `<compiler>` elements; later ones count.
    ///
    /// # Errors
    /// When a value is not allowed.
    pub fn of(root: &Element) -> Result<Self> {
        let mut c = Self {
            degrees: true,
            euler: ['x', 'y', 'z'],
            autolimits: true,
            from_geoms: FromGeoms::WithoutInertial,
            groups: [0.0, 5.0],
            bounds: [0.0; 2],
            balance: false,
            total: -1.0,
            meshes: PathBuf::new(),
            driven: HashSet::new(),
        };
        let actuators = root.all("actuator").flat_map(|section| &section.children);
        c.driven
            .extend(actuators.filter_map(|a| a.get("joint").or(a.get("jointinparent")).map(str::to_owned)));
        let tendons = root.all("tendon").flat_map(|section| section.all("fixed"));
        let strung = tendons.flat_map(|tendon| tendon.all("joint"));
        c.driven.extend(strung.filter_map(|joint| joint.get("joint")).map(str::to_owned));
        let equalities = root.all("equality").flat_map(|section| section.all("joint"));
        c.driven.extend(
            equalities
                .flat_map(|e| ["joint1", "joint2"].map(|name| e.get(name)))
                .flatten()
                .map(str::to_owned),
        );
        for element in root.all("compiler") {
            let flag = |name: &str, now: bool| match element.get(name) {
                None => Ok(now),
                Some("true") => Ok(true),
                Some("false") => Ok(false),
                Some(other) => Err(element.fault(name, other, "must be true or false")),
            };
            c.autolimits = flag("autolimits", c.autolimits)?;
            c.balance = flag("balanceinertia", c.balance)?;
            match element.get("angle") {
                None => {}
                Some("degree") => c.degrees = true,
                Some("radian") => c.degrees = false,
                Some(other) => return Err(element.fault("angle", other, "must be degree or radian")),
            }
            if let Some(text) = element.get("coordinate").filter(|text| *text != "local") {
                return Err(element.fault("coordinate", text, "must be local"));
            }
            if let Some(text) = element.get("eulerseq") {
                let letters: Vec<char> = text.chars().collect();
                let is_axis = |c: &char| "xyzXYZ".contains(*c);
                let told = |_| element.fault("eulerseq", text, "must be three of x, y, z, X, Y and Z");
                c.euler = letters.try_into().map_err(told)?;
                if !c.euler.iter().all(is_axis) {
                    return Err(told(Vec::new()));
                }
            }
            c.from_geoms = match element.get("inertiafromgeom") {
                None => c.from_geoms,
                Some("true") => FromGeoms::Always,
                Some("false") => FromGeoms::Never,
                Some("auto") => FromGeoms::WithoutInertial,
                Some(other) => {
                    return Err(element.fault("inertiafromgeom", other, "must be true, false or auto"));
                }
            };
            c.groups = element.numbers("inertiagrouprange")?.unwrap_or(c.groups);
            let [mass, inertia] = c.bounds;
            let bounds = [element.number("boundmass")?, element.number("boundinertia")?];
            c.bounds = [bounds[0].unwrap_or(mass), bounds[1].unwrap_or(inertia)];
            c.total = element.number("settotalmass")?.unwrap_or(c.total);
            let assets = element.get("assetdir");
            if let Some(meshes) = element.get("meshdir").or(assets) {
                c.meshes = PathBuf::from(meshes);
            }
        }
        Ok(c)
    }

    /// An angle of the file in radians.
    pub fn angle(&self, value: f64) -> f64 {
        if self.degrees { value.to_radians() } else { value }
    }
}

/// A default class: attributes by tag and name, and the class around it, which it inherits from.
#[derive(Debug, Default)]
struct Class {
    attributes: HashMap<String, HashMap<String, String>>,
    around: Option<usize>,
}

/// Default classes.
#[derive(Debug)]
pub struct Defaults {
    classes: Vec<Class>,
    /// Classes by name.
    named: HashMap<String, usize>,
    main: String,
}

impl Defaults {
    /// Reads all `<default>` elements of the document.
    pub fn of(root: &Element) -> Self {
        let main = "main".to_owned();
        let named = HashMap::from([(main.clone(), 0)]);
        let mut defaults = Self { classes: vec![Class::default()], named, main };
        for element in root.all("default") {
            let name = element.get("class").unwrap_or("main").to_owned();
            // A later one goes on with the main class.
            let around = defaults.named.remove(&defaults.main);
            defaults.main.clone_from(&name);
            defaults.read(element, &name, around);
        }
        defaults
    }

    fn read(&mut self, element: &Element, name: &str, around: Option<usize>) {
        let mut class = Class { around, ..Class::default() };
        for child in element.children.iter().filter(|child| child.tag != "default") {
            class.attributes.entry(child.tag.clone()).or_default().extend(child.attributes.iter().cloned());
        }
        let place = self.classes.len();
        self.classes.push(class);
        self.named.insert(name.to_owned(), place);
        for child in element.all("default") {
            if let Some(name) = child.get("class").map(str::to_owned) {
                self.read(child, &name, Some(place));
            }
        }
    }

    /// Attributes of a class for a tag, each with its name: those of the classes around it last.
    fn attributes_of(&self, class: usize, tag: &str) -> impl Iterator<Item = (&String, &String)> {
        let around = |class: &usize| self.classes[*class].around;
        let classes = std::iter::successors(Some(class), around).map(|class| &self.classes[class]);
        classes.filter_map(|class| class.attributes.get(tag)).flatten()
    }

    /// The element with the attributes that its class, that of a parent, or the main class adds.
    ///
    /// # Errors
    /// When there is no such class.
    pub fn complete(&self, element: &Element, childclass: Option<&str>) -> Result<Element> {
        self.complete_as(&[&element.tag], element, childclass)
    }

    /// The completed element ([`Self::complete`]) where several tags have defaults, in the order in which
    /// they count.
    ///
    /// # Errors
    /// When there is no such class.
    pub fn complete_as(&self, tags: &[&str], element: &Element, childclass: Option<&str>) -> Result<Element> {
        let name = element.get("class").or(childclass).unwrap_or(&self.main);
        let Some(class) = self.named.get(name) else {
            return Err(element.fault("class", name, "there is no such default class"));
        };
        let mut complete = element.clone();
        let own = |names: &[&str]| names.iter().any(|name| element.get(name).is_some());
        for tag in tags {
            let mut nearest = BTreeMap::new();
            for (key, value) in self.attributes_of(*class, tag) {
                nearest.entry(key).or_insert(value);
            }
            for (key, value) in nearest {
                // Of several attributes for one property, the element's own counts.
                let is_said = complete.get(key).is_some()
                    || (ORIENTATIONS.contains(&key.as_str()) && own(&ORIENTATIONS))
                    || (PLACES.contains(&key.as_str()) && own(&PLACES));
                if !is_said {
                    complete.attributes.push((key.clone(), value.clone()));
                }
            }
        }
        Ok(complete)
    }
}

/// Ways to give an orientation.
pub const ORIENTATIONS: [&str; 5] = ["quat", "axisangle", "xyaxes", "zaxis", "euler"];
/// Ways to give a place, of which one rules the other out.
const PLACES: [&str; 2] = ["pos", "fromto"];
