use super::*;
use crate::problem::ContactProblem;

const LAWS: [ContactLaw; 3] = [ContactLaw::Coulomb, ContactLaw::Cone, ContactLaw::Polygon { directions: 6 }];

fn cone(n_normal: usize, n_friction: usize) -> Cone {
    Cone {
        row: 0,
        n_normal,
        n_used: n_normal,
        n_friction,
        friction_coefficient: 0.7,
        bounded: false,
        rolls_with: None,
    }
}

/// Deterministic numbers in −1 to 1.
fn numbers(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn projected(
    law: ContactLaw,
    cone: &Cone,
    z: &[f64],
    w: &[f64],
    w_t: f64,
) -> (Vec<f64>, Vec<f64>, ProjectionDerivative) {
    let mut normal = z[..cone.n_normal].to_vec();
    let mut derivatives = w.to_vec();
    let mut friction = [0.0; 3];
    friction[..cone.n_friction].copy_from_slice(&z[cone.n_normal..]);
    let derivative = project(law, cone, &mut normal, &mut derivatives, &mut friction, w_t);
    normal.extend(&friction[..cone.n_friction]);
    (normal, derivatives, derivative)
}

#[test]
fn cone_projection_leaves_a_normal_vector() {
    // Oracle: (z − x)/w in the normal cone of K at x: no point of K is nearer, in the metric of the weights.
    let mut seed = 7;
    for case in 0..400 {
        let cone = cone(1 + case % 3, 2 + case % 2);
        let z: Vec<f64> = (0..cone.n_law_rows()).map(|_| numbers(&mut seed)).collect();
        let w: Vec<f64> = (0..cone.n_normal).map(|_| 1.5 + numbers(&mut seed)).collect();
        let w_t = 1.5 + numbers(&mut seed);
        let (x, _, _) = projected(ContactLaw::Cone, &cone, &z, &w, w_t);
        let pull: Vec<f64> = (0..x.len()).map(|i| (z[i] - x[i]) / w.get(i).copied().unwrap_or(w_t)).collect();
        let along: f64 = pull.iter().zip(&x).map(|(p, x)| p * x).sum();
        assert!(along.abs() < 1e-13, "case {case}: {along}");
        // In the polar cone: p_i ≤ −μ |p_t| … that is p_i + μ |p_t| ≤ 0 for every normal row.
        let tangential = pull[cone.n_normal..].iter().map(|p| p * p).sum::<f64>().sqrt();
        for p in &pull[..cone.n_normal] {
            assert!(p + 0.7 * tangential < 1e-13, "case {case}: {p} {tangential}");
        }
        let friction = x[cone.n_normal..].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!(friction <= 0.7 * x[..cone.n_normal].iter().sum::<f64>() + 1e-13);
        assert!(x[..cone.n_normal].iter().all(|x| *x >= 0.0));
    }
}

#[test]
fn polygon_projection_is_nearest_of_many_points() {
    // Oracle: no corner is further along z − x than x is (the support condition of a projection on a hull).
    let mut seed = 3;
    for case in 0..400 {
        let (m, n_friction) = (4 + 2 * (case % 4), 2 + case % 2);
        let cone = cone(1, n_friction);
        let z: Vec<f64> =
            std::iter::once(0.8).chain((0..n_friction).map(|_| 2.0 * numbers(&mut seed))).collect();
        let (x, _, _) = projected(ContactLaw::Polygon { directions: m }, &cone, &z, &[1.0], 1.0);
        let radius = 0.7 * 0.8;
        let pull: Vec<f64> = (1..x.len()).map(|i| z[i] - x[i]).collect();
        let reached: f64 = pull.iter().zip(&x[1..]).map(|(p, x)| p * x).sum();
        let mut corners: Vec<[f64; 3]> = (0..m)
            .map(|k| std::f64::consts::TAU * k as f64 / m as f64)
            .map(|angle| [angle.cos(), angle.sin(), 0.0])
            .collect();
        corners.extend([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]].iter().take(2 * (n_friction - 2)));
        let support = corners
            .iter()
            .map(|c| radius * pull.iter().zip(c).map(|(p, c)| p * c).sum::<f64>())
            .fold(f64::NEG_INFINITY, f64::max);
        assert!((support - reached).abs() < 1e-13 || pull.iter().all(|p| *p == 0.0), "case {case}");
        assert!(support >= reached - 1e-13, "case {case}: {support} {reached}");
    }
}

#[test]
fn derivatives_match_differences() {
    let mut seed = 11;
    for case in 0..600 {
        let law = LAWS[case % 3];
        let cone = cone(1 + case % 2, 2 + (case / 2) % 2);
        let z: Vec<f64> = (0..cone.n_law_rows())
            .map(|i| numbers(&mut seed) * if i < cone.n_normal { 1.0 } else { 2.0 })
            .collect();
        let w: Vec<f64> = (0..cone.n_normal).map(|_| 1.5 + numbers(&mut seed)).collect();
        let w_t = 1.5 + numbers(&mut seed);
        let dy: Vec<f64> = (0..z.len()).map(|_| numbers(&mut seed)).collect();
        let moved = |t: f64| -> Vec<f64> {
            let weight = |i: usize| w.get(i).copied().unwrap_or(w_t);
            (0..z.len()).map(|i| z[i] - t * weight(i) * dy[i]).collect()
        };
        let step = 1e-6;
        let (plus, _, gain_plus) = projected(law, &cone, &moved(step), &w, w_t);
        let (minus, _, gain_minus) = projected(law, &cone, &moved(-step), &w, w_t);
        let (_, derivatives, derivative) = projected(law, &cone, &z, &w, w_t);
        if gain_plus.status != gain_minus.status {
            continue; // On a kink.
        }
        let fake = crate::solver::law::Law {
            normal_derivative: derivatives,
            derivative: vec![derivative],
            ..Default::default()
        };
        let mut problem = ContactProblem::empty();
        problem.law = law;
        problem.cones.push(cone);
        let mut found = vec![0.0; z.len()];
        // Several normal rows of the ball come with shift rows, which have tests of their own.
        fake.apply_derivative(&problem, 0, law != ContactLaw::Coulomb || cone.n_normal == 1, &dy, &mut found);
        if law == ContactLaw::Coulomb && cone.n_normal > 1 {
            continue;
        }
        for i in 0..z.len() {
            let difference = -(plus[i] - minus[i]) / (2.0 * step);
            assert!(
                (difference - found[i]).abs() < 1e-7,
                "case {case} {law:?} row {i}: {difference} {found:?}"
            );
        }
    }
}
