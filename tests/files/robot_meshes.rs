//! Meshes of models in MJCF and URDF.

use crate::robots::SWING;
use signorini_scene::robots::{ModelOptions, convert};
use std::fs;

/// The hull of a body that moves needs no closed mesh, and its scale may mirror it.
#[test]
fn open_and_mirrored_meshes_keep_their_hulls() {
    let folder = tempfile::tempdir().unwrap();
    // Three sides of a tetrahedron whose corner at the origin is a right one.
    let open = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";
    fs::write(folder.path().join("open.obj"), open).unwrap();
    let mjcf = SWING
        .replace(
            "<worldbody>",
            r#"<asset><mesh name="m" file="open.obj" scale="0.1 -0.2 0.1"/></asset><worldbody>"#,
        )
        .replace(
            r#"<geom type="sphere" size="0.1" mass="3" condim="4"/>"#,
            r#"<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/><geom type="mesh" mesh="m"/>"#,
        );
    let urdf = r#"<robot name="r"><link name="bob"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
        <collision><geometry><mesh filename="open.obj" scale="0.1 -0.2 0.1"/></geometry></collision></link></robot>"#;
    for (name, text) in [("a.xml", mjcf.as_str()), ("a.urdf", urdf)] {
        fs::write(folder.path().join(name), text).unwrap();
        let options = ModelOptions { free_root: name == "a.urdf", ..ModelOptions::default() };
        let scene = convert(&folder.path().join(name), &options).unwrap_or_else(|e| panic!("{e}")).scene;
        let bob = scene.bodies.iter().find(|body| body.name == "bob").unwrap();
        let signorini::Shape::Polytope(hull) = &bob.parts[0].shape else { panic!("{name}: {:?}", bob.parts) };
        assert!((hull.volume - 0.1 * 0.4 * 0.3 / 6.0).abs() < 1e-15, "{name}: {}", hull.volume);
        let corner = hull.vertices.iter().map(|v| (v + bob.parts[0].pose.position).y).fold(0.0, f64::min);
        assert!((corner + 0.4).abs() < 1e-12 || name == "a.xml", "{name}: {corner}");
    }
    // A file that is not there, of a body that moves.
    let path = folder.path().join("lost.urdf");
    fs::write(&path, urdf.replace("open.obj", "lost.obj")).unwrap();
    let mut options = ModelOptions { free_root: true, ..ModelOptions::default() };
    let refused = convert(&path, &options).unwrap_err().to_string();
    assert!(refused.contains("line 3") && refused.contains("--allow-missing-shapes"), "{refused}");
    options.load.allow_missing_shapes = true;
    assert!(convert(&path, &options).unwrap().notes.iter().any(|note| note.contains("lost.obj")));
}

/// Corners p of the file are S Rᵀ (p − r) of the mesh, with the scale S, `refpos` r and the rotation R of
/// `refquat`.
#[test]
fn meshes_have_their_own_frames() {
    let mesh = |what: &str| {
        let corners = "0 0 0 1 0 0 0 1 0 0 0 1";
        let asset =
            format!("<asset><mesh name=\"m\" vertex=\"{corners}\" refpos=\"0.5 0.2 0.1\" {what}/></asset>");
        let text = SWING.replace("<worldbody>", &format!("{asset}<worldbody>")).replace(
            r#"<geom type="sphere" size="0.1" mass="3" condim="4"/>"#,
            r#"<geom type="mesh" mesh="m" mass="3"/>"#,
        );
        crate::robots::read(&text, "swing.xml", &ModelOptions::default())
    };
    // A quarter turn about z, and the middle of the four corners.
    let scene = mesh(r#"refquat="1 0 0 1" scale="2 2 2""#).unwrap().scene;
    let bob = scene.bodies.iter().find(|body| body.name == "bob").unwrap();
    let middle = bob.pose.position - nalgebra::Vector3::new(0.0, 0.0, 0.2);
    assert!((middle - nalgebra::Vector3::new(0.1, 0.5, 0.3)).norm() < 1e-14, "{middle}");
    let signorini::Shape::Polytope(hull) = &bob.parts[0].shape else { panic!("{:?}", bob.parts) };
    let place = bob.parts[0].pose;
    let corners: Vec<_> = hull.vertices.iter().map(|v| bob.pose.point(&place.point(v))).collect();
    let origin = nalgebra::Vector3::new(-0.4, 1.0, 0.0);
    assert!(corners.iter().any(|corner| (corner - origin).norm() < 1e-12), "{corners:?}");
    let error = mesh(r#"refquat="1 0 0 1" scale="1 2 2""#).unwrap_err().to_string();
    assert!(error.contains("swing.xml"), "{error}");
}
