//! Volume of a ball in a cell: closed forms for three planes square to each other, and one integral for
//! rings.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Nodes and weights of Gauss and Legendre's rule of 16 points on (−1, 1), of one half.
const GAUSS: [(f64, f64); 8] = [
    (0.095_012_509_837_637_44, 0.189_450_610_455_068_5),
    (0.281_603_550_779_258_9, 0.182_603_415_044_923_6),
    (0.458_016_777_657_227_4, 0.169_156_519_395_002_54),
    (0.617_876_244_402_643_7, 0.149_595_988_816_576_73),
    (0.755_404_408_355_003, 0.124_628_971_255_533_87),
    (0.865_631_202_387_831_7, 0.095_158_511_682_492_78),
    (0.944_575_023_073_232_6, 0.062_253_523_938_647_894),
    (0.989_400_934_991_649_9, 0.027_152_459_411_754_096),
];

/// Volume of the unit ball about the origin in a box (units of the radius cubed): the sum over the corners of
/// the box of the volumes beyond them.
pub fn in_box(low: [f64; 3], high: [f64; 3]) -> f64 {
    let ends = [low, high];
    let volumes = (0..1_usize << 3).map(|corner| {
        let bits = [corner & 1, (corner >> 1) & 1, (corner >> 2) & 1];
        let sign = if bits.iter().sum::<usize>().is_multiple_of(2) { 1.0 } else { -1.0 };
        sign * beyond(std::array::from_fn(|axis| ends[bits[axis]][axis]))
    });
    volumes.sum::<f64>().max(0.0)
}

/// Volume of the unit ball in { x ≥ a, y ≥ b, z ≥ c }.
fn beyond(planes: [f64; 3]) -> f64 {
    if planes.iter().any(|a| *a >= 1.0) {
        return 0.0;
    }
    // A plane before the ball cuts nothing off.
    let cuts: Vec<f64> = planes.into_iter().filter(|a| *a > -1.0).collect();
    match cuts[..] {
        [] => PI * 2.0 * (2.0 / 3.0),
        [a] => cap(a),
        [a, b] => two(a, b),
        [a, b, c] => three(a, b, c),
        _ => 0.0,
    }
}

/// Beyond one plane at a: π (1 − a)² (2 + a)/3.
fn cap(a: f64) -> f64 {
    PI * (1.0 - a) * (1.0 - a) * (2.0 + a) / 3.0
}

/// Beyond two planes. Where one is behind the centre, what is before it is taken from what is beyond the
/// other.
fn two(a: f64, b: f64) -> f64 {
    if a < 0.0 {
        return cap(b) - two(-a, b);
    }
    if b < 0.0 {
        return cap(a) - two(a, -b);
    }
    if a * a + b * b >= 1.0 {
        return 0.0;
    }
    let radii = [a, b].map(|a| (1.0 - a * a).sqrt());
    let arcs = [(b / radii[0]).acos(), (a / radii[1]).acos()];
    // Gauss and Bonnet: a piece of the sphere with two corners, whose sides are arcs of circles.
    let area = TAU - 2.0 * turn(a, b, radii) - 2.0 * (a * arcs[0] + b * arcs[1]);
    let segment = |radius: f64, at: f64, arc: f64| {
        radius * radius * arc - at * (radius * radius - at * at).max(0.0).sqrt()
    };
    (area - a * segment(radii[0], b, arcs[0]) - b * segment(radii[1], a, arcs[1])) / 3.0
}

/// Beyond three planes: a third of the surface times its distance from the centre, over the sphere and the
/// three planes (divergence theorem).
fn three(a: f64, b: f64, c: f64) -> f64 {
    if a < 0.0 {
        return two(b, c) - three(-a, b, c);
    }
    if b < 0.0 {
        return two(a, c) - three(a, -b, c);
    }
    if c < 0.0 {
        return two(a, b) - three(a, b, -c);
    }
    if a * a + b * b + c * c >= 1.0 {
        return 0.0;
    }
    let radius = |a: f64| (1.0 - a * a).sqrt();
    let turns = [[a, b], [b, c], [c, a]].map(|[a, b]| turn(a, b, [radius(a), radius(b)]));
    let (mut area, mut planes) = (TAU - turns.iter().sum::<f64>(), 0.0);
    for [a, b, c] in [[a, b, c], [b, c, a], [c, a, b]] {
        area -= a * ((b / radius(a)).acos() - (c / radius(a)).asin());
        planes += a * corner_of_disc(radius(a), b, c);
    }
    (area - planes) / 3.0
}

/// Angle by which the boundary turns where two circles on the sphere meet.
fn turn(a: f64, b: f64, radii: [f64; 2]) -> f64 {
    (-a * b / (radii[0] * radii[1])).clamp(-1.0, 1.0).acos()
}

/// Area of a disc of a radius in { x ≥ b, y ≥ c }, whose corner is in the disc and in the first quadrant.
fn corner_of_disc(radius: f64, b: f64, c: f64) -> f64 {
    let square = radius * radius;
    let angle = (b / radius).acos() - (c / radius).asin();
    let height = |x: f64| (square - x * x).max(0.0).sqrt();
    0.5 * (square * angle - b * (height(b) - c) - c * (height(c) - b))
}

/// Volume of the unit ball within a cylinder of a radius whose axis passes the centre at a distance, between
/// two heights along the axis: the integral of the area that two circles share.
pub fn in_cylinder(distance: f64, radius: f64, [low, high]: [f64; 2]) -> f64 {
    let (low, high) = (low.max(-1.0), high.min(1.0));
    if low >= high || radius <= 0.0 || distance - radius >= 1.0 {
        return 0.0;
    }
    // Heights at which the circles begin to meet, and at which one holds the other.
    let mut breaks = vec![low, high];
    for slack in [distance - radius, distance + radius] {
        let height = (1.0 - slack * slack).max(0.0).sqrt();
        breaks.extend([-height, height].into_iter().filter(|z| low < *z && *z < high));
    }
    breaks.sort_by(f64::total_cmp);
    let mut volume = 0.0;
    for ends in breaks.windows(2) {
        let (middle, half) = (0.5 * (ends[0] + ends[1]), 0.5 * (ends[1] - ends[0]));
        for (node, weight) in GAUSS.iter().flat_map(|(x, w)| [(-x, *w), (*x, *w)]) {
            // The sine takes the roots at both ends out of the integrand.
            let (sin, cos) = (FRAC_PI_2 * node).sin_cos();
            let z = middle + half * sin;
            let circle = (1.0 - z * z).max(0.0).sqrt();
            volume += weight * half * FRAC_PI_2 * cos * shared_area(distance, circle, radius);
        }
    }
    volume
}

/// Area that two discs share, whose centres are a distance apart.
fn shared_area(d: f64, r: f64, s: f64) -> f64 {
    if d >= r + s || r.min(s) <= 0.0 {
        return 0.0;
    }
    if d <= (r - s).abs() {
        return PI * r.min(s).powi(2);
    }
    let along = |r: f64, s: f64| (d * d + r * r - s * s) / (2.0 * d);
    let segment =
        |r: f64, x: f64| r * r * (x / r).clamp(-1.0, 1.0).acos() - x * (r * r - x * x).max(0.0).sqrt();
    segment(r, along(r, s)) + segment(s, along(s, r))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Volume of the unit ball where a condition holds, by midpoints of a lattice.
    fn counted(holds: impl Fn(f64, f64, f64) -> bool) -> f64 {
        const N: i32 = 120;
        let at = |k: i32| (f64::from(k) + 0.5) * 2.0 / f64::from(N) - 1.0;
        let mut n = 0;
        for (i, j, k) in (0..N).flat_map(|i| (0..N).flat_map(move |j| (0..N).map(move |k| (i, j, k)))) {
            let [x, y, z] = [i, j, k].map(at);
            n += i32::from(x * x + y * y + z * z <= 1.0 && holds(x, y, z));
        }
        f64::from(n) * (2.0 / f64::from(N)).powi(3)
    }

    #[test]
    fn a_ball_fills_what_a_lattice_counts() {
        for ([a, b, c], [d, e, f]) in [
            ([-2.0; 3], [2.0; 3]),
            ([-0.3, -2.0, -2.0], [2.0, 0.6, 2.0]),
            ([0.1, 0.2, 0.3], [2.0, 2.0, 2.0]),
            ([-0.5, -0.2, -0.4], [0.3, 0.7, 0.1]),
            ([-0.9, 0.2, -2.0], [0.8, 0.95, 0.6]),
            ([0.7, 0.7, 0.7], [2.0, 2.0, 2.0]),
        ] {
            let found = in_box([a, b, c], [d, e, f]);
            let lattice = counted(|x, y, z| a <= x && x <= d && b <= y && y <= e && c <= z && z <= f);
            assert!((found - lattice).abs() < 4e-3, "{a} {b} {c} to {d} {e} {f}: {found} for {lattice}");
        }
        for (d, r, low, high) in
            [(0.5, 0.4, -2.0, 2.0), (0.5, 1.2, -0.3, 0.8), (1.5, 1.0, 0.1, 2.0), (0.0, 0.5, -1.0, 1.0)]
        {
            let found = in_cylinder(d, r, [low, high]);
            let lattice = counted(|x, y, z| (x - d).powi(2) + y * y <= r * r && low <= z && z <= high);
            assert!((found - lattice).abs() < 4e-3, "{d} {r} {low} {high}: {found} for {lattice}");
        }
    }

    #[test]
    fn cells_of_a_grid_hold_the_whole_ball() {
        let edges = [-1.1, -0.45, 0.15, 0.8, 1.45];
        let mut sum = 0.0;
        for (i, j, k) in (0..4).flat_map(|i| (0..4).flat_map(move |j| (0..4).map(move |k| (i, j, k)))) {
            let low = [edges[i] + 0.01, edges[j] - 0.02, edges[k] + 0.03];
            let high = [edges[i + 1] + 0.01, edges[j + 1] - 0.02, edges[k + 1] + 0.03];
            sum += in_box(low, high);
        }
        assert!((sum - 4.0 / 3.0 * PI).abs() < 1e-12, "{sum}");
        // Of a cylinder about the centre the ball keeps 4π/3 (1 − (1 − r²)^(3/2)).
        let expected = 4.0 / 3.0 * PI * (1.0 - (1.0_f64 - 0.36).powf(1.5));
        assert!((in_cylinder(0.0, 0.6, [-1.0, 1.0]) - expected).abs() < 1e-10);
        // A cylinder that touches the axis of the ball at r = ½: Viviani's body, 2π/3 − 8/9.
        let viviani = in_cylinder(0.5, 0.5, [-1.0, 1.0]);
        assert!((viviani - (2.0 * PI / 3.0 - 8.0 / 9.0)).abs() < 1e-9, "{viviani}");
    }
}
