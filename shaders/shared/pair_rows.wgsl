// Reading the rows of contact c, an item of `rows`, in fours: twin of shaders/pair_rows.rs. Sides are 0
// (A) and 1 (B).
fn sign_of(side: u32) -> real {
    return select(-ONE, ONE, side == 1u);
}

// Of the rows normal, t, o, torsion.
struct FourRows {
    n: vec3r,
    t: vec3r,
    o: vec3r,
    r: vec3r,
}

fn four_rows(p: vec4r, q: vec4r, r: vec4r) -> FourRows {
    return FourRows(p.xyz, vec3r(p.w, q.xy), vec3r(q.zw, r.x), r.yzw);
}

// Forces on B of n, t, o, and the torque of torsion on B.
fn forces(c: u32) -> FourRows {
    return four_rows(rows[c].jacobian[0], rows[c].jacobian[1], rows[c].jacobian[2]);
}

// Torques of n, t, o on a side.
fn torques(c: u32, side: u32) -> FourRows {
    let at = 3u + 3u * side;
    return four_rows(rows[c].jacobian[at], rows[c].jacobian[at + 1u], rows[c].jacobian[at + 2u]);
}

// dy/dv by c_b − c_a (block 0), θ_a (1), θ_b (2).
fn answers(c: u32, block: u32) -> FourRows {
    let at = 3u * block;
    return four_rows(rows[c].response[at], rows[c].response[at + 1u], rows[c].response[at + 2u]);
}

// 3×3 blocks of K by c_b − c_a, θ_a, θ_b.
struct Stiffness {
    apart: mat3r,
    a: mat3r,
    b: mat3r,
}

fn by_rows(a: vec3r, b: vec3r, c: vec3r) -> mat3r {
    return transpose(mat3r(a, b, c));
}

// Of the force on B (group 0), the torque on A (1), the torque on B (2).
fn stiffness(c: u32, group: u32) -> Stiffness {
    let at = 7u * group;
    let p = rows[c].stiffness[at];
    let q = rows[c].stiffness[at + 1u];
    let r = rows[c].stiffness[at + 2u];
    let s = rows[c].stiffness[at + 3u];
    let t = rows[c].stiffness[at + 4u];
    let u = rows[c].stiffness[at + 5u];
    let v = rows[c].stiffness[at + 6u];
    return Stiffness(
        by_rows(p.xyz, vec3r(p.w, q.xy), vec3r(q.zw, r.x)),
        by_rows(r.yzw, s.xyz, vec3r(s.w, t.xy)),
        by_rows(vec3r(t.zw, u.x), u.yzw, v.xyz),
    );
}
