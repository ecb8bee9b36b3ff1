// The structs of shaders/types.rs: a test compares names, offsets and strides.
// (body A, body B, flags, unused)
alias PairKey = vec4<u32>;

fn vector(v: array<real, 3>) -> vec3r {
    return vec3r(v[0], v[1], v[2]);
}

fn symmetric(q: array<real, 6>) -> mat3r {
    return mat3r(vec3r(q[0], q[1], q[2]), vec3r(q[1], q[3], q[4]), vec3r(q[2], q[4], q[5]));
}

// By rows, as it is stored.
fn matrix(m: array<real, 9>) -> mat3r {
    return mat3r(vec3r(m[0], m[3], m[6]), vec3r(m[1], m[4], m[7]), vec3r(m[2], m[5], m[8]));
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
    unused: array<f32, 3>,
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
