// Derivatives of normal and arms with the poses: twin of shaders/pair_tangent.rs. 1: by θ_a; 2: by c_b, and
// by c_a with the other sign; 3: by θ_b.
struct Tangent {
    n1: mat3r, n2: mat3r, n3: mat3r,
    a1: mat3r, a2: mat3r, a3: mat3r,
    b1: mat3r, b2: mat3r, b3: mat3r,
}

fn negative(m: mat3r) -> mat3r {
    return mat3r(-m[0], -m[1], -m[2]);
}

// m [v]×
fn times_skew(m: mat3r, v: vec3r) -> mat3r {
    return mat3r(m[1] * v.z - m[2] * v.y, m[2] * v.x - m[0] * v.z, m[0] * v.y - m[1] * v.x);
}

// Masks instead of branches: 81 numbers that meet after a branch go through memory. A plane as A stands still
// with the normal; without load no derivative is needed.
fn pair_tangent(n: vec3r, gap: real, sa: mat3r, sb: mat3r, arm_a: vec3r, arm_b: vec3r, is_plane: bool, loaded: bool) -> Tangent {
    let t = tangent_of(n);
    let o = cross(n, t);
    let sum = sa + sb;
    let st = sum * t;
    let so = sum * o;
    let m00 = dot(t, st) + gap;
    let m01 = dot(t, so);
    let m11 = dot(o, so) + gap;
    let turns = loaded && !is_plane;
    let scale = select(ZERO, ONE, turns) / select(ONE, m00 * m11 - m01 * m01, turns);
    let mixed = outer(t, o) + outer(o, t);
    let b = (outer(t, t) * m11 + outer(o, o) * m00 - mixed * m01) * scale;
    let arms_a = (times_skew(sa, n) - skew(arm_a)) * select(ZERO, ONE, turns);
    let arms_b = (times_skew(sb, n) + skew(arm_b)) * select(ZERO, ONE, loaded);
    let n1 = negative(b * arms_a);
    let n3 = negative(b * arms_b);
    let sb_minus = negative(sb);
    return Tangent(
        n1, b, n3,
        sa * n1 + arms_a, sa * b, sa * n3,
        sb_minus * n1, sb_minus * b, sb_minus * n3 - arms_b,
    );
}
