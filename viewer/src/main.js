// The page: reads the run, and joins scene, time and controls.
import { Plane, Vector3 } from "three";
import { Chart } from "./chart.js";
import { Controls } from "./controls.js";
import { Details } from "./details.js";
import { glassParts } from "./glass.js";
import { fillOf, groupsOf } from "./groups.js";
import { legend } from "./legend.js";
import { Markers } from "./markers.js";
import { drawOverlay } from "./overlay.js";
import { pickContact, pickPart } from "./pick.js";
import { Player } from "./player.js";
import { readRun } from "./run.js";
import { Stage, extentOf } from "./stage.js";
import { World } from "./world.js";

const get = (id) => document.getElementById(id);

const AXES = { x: new Vector3(1, 0, 0), y: new Vector3(0, 1, 0), z: new Vector3(0, 0, 1) };

class Viewer {
  constructor(run) {
    this.run = run;
    const extent = extentOf(run);
    this.stage = new Stage(get("view"), run, extent);
    this.world = new World(run, extent);
    this.markers = new Markers(run, extent);
    this.stage.scene.add(this.world.group, this.markers.group);
    this.body = null;
    this.part = null;
    this.contact = null;
    this.see = false;
    this.withGlass = true;
    this.beside = true;
    this.cut = { axis: "", at: 0 };
    this.groups = [];
    this.stale = true;
    this.player = new Player(run, () => (this.stale = true));
    this.details = new Details(get("details"), (what) => this.select(what), () => this.hide(this.body));
    this.chart = new Chart(get("chart"), run, (time) => this.player.seekTime(time));
    this.stage.controls.addEventListener("change", () => (this.moved = true));
    this.setShadows(run.bodies.length <= 300);
    this.setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
    this.setColour("body");
    this.controls = new Controls(this);
    this.watchPointer(get("view"));
    // At once: a canvas of an old size would be stretched.
    new ResizeObserver(() => {
      this.stale = true;
      this.refresh();
    }).observe(get("stage"));
    const loop = (now) => {
      this.player.tick(now);
      this.refresh();
      requestAnimationFrame(loop);
    };
    requestAnimationFrame(loop);
  }

  /** The same run, some steps later. */
  take(run) {
    this.run = this.stage.run = run;
    const { world, markers } = this;
    this.stage.scene.remove(world.group, markers.group);
    world.dispose();
    markers.dispose();
    this.world = new World(run, this.stage.extent);
    this.markers = new Markers(run, this.stage.extent);
    Object.assign(this.world, { kind: world.kind, look: world.look, hidden: world.hidden });
    Object.assign(this.markers, { on: markers.on, scale: markers.scale });
    this.stage.scene.add(this.world.group, this.markers.group);
    this.setTheme(this.dark);
    this.setShadows(this.shadows);
    this.setColour(world.kind);
    this.setCut(this.cut.axis, this.cut.at);
    this.select({ body: this.body?.name, part: this.part });
    this.chart.take(run);
    this.player.take(run);
  }

  /** Draws what changed since the last picture. */
  refresh() {
    if (!this.stale && !this.moved) return;
    this.resize();
    const { frame } = this.player;
    const glassChanges = this.findGlass(frame);
    if (this.stale || glassChanges) {
      if (this.contact !== null) this.followContact(frame);
      this.world.selected = this.body;
      this.markers.selected = this.contact;
      this.world.show(frame);
      this.markers.show(frame, this.body);
      this.details.show(this.run, frame, this.markers.range, this);
      this.chart.draw(frame);
      this.controls.show();
    }
    this.world.detail(this.stage.pixels(1));
    this.stage.render();
    this.placeOverlay();
    this.placeLabel(frame);
    this.stale = this.moved = false;
    document.documentElement.dataset.frame = frame;
  }

  /** Takes the canvas as it is now: the scene is right of the panel, if that leaves more than half of it. */
  resize() {
    const { offsetLeft, offsetWidth } = get("display");
    const covered = get("options").hidden ? 0 : offsetLeft + offsetWidth;
    this.stage.resize(2 * covered < get("view").clientWidth ? covered : 0);
  }

  /** Finds the walls that are in front of the subject; whether they are others than before. */
  findGlass(frame) {
    const { world, stage } = this;
    const carried = this.run.bodies.some(({ mass, slot }) => mass === null && slot >= 0);
    const state = [stage.camera.position.toArray(), carried ? frame : 0, world.look.fixed, [...world.hidden], this.see, this.withGlass].join();
    if (state === this.glassState && this.glassOf === world) return false;
    Object.assign(this, { glassState: state, glassOf: world });
    const before = world.glass;
    world.glass = this.withGlass && !this.see ? glassParts(this.run, world, frame, stage.extent.subject, stage.camera.position) : new Set();
    return before.size !== world.glass.size || [...world.glass].some((part) => !before.has(part));
  }

  /** Axes and a bar of a length over the scene. */
  placeOverlay() {
    const overlay = get("overlay");
    const [width, height, ratio] = this.stage.size;
    Object.assign(overlay, { width: width * ratio, height: height * ratio });
    const pen = overlay.getContext("2d");
    pen.scale(ratio, ratio);
    pen.translate(this.stage.left, 0);
    drawOverlay(pen, this, false);
  }

  /** The scene as it is seen with what stands beside it, as a canvas. */
  composed() {
    this.stale = true;
    this.refresh();
    const { canvas, size } = this.stage;
    const sheet = (this.sheet ??= document.createElement("canvas"));
    Object.assign(sheet, { width: canvas.width, height: canvas.height });
    const pen = sheet.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    pen.scale(size[2], size[2]);
    if (this.beside) drawOverlay(pen, this, true);
    return sheet;
  }

  /** The contact of the same parts at another frame, if they still have one. */
  followContact(frame) {
    const [from, to] = this.run.contactRange(frame);
    if (this.contact >= from && this.contact < to) return;
    const [a, b, parts] = [...this.run.contactBodies, this.run.contactParts].map((column) => column[this.contact]);
    this.contact = null;
    for (let i = from; i < to && this.contact === null; i++) {
      const same = this.run.contactBodies[0][i] === a && this.run.contactBodies[1][i] === b;
      if (same && this.run.contactParts[i] === parts) this.contact = i;
    }
  }

  placeLabel(frame) {
    const label = get("label");
    const at = this.body && this.body.kind !== "half-space"
      ? this.stage.onCanvas(new Vector3(...this.run.position(this.body, frame).slice(0, 3)))
      : null;
    label.hidden = !at;
    if (!at) return;
    label.textContent = this.body.name;
    Object.assign(label.style, { left: `${at.x}px`, top: `${at.y}px` });
  }

  /** Selects a body by name, with the part that was meant, a contact by number, or nothing. */
  select({ body, part, contact }) {
    this.body = this.run.bodies.find((b) => b.name === body) ?? null;
    this.part = part ?? null;
    this.contact = contact ?? null;
    this.stale = true;
  }

  /** What is at a point of the canvas: contacts are in front when they are drawn. */
  pick(pointer) {
    const { on } = this.markers;
    const contact = on.arrows || on.chains || on.points
      ? pickContact(this.markers, this.stage.camera, pointer, ...this.stage.size)
      : null;
    if (contact !== null) return { contact };
    const part = pickPart(this.run, this.world, this.player.frame, this.stage.ray(pointer));
    return part ? { body: part.body.name, part: part.body.parts.indexOf(part) } : {};
  }

  watchPointer(canvas) {
    let down = null;
    const pressed = new Set();
    canvas.addEventListener("pointerdown", (e) => {
      pressed.add(e.pointerId);
      // A second finger makes a gesture of it.
      down = pressed.size === 1 ? { x: e.offsetX, y: e.offsetY, at: e.timeStamp } : null;
    });
    canvas.addEventListener("pointercancel", (e) => {
      pressed.delete(e.pointerId);
      down = null;
    });
    canvas.addEventListener("pointerup", (e) => {
      pressed.delete(e.pointerId);
      const still = down && Math.hypot(e.offsetX - down.x, e.offsetY - down.y) < 5 && e.timeStamp - down.at < 500;
      if (still && e.button === 0) this.select(this.pick({ x: e.offsetX, y: e.offsetY }));
      down = null;
    });
  }

  setColour(kind) {
    this.world.kind = kind;
    this.groups = this.world.groups = groupsOf(this.run, kind);
    this.showLegend();
  }

  showLegend() {
    get("legend").innerHTML = legend(this.run, this.world.kind, this.groups, this.world.hidden);
    this.stale = true;
  }

  /** Hides all bodies of a group, or shows them if all are hidden. */
  toggleGroup({ bodies }) {
    const { hidden } = this.world;
    const show = bodies.every(({ name }) => hidden.has(name));
    for (const { name } of bodies) show ? hidden.delete(name) : hidden.add(name);
    this.showLegend();
  }

  hide(body) {
    this.world.hidden.add(body.name);
    this.select({});
    this.showLegend();
  }

  showAll() {
    this.world.hidden.clear();
    this.showLegend();
  }

  /** Hides bodies by their names, or by the name of a fill. */
  hideNamed(names) {
    for (const body of this.run.bodies) {
      if (names.includes(body.name) || names.includes(fillOf(body))) this.world.hidden.add(body.name);
    }
    this.showLegend();
  }

  setGlass(on) {
    this.withGlass = on;
    this.stale = true;
  }

  /** Shows only bodies below (above with a minus) a place along an axis (m); all without an axis. */
  setCut(axis, at = this.cutPlace(0.5, axis)) {
    this.cut = { axis, at };
    const normal = AXES[axis.replace("-", "")];
    const sign = axis.startsWith("-") ? 1 : -1;
    this.world.cut(normal ? new Plane(normal.clone().multiplyScalar(sign), -sign * at) : null);
    this.stale = true;
  }

  /** Place of a cut at a share of the subject's extent. */
  cutPlace(share, axis = this.cut.axis) {
    const { centre, radius } = this.stage.extent;
    return AXES[axis.replace("-", "")]?.dot(centre) + (2 * share - 1) * radius || 0;
  }

  setTheme(dark) {
    this.dark = dark;
    document.documentElement.classList.toggle("dark", dark);
    this.stage.theme(dark);
    this.world.theme(dark);
    this.stale = true;
  }

  setShadows(on) {
    this.shadows = on;
    this.stage.renderer.shadowMap.enabled = on;
    this.stage.sun.castShadow = on;
    this.world.shadows(on);
    this.stale = true;
  }

  setMarker(name, on) {
    this.markers.on[name] = on;
    this.seeThrough(this.see);
    this.stale = true;
  }

  /** Bodies like glass; chains are inside free ones, and always seen so. */
  seeThrough(on) {
    this.see = on;
    Object.assign(this.world.look, { translucent: on, freeTranslucent: on || this.markers.on.chains });
    this.stale = true;
  }

  /** A PNG of the scene as it is seen, as a data URL. */
  picture() {
    return this.composed().toDataURL("image/png");
  }
}

function shown(viewer) {
  window.signorini = viewer;
  get("message").hidden = true;
  const wanted = viewer.controls.readAddress();
  viewer.refresh();
  document.documentElement.dataset.ready = "true";
  if (wanted.has("deliver")) viewer.controls.deliver(wanted);
}

function failed(error) {
  get("message").textContent = `This run cannot be shown: ${error.message}`;
  get("message").hidden = false;
  document.documentElement.dataset.failed = error.stack;
  if (new URLSearchParams(location.hash.slice(1)).has("deliver")) fetch("fault", { method: "POST", body: error.message });
  console.error(error);
}

/** A run that goes on: asks for it again whenever the program that serves it says so. */
function follow(holder) {
  let [viewer, busy, again] = [null, false, false];
  const update = async () => {
    again = true;
    if (busy) return;
    busy = true;
    while (again) {
      again = false;
      try {
        holder.innerHTML = await (await fetch("run")).text();
        const run = await readRun();
        if (viewer) viewer.take(run);
        else shown((viewer = new Viewer(run)));
      } catch (error) {
        failed(error);
      }
    }
    busy = false;
  };
  new EventSource("events").onmessage = update;
}

const live = get("run-live");
if (live) follow(live.parentElement.appendChild(document.createElement("div")));
else readRun().then((run) => shown(new Viewer(run))).catch(failed);
