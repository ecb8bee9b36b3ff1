// Closest points of two ellipsoids: twin of shaders/smooth_pair.rs.
struct Ellipsoid {
    center: vec3r,
    q: mat3r,
}

// The pair at one direction. Slopes are left to callers that need them: numbers that a loop carries from turn
// to turn are masked lane by lane.
struct Closest {
    normal: vec3r,
    support_a: vec3r,
    support_b: vec3r,
    // Support functions, measured from the centres.
    height_a: real,
    height_b: real,
    gap: real,
    mismatch: real,
    residual: real,
}

fn support_slope(q: mat3r, h: real, s: vec3r) -> mat3r {
    let ss = outer(s, s);
    return mat3r((q[0] - ss[0]) / h, (q[1] - ss[1]) / h, (q[2] - ss[2]) / h);
}

fn evaluate(a: Ellipsoid, b: Ellipsoid, n: vec3r) -> Closest {
    let qa = a.q * n;
    let ha = sqrt(dot(n, qa));
    let sa = qa / ha;
    let qb = b.q * n;
    let hb = sqrt(dot(n, qb));
    let sb = qb / hb;
    let e = b.center - a.center - sa - sb;
    let gap = dot(n, e);
    let mismatch = norm3(e - n * gap);
    return Closest(n, sa, -sb, ha, hb, gap, mismatch, mismatch / (ha + hb));
}

fn improves(now: Closest, next: Closest) -> bool {
    let rounding = ROUNDING * norm3(now.support_a - now.support_b);
    return next.gap > now.gap + rounding || (next.gap >= now.gap - rounding && next.residual < now.residual);
}

fn rotated(n: vec3r, turn: vec3r) -> vec3r {
    let sum = n + turn;
    return sum / norm3(sum);
}

fn newton_turn(a: Ellipsoid, b: Ellipsoid, now: Closest) -> vec3r {
    let n = now.normal;
    let e = b.center + now.support_b - a.center - now.support_a;
    let t = tangent_of(n);
    let o = cross(n, t);
    let slope = support_slope(a.q, now.height_a, now.support_a) + support_slope(b.q, now.height_b, now.support_b);
    let st = slope * t;
    let so = slope * o;
    var m00 = dot(t, st) + now.gap;
    let m01 = dot(t, so);
    var m11 = dot(o, so) + now.gap;
    let g0 = dot(t, e);
    let g1 = dot(o, e);
    let half_trace = (m00 + m11) * HALF;
    let half_difference = (m00 - m11) * HALF;
    let smallest = half_trace - sqrt(half_difference * half_difference + m01 * m01);
    let trace = dot(t, st) + dot(o, so);
    if smallest < trace * INDEFINITE {
        let shift = trace * SHIFT - smallest;
        m00 += shift;
        m11 += shift;
    }
    let determinant = m00 * m11 - m01 * m01;
    let d0 = (m11 * g0 - m01 * g1) / determinant;
    let d1 = (m00 * g1 - m01 * g0) / determinant;
    let turn = t * d0 + o * d1;
    let length = norm3(turn);
    if length > LARGEST_TURN {
        return turn * (LARGEST_TURN / length);
    }
    return turn;
}

fn closest_points(a: Ellipsoid, b: Ellipsoid, start: vec3r, tolerance: real) -> Closest {
    var now = evaluate(a, b, start);
    for (var i = 0u; i < MOST_ITERATIONS; i++) {
        if now.residual <= tolerance {
            break;
        }
        let turn = newton_turn(a, b, now);
        let way = norm3(turn);
        var step = ONE;
        var next = evaluate(a, b, rotated(now.normal, turn));
        while !improves(now, next) && step > SMALLEST_STEP && step * way > ROUNDING {
            step *= HALF;
            next = evaluate(a, b, rotated(now.normal, turn * step));
        }
        if !improves(now, next) {
            break;
        }
        now = next;
    }
    return now;
}
