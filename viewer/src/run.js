// The run as the page holds it.
import { Columns, addLast, addLine, float, section } from "./columns.js";

const TURN = 4095;
const NORMAL = 8191;
export const STATES = ["open", "stick", "slip"];
export const KINDS = ["point", "line", "surface"];

/** Reads everything that is in the document. */
export async function readRun() {
  const [header, bodies, contacts, steps] = await Promise.all(
    ["run-header", "run-bodies", "run-contacts", "run-steps"].map(section),
  );
  return new Run(JSON.parse(new TextDecoder().decode(header)), bodies, contacts, steps);
}

class Run {
  constructor(header, bodies, contacts, steps) {
    Object.assign(this, header.scene);
    // Parts know their body; the first one stands for what a body has one of.
    for (const body of this.bodies) {
      body.parts.forEach((part) => (part.body = body));
      body.material = body.parts[0].material;
    }
    this.title = header.title;
    this.version = header.version;
    this.nMoving = header.moving;
    this.frameSteps = header.frames.steps;
    this.times = header.frames.times;
    this.nFrames = this.times.length;
    this.readBodies(new Columns(bodies), header.quantum);
    this.readContacts(new Columns(contacts), header.contacts, header.quantum);
    this.readSteps(steps, header.steps);
  }

  /** Positions, quaternions and velocities: index slot * nFrames + frame. */
  readBodies(columns, quantum) {
    const { nFrames, nMoving } = this;
    const n = nFrames * nMoving;
    this.samples = [];
    for (let c = 0; c < 13; c++) {
      const integers = columns.next(n);
      const values = new Float32Array(n);
      if (c < 7) {
        addLine(integers, nFrames);
        const unit = c < 3 ? quantum : 1 / TURN;
        for (let i = 0; i < n; i++) values[i] = integers[i] * unit;
      } else {
        addLast(integers, nFrames);
        for (let i = 0; i < n; i++) values[i] = float(integers[i], 15);
      }
      this.samples.push(values);
    }
    this.largestSpeed = 0;
    for (let i = 0; i < n; i++) {
      const v = this.samples;
      this.largestSpeed = Math.max(this.largestSpeed, Math.hypot(v[7][i], v[8][i], v[9][i]));
    }
  }

  /** Contacts of some frames, frame by frame: `contactStart[k]` is the first of frame `contactFrames[k]`. */
  readContacts(columns, { frames, counts }, quantum) {
    const n = counts.reduce((sum, count) => sum + count, 0);
    const [a, b] = [0, 1].map(() => addLast(columns.next(n), n));
    const rest = Array.from({ length: 15 }, () => columns.next(n));
    this.contactFrames = frames;
    this.contactStart = [0];
    counts.forEach((count, k) => this.contactStart.push(this.contactStart[k] + count));
    this.contactBodies = [a, b];
    let before = new Map();
    for (let k = 0; k < frames.length; k++) {
      const now = new Map();
      let number = 0;
      for (let i = this.contactStart[k]; i < this.contactStart[k + 1]; i++) {
        const same = i > this.contactStart[k] && a[i] === a[i - 1] && b[i] === b[i - 1];
        number = same ? number + 1 : 0;
        const key = (number * 1048576 + a[i]) * 1048576 + b[i];
        const last = before.get(key);
        if (last !== undefined) for (const column of rest) column[i] = (column[i] + column[last]) | 0;
        now.set(key, i);
      }
      before = now;
    }
    const scaled = (column, of) => Float32Array.from(column, of);
    this.contactPoint = rest.slice(0, 3).map((column) => scaled(column, (x) => x * quantum));
    this.contactNormal = rest.slice(3, 6).map((column) => scaled(column, (x) => x / NORMAL));
    this.contactGap = scaled(rest[6], (x) => float(x, 15));
    [this.contactPush, this.contactFx, this.contactFy, this.contactFz, this.contactTorsion] =
      rest.slice(7, 12).map((column) => scaled(column, (x) => float(x, 13)));
    this.contactSlip = scaled(rest[12], (x) => float(x, 15));
    [this.contactFlags, this.contactParts] = rest.slice(13);
    this.placePoints();
  }

  /** Contact points are told from the centre of the body that moves, B if both do: makes them world points. */
  placePoints() {
    for (let k = 0; k < this.contactFrames.length; k++) {
      for (let i = this.contactStart[k]; i < this.contactStart[k + 1]; i++) {
        const [a, b] = [this.bodies[this.contactBodies[0][i]], this.bodies[this.contactBodies[1][i]]];
        const centre = this.position(b.slot >= 0 || a.slot < 0 ? b : a, this.contactFrames[k]);
        for (let c = 0; c < 3; c++) this.contactPoint[c][i] += centre[c];
      }
    }
  }

  readSteps(bytes, n) {
    const copy = bytes.slice().buffer;
    const doubles = (k) => new Float64Array(copy, 8 * n * k, n);
    [this.stepTime, this.kinetic, this.potential, this.residual, this.minGap] = [0, 1, 2, 3, 4].map(doubles);
    this.iterations = new Uint32Array(copy, 40 * n, n);
    this.contactCount = new Uint32Array(copy, 44 * n, n);
    this.verdict = new Uint8Array(copy, 48 * n, n);
    this.nSteps = n;
  }

  position(body, frame) {
    if (body.slot < 0) return body.pose;
    const i = body.slot * this.nFrames + frame;
    return [this.samples[0][i], this.samples[1][i], this.samples[2][i]];
  }

  /** What leads from a point to its image that is nearest to another, of a periodic scene. */
  towards(point, other) {
    return this.lengths.map((length, axis) => (length ? length * Math.round((other[axis] - point[axis]) / length) : 0));
  }

  /** Numbers c to c + n of a body's sample, null of one that never moves. */
  sample(body, frame, c, n) {
    if (body.slot < 0) return null;
    const i = body.slot * this.nFrames + frame;
    return this.samples.slice(c, c + n).map((column) => column[i]);
  }

  /** Whether a body is there at a frame: it may come and leave. */
  isThere(body, frame) {
    const step = this.frameSteps[frame];
    return !body.there || (body.there[0] <= step && step <= body.there[1]);
  }

  /** Quaternion (w, x, y, z). */
  orientation(body, frame) {
    return this.sample(body, frame, 3, 4) ?? body.pose.slice(3);
  }

  speed(body, frame) {
    const v = this.sample(body, frame, 7, 3);
    return v ? Math.hypot(...v) : 0;
  }

  /** Frame at or before a time. */
  frameAt(time) {
    let [low, high] = [0, this.nFrames - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= time + 1e-9 * this.step) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Row of steps at the end of a frame; −1 at the start. */
  stepAt(frame) {
    const time = this.times[frame];
    let [low, high] = [0, this.nSteps];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.stepTime[middle] < time - 0.5 * this.step) low = middle + 1;
      else high = middle;
    }
    return frame === 0 && this.frameSteps[0] === 0 ? -1 : Math.min(low, this.nSteps - 1);
  }

  /** First and last + 1 contact to show at a frame: those of the last frame at or before it that has them. */
  contactRange(frame) {
    let [low, high] = [0, this.contactFrames.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.contactFrames[middle] <= frame) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? [0, 0] : [this.contactStart[low - 1], this.contactStart[low]];
  }

  /** Which part of body A and of body B. */
  partsOf(i) {
    return [this.contactParts[i] & 0x7fff, (this.contactParts[i] >> 15) & 0x7fff];
  }

  contact(i) {
    const flags = this.contactFlags[i];
    const of = (columns) => columns.map((column) => column[i]);
    return {
      bodies: of(this.contactBodies).map((k) => this.bodies[k]),
      parts: this.partsOf(i),
      point: of(this.contactPoint),
      normal: of(this.contactNormal),
      gap: this.contactGap[i],
      push: this.contactPush[i],
      friction: [this.contactFx[i], this.contactFy[i], this.contactFz[i]],
      torsion: this.contactTorsion[i],
      slip: this.contactSlip[i],
      state: STATES[flags & 3],
      kind: KINDS[(flags >> 2) & 3],
      points: (flags >> 4) & 255,
      facets: [(flags >> 12) & 255, (flags >> 20) & 255],
    };
  }

  /** Impulse on body B (N s). */
  impulse(i) {
    const p = this.contactPush[i];
    const [nx, ny, nz] = this.contactNormal;
    return [nx[i] * p + this.contactFx[i], ny[i] * p + this.contactFy[i], nz[i] * p + this.contactFz[i]];
  }
}
