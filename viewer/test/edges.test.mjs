// Edges of what parts make together.
import assert from "node:assert/strict";
import { test } from "node:test";
import { edgesOf } from "../src/edges.js";

const part = (geometry, scale, at) => ({ geometry, scale, inner: [...at, 1, 0, 0, 0] });
const box = (half, at) => part(0, half, at);
const length = (edges) => edges.reduce((sum, [a, b]) => sum + Math.hypot(...a.map((x, k) => x - b[k])), 0);
const of = (geometry, ...parts) => edgesOf({ geometries: [geometry] }, { parts });
const BOX = { type: "box" };

test("a box has twelve edges, in its size", () => {
  const edges = of(BOX, box([1, 2, 3], [0, 0, 0]));
  assert.equal(edges.length, 12);
  assert.ok(Math.abs(length(edges) - 4 * (2 + 4 + 6)) < 1e-12);
});

test("two boxes that are one bar have the edges of the bar", () => {
  const bar = of(BOX, box([1, 1, 1], [-1, 0, 0]), box([1, 1, 1], [1, 0, 0]));
  assert.ok(Math.abs(length(bar) - 4 * (4 + 2 + 2)) < 1e-9, `${length(bar)}`);
});

test("so have a hundred", () => {
  const bar = of(BOX, ...Array.from({ length: 100 }, (_, k) => box([1, 1, 1], [2 * k, 0, 0])));
  assert.ok(Math.abs(length(bar) - 4 * (200 + 2 + 2)) < 1e-9, `${length(bar)}`);
});

test("an L of two boxes has no line across its flat sides", () => {
  // 3 long and 3 high, 1 thick, 2 deep: six corners on each side.
  const edges = of(BOX, box([1.5, 1, 0.5], [1.5, 0, 0.5]), box([0.5, 1, 1], [0.5, 0, 2]));
  assert.ok(Math.abs(length(edges) - (2 * (3 + 1 + 2 + 2 + 1 + 3) + 6 * 2)) < 1e-9, `${length(edges)}`);
});

test("triangles of a flat surface are not told apart, however small it is", () => {
  const size = 1e-4;
  const vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0.2], [2, 1, 0.2], [2, 0, 2], [2, 1, 2]];
  const faces = [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2], [4, 6, 7], [4, 7, 5]];
  const surface = { type: "polytope", vertices: vertices.map((v) => v.map((x) => x * size)), faces };
  const edges = of(surface, part(0, [1, 1, 1], [0, 0, 0]));
  // Its border, and the bend of 79 degrees; that of 11 degrees is none.
  const slant = Math.hypot(1, 0.2);
  assert.ok(Math.abs(length(edges) / size - (1 + 2 * (1 + slant + 1.8) + 1 + 1)) < 1e-9, `${length(edges) / size}`);
});

test("a cylinder has its two rims, a sphere nothing", () => {
  assert.ok(Math.abs(length(of({ type: "cylinder" }, part(0, [1, 1, 1], [0, 0, 0]))) - 4 * Math.PI) < 0.01);
  assert.equal(of({ type: "sphere" }, part(0, [1, 1, 1], [0, 0, 0])).length, 0);
});
