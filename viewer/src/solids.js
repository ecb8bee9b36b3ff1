// Shapes as plain numbers: how far they reach, and what is inside. Vectors are arrays, quaternions (w, x, y, z).

export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const plus = (a, b, by = 1) => [a[0] + by * b[0], a[1] + by * b[1], a[2] + by * b[2]];
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const unit = (a) => {
  const length = Math.hypot(...a) || 1;
  return a.map((x) => x / length);
};

/** A vector turned by a unit quaternion. */
export function turned([w, ...u], v) {
  const t = cross(u, v).map((x) => 2 * x);
  return plus(plus(v, t, w), cross(u, t));
}

/** A vector turned back. */
export const turnedBack = ([w, x, y, z], v) => turned([w, -x, -y, -z], v);

/** Outer unit normals and offsets of the flat faces of a geometry. */
export function planesOf(geometry) {
  const along = (axes) => axes.flatMap((axis) => [1, -1].map((sign) => [[0, 1, 2].map((c) => (c === axis ? sign : 0)), 1]));
  geometry.planes ??= geometry.type === "polytope" ? geometry.faces.map((face) => planeOf(geometry.vertices, face))
    : geometry.type === "box" ? along([0, 1, 2]) : geometry.type === "cylinder" ? along([2])
    : geometry.type === "half-space" ? [[geometry.normal, geometry.offset]] : [];
  return geometry.planes;
}

function planeOf(vertices, face) {
  // Newell's sum: right also where three corners lie in a line.
  const normal = unit(face.reduce((sum, v, k) => plus(sum, cross(vertices[v], vertices[face[(k + 1) % face.length]])), [0, 0, 0]));
  return [normal, dot(normal, vertices[face[0]])];
}

/** Whether a polytope is a solid: triangles of a surface may lie anywhere. */
export function isConvex(geometry) {
  if (geometry.type !== "polytope") return true;
  if (geometry.convex === undefined) {
    const { vertices } = geometry;
    const size = Math.max(...vertices.map((v) => Math.hypot(...v)));
    geometry.convex = planesOf(geometry).every(([n, offset]) => vertices.every((v) => dot(n, v) <= offset + 1e-5 * size));
  }
  return geometry.convex;
}

/** How far a shape reaches from its origin along a vector in its own axes, times the vector's length. */
export function reach(geometry, scale, d) {
  const [x, y, z] = d.map((c, k) => Math.abs(c) * scale[k]);
  switch (geometry.type) {
    case "sphere":
      return Math.hypot(x, y, z);
    case "box":
      return x + y + z;
    case "cylinder":
      return Math.hypot(x, y) + z;
    case "polytope":
      return geometry.vertices.reduce((most, v) => Math.max(most, dot(v, d)), -Infinity);
    default:
      return 0;
  }
}

/** How far a body with a turn reaches from its position along a vector of the world, times its length. */
export function bodyReach(run, body, turn, d) {
  const own = turnedBack(turn, d);
  return body.parts.reduce((most, { geometry, scale, inner }) => {
    const part = reach(run.geometries[geometry], scale, turnedBack(inner.slice(3), own));
    return Math.max(most, part + dot(inner.slice(0, 3), own));
  }, -Infinity);
}

/** Whether a body is a half-space or has one: it has no size. */
export function isEndless(run, body) {
  return body.parts.some(({ geometry }) => run.geometries[geometry].type === "half-space");
}

/** Mean of a body's widths along its own axes (m). */
export function meanWidth(run, body) {
  const axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const still = [1, 0, 0, 0];
  return axes.reduce((sum, d) => sum + bodyReach(run, body, still, d) + bodyReach(run, body, still, d.map((c) => -c)), 0) / 3;
}

/** Whether a point in the frame of a body is inside one of its parts. */
export function isInside(geometry, { scale, inner }, point) {
  const own = turnedBack(inner.slice(3), plus(point, inner, -1)).map((c, k) => c / scale[k]);
  if (geometry.type === "sphere") return dot(own, own) < 1;
  if (geometry.type === "cylinder" && Math.hypot(own[0], own[1]) >= 1) return false;
  return planesOf(geometry).every(([n, offset]) => dot(n, own) < offset);
}
