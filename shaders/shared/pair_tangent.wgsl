// How normal and arms turn with the poses (c_a, θ_a, c_b, θ_b): twin of src/kernels/pair_tangent.rs.
struct Tangent {
    n0: mat3r, n1: mat3r, n2: mat3r, n3: mat3r,
    a0: mat3r, a1: mat3r, a2: mat3r, a3: mat3r,
    b0: mat3r, b1: mat3r, b2: mat3r, b3: mat3r,
}

fn negative(m: mat3r) -> mat3r {
    return mat3r(-m[0], -m[1], -m[2]);
}

fn curved_pair(n: vec3r, gap: real, sa: mat3r, sb: mat3r, arm_a: vec3r, arm_b: vec3r) -> Tangent {
    let t = tangent_of(n);
    let o = cross(n, t);
    let sum = sa + sb;
    let st = sum * t;
    let so = sum * o;
    let m00 = dot(t, st) + gap;
    let m01 = dot(t, so);
    let m11 = dot(o, so) + gap;
    let det = m00 * m11 - m01 * m01;
    let mixed = outer(t, o) + outer(o, t);
    let b = (outer(t, t) * m11 + outer(o, o) * m00 - mixed * m01) * (ONE / det);
    let nx = skew(n);
    let rax = skew(arm_a);
    let rbx = skew(arm_b);
    let sanx = sa * nx;
    let sbnx = sb * nx;
    let n0 = negative(b);
    let n1 = b * (rax - sanx);
    let n3 = b * (negative(rbx) - sbnx);
    let sb_minus = negative(sb);
    return Tangent(
        n0, n1, b, n3,
        sa * n0, sa * n1 + sanx - rax, sa * b, sa * n3,
        sb_minus * n0, sb_minus * n1, sb_minus * b, sb_minus * n3 - rbx - sbnx,
    );
}

fn plane_pair(n: vec3r, sb: mat3r, arm_b: vec3r) -> Tangent {
    let o = zero3();
    let turned = negative(skew(arm_b) + sb * skew(n));
    return Tangent(o, o, o, o, o, o, o, o, o, o, o, turned);
}
