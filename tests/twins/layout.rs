//! Structs of the shaders as the shader compiler lays them out, against those of Rust.

use crate::harness::device;
use naga::valid::{Capabilities, ValidationFlags, Validator};
use signorini_backend::gpu::self_test::self_test_of;
use signorini_backend::gpu::{Source, source};
use signorini_backend::{Fault, Precision};
use signorini_kernels::types::{FlatBody, FlatFrame, FlatRow, FlatState};
use signorini_kernels::wgsl::TEXTS;
use std::collections::BTreeSet;
use std::path::Path;

fn parse(name: &str, precision: Precision) -> naga::Module {
    parse_text(&source(name, precision).text)
        .unwrap_or_else(|e| panic!("{name}, {}: {e}", precision.as_str()))
}

fn parse_text(text: &str) -> Result<naga::Module, String> {
    let module = naga::front::wgsl::parse_str(text).map_err(|e| e.emit_to_string(text))?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::FLOAT64);
    validator.validate(&module).map_err(|e| e.emit_to_string(text))?;
    Ok(module)
}

fn kernels() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().filter(|t| !t.0.contains('/')).map(|t| t.0.strip_suffix(".wgsl").expect("a shader"))
}

/// Compares the compiler's layout of the structs with ours.
fn judge_layout(module: &naga::Module, precision: Precision) -> Result<(), String> {
    let bytes = precision.bytes();
    let ours = [
        ("FlatFrame", FlatFrame::<f64>::FIELDS, FlatFrame::<f64>::LEN, bytes),
        ("FlatBody", FlatBody::<f64>::FIELDS, FlatBody::<f64>::LEN, bytes),
        ("FlatRow", FlatRow::<f32>::FIELDS, FlatRow::<f32>::LEN, size_of::<f32>()),
        ("FlatState", FlatState::<f32>::FIELDS, FlatState::<f32>::LEN, size_of::<f32>()),
    ];
    for (name, fields, length, bytes) in ours {
        let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
        let Some(naga::TypeInner::Struct { members, span }) = found.map(|(_, t)| &t.inner) else {
            return Err(format!("{name} is no struct"));
        };
        let expected = fields.iter().scan(0, |offset, (field, length)| {
            let at = *offset;
            *offset += length * bytes;
            Some((Some(*field), at))
        });
        let found = members.iter().map(|m| (m.name.as_deref(), m.offset as usize));
        if !found.eq(expected) || *span as usize != length * bytes {
            return Err(format!("{name}: {members:?}, {span} bytes"));
        }
    }
    Ok(())
}

#[test]
fn structs_are_laid_out_alike() {
    for precision in [Precision::F32, Precision::F64] {
        judge_layout(&parse("flat_turn", precision), precision).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// Fields that trade places or names, grow, vanish, or need gaps between them.
#[test]
fn damaged_layouts_are_noticed() {
    for precision in [Precision::F32, Precision::F64] {
        let whole = source("flat_turn", precision).text;
        for (what, from, to) in [
            (
                "swapped",
                "moments: array<real, 3>,\n    semi_axes: array<real, 3>,",
                "semi_axes: array<real, 3>,\n    moments: array<real, 3>,",
            ),
            ("renamed", "inverse_mass: array<real, 1>", "mass: array<real, 1>"),
            ("longer", "rotation: array<real, 9>", "rotation: array<real, 12>"),
            ("shorter at the end", "free: array<real, 6>", "free: array<real, 5>"),
            ("gone", "    acting: array<real, 1>,\n", ""),
            ("padded", "moments: array<real, 3>", "moments: vec3<real>"),
            (
                "swapped in a row",
                "normal: vec3<f32>,\n    friction: f32,",
                "friction: f32,\n    normal: vec3<f32>,",
            ),
            ("another scalar", "free: array<real, 6>", "free: array<vec2<real>, 6>"),
        ] {
            let text = whole.replacen(from, to, 1);
            assert!(text != whole, "no place to damage for {what:?}");
            // Where the damage is one to the compiler too, it is noticed there.
            let noticed = parse_text(&text).is_err_and(|e| !e.is_empty())
                || parse_text(&text).is_ok_and(|module| judge_layout(&module, precision).is_err());
            assert!(noticed, "{}: {what:?} is not noticed", precision.as_str());
        }
    }
}

#[test]
fn every_shader_compiles_in_both_precisions() {
    for name in kernels() {
        for precision in [Precision::F32, Precision::F64] {
            let module = parse(name, precision);
            assert!(
                module.entry_points.iter().any(|e| e.name == name),
                "{name} has no entry point of its name"
            );
        }
    }
}

/// Rule 1: the two folders hold the same kernels. Some Rust kernels have no shader yet; the yardsticks have
/// no twin.
#[test]
fn every_shader_has_its_twin() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stems = |folder: &str, ending: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(root.join(folder)).expect("a folder");
        let names = files.map(|f| f.expect("a file").file_name().into_string().expect("a name"));
        names.filter_map(|n| n.strip_suffix(ending).map(str::to_owned)).collect()
    };
    let alone = ["arithmetic", "copy", "grid", "linear"];
    for folder in ["shaders", "shaders/shared"] {
        for stem in stems(folder, ".wgsl") {
            let twin = stems("shaders", ".rs").contains(&stem);
            assert!(twin != alone.contains(&stem.as_str()), "{folder}/{stem}.wgsl and shaders/{stem}.rs");
            let path = format!("{folder}/{stem}.wgsl");
            let path = path.strip_prefix("shaders/").expect("a shader");
            assert!(TEXTS.iter().any(|t| t.0 == path), "{path} is not compiled in");
        }
    }
}

/// Arrays in private memory.
fn private_arrays(module: &naga::Module) -> usize {
    let is_array =
        |ty: naga::Handle<naga::Type>| matches!(module.types[ty].inner, naga::TypeInner::Array { .. });
    let functions = module.functions.iter().map(|f| f.1);
    let functions = functions.chain(module.entry_points.iter().map(|e| &e.function));
    let local = functions.flat_map(|f| f.local_variables.iter()).filter(|(_, v)| is_array(v.ty)).count();
    let private = |v: &naga::GlobalVariable| v.space == naga::AddressSpace::Private && is_array(v.ty);
    local + module.global_variables.iter().filter(|(_, v)| private(v)).count()
}

/// An array that a variable indexes is 13 to 35 times slower in private memory than numbers with names.
#[test]
fn no_private_array_is_indexed_by_a_variable() {
    for name in kernels() {
        assert_eq!(private_arrays(&parse(name, Precision::F32)), 0, "{name}");
    }
    for damage in ["fn x() { var a: array<real, 3>; a[0] = ZERO; }", "var<private> a: array<real, 3>;"] {
        let text = format!("{}\n{damage}", source("flat_turn", Precision::F32).text);
        assert_eq!(private_arrays(&parse_text(&text).expect("a kernel")), 1, "{damage}");
    }
}

/// A device that adds, divides or takes roots wrongly is not trusted.
#[test]
fn wrong_arithmetic_is_noticed() {
    let Some(device) = device() else { return };
    for precision in [Precision::F32, Precision::F64].into_iter().filter(|p| device.supports(*p)) {
        let whole = source("arithmetic", precision);
        self_test_of(&device, precision, &whole).unwrap_or_else(|e| panic!("{e}"));
        for (from, to) in [
            ("a.x + b.x;", "a.x - b.x;"),
            ("a.x - b.x;", "b.x - a.x;"),
            ("a.x * b.x;", "a.x * b.y;"),
            // A hundred thousandth off.
            ("a.x / b.x;", "a.x / b.x * real(1.00001);"),
            ("sqrt(abs(a.x))", "abs(a.x)"),
            ("dot(a, b);", "dot(a, a);"),
            ("norm3(c);", "dot(c, c);"),
            ("min(a.y, b.y)", "max(a.y, b.y)"),
            ("select(a.y, b.y, a.z < b.z)", "a.y"),
            ("(m * transpose(m))", "(m * m)"),
            ("output[o + 11u] = product.z;", ""),
            ("if i >= grid.n {", "if i + 1u >= grid.n {"),
        ] {
            let text = whole.text.replacen(from, to, 1);
            assert!(text != whole.text, "no place to damage for {from:?}");
            let found = self_test_of(&device, precision, &Source { text, ..whole.clone() });
            assert!(matches!(found, Err(Fault::SelfTest(_))), "{}: {from:?}: {found:?}", precision.as_str());
        }
    }
}
