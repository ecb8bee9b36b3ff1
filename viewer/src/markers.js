// What is drawn beside bodies: contact forces, force chains, contact points, traces, joints.
import {
  BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, Group, InstancedMesh,
  LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial, Points, PointsMaterial, Quaternion, Vector3,
} from "three";
import { STATES } from "./run.js";
import { STATE_COLOURS, listed } from "./colours.js";
import { release } from "./world.js";

const Y = new Vector3(0, 1, 0);
const HEAD = 0.28;
const MOST_TRACES = 60;
// Ends of lines from a frame to the next.
const TRACE_ENDS = 4;
const THRUST = new Color("#c2185b");
const STATE_LIST = STATES.map((state) => new Color(STATE_COLOURS[state]));

/** Instances that come and go. */
class Pool {
  constructor(geometry, group, onTop) {
    this.geometry = geometry;
    this.group = group;
    this.onTop = onTop;
    this.mesh = null;
  }

  /** A mesh with room for n instances. */
  room(n) {
    if (this.mesh && this.mesh.instanceMatrix.count >= n) return this.mesh;
    if (this.mesh) {
      this.group.remove(this.mesh);
      this.mesh.dispose();
    }
    // Forces begin at a surface and point into a body: they are drawn over it.
    const material = new MeshBasicMaterial({ depthTest: !this.onTop, transparent: this.onTop });
    this.mesh = new InstancedMesh(this.geometry, material, Math.max(64, 2 * n));
    this.mesh.renderOrder = this.onTop ? 3 : 0;
    this.mesh.frustumCulled = false;
    this.group.add(this.mesh);
    return this.mesh;
  }

  /** Shows n instances; `place(k)` returns [matrix, colour] or null. */
  fill(n, place) {
    const mesh = this.room(n);
    let count = 0;
    for (let k = 0; k < n; k++) {
      const found = place(k);
      if (!found) continue;
      mesh.setMatrixAt(count, found[0]);
      mesh.setColorAt(count, found[1]);
      count++;
    }
    mesh.count = count;
    mesh.instanceMatrix.needsUpdate = true;
    if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
  }
}

/** Matrix of a rod from one point along a vector. */
function rod(from, along, radius) {
  const length = along.length();
  const turn = new Quaternion().setFromUnitVectors(Y, along.clone().divideScalar(length || 1));
  return new Matrix4().compose(from, turn, new Vector3(radius, length, radius));
}

export class Markers {
  constructor(run, extent) {
    this.run = run;
    this.size = extent.bodySize;
    this.group = new Group();
    this.on = { arrows: false, chains: false, thrust: false, points: false, traces: false, joints: run.joints.length > 0 };
    this.scale = 1;
    this.selected = null;
    this.typical = this.typicalForce();
    const shaft = new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0);
    const head = new ConeGeometry(1, 1, 14).translate(0, 0.5, 0);
    [this.shafts, this.heads] = [shaft, head].map((g) => new Pool(g, this.group, true));
    this.chains = new Pool(shaft, this.group, false);
    this.thrust = new Pool(shaft, this.group, true);
    this.points = new Points(
      new BufferGeometry(),
      new PointsMaterial({ size: 7, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true }),
    );
    this.points.frustumCulled = false;
    this.points.renderOrder = 5;
    this.joints = new LineSegments(
      new BufferGeometry(),
      new LineBasicMaterial({ color: 0xcc3b8f, depthTest: false, transparent: true }),
    );
    this.joints.frustumCulled = false;
    this.joints.renderOrder = 4;
    this.traces = new Group();
    this.group.add(this.points, this.joints, this.traces);
  }

  /** Size that 19 of 20 loaded contacts do not exceed (N). */
  typicalForce() {
    const { run } = this;
    const forces = [];
    const every = Math.max(1, Math.floor(run.contactPush.length / 20000));
    for (let i = 0; i < run.contactPush.length; i += every) {
      if (run.contactPush[i] > 0) forces.push(Math.hypot(...run.impulse(i)) / run.step);
    }
    forces.sort((x, y) => x - y);
    return forces[Math.floor(0.95 * (forces.length - 1))] || 1;
  }

  /** Gives back what the graphics chip holds. */
  dispose() {
    for (const { mesh } of [this.shafts, this.heads, this.chains, this.thrust]) if (mesh) release(mesh);
    for (const drawn of [this.points, this.joints, ...this.traces.children]) release(drawn);
  }

  point(i) {
    const [x, y, z] = this.run.contactPoint;
    return new Vector3(x[i], y[i], z[i]);
  }

  colour(i) {
    return STATE_LIST[this.run.contactFlags[i] & 3];
  }

  show(frame, selectedBody) {
    const [from, to] = this.run.contactRange(frame);
    this.range = [from, to];
    this.showArrows(from, to);
    this.showChains(from, to, frame);
    this.showThrust(from, to);
    this.showPoints(from, to);
    this.showTraces(frame, selectedBody);
    this.showJoints(frame);
  }

  showArrows(from, to) {
    const n = this.on.arrows ? to - from : 0;
    const unit = (this.scale * 2.5 * this.size) / this.typical / this.run.step;
    const radius = 0.045 * this.size;
    const along = (i) => new Vector3(...this.run.impulse(i)).multiplyScalar(unit);
    const loaded = (i) => this.run.contactPush[i] > 0;
    this.shafts.fill(n, (k) => {
      const i = from + k;
      if (!loaded(i)) return null;
      const v = along(i);
      const short = Math.max(v.length() - HEAD * this.size, 0.6 * v.length());
      return [rod(this.point(i), v.setLength(short), radius), this.colour(i)];
    });
    this.heads.fill(n, (k) => {
      const i = from + k;
      if (!loaded(i)) return null;
      const v = along(i);
      const length = v.length();
      const short = Math.max(length - HEAD * this.size, 0.6 * length);
      const tip = v.clone().setLength(length - short);
      return [rod(this.point(i).add(v.setLength(short)), tip, Math.min(0.1 * this.size, 0.35 * length)), this.colour(i)];
    });
  }

  /** What touching bodies do to one another: normal impulse of all their contacts, its centre and the state of the largest. */
  pairs(from, to) {
    const found = new Map();
    for (let i = from; i < to; i++) {
      const push = this.run.contactPush[i];
      if (!(push > 0)) continue;
      const ids = this.run.contactBodies.map((column) => column[i]);
      const key = ids.join();
      if (!found.has(key)) found.set(key, { ids, push: 0, most: 0, point: new Vector3(), contact: i });
      const pair = found.get(key);
      pair.push += push;
      pair.point.addScaledVector(this.point(i), push);
      if (push > pair.most) [pair.most, pair.contact] = [push, i];
    }
    return [...found.values()].map((pair) => ({ ...pair, point: pair.point.divideScalar(pair.push) }));
  }

  /** Thickness of a rod for a normal impulse. */
  thickness(push) {
    return this.scale * 0.16 * this.size * Math.sqrt(Math.min(push / this.run.step / this.typical, 4));
  }

  /** Rods from centre to centre through the contact, as thick as the force is large. */
  showChains(from, to, frame) {
    const pairs = this.on.chains ? this.pairs(from, to) : [];
    this.chains.fill(2 * pairs.length, (k) => {
      const { ids, push, point, contact } = pairs[k >> 1];
      const body = this.run.bodies[ids[k & 1]];
      // What is fixed or carried has no centre that a force goes to.
      if (body.mass === null) return null;
      const centre = new Vector3(...this.run.position(body, frame));
      return [rod(centre, this.nearest(point, centre).sub(centre), this.thickness(push)), this.colour(contact)];
    });
  }

  /** The image of a point that is nearest to another, in a periodic box. */
  nearest(point, other) {
    return point.clone().add(new Vector3(...this.run.towards(point.toArray(), other.toArray())));
  }

  /** The line of thrust: through each body that two others push, from one centre of pressure to the other. */
  showThrust(from, to) {
    const through = new Map();
    for (const pair of this.on.thrust ? this.pairs(from, to) : []) {
      for (const id of pair.ids) {
        if (this.run.bodies[id].mass !== null) through.set(id, [...(through.get(id) ?? []), pair]);
      }
    }
    const lines = [...through.values()].filter((pairs) => pairs.length === 2);
    this.thrust.fill(lines.length, (k) => {
      const [a, b] = lines[k];
      return [rod(a.point, this.nearest(b.point, a.point).sub(a.point), 0.3 * this.thickness(Math.max(a.push, b.push))), THRUST];
    });
  }

  showPoints(from, to) {
    const shown = [];
    for (let i = from; i < to; i++) if (this.on.points || i === this.selected) shown.push(i);
    const at = new Float32Array(3 * shown.length);
    const colours = new Float32Array(3 * shown.length);
    shown.forEach((i, k) => {
      this.point(i).toArray(at, 3 * k);
      (i === this.selected ? new Color("#ff2bd6") : this.colour(i)).toArray(colours, 3 * k);
    });
    this.points.geometry.dispose();
    this.points.geometry = new BufferGeometry();
    this.points.geometry.setAttribute("position", new BufferAttribute(at, 3));
    this.points.geometry.setAttribute("color", new BufferAttribute(colours, 3));
    this.points.visible = shown.length > 0;
  }

  /** Paths of centres up to the frame: of all bodies if they are few, else of the selected one. */
  showTraces(frame, selectedBody) {
    this.traces.visible = this.on.traces;
    if (!this.on.traces) return;
    const moving = this.run.bodies.filter((body) => body.slot >= 0);
    const wanted = selectedBody?.slot >= 0 ? [selectedBody] : moving.length <= MOST_TRACES ? moving : [];
    const same = wanted.length === this.traces.children.length &&
      wanted.every((body, k) => this.traces.children[k].userData.body === body);
    if (!same) {
      this.traces.children.forEach((line) => line.geometry.dispose());
      this.traces.clear();
      wanted.forEach((body) => this.traces.add(this.trace(body)));
    }
    this.traces.children.forEach((line) => line.geometry.setDrawRange(0, TRACE_ENDS * frame));
  }

  trace(body) {
    const { run } = this;
    const each = TRACE_ENDS;
    const at = new Float32Array(3 * each * (run.nFrames - 1));
    for (let k = 1; k < run.nFrames; k++) {
      const [from, to] = [k - 1, k].map((frame) => run.position(body, frame).slice(0, 3));
      const across = run.towards(to, from);
      // Where a body leaves a periodic box and comes in again, the line ends and begins again.
      const ends = [from, to.map((x, c) => x + across[c]), from.map((x, c) => x - across[c]), to];
      ends.forEach((end, e) => at.set(end, 3 * (each * (k - 1) + e)));
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(at, 3));
    const line = new LineSegments(geometry, new LineBasicMaterial({ color: listed(body.slot) }));
    line.frustumCulled = false;
    line.userData.body = body;
    return line;
  }

  /** From the centre of each body to its anchor. */
  showJoints(frame) {
    this.joints.visible = this.on.joints;
    if (!this.on.joints) return;
    const at = [];
    for (const { bodies, anchors } of this.run.joints) {
      bodies.forEach((id, k) => {
        const body = this.run.bodies[id];
        const [w, x, y, z] = this.run.orientation(body, frame);
        const centre = new Vector3(...this.run.position(body, frame));
        const anchor = new Vector3(...anchors[k]).applyQuaternion(new Quaternion(x, y, z, w)).add(centre);
        if (body.slot >= 0) at.push(...centre.toArray(), ...anchor.toArray());
      });
    }
    this.joints.geometry.dispose();
    this.joints.geometry = new BufferGeometry();
    this.joints.geometry.setAttribute("position", new BufferAttribute(new Float32Array(at), 3));
  }
}
