// What stands beside the scene: lengths, groups and their legend.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillOf, groupsOf } from "../src/groups.js";
import { legend } from "../src/legend.js";
import { lengthText, roundLength } from "../src/overlay.js";

test("bars have round lengths that fit", () => {
  for (const [most, length, text] of [[0.13, 0.1, "100 mm"], [0.5, 0.5, "500 mm"], [4.9, 2, "2 m"], [3e-5, 2e-5, "20 µm"], [7e3, 5e3, "5 km"]]) {
    assert.ok(Math.abs(roundLength(most) - length) < 1e-12 * length, `${most}: ${roundLength(most)}`);
    assert.equal(lengthText(roundLength(most)), text);
  }
});

const ball = (name, slot, radius, material = 0) => ({
  name, slot, material, mass: 1, parts: [{ geometry: 0, scale: [radius, radius, radius], inner: [0, 0, 0, 1, 0, 0, 0] }],
});
const run = (bodies) => ({ bodies, geometries: [{ type: "sphere" }], materials: ["steel", "<wood>"] });

test("bodies of a fill are one group, and what is fixed is in none", () => {
  const fixed = { ...ball("wall-1", -1, 1), mass: null };
  const found = groupsOf(run([ball("grain-0", 0, 0.1), ball("grain-1", 1, 0.1), ball("die", 2, 0.1), fixed]), "fill");
  assert.deepEqual(found.map(({ name, bodies }) => [name, bodies.length]), [["grain", 2], ["die", 1]]);
  assert.equal(fillOf({ name: "part-3-12" }), "part");
});

test("every body is in one class of sizes, the smallest in the first", () => {
  const bodies = Array.from({ length: 50 }, (_, k) => ball(`b-${k}`, k, 0.01 * (1 + k / 49)));
  const groups = groupsOf(run(bodies), "size");
  assert.equal(groups.reduce((sum, group) => sum + group.bodies.length, 0), 50);
  assert.ok(groups[0].bodies.includes(bodies[0]) && groups.at(-1).bodies.includes(bodies[49]));
  assert.equal(groups[0].name, "0.02 – 0.0233 m");
  assert.equal(groupsOf(run(bodies.map((body, k) => ball(body.name, k, 0.01))), "size").length, 1);
});

test("the legend says what is hidden, and keeps names as text", () => {
  const bodies = [ball("a", 0, 1, 0), ball("b", 1, 1, 1)];
  const groups = groupsOf(run(bodies), "material");
  const html = legend(run(bodies), "material", groups, new Set(["b"]));
  assert.match(html, /aria-pressed="true"[^]*steel[^]*aria-pressed="false"[^]*&lt;wood&gt;/);
});
