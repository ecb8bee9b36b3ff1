// How normal and arms turn with the poses (c_a, θ_a, c_b, θ_b): twin of src/kernels/pair_tangent.rs.
struct Tangent {
    n0: mat3r, n1: mat3r, n2: mat3r, n3: mat3r,
    a0: mat3r, a1: mat3r, a2: mat3r, a3: mat3r,
    b0: mat3r, b1: mat3r, b2: mat3r, b3: mat3r,
}

fn negative(m: mat3r) -> mat3r {
    return mat3r(-m[0], -m[1], -m[2]);
}

// Masks instead of branches: 108 numbers that meet after a branch go through memory. A plane as A stands still with the
// normal; without load nothing is wanted.
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
    let nx = skew(n);
    let arms_a = (sa * nx - skew(arm_a)) * select(ZERO, ONE, turns);
    let arms_b = (sb * nx + skew(arm_b)) * select(ZERO, ONE, loaded);
    let n0 = negative(b);
    let n1 = negative(b * arms_a);
    let n3 = negative(b * arms_b);
    let sb_minus = negative(sb);
    return Tangent(
        n0, n1, b, n3,
        sa * n0, sa * n1 + arms_a, sa * b, sa * n3,
        sb_minus * n0, sb_minus * n1, sb_minus * b, sb_minus * n3 - arms_b,
    );
}
