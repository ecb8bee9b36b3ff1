// A body at the end of the step: twin of shaders/flat_flight.rs.
fn turn_of(b: FlatBody, spin: vec3r, h: real) -> vec3r {
    let w = transpose(matrix(b.rotation)) * spin;
    let moments = vector(b.moments);
    let momentum = moments * w;
    let torque = cross(momentum, w);
    let first = torque / moments;
    let second = (cross(torque, w) + cross(momentum, first)) / moments;
    let cubic = second * (h / FLAT_SIXTH) - cross(first, w) * (h / FLAT_TWELFTH);
    let turn = (w + (first * HALF + cubic) * h) * h;
    let length = norm3(turn);
    return turn * min(ONE, FLAT_MOST_TURN / max(length, FLAT_MOST_TURN));
}

// (cos(θ/2), sin(θ/2)/θ) from (θ/2)², by their series.
fn half_angle(quarter: real) -> vec2<real> {
    var c = ONE;
    var s = ONE;
    for (var k = FLAT_TERMS; k > 0u; k--) {
        let even = real(2u * k);
        c = ONE - c * quarter / (even * (even - ONE));
        s = ONE - s * quarter / (even * (even + ONE));
    }
    return vec2<real>(c, s * HALF);
}

// Rotation of a turn vector.
fn rotation_of(turn: vec3r) -> mat3r {
    let half = half_angle(dot(turn, turn) * HALF * HALF);
    let w = half.x;
    let v = turn * half.y;
    let k = skew(v);
    return identity3() + (k * w + k * k) * (ONE + ONE);
}

fn ellipsoid_at_end(b: FlatBody, velocity: vec3r, spin: vec3r, h: real) -> Ellipsoid {
    let r = matrix(b.rotation) * rotation_of(turn_of(b, spin, h));
    let a = vector(b.semi_axes);
    let scaled = mat3r(r[0] * a.x, r[1] * a.y, r[2] * a.z);
    return Ellipsoid(vector(b.center) + velocity * h, scaled * transpose(scaled));
}
