// Small linear algebra without indexed arrays. Matrices are stored by columns.
alias vec3r = vec3<real>;
alias vec4r = vec4<real>;
alias mat3r = mat3x3<real>;

const ZERO: real = real(0);
const ONE: real = real(1);

fn skew(v: vec3r) -> mat3r {
    return mat3r(vec3r(ZERO, v.z, -v.y), vec3r(-v.z, ZERO, v.x), vec3r(v.y, -v.x, ZERO));
}

// a bᵀ
fn outer(a: vec3r, b: vec3r) -> mat3r {
    return mat3r(a * b.x, a * b.y, a * b.z);
}

fn identity3() -> mat3r {
    return mat3r(vec3r(ONE, ZERO, ZERO), vec3r(ZERO, ONE, ZERO), vec3r(ZERO, ZERO, ONE));
}

fn norm3(v: vec3r) -> real {
    return sqrt(dot(v, v));
}

// Two unit vectors that complete n to a right-handed frame: the first of them.
fn tangent_of(n: vec3r) -> vec3r {
    let pick = select(vec3r(ZERO, ONE, ZERO), vec3r(ONE, ZERO, ZERO), abs(n.x) < PICK);
    let t = pick - n * dot(n, pick);
    return t / norm3(t);
}
