// Camera, light and renderer.
import {
  AmbientLight, Box3, Color, DirectionalLight, HemisphereLight, Matrix4, PCFShadowMap, PerspectiveCamera, Raycaster,
  Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";

/** Half of a body's extent, as of a cube; 0 of a half-space. */
function sizeOf(run, body) {
  const reach = (part) => {
    const geometry = run.geometries[part.geometry];
    if (geometry.type === "half-space") return 0;
    const own = geometry.type !== "polytope" ? Math.hypot(...part.scale)
      : Math.max(...geometry.vertices.map((v) => Math.hypot(...v)));
    return body.parts.length > 1 ? own + Math.hypot(...part.inner.slice(0, 3)) : own;
  };
  return Math.max(...body.parts.map(reach)) / Math.sqrt(3);
}

/** Bounds of what moves at some frames, and of fixed bodies that are not much larger. */
export function boxAt(run, frames) {
  const box = new Box3();
  const add = (body, frame) => {
    if (!run.isThere(body, frame)) return;
    const at = new Vector3(...run.position(body, frame).slice(0, 3));
    const width = 3.46 * sizeOf(run, body);
    if (at.toArray().every(Number.isFinite)) box.union(new Box3().setFromCenterAndSize(at, new Vector3(width, width, width)));
  };
  for (const body of run.bodies) if (body.slot >= 0) frames.forEach((frame) => add(body, frame));
  const span = box.isEmpty() ? Infinity : box.getSize(new Vector3()).length();
  for (const body of run.bodies) {
    const size = sizeOf(run, body);
    if (body.slot < 0 && size > 0 && size < 1.5 * span) add(body, 0);
  }
  if (box.isEmpty()) box.set(new Vector3(-1, -1, -1), new Vector3(1, 1, 1));
  return box;
}

/** Bounds of the whole run, which way is up, and how large bodies are. */
export function extentOf(run) {
  const gravity = new Vector3(...run.gravity);
  const up = gravity.length() > 0 ? gravity.clone().normalize().negate() : new Vector3(0, 0, 1);
  const sizes = run.bodies.filter((body) => body.slot >= 0).map((body) => sizeOf(run, body)).sort((a, b) => a - b);
  const bodySize = sizes[sizes.length >> 1] || sizeOf(run, run.bodies[0]) || 0.1;
  const every = Math.max(1, Math.floor(run.nFrames / 50));
  const frames = Array.from({ length: Math.ceil(run.nFrames / every) }, (_, k) => k * every);
  const box = boxAt(run, [...frames, run.nFrames - 1]);
  const centre = box.getCenter(new Vector3());
  return { box, centre, radius: 0.5 * box.getSize(new Vector3()).length(), up, bodySize };
}

export class Stage {
  constructor(canvas, extent) {
    this.canvas = canvas;
    this.extent = extent;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.type = PCFShadowMap;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 1, 10);
    this.camera.up.copy(extent.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    const sky = new HemisphereLight(0xffffff, 0x7a7f8a, 1.6);
    sky.position.copy(extent.up);
    this.sun = new DirectionalLight(0xffffff, 1.7);
    this.scene.add(sky, new AmbientLight(0xffffff, 0.25), this.sun, this.sun.target);
    this.placeSun();
    this.view("home");
  }

  /** Two directions square to up. */
  sides() {
    const { up } = this.extent;
    const x = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    x.addScaledVector(up, -x.dot(up)).normalize();
    return [x, up.clone().cross(x)];
  }

  placeSun() {
    const { centre, radius, up } = this.extent;
    const [x, y] = this.sides();
    const from = up.clone().multiplyScalar(1).addScaledVector(x, 0.45).addScaledVector(y, -0.6).normalize();
    this.sun.position.copy(centre).addScaledVector(from, 3 * radius);
    this.sun.target.position.copy(centre);
    const shadow = this.sun.shadow;
    Object.assign(shadow.camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: radius, far: 6 * radius });
    shadow.mapSize.set(2048, 2048);
    shadow.normalBias = 0.004 * radius;
  }

  /** Looks from a side at a box, the whole run's unless told. */
  view(name, box = this.extent.box) {
    const { up } = this.extent;
    const centre = box.getCenter(new Vector3());
    const [x, y] = this.sides();
    const directions = {
      home: [0.6, -1, 0.5], front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, -1e-3, 1],
    };
    const [a, b, c] = directions[name] ?? directions.home;
    const from = new Vector3().addScaledVector(x, a).addScaledVector(y, b).addScaledVector(up, c).normalize();
    const distance = this.distanceFor(from, box);
    this.camera.position.copy(centre).addScaledVector(from, distance);
    this.controls.target.copy(centre);
    this.controls.update();
  }

  /** How far along a direction the eye must be to see the whole box. */
  distanceFor(from, box) {
    const { up } = this.extent;
    const centre = box.getCenter(new Vector3());
    const right = up.clone().cross(from);
    if (right.length() < 1e-6) right.copy(this.sides()[0]);
    right.normalize();
    const above = from.clone().cross(right);
    const slope = Math.tan((0.5 * this.camera.fov * Math.PI) / 180);
    let distance = 0;
    for (let k = 0; k < 8; k++) {
      const corner = new Vector3(...["x", "y", "z"].map((c, bit) => ((k >> bit) & 1 ? box.max : box.min)[c])).sub(centre);
      const reach = Math.max(Math.abs(corner.dot(above)) / slope, Math.abs(corner.dot(right)) / (slope * this.camera.aspect));
      distance = Math.max(distance, corner.dot(from) + 1.12 * reach);
    }
    return distance;
  }

  /** Goes nearer by a factor. */
  zoom(factor) {
    this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (this.size?.[0] === width && this.size?.[1] === height && this.size?.[2] === ratio) return;
    this.size = [width, height, ratio];
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  theme(dark) {
    this.scene.background = new Color(dark ? "#15181d" : "#eef0f3");
  }

  render() {
    // Near and far as close as the distance allows: depths of small bodies in a large scene stay apart.
    const distance = this.camera.position.distanceTo(this.extent.centre);
    this.camera.near = Math.max(distance - 8 * this.extent.radius, 0.01 * this.camera.position.distanceTo(this.controls.target), 1e-4 * this.extent.radius);
    this.camera.far = distance + 10 * this.extent.radius;
    this.camera.updateProjectionMatrix();
    this.renderer.render(this.scene, this.camera);
  }

  /** How many pixels a length is, about as far as what is looked at. */
  pixels(length) {
    const distance = this.camera.position.distanceTo(this.controls.target);
    return (length / distance / (2 * Math.tan((0.5 * this.camera.fov * Math.PI) / 180))) * this.size[1] * this.size[2];
  }

  /** The ray under a point of the canvas. */
  ray(pointer) {
    const at = new Vector2((2 * pointer.x) / this.size[0] - 1, 1 - (2 * pointer.y) / this.size[1]);
    const caster = new Raycaster();
    this.camera.updateMatrixWorld();
    caster.setFromCamera(at, this.camera);
    return caster.ray;
  }

  /** Where a point of the world is on the canvas; null behind the eye. */
  onCanvas(point) {
    this.camera.updateMatrixWorld();
    const view = point.clone().applyMatrix4(new Matrix4().copy(this.camera.matrixWorldInverse));
    if (view.z >= 0) return null;
    const at = point.clone().project(this.camera);
    return { x: (0.5 + 0.5 * at.x) * this.size[0], y: (0.5 - 0.5 * at.y) * this.size[1] };
  }
}
