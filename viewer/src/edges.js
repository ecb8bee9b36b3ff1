// Edges that a body is drawn with: where its surface bends by more than 30 degrees. What lies between parts, or
// between triangles of one flat face, is no edge.
import { cross, dot, isConvex, isInside, planesOf, plus, reach, turned, turnedBack, unit } from "./solids.js";

const LEAST_BEND = (30 * Math.PI) / 180;
const RIM = 96;
/** Bodies of more parts are taken to be meshes, whose parts share whole faces. */
const MOST_PARTS = 60;
/** Directions round an edge at which the body is asked for. */
const AROUND = 120;
/** Pieces of an edge that may go into round parts. */
const PIECES = 8;

/** Ends of the edges of a body's shape, in the frame of the body: [from, to] each. */
export function edgesOf(run, body) {
  const [part] = body.parts;
  const geometry = run.geometries[part.geometry];
  if (!isConvex(geometry)) return placed(surfaceEdges(geometry), part);
  if (body.parts.length === 1) return placed(ownEdges(geometry), part);
  const mesh = meshOf(run, body);
  return mesh ? surfaceEdges(mesh) : jointEdges(run, body);
}

/** Edges of a unit geometry, or of a convex polytope. */
export function ownEdges(geometry) {
  if (geometry.type === "sphere" || geometry.type === "half-space") return [];
  if (geometry.type !== "cylinder") return surfaceEdges(geometry.type === "box" ? BOX : geometry);
  const at = (k, z) => [Math.cos((2 * Math.PI * k) / RIM), Math.sin((2 * Math.PI * k) / RIM), z];
  return [-1, 1].flatMap((z) => Array.from({ length: RIM }, (_, k) => [at(k, z), at(k + 1, z)]));
}

const BOX = {
  type: "polytope",
  vertices: Array.from({ length: 8 }, (_, k) => [0, 1, 2].map((bit) => ((k >> bit) & 1 ? 1 : -1))),
  faces: [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]],
};

function placed(edges, { scale, inner }) {
  const place = (v) => plus(turned(inner.slice(3), v.map((c, k) => c * scale[k])), inner);
  return edges.map((ends) => ends.map(place));
}

/** The outside of a body of many flat parts as one geometry, without faces that two parts share; null of other bodies. */
export function meshOf(run, body) {
  const solids = body.parts.map(({ geometry }) => (run.geometries[geometry].type === "box" ? BOX : run.geometries[geometry]));
  if (solids.length <= MOST_PARTS || solids.some(({ type }) => type !== "polytope")) return null;
  if (body.outside) return body.outside;
  const [vertices, faces] = [[], []];
  solids.forEach((solid, k) => {
    const first = vertices.length;
    for (const [corner] of placed(solid.vertices.map((v) => [v]), body.parts[k])) vertices.push(corner);
    for (const face of solid.faces) faces.push(face.map((v) => first + v));
  });
  const ids = idsOf(vertices);
  const count = new Map();
  const keys = faces.map((face) => face.map((v) => ids[v]).sort((a, b) => a - b).join());
  for (const key of keys) count.set(key, (count.get(key) ?? 0) + 1);
  body.outside = { type: "polytope", vertices, faces: faces.filter((_, f) => count.get(keys[f]) === 1) };
  return body.outside;
}

/** Numbers of vertices, the same where they are in one place. */
function idsOf(vertices) {
  const cell = 1e-6 * vertices.reduce((most, v) => Math.max(most, Math.hypot(...v)), 0);
  const places = new Map();
  return vertices.map((v) => {
    const key = v.map((c) => Math.round(c / cell)).join();
    if (!places.has(key)) places.set(key, places.size);
    return places.get(key);
  });
}

/** Edges between faces with too much of a bend, and those of one face alone. */
function surfaceEdges(geometry) {
  const { vertices, faces } = geometry;
  // Corners of triangles that were read from a file are the same where they are in one place.
  const ids = idsOf(vertices);
  const found = new Map();
  faces.forEach((face, f) => {
    const [normal] = planesOf(geometry)[f];
    face.forEach((from, k) => {
      const to = face[(k + 1) % face.length];
      const [a, b] = [ids[from], ids[to]].sort((x, y) => x - y);
      if (a === b) return;
      const key = `${a} ${b}`;
      if (!found.has(key)) found.set(key, { ends: [vertices[from], vertices[to]], normals: [] });
      found.get(key).normals.push(normal);
    });
  });
  const bends = ({ normals }) => normals.length === 1 ||
    normals.some((n, k) => normals.every((m, j) => j === k || dot(n, m) < Math.cos(LEAST_BEND)));
  return [...found.values()].filter(bends).map(({ ends }) => ends);
}

/** Edges of parts, without what is inside other parts or flush with them. */
function jointEdges(run, body) {
  const balls = body.parts.map((part) => {
    const geometry = run.geometries[part.geometry];
    const radius = geometry.type === "polytope" ? Math.max(...geometry.vertices.map((v) => Math.hypot(...v)))
      : reach(geometry, part.scale, unit(part.scale.map((s) => s || 1))) * 1.8;
    return { part, geometry, centre: part.inner.slice(0, 3), radius };
  });
  return balls.flatMap((ball) => {
    const near = balls.filter(({ centre, radius }) => Math.hypot(...plus(centre, ball.centre, -1)) < radius + ball.radius);
    const own = placed(ownEdges(ball.geometry), ball.part);
    if (near.length === 1) return own;
    return own.flatMap(([from, to]) => {
      const way = plus(to, from, -1);
      const cuts = ball.geometry.type === "cylinder" ? [0, 1] : cutsOf(near, from, way);
      const bent = (low, high) => isBent(near, plus(from, way, (low + high) / 2), way, 1e-3 * ball.radius);
      const pieces = cuts.slice(1).map((high, k) => [cuts[k], high]).filter(([low, high]) => high - low > 1e-6 && bent(low, high));
      return joined(pieces).map((ends) => ends.map((at) => plus(from, way, at)));
    });
  });
}

/** Where a line from a point along a way meets faces of parts: shares of the way from 0 to 1, in order. */
function cutsOf(balls, from, way) {
  const cuts = [0, 1];
  for (const { geometry, part } of balls) {
    const { scale, inner } = part;
    const own = (v) => turnedBack(inner.slice(3), v).map((c, k) => c / scale[k]);
    const [start, along] = [own(plus(from, inner, -1)), own(way)];
    for (const [normal, offset] of planesOf(geometry)) {
      const at = (offset - dot(normal, start)) / dot(normal, along);
      if (at > 0 && at < 1) cuts.push(at);
    }
    if (geometry.type === "sphere" || geometry.type === "cylinder") {
      for (let k = 1; k < PIECES; k++) cuts.push(k / PIECES);
    }
  }
  return cuts.sort((a, b) => a - b);
}

/** Ranges [from, to] in order, with those that follow one another as one. */
function joined(ranges) {
  const whole = [];
  for (const [from, to] of ranges) {
    if (whole.length && from - whole.at(-1)[1] < 1e-6) whole.at(-1)[1] = to;
    else whole.push([from, to]);
  }
  return whole;
}

/** Whether the surface of what parts make together bends at a point of an edge: inside is not half of the turn. */
function isBent(balls, point, way, distance) {
  const u = unit(cross(way, Math.abs(way[0]) < 0.9 * Math.hypot(...way) ? [1, 0, 0] : [0, 1, 0]));
  const v = cross(unit(way), u);
  let inside = 0;
  for (let k = 0; k < AROUND; k++) {
    const angle = (2 * Math.PI * (k + 0.37)) / AROUND;
    const at = plus(plus(point, u, distance * Math.cos(angle)), v, distance * Math.sin(angle));
    inside += balls.some(({ geometry, part }) => isInside(geometry, part, at));
  }
  const angle = (2 * Math.PI * inside) / AROUND;
  return inside < AROUND && Math.abs(angle - Math.PI) > LEAST_BEND;
}
