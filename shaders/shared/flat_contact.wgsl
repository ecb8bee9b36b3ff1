// One contact of the flat step: twin of shaders/flat_contact.rs.
struct Touching {
    n: vec3r,
    t: vec3r,
    o: vec3r,
    arm_a: vec3r,
    arm_b: vec3r,
    torsion: real,
}

// Impulse on B and the moments on both bodies; all on A act the other way.
struct Push {
    impulse: vec3r,
    on_a: vec3r,
    on_b: vec3r,
}

// Velocities and spins of both bodies.
struct Moving {
    v_a: vec3r,
    w_a: vec3r,
    v_b: vec3r,
    w_b: vec3r,
}

struct Inertia {
    m_a: real,
    m_b: real,
    i_a: mat3r,
    i_b: mat3r,
}

fn touching_of(row: FlatRow) -> Touching {
    let n = vec3r(row.normal);
    let t = vec3r(row.tangent);
    return Touching(n, t, cross(n, t), vec3r(row.arm_a), vec3r(row.arm_b), real(row.torsion));
}

fn push_of(c: Touching, x: vec4r) -> Push {
    let impulse = c.n * x.x + c.t * x.y + c.o * x.z;
    let twist = c.n * (c.torsion * x.w);
    return Push(impulse, cross(c.arm_a, impulse) + twist, cross(c.arm_b, impulse) + twist);
}

fn pushed(m: Moving, by: Push, k: Inertia) -> Moving {
    return Moving(
        m.v_a - by.impulse * k.m_a,
        m.w_a - k.i_a * by.on_a,
        m.v_b + by.impulse * k.m_b,
        m.w_b + k.i_b * by.on_b,
    );
}

fn slip_of(c: Touching, m: Moving) -> vec4r {
    let u = m.v_b + cross(m.w_b, c.arm_b) - m.v_a - cross(m.w_a, c.arm_a);
    return vec4r(dot(c.n, u), dot(c.t, u), dot(c.o, u), c.torsion * dot(c.n, m.w_b - m.w_a));
}

// x drawn to the centre z of the proximal term.
fn drawn(x: vec4r, z: vec4r, weight: real) -> vec4r {
    return (x + z * weight) / (ONE + weight);
}

// Impulses that solve a contact with the slip y before: normal, then friction on its ball.
fn solved(row: FlatRow, y: vec4r, x: vec4r, z: vec4r, weight: real) -> vec4r {
    let r_n = real(row.normal_step);
    let r_t = real(row.friction_step);
    let x_n = max(drawn(x - vec4r(r_n * y.x), z, weight).x, ZERO);
    let added = vec4r(ZERO, vec3r(row.coupling) * (x_n - x.x));
    let rubbed = drawn(x - (y + added) * r_t, z, weight).yzw;
    let length = sqrt(max(dot(rubbed, rubbed), FLAT_LEAST_SQUARE));
    let shrink = min(real(row.friction) * x_n / length, ONE);
    return vec4r(x_n, rubbed * shrink);
}

fn flushed(step: vec4<f32>) -> vec4<f32> {
    return select(step, vec4<f32>(0f), abs(step) < vec4<f32>(FLAT_LEAST_STEP));
}

// Impulses moved on along the search direction, which takes their last change in; the centre of the proximal
// term is renewed first where it is time.
fn gone_on(at: FlatState, beta: f32, age: f32) -> FlatState {
    var next = at;
    if age == 0f {
        next.centre = at.impulse;
    }
    let step = flushed(at.direction * beta);
    next.direction = step + at.change;
    next.impulse = at.impulse + step;
    next.change = vec4<f32>(0f);
    return next;
}
