// Reading the rows of contact c, an item of `rows`: twin of src/kernels/pair_rows.rs. Sides are 0 (A) and 1 (B).
fn sign_of(side: u32) -> real {
    return select(-ONE, ONE, side == 1u);
}

fn jacobian(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].jacobian[at], rows[c].jacobian[at + 1u], rows[c].jacobian[at + 2u]);
}

fn response(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].response[at], rows[c].response[at + 1u], rows[c].response[at + 2u]);
}

// Force direction of row k, not of torsion.
fn force(c: u32, side: u32, k: u32) -> Six {
    return Six(jacobian(c, 3u * k) * sign_of(side), jacobian(c, 12u + 9u * side + 3u * k));
}

// That of torsion.
fn twist(c: u32, side: u32) -> Six {
    return Six(vec3r(ZERO), jacobian(c, 9u) * sign_of(side));
}

// dy/dv of row k by the velocities of a side.
fn answer(c: u32, side: u32, k: u32) -> Six {
    return Six(response(c, 3u * k) * sign_of(side), response(c, 12u + 12u * side + 3u * k));
}

fn stiffness_row(c: u32, at: u32) -> vec3r {
    return vec3r(rows[c].stiffness[at], rows[c].stiffness[at + 1u], rows[c].stiffness[at + 2u]);
}

// 3×3 block of K: force on B, torque on A, torque on B; by c_b − c_a, θ_a, θ_b.
fn stiffness(c: u32, row: u32, column: u32) -> mat3r {
    let at = 27u * row + 3u * column;
    return transpose(mat3r(stiffness_row(c, at), stiffness_row(c, at + 9u), stiffness_row(c, at + 18u)));
}
