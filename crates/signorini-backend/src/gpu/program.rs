//! Text of the kernels: includes, the scalar, and constants that are typed once, in Rust.

use crate::Precision;
use signorini_kernels::constants::{CONSTANTS, COUNTS, NARROW};
use signorini_kernels::flat_contact;
use signorini_kernels::flat_parameters::MISMATCH;
use signorini_kernels::smooth_pair::Search;
use signorini_kernels::types::PairKey;
use signorini_kernels::wgsl::TEXTS;

/// Text of a kernel, ready for the compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// File stem, also the entry point.
    pub name: String,
    /// Text in WGSL.
    pub text: String,
}

/// The line that includes another file.
const INCLUDE: &str = "//include ";

/// Returns the text of the kernel `name` in a precision: the alias of the scalar first, then the constants,
/// then the file with its includes.
///
/// # Panics
/// When no such file exists.
pub fn source(name: &str, precision: Precision) -> Source {
    let mut text = format!("alias real = {};\n", precision.as_str());
    let search = match precision {
        Precision::F32 => Search::<f32>::coarse().parameters().map(|(name, value)| (name, f64::from(value))),
        Precision::F64 => Search::to(MISMATCH).parameters(),
    };
    for (constant, value) in CONSTANTS.iter().chain(&search) {
        text += &format!("const {constant}: real = {};\n", literal(*value, precision));
    }
    for (constant, value) in NARROW {
        text += &format!("const {constant}: f32 = {};\n", literal(*value, Precision::F32));
    }
    let names = [PairKey::FLAGS, COUNTS, flat_contact::NAMES];
    for (flag, bit) in names.into_iter().flatten() {
        text += &format!("const {flag}: u32 = {bit}u;\n");
    }
    append(&format!("{name}.wgsl"), &mut Vec::new(), &mut text);
    Source { name: name.to_owned(), text }
}

/// Returns a number as WGSL of the given type.
fn literal(value: f64, precision: Precision) -> String {
    match precision {
        Precision::F32 => format!("{:e}f", value as f32),
        Precision::F64 => format!("{value:e}lf"),
    }
}

/// Appends a file with its includes; a file that is included twice is taken once.
fn append(path: &str, seen: &mut Vec<String>, out: &mut String) {
    if seen.iter().any(|s| s == path) {
        return;
    }
    seen.push(path.to_owned());
    let found = TEXTS.iter().find(|t| t.0 == path);
    let text = found.unwrap_or_else(|| panic!("shaders/{path} is not compiled in")).1;
    for line in text.lines() {
        match line.strip_prefix(INCLUDE) {
            Some(other) => append(other, seen, out),
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
}
