// The structs of shaders/types.rs: a test compares names, offsets and strides.
struct BodyState {
    center: array<real, 3>,
    q: array<real, 6>,
    velocity: array<real, 3>,
    spin: array<real, 3>,
    turn: array<real, 9>,
}

struct PairState {
    offset: array<real, 3>,
    start: array<real, 3>,
    frame_normal: array<real, 3>,
    frame_tangent: array<real, 3>,
    direction: array<real, 3>,
    height: array<real, 1>,
    scale: array<real, 3>,
    impulse: array<real, 4>,
}

struct PairGeometry {
    normal: array<real, 3>,
    tangent: array<real, 3>,
    arm_a: array<real, 3>,
    arm_b: array<real, 3>,
    gap: array<real, 1>,
    mismatch: array<real, 1>,
    residual: array<real, 1>,
    slope_a: array<real, 6>,
    slope_b: array<real, 6>,
}

// In fours: a kernel reads and writes four numbers at once.
struct PairRows {
    slip: vec4r,
    jacobian: array<vec4r, 9>,
    response: array<vec4r, 9>,
    stiffness: array<vec4r, 21>,
}

// (body A, body B, flags, unused)
alias PairKey = vec4<u32>;

fn vector(v: array<real, 3>) -> vec3r {
    return vec3r(v[0], v[1], v[2]);
}

fn plain(v: vec3r) -> array<real, 3> {
    return array<real, 3>(v.x, v.y, v.z);
}

fn symmetric(q: array<real, 6>) -> mat3r {
    return mat3r(vec3r(q[0], q[1], q[2]), vec3r(q[1], q[3], q[4]), vec3r(q[2], q[4], q[5]));
}

fn six(m: mat3r) -> array<real, 6> {
    return array<real, 6>(m[0].x, m[1].x, m[2].x, m[1].y, m[2].y, m[2].z);
}

// By rows, as it is stored.
fn matrix(m: array<real, 9>) -> mat3r {
    return mat3r(vec3r(m[0], m[3], m[6]), vec3r(m[1], m[4], m[7]), vec3r(m[2], m[5], m[8]));
}

struct ContactLawState {
    centre: array<real, 4>,
    slip: array<real, 4>,
    weight: array<real, 2>,
    friction_coefficient: array<real, 1>,
}

struct ContactDerivative {
    impulse: vec4r,
    slopes: vec4r,
    direction: vec3r,
    unused: real,
}

// Rows and impulses of the flat step are f32 in both precisions.
struct FlatRow {
    normal: vec3<f32>,
    friction: f32,
    tangent: vec3<f32>,
    torsion: f32,
    arm_a: vec3<f32>,
    normal_step: f32,
    arm_b: vec3<f32>,
    friction_step: f32,
    offset: vec4<f32>,
    coupling: vec3<f32>,
    per_unit: f32,
}

struct FlatState {
    impulse: vec4<f32>,
    direction: vec4<f32>,
    change: vec4<f32>,
    centre: vec4<f32>,
    moved: f32,
    is_hot: f32,
    unused: vec2<f32>,
}

struct FlatFrame {
    normal: vec3r,
    offset: real,
    shift: vec3r,
    pull: real,
}

struct FlatBody {
    center: array<real, 3>,
    rotation: array<real, 9>,
    inverse_inertia: array<real, 6>,
    inverse_mass: array<real, 1>,
    moments: array<real, 3>,
    semi_axes: array<real, 3>,
    acting: array<real, 1>,
    free: array<real, 6>,
}
