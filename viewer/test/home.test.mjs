// The home view as numbers, held against the pinhole camera's own equations.
import assert from "node:assert/strict";
import { test } from "node:test";
import { aside, home, spread, subjectOf } from "../src/home.js";
import { cross, dot, plus, unit } from "../src/solids.js";

const FRAME = { up: [0, 0, 1], slope: Math.tan((17.5 * Math.PI) / 180), aspect: 1.6 };
const SIDES = [[1, 0, 0], [0, 1, 0]];
const STILL = [1, 0, 0, 0];

/** A run of balls: `path(k, frame)` is where ball k is, `touches(k, frame)` whether it touches the ground. */
function balls(n, nFrames, path, touches, radius = 0.1) {
  const ball = (k) => ({ name: `ball-${k}`, slot: k, mass: 1, parts: [{ geometry: 0, scale: [radius, radius, radius], inner: [0, 0, 0, ...STILL] }] });
  const ground = { name: "ground", slot: -1, mass: null, pose: [0, 0, 0, ...STILL], parts: [{ geometry: 1, scale: [1, 1, 1], inner: [0, 0, 0, ...STILL] }] };
  const start = [0];
  const bodies = [];
  for (let frame = 0; frame < nFrames; frame++) {
    for (let k = 0; k < n; k++) if (touches(k, frame)) bodies.push(k);
    start.push(bodies.length);
  }
  return {
    nFrames, bodies: [...Array.from({ length: n }, (_, k) => ball(k)), ground],
    geometries: [{ type: "sphere" }, { type: "half-space", normal: [0, 0, 1], offset: 0 }],
    contactPush: bodies.map(() => 1), contactBodies: [bodies, bodies.map(() => n)],
    contactRange: (frame) => [start[frame], start[frame + 1]],
    isThere: () => true, position: (body, frame) => (body.slot < 0 ? body.pose : path(body.slot, frame)), orientation: () => STILL,
  };
}

/** Where a ball is in the picture, in half heights: [left, right, low, high] of its outline. */
function outline(look, at, radius) {
  const from = unit(plus(look.eye, look.target, -1));
  const right = unit(cross(FRAME.up, from));
  const rel = plus(at, look.eye, -1);
  const depth = -dot(rel, from);
  // Planes through the eye that touch a ball: tangents at asin(r/d) on both sides of the way to its centre.
  return [right, cross(from, right)].flatMap((axis) => {
    const across = dot(rel, axis);
    const wide = Math.asin(radius / Math.hypot(across, depth));
    return [-1, 1].map((sign) => Math.tan(Math.atan2(across, depth) + sign * wide) / FRAME.slope);
  });
}

function shares(run, look) {
  const outlines = spread(run).flatMap((frame) =>
    run.bodies.filter((b) => b.slot >= 0).map((b) => outline(look, run.position(b, frame), 0.1)));
  const inside = outlines.filter(([l, r, b, t]) => l >= -1.6 && r <= 1.6 && b >= -1 && t <= 1);
  const seen = (c, most) => inside.reduce((best, o) => most(best, o[c]), most === Math.max ? -9 : 9);
  return { inside: inside.length / outlines.length, height: (seen(3, Math.max) - seen(2, Math.min)) / 2 };
}

test("a heap fills the frame, and nothing of it is cut off", () => {
  const path = (k) => [0.2 * (k % 4), 0.2 * ((k >> 2) % 4), 0.1 + 0.2 * (k >> 4)];
  const run = balls(64, 30, path, () => true);
  const found = shares(run, home(run, subjectOf(run, spread(run)), SIDES, FRAME));
  assert.equal(found.inside, 1);
  assert.ok(found.height > 0.75, `${found.height}`);
});

test("grains that fall away for ever do not make the rest small", () => {
  const path = (k, frame) => (k < 20 ? [0.2 * (k % 5), 0.2 * Math.floor(k / 5), 0.1] : [0.5, 0.5, -frame * frame]);
  const run = balls(30, 40, path, (k) => k < 20);
  const look = home(run, subjectOf(run, spread(run)), SIDES, FRAME);
  const kept = spread(run).flatMap((frame) => run.bodies.slice(0, 20).map((b) => outline(look, run.position(b, frame), 0.1)));
  assert.ok(kept.every(([l, r, b, t]) => l >= -1.6 && r <= 1.6 && b >= -1 && t <= 1));
  assert.ok(Math.max(...kept.map((o) => o[3])) - Math.min(...kept.map((o) => o[2])) > 1, "less than half of the height");
});

test("of a way without an end for one in a hundred, nineteen in twenty are large", () => {
  const path = (k, frame) => (k === 0 ? [3 * frame, 0, 0.1] : [0.2 * (k % 10), 0.2 * Math.floor(k / 10), 0.1]);
  const run = balls(100, 40, path, () => true);
  const found = shares(run, home(run, subjectOf(run, spread(run)), SIDES, FRAME));
  assert.ok(found.inside > 0.95 && found.inside < 1, `${found.inside}`);
  assert.ok(found.height > 0.5, `${found.height}`);
});

test("a long way is looked at along it, so that it is not a thin line", () => {
  const run = balls(1, 50, (_, frame) => [0.2 * frame, 0, 0.1], () => true);
  const subject = subjectOf(run, spread(run));
  assert.ok(shares(run, aside(run, subject, [0, -1, 0], FRAME)).height < 0.1);
  const found = shares(run, home(run, subject, SIDES, FRAME));
  assert.equal(found.inside, 1);
  assert.ok(found.height > 0.5, `${found.height}`);
});

test("a run in which nothing touches shows all that moves", () => {
  const run = balls(3, 20, (k, frame) => [k, 0.05 * frame, 1], () => false);
  assert.equal(shares(run, home(run, subjectOf(run, spread(run)), SIDES, FRAME)).inside, 1);
});
