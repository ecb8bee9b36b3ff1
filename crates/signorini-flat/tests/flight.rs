//! Flights of four bodies at once against many small steps of Runge and Kutta's rule.

use signorini_flat::bodies::{PlacedBody, at};
use signorini_flat::ends::{ends_of, find_ends};

/// Principal moments of the bodies (kg m²).
const MOMENTS: [f64; 3] = [0.011, 0.017, 0.022];

/// A body whose principal axes are those of the world, with a velocity (m/s) and a spin (rad/s).
fn flying(velocity: [f64; 3], spin: [f64; 3]) -> PlacedBody {
    let mut body = PlacedBody::default();
    for k in 0..3 {
        body.0[at::VELOCITY + k] = velocity[k];
        body.0[at::SPIN + k] = spin[k];
        body.0[at::MOMENTS + k] = MOMENTS[k];
        body.0[at::SEMI_AXES + k] = 0.1;
    }
    body
}

/// Rotation after a time, row by row, from 4000 steps.
fn by_small_steps(spin: [f64; 3], time: f64) -> [f64; 9] {
    let rate = |[w, x, y, z, a, b, c]: [f64; 7]| {
        let [i, j, k] = MOMENTS;
        [
            -0.5 * (x * a + y * b + z * c),
            0.5 * (w * a + y * c - z * b),
            0.5 * (w * b + z * a - x * c),
            0.5 * (w * c + x * b - y * a),
            (j - k) / i * b * c,
            (k - i) / j * c * a,
            (i - j) / k * a * b,
        ]
    };
    let (steps, mut s) = (4000, [1.0, 0.0, 0.0, 0.0, spin[0], spin[1], spin[2]]);
    let h = time / f64::from(steps);
    let along = |s: [f64; 7], r: [f64; 7], h: f64| -> [f64; 7] { std::array::from_fn(|i| s[i] + h * r[i]) };
    for _ in 0..steps {
        let first = rate(s);
        let second = rate(along(s, first, 0.5 * h));
        let third = rate(along(s, second, 0.5 * h));
        let last = rate(along(s, third, h));
        let mean = std::array::from_fn(|i| (first[i] + 2.0 * (second[i] + third[i]) + last[i]) / 6.0);
        s = along(s, mean, h);
    }
    let [w, x, y, z, ..] = s;
    [
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    ]
}

/// Largest difference of two rotations.
fn apart(a: &[f64; 9], b: &[f64; 9]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn turns_are_those_of_many_small_steps() {
    let h = 0.005;
    for spin in [[0.3, -0.1, 0.2], [3.0, 1.0, -2.0], [-11.0, 17.0, 5.0], [0.0, 24.0, 1e-3], [20.0, 20.0, 9.0]]
    {
        let body = flying([1.0, 2.0, -3.0], spin);
        let (ends, far) = ends_of([&body; 4], h);
        let (centre, rotation) = ends[2].pose();
        assert_eq!(far, 0, "{spin:?}");
        assert!(apart(&rotation, &by_small_steps(spin, h)) < 2e-14, "{spin:?}");
        let off = centre.iter().zip([h, 2.0 * h, -3.0 * h]).map(|(at, by)| (at - by).abs());
        assert!(off.fold(0.0, f64::max) < 1e-17, "{centre:?}");
    }
}

#[test]
fn a_turn_is_the_same_beside_any_other() {
    let bodies = [[1.0, 2.0, 3.0], [0.0; 3], [900.0, 5.0, 0.0], [1e-4, 0.0, 3e-4], [30.0, 3.0, 20.0]];
    let bodies = bodies.map(|spin| flying([0.1; 3], spin));
    let alone: Vec<_> = bodies.iter().map(|body| ends_of([body; 4], 0.01)).collect();
    for shift in 0..bodies.len() {
        let of = [0, 1, 2, 3].map(|l: usize| (l + shift) % bodies.len());
        let (ends, far) = ends_of(of.map(|i| &bodies[i]), 0.01);
        for (l, i) in of.into_iter().enumerate() {
            assert_eq!(ends[l], alone[i].0[0], "body {i}");
            assert_eq!(far >> l & 1, alone[i].1 & 1, "body {i}");
        }
    }
    assert_eq!(alone.iter().map(|found| found.1).collect::<Vec<_>>(), [0, 0, 15, 0, 0]);
}

#[test]
fn bodies_that_turn_far_are_told_by_their_places() {
    let bodies: Vec<_> = (0..150)
        .map(|i| flying([0.0; 3], if i % 67 == 3 { [300.0, 0.0, 10.0] } else { [1.0, 0.0, 0.0] }))
        .collect();
    let mut ends = vec![signorini_flat::bodies::End::NONE; bodies.len()];
    assert_eq!(find_ends(&bodies, 0.01, &mut ends), [3, 70, 137]);
    assert_eq!(ends[149], ends_of([&bodies[0]; 4], 0.01).0[0]);
}
