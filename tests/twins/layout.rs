//! Structs of the shaders as the shader compiler lays them out, against those of Rust.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use signorini::backend::Precision;
use signorini::backend::gpu::program::TEXTS;
use signorini::backend::gpu::source;
use signorini::kernels::types::{
    BodyState, BoxAxis, BoxPair, ContactGain, ContactLawState, PairGeometry, PairRows, PairState,
};
use std::collections::BTreeSet;
use std::path::Path;

fn parse(name: &str, precision: Precision) -> naga::Module {
    let text = source(name, precision).text;
    let module = naga::front::wgsl::parse_str(&text)
        .unwrap_or_else(|e| panic!("{name}, {}: {}", precision.as_str(), e.emit_to_string(&text)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::FLOAT64);
    validator.validate(&module).unwrap_or_else(|e| panic!("{name}: {}", e.emit_to_string(&text)));
    module
}

fn kernels() -> impl Iterator<Item = &'static str> {
    TEXTS.iter().filter(|t| !t.0.contains('/')).map(|t| t.0.strip_suffix(".wgsl").expect("a shader"))
}

#[test]
fn structs_are_laid_out_alike() {
    let ours = [
        ("BodyState", BodyState::<f64>::FIELDS, BodyState::<f64>::LEN),
        ("PairState", PairState::<f64>::FIELDS, PairState::<f64>::LEN),
        ("PairGeometry", PairGeometry::<f64>::FIELDS, PairGeometry::<f64>::LEN),
        ("PairRows", PairRows::<f64>::FIELDS, PairRows::<f64>::LEN),
        ("ContactLawState", ContactLawState::<f64>::FIELDS, ContactLawState::<f64>::LEN),
        ("ContactGain", ContactGain::<f64>::FIELDS, ContactGain::<f64>::LEN),
        ("BoxPair", BoxPair::<f64>::FIELDS, BoxPair::<f64>::LEN),
        ("BoxAxis", BoxAxis::<f64>::FIELDS, BoxAxis::<f64>::LEN),
    ];
    for precision in [Precision::F32, Precision::F64] {
        let module = parse("contact_rows", precision);
        for (name, fields, length) in ours {
            let found = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name));
            let naga::TypeInner::Struct { members, span } = &found.expect(name).1.inner else {
                panic!("{name} is no struct");
            };
            assert_eq!(*span as usize, length * precision.bytes(), "{name}");
            assert_eq!(members.len(), fields.len(), "{name}");
            let mut offset = 0;
            for (member, (field, length)) in members.iter().zip(fields) {
                assert_eq!(member.name.as_deref(), Some(*field), "{name}");
                assert_eq!(member.offset as usize, offset, "{name}.{field}");
                offset += length * precision.bytes();
            }
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

/// Rule 1: the two folders hold the same kernels. Some Rust kernels have no shader yet; the yardsticks have no twin.
#[test]
fn every_shader_has_its_twin() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let stems = |folder: &str, ending: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(root.join(folder)).expect("a folder");
        let names = files.map(|f| f.expect("a file").file_name().into_string().expect("a name"));
        names.filter_map(|n| n.strip_suffix(ending).map(str::to_owned)).collect()
    };
    let alone = ["arithmetic", "copy", "grid", "linear", "six"];
    for folder in ["shaders", "shaders/shared"] {
        for stem in stems(folder, ".wgsl") {
            let twin = stems("src/kernels", ".rs").contains(&stem);
            assert!(twin != alone.contains(&stem.as_str()), "{folder}/{stem}.wgsl and src/kernels/{stem}.rs");
            let path = format!("{folder}/{stem}.wgsl");
            let path = path.strip_prefix("shaders/").expect("a shader");
            assert!(TEXTS.iter().any(|t| t.0 == path), "{path} is not compiled in");
        }
    }
}

/// An array that a variable indexes is 13 to 35 times slower in private memory than numbers with names.
#[test]
fn no_private_array_is_indexed_by_a_variable() {
    for name in kernels() {
        let module = parse(name, Precision::F32);
        let is_array =
            |ty: naga::Handle<naga::Type>| matches!(module.types[ty].inner, naga::TypeInner::Array { .. });
        let functions =
            module.functions.iter().map(|f| f.1).chain(module.entry_points.iter().map(|e| &e.function));
        for function in functions {
            let arrays = function.local_variables.iter().filter(|(_, v)| is_array(v.ty)).count();
            assert_eq!(arrays, 0, "{name}, function {:?}", function.name);
        }
    }
}
