//! Files that mean harm: exit code 2, one clear message, soon, and nothing that the file chose on the
//! terminal.

use super::Bench;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Longest time for a file of a megabyte.
const SOON: Duration = Duration::from_secs(10);

fn scene_of(file: &str) -> String {
    format!(
        "format = 1\n[simulation]\ntime_step = 0.01\nduration = 0.01\n[[body]]\nname = \"part\"\ndensity = 1000\n\
         shape = {{ type = \"mesh\", file = \"{file}\" }}\n"
    )
}

/// Checks that a file is refused with these words, soon, and that no code reaches the terminal.
fn refuses(bench: &Bench, file: &str, words: &[&str]) {
    let start = Instant::now();
    let message = bench.expect(&["check", file], 2);
    assert!(start.elapsed() < SOON, "{file}: {:?}", start.elapsed());
    words.iter().for_each(|word| assert!(message.contains(word), "{word} is not in: {message}"));
    assert!(!message.contains("panicked") && !message.contains('\x1b'), "{message}");
}

#[test]
fn counts_reserve_no_memory_that_the_file_does_not_hold() {
    let bench = Bench::new(1, 1);
    let dae = |array: &str, faces: &str| {
        format!(
            r##"<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
            <library_geometries><geometry id="g"><mesh>
            <source id="p">{array}<technique_common><accessor source="#a" count="4" stride="3"><param type="float"/>
            <param type="float"/><param type="float"/></accessor></technique_common></source>
            <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>{faces}
            </mesh></geometry></library_geometries></COLLADA>"##
        )
    };
    let array =
        |count: &str| format!(r#"<float_array id="a" count="{count}">0 0 0 1 0 0 0 1 0 0 0 1</float_array>"#);
    let faces = |tag: &str, count: &str, offset: &str| {
        format!(
            r##"<{tag} count="{count}"><input semantic="VERTEX" source="#v" offset="{offset}"/>
            <p>0 2 1 0 1 3 1 2 3 0 3 2</p></{tag}>"##
        )
    };
    let good = faces("triangles", "4", "0");
    let names = r#"<Name_array id="a" count="12">x y z</Name_array>"#;
    let gltf = |nodes: &str| {
        format!(
            r#"{{"asset": {{"version": "2.0"}}, "scenes": [{{"nodes": [0]}}], "nodes": [{nodes}],
            "meshes": [{{"primitives": [{{"attributes": {{"POSITION": 0}}}}]}}],
            "accessors": [{{"componentType": 5126, "count": 2000000000, "type": "VEC3", "min": [0, 0, 0],
            "max": [1, 1, 1], "sparse": {{"count": 1, "indices": {{"bufferView": 0, "componentType": 5125}},
            "values": {{"bufferView": 1}}}}}}], "bufferViews": [{{"buffer": 0, "byteLength": 4}},
            {{"buffer": 0, "byteOffset": 4, "byteLength": 12}}], "buffers": [{{"byteLength": 16,
            "uri": "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAAAAAA=="}}]}}"#
        )
    };
    let many = (0..40).map(|k| format!(r#"{{"children": [{}, {}]}}, "#, k + 1, k + 1)).collect::<String>();
    let ply = |element: &str| format!("ply\nformat binary_little_endian 1.0\n{element}\nend_header\n1234");
    let cases = [
        ("a.dae", dae(&array("4000000000"), &good), "a count of 4000000000, where 12 are there"),
        ("b.dae", dae(&array("12"), &faces("triangles", "1000000000", "0")), "where 4 are there"),
        ("c.dae", dae(&array("12"), &faces("polygons", "3000000000", "0")), "where 12 are there"),
        ("d.dae", dae(&array("12"), &faces("triangles", "4", "1000000000")), "at most 255 is allowed"),
        ("e.dae", dae(names, &good), "names among numbers"),
        ("f.dae", dae(&"<x>".repeat(3000), ""), "nest deeper than 256"),
        ("a.ply", ply("element junk 2000000000"), "2000000000 elements \"junk\" are announced"),
        ("b.ply", ply("element vertex 99\nproperty float x"), "99 elements \"vertex\" are announced"),
        ("a.gltf", gltf(r#"{"mesh": 0}"#), "2000000000 items are announced"),
        ("b.gltf", gltf(&(many + "{}")), "hangs on two nodes"),
    ];
    for (name, text, said) in cases {
        fs::write(bench.path(name), text).unwrap();
        fs::write(bench.path("scene.toml"), scene_of(name)).unwrap();
        refuses(&bench, "scene.toml", &[name, said]);
    }
}

#[test]
fn xml_nests_and_counts_lines_within_bounds() {
    let bench = Bench::new(1, 1);
    let model = |inside: &str| {
        format!(
            "<mujoco><worldbody><body><freejoint/><geom size=\"0.1\"/>{inside}</body></worldbody></mujoco>"
        )
    };
    let nested = |n: usize| "<body>".repeat(n) + &"</body>".repeat(n);
    fs::write(bench.path("nested.xml"), model(&nested(20_000))).unwrap();
    refuses(&bench, "nested.xml", &["nested.xml", "line 1: elements nest deeper than 1000"]);
    let chain = |n: usize| {
        let link = |k: usize| format!("<link name=\"{k}\"/>");
        let joint = |k: usize| {
            format!(
                "<joint name=\"j{k}\" type=\"fixed\"><parent link=\"{k}\"/><child link=\"{}\"/></joint>",
                k + 1
            )
        };
        let links: String = (0..=n).map(link).collect();
        format!("<robot name=\"r\">{links}{}</robot>", (0..n).map(joint).collect::<String>())
    };
    fs::write(bench.path("chain.urdf"), chain(20_000)).unwrap();
    refuses(&bench, "chain.urdf", &["more than 1000 joints hang on each other"]);
    fs::write(bench.path("wide.xml"), model(&format!("<site {}/>", "a=\"\" ".repeat(5000)))).unwrap();
    refuses(&bench, "wide.xml", &["more than 1000 attributes"]);
    // On lines of their own and on one line.
    for (name, end) in [("lines.xml", "\n"), ("line.xml", "")] {
        fs::write(bench.path(name), model(&format!("<site pos=\"0 0 0\"/>{end}").repeat(60_000))).unwrap();
        let start = Instant::now();
        bench.expect(&["check", name], 0);
        assert!(start.elapsed() < SOON, "{name}: {:?}", start.elapsed());
    }
}

#[test]
fn models_read_files_of_their_own_folder() {
    let bench = Bench::new(1, 1);
    let tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    fs::create_dir_all(bench.path("pack/urdf")).unwrap();
    fs::write(bench.path("part.obj"), tetrahedron).unwrap();
    fs::write(bench.path("pack/in.obj"), tetrahedron).unwrap();
    fs::write(bench.path("bodies.xml"), "<mujoco/>").unwrap();
    let mjcf = |head: &str| {
        format!(
            "<mujoco>{head}<asset><mesh name=\"m\" file=\"part.obj\"/></asset><worldbody><body><freejoint/>\
             <geom type=\"mesh\" mesh=\"m\"/></body></worldbody></mujoco>"
        )
    };
    let urdf = |file: &str| {
        format!(
            "<robot name=\"r\"><link name=\"l\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>\
             </inertial><collision><geometry><mesh filename=\"{file}\"/></geometry></collision></link></robot>"
        )
    };
    let absolute = bench.path("part.obj").display().to_string();
    let cases = [
        ("pack/mesh.xml", mjcf("<compiler meshdir=\"..\"/>")),
        ("pack/include.xml", mjcf("<compiler meshdir=\"..\"/><include file=\"../bodies.xml\"/>")),
        ("pack/urdf/near.urdf", urdf("../../part.obj")),
        ("pack/urdf/far.urdf", urdf(&format!("file://{absolute}"))),
        ("pack/urdf/beside.urdf", urdf("package://pack/../part.obj")),
    ];
    for (name, text) in cases {
        fs::write(bench.path(name), text).unwrap();
        let free: &[&str] = if name.ends_with("urdf") { &["--free-root"] } else { &[] };
        let arguments = [&["convert", name, "out.toml", "--force"], free].concat();
        let message = bench.expect(&arguments, 2);
        assert!(message.contains("is outside the model's folder"), "{name}: {message}");
        assert!(message.contains("--allow-outside") && !bench.path("out.toml").exists(), "{name}: {message}");
        bench.expect(&[&arguments[..], &["--allow-outside"]].concat(), 0);
        fs::remove_file(bench.path("out.toml")).unwrap();
    }
    // The package that the robot lies in is its own.
    fs::write(bench.path("pack/urdf/own.urdf"), urdf("package://pack/in.obj")).unwrap();
    bench.expect(&["convert", "pack/urdf/own.urdf", "out.toml", "--free-root"], 0);
}

#[test]
fn only_regular_files_are_read_and_not_without_end() {
    let bench = Bench::new(1, 1);
    for (name, text) in [("zero.xml", "/dev/zero"), ("self.xml", "self.xml")] {
        fs::write(bench.path(name), format!("<mujoco><include file=\"{text}\"/></mujoco>")).unwrap();
    }
    refuses(&bench, "zero.xml", &["/dev/zero", "outside the model's folder"]);
    refuses(&bench, "self.xml", &["more than 16 deep"]);
    for k in 0..10 {
        let next = format!("<include file=\"bomb-{}.xml\"/>", k + 1).repeat(10);
        fs::write(bench.path(&format!("bomb-{k}.xml")), format!("<mujoco>{next}</mujoco>")).unwrap();
    }
    fs::write(bench.path("bomb-10.xml"), "<mujoco/>").unwrap();
    refuses(&bench, "bomb-0.xml", &["more than 1000 files are included"]);
    for fifo in ["fifo.toml", "fifo.xml", "fifo.ckpt", "fifo.hdf5", "fifo.obj"] {
        let made = Command::new("mkfifo").arg(bench.path(fifo)).status().unwrap();
        assert!(made.success());
    }
    fs::write(bench.path("scene.toml"), scene_of("fifo.obj")).unwrap();
    let cases: [&[&str]; 8] = [
        &["check", "fifo.toml"],
        &["run", "fifo.toml"],
        &["check", "scene.toml"],
        &["convert", "fifo.xml", "out.toml"],
        &["inspect", "fifo.ckpt"],
        &["inspect", "/dev/zero"],
        &["fclib", "fifo.hdf5"],
        &["sweep", "cases", "fifo.toml"],
    ];
    for arguments in cases {
        let mut child =
            bench.command(arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while child.try_wait().unwrap().is_none() {
            if start.elapsed() > SOON {
                let _ = child.kill();
                panic!("{arguments:?} waits");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains("is not a regular file"), "{arguments:?}: {message}");
    }
}

#[test]
fn names_from_files_are_no_codes_for_the_terminal() {
    let bench = Bench::new(1, 1);
    let codes = "\\u001b]0;title\\u0007\\u202e";
    let table = format!("format = 1\n[\"{codes}\"]\nx = 1\n");
    fs::write(bench.path("table.toml"), table).unwrap();
    refuses(&bench, "table.toml", &["\\u{1b}]0;title\\u{7}\\u{202e}"]);
    let model = "<mujoco><worldbody><body name=\"&#x9b;31m&#x202e;\"/><x\u{9b}/></worldbody></mujoco>";
    fs::write(bench.path("model.xml"), model).unwrap();
    let output = bench.call(&["check", "model.xml"]);
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    assert!(!text.contains(['\u{9b}', '\u{202e}', '\u{1b}']), "{text:?}");
}

#[test]
fn output_that_is_lost_is_an_error() {
    let bench = Bench::new(1, 1);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for arguments in [&["check", "tops.toml"][..], &["schema"], &["run", "tops.toml", "--force"]] {
        let output = bench.command(arguments).stdout(full()).output().unwrap();
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {message}");
        assert!(message.contains("error: standard output: "), "{arguments:?}: {message}");
    }
    // A reader that has read enough.
    let mut child = bench.command(&["schema"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn names_in_tables_are_no_formulas() {
    let bench = Bench::new(1, 2);
    let text = fs::read_to_string(bench.path("tops.toml")).unwrap();
    for (folder, format) in [("a", "csv"), ("b", "hdf5")] {
        let name = "=HYPERLINK(1)";
        fs::write(bench.path("scene.toml"), text.replace("top, 0", name).replace("post", "'-x")).unwrap();
        bench.expect(&["run", "scene.toml", "--out", folder, "--format", format], 0);
        bench.expect(&["audit", folder], 0);
        bench.expect(&["export", folder, "--csv"], 0);
        let rows = super::table(&bench.path(folder).join("export/csv/bodies.csv"));
        let names: Vec<&str> = rows[1..].iter().map(|row| row[2].as_str()).collect();
        assert!(names.contains(&"'=HYPERLINK(1)") && names.contains(&"''-x"), "{names:?}");
        let mut resume = bench.command(&["resume", folder, "--duration", "0.004"]);
        assert!(resume.stdout(Stdio::null()).status().unwrap().success());
        bench.expect(&["audit", folder], 0);
    }
}

#[test]
fn a_page_takes_no_post() {
    let bench = Bench::new(1, 2);
    bench.expect(&["run", "tops.toml", "--out", "a"], 0);
    let mut served = bench.command(&["view", "a", "--serve"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(served.stdout.take().unwrap()), &mut line)
        .unwrap();
    let host = line.split("http://").nth(1).unwrap().split('/').next().unwrap().to_owned();
    let answer = ["/", "/result", "/none"].map(|path| {
        let mut stream = std::net::TcpStream::connect(&host).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        write!(stream, "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: 600000000\r\n\r\nxx")
            .unwrap();
        let mut text = [0; 12];
        std::io::Read::read_exact(&mut stream, &mut text)
            .map(|()| String::from_utf8_lossy(&text).into_owned())
    });
    let _ = served.kill();
    let _ = served.wait();
    for text in answer {
        assert_eq!(text.expect("an answer before the body"), "HTTP/1.1 405");
    }
}
