//! The radius of torsional friction against closed forms.

use signorini_flat::region::{Corner, mean_radius};

const FEW: usize = 12;
const MANY: usize = 64;

fn of(points: &[[f64; 2]]) -> f64 {
    let mut corners: Vec<Corner> = points.iter().map(|p| Corner { at: *p, closed: 1.0, rim: None }).collect();
    mean_radius::<MANY>(&mut corners)
}

#[test]
fn regions_with_closed_forms() {
    // A square of side 2 about its centre: (√2 + asinh 1) / 3, whatever points lie inside or on its
    // edges.
    let square = [[1.0, 1.0], [-1.0, 1.0], [0.0, 1.0], [-1.0, -1.0], [0.2, 0.1], [1.0, -1.0]];
    let exact = (2.0_f64.sqrt() + 1.0_f64.asinh()) / 3.0;
    assert!((of(&square) - exact).abs() < 1e-14, "{}", of(&square));
    // A line at any place, and a point.
    assert!((of(&[[-2.0, 0.0], [2.0, 0.0], [1.0, 0.0]]) - 1.0).abs() < 1e-14);
    assert!((of(&[[0.0, 0.0], [3.0, 4.0]]) - 1.25).abs() < 1e-14);
    assert_eq!([of(&[[2.0, 1.0]]), of(&[])], [0.0, 0.0]);
    // A rectangle seen from a corner: four quarters, each about its own corner.
    let (a, b) = (3.0_f64, 2.0_f64);
    let d = a.hypot(b);
    let quarter = a * b * d / 3.0 + (a.powi(3) * (b / a).asinh() + b.powi(3) * (a / b).asinh()) / 6.0;
    let found = of(&[[0.0, 0.0], [2.0 * a, 0.0], [2.0 * a, 2.0 * b], [0.0, 2.0 * b]]);
    assert!((found - quarter / (a * b)).abs() < 1e-14, "{found} {}", quarter / (a * b));
}

#[test]
fn a_disc_is_no_octagon() {
    let (radius_of_rim, center) = (0.5, [0.1, -0.05]);
    let mut corners: Vec<Corner> = (0..8)
        .map(|k| {
            let (s, c) = (std::f64::consts::TAU * f64::from(k) / 8.0).sin_cos();
            let at = [center[0] + c * radius_of_rim, center[1] + s * radius_of_rim];
            Corner { at, closed: 1.0, rim: Some((2, center)) }
        })
        .collect();
    let found = mean_radius::<MANY>(&mut corners);
    assert!((found - 2.0 / 3.0 * radius_of_rim).abs() < 1e-9, "{found}");
}

/// A rim bounds the region only where it bulges outward: two of its points with one beyond them make a
/// triangle, and two alone make a line.
#[test]
fn a_rim_that_bulges_inward_is_cut_off() {
    let on_rim = |angle: f64| {
        let (s, c) = angle.sin_cos();
        Corner { at: [c, s], closed: 1.0, rim: Some((0, [0.0, 0.0])) }
    };
    let radius_of = |beyond: &[[f64; 2]]| {
        let further = beyond.iter().map(|at| Corner { at: *at, closed: 1.0, rim: None });
        let mut corners: Vec<Corner> = [on_rim(-0.8), on_rim(0.8)].into_iter().chain(further).collect();
        let straight: Vec<[f64; 2]> = corners.iter().map(|corner| corner.at).collect();
        (mean_radius::<MANY>(&mut corners), of(&straight))
    };
    let (found, triangle) = radius_of(&[[2.0, 0.0]]);
    assert!((found - triangle).abs() < 1e-14, "{found} {triangle}");
    let (found, line) = radius_of(&[]);
    assert!((found - line).abs() < 1e-14, "{found} {line}");
    // From the other side the rim bounds the region: more of it than the triangle.
    let (found, triangle) = radius_of(&[[0.0, 0.0]]);
    assert!(found > 1.05 * triangle, "{found} {triangle}");
}

/// Room for few points or for many gives the same radius.
#[test]
fn the_room_for_points_makes_no_difference() {
    for k in 0..500 {
        let wave = |a: f64| (a * f64::from(k)).sin();
        let corner = |i: usize| {
            let at = |a: f64| wave(a + 0.37 * i as f64);
            let closed = if k % 2 == 0 { 1.0 } else { at(0.2).abs() };
            Corner { at: [at(1.3), at(2.9)], closed, rim: None }
        };
        let corners: Vec<Corner> = (0..=k as usize % FEW).map(corner).collect();
        let [few, many] = [mean_radius::<FEW>, mean_radius::<MANY>].map(|of| of(&mut corners.clone()));
        assert_eq!(few, many, "{k}");
        assert!(few > 0.0 || corners.len() < 2, "{k}");
    }
}

/// A square whose far side opens becomes a line without a jump, and the line a point.
#[test]
fn points_leave_gradually() {
    let faded = |far: f64, near: f64| {
        let mut corners = [[1.0, 0.0], [-1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]].map(|[x, y]| Corner {
            at: [x, y],
            closed: match (x > 0.0, y > 0.0) {
                (_, true) => far,
                (true, false) => near,
                (false, false) => 1.0,
            },
            rim: None,
        });
        mean_radius::<MANY>(&mut corners)
    };
    let square = of(&[[1.0, 0.0], [-1.0, 0.0], [1.0, 2.0], [-1.0, 2.0]]);
    assert!((faded(1.0, 1.0) - square).abs() < 1e-14);
    assert!((faded(0.25, 1.0) - (0.25 * square + 0.75 * 0.5)).abs() < 1e-14);
    assert!((faded(0.0, 1.0) - 0.5).abs() < 1e-14);
    assert!((faded(0.0, 0.5) - (0.5 * 0.5 + 0.5 * 0.0)).abs() < 1e-14);
}
