// Camera, light and renderer.
import {
  Box3, Color, DirectionalLight, Matrix4, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, PMREMGenerator,
  Quaternion, Raycaster, Scene, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { RoomEnvironment } from "three/addons/environments/RoomEnvironment.js";
import { aside, boxOf, home, spread, subjectOf } from "./home.js";
import { isEndless, meanWidth } from "./solids.js";

const SIDES = { front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0], top: [0, -1e-3, 1] };

/** Half of a body's mean width; 0 of a half-space. */
function sizeOf(run, body) {
  return isEndless(run, body) ? 0 : meanWidth(run, body) / 2;
}

/** What is looked at and how large it is, which way is up, and how large bodies are. */
export function extentOf(run) {
  const gravity = new Vector3(...run.gravity);
  const up = gravity.length() > 0 ? gravity.clone().normalize().negate() : new Vector3(0, 0, 1);
  const free = run.bodies.filter((body) => body.mass !== null);
  const sizes = free.map((body) => sizeOf(run, body)).sort((a, b) => a - b);
  const bodySize = sizes[sizes.length >> 1] || sizeOf(run, run.bodies[0]) || 0.1;
  const subject = subjectOf(run, spread(run));
  const bounds = subject.samples.length ? boxOf(run, subject) : [[-1, 1], [-1, 1], [-1, 1]];
  const box = new Box3(...[0, 1].map((end) => new Vector3(...bounds.map((ends) => ends[end]))));
  const centre = box.getCenter(new Vector3());
  return { subject, centre, radius: 0.5 * box.getSize(new Vector3()).length() || 1, reach: reachOf(run, centre), up, bodySize };
}

/** How far from a point anything is at any time. */
function reachOf(run, centre) {
  let most = 0;
  const frames = spread(run);
  for (const body of run.bodies.filter((b) => !isEndless(run, b))) {
    const size = 2 * sizeOf(run, body);
    for (const frame of body.slot < 0 ? [0] : frames) {
      const far = centre.distanceTo(new Vector3(...run.position(body, frame).slice(0, 3)));
      if (Number.isFinite(far)) most = Math.max(most, far + size);
    }
  }
  return most;
}

export class Stage {
  constructor(canvas, run, extent) {
    this.canvas = canvas;
    this.run = run;
    this.extent = extent;
    this.renderer = new WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.shadowMap.type = PCFShadowMap;
    // Bright surfaces keep their colour and their shape: whites are not cut off.
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.localClippingEnabled = true;
    this.scene = new Scene();
    this.camera = new PerspectiveCamera(35, 1, 1, 10);
    this.camera.up.copy(extent.up);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = true;
    this.controls.addEventListener("start", () => (this.shown = null));
    this.sun = new DirectionalLight(0xffffff, 2.1);
    this.scene.add(this.sun, this.sun.target);
    this.light();
    this.view("home");
  }

  /** Light from all sides, as in a room whose ceiling is up. */
  light() {
    const maker = new PMREMGenerator(this.renderer);
    this.scene.environment = maker.fromScene(new RoomEnvironment(), 0.04).texture;
    this.scene.environmentIntensity = 0.6;
    const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), this.extent.up);
    this.scene.environmentRotation.setFromQuaternion(turn);
    maker.dispose();
  }

  /** Two directions square to up. */
  sides() {
    const { up } = this.extent;
    const x = Math.abs(up.x) < 0.9 ? new Vector3(1, 0, 0) : new Vector3(0, 1, 0);
    x.addScaledVector(up, -x.dot(up)).normalize();
    return [x, up.clone().cross(x)];
  }

  /** The sun stands high, to the left of an eye in a direction. */
  placeSun(eye) {
    const { centre, radius, up } = this.extent;
    const ahead = eye.clone().addScaledVector(up, -eye.dot(up));
    if (ahead.length() < 1e-3) ahead.copy(this.sides()[1]).negate();
    ahead.normalize();
    const from = up.clone().addScaledVector(ahead, 0.6).addScaledVector(up.clone().cross(ahead), -0.45).normalize();
    this.sun.position.copy(centre).addScaledVector(from, 3 * radius);
    this.sun.target.position.copy(centre);
    const shadow = this.sun.shadow;
    const wide = 1.2 * radius;
    Object.assign(shadow.camera, { left: -wide, right: wide, top: wide, bottom: -wide, near: 0.5 * radius, far: 6 * radius });
    shadow.mapSize.set(2048, 2048);
    shadow.normalBias = 0.004 * radius;
    shadow.bias = -0.0005;
    shadow.radius = 7;
  }

  /** Looks from a side at the subject, the whole run's unless told. */
  view(name, subject = this.extent.subject) {
    if (!subject.samples.length) return;
    // It is found again for another size, until the eye is moved.
    this.shown = [name, subject];
    const up = this.extent.up.toArray();
    const sides = this.sides().map((side) => side.toArray());
    const frame = { up, slope: Math.tan((0.5 * this.camera.fov * Math.PI) / 180), aspect: this.camera.aspect };
    let look;
    if (SIDES[name]) {
      const [a, b, c] = SIDES[name];
      const from = up.map((u, k) => a * sides[0][k] + b * sides[1][k] + c * u);
      look = aside(this.run, subject, new Vector3(...from).normalize().toArray(), frame);
    } else look = home(this.run, subject, sides, frame);
    this.fill = look.fill;
    this.camera.position.set(...look.eye);
    this.controls.target.set(...look.target);
    this.placeSun(this.camera.position.clone().sub(this.controls.target).normalize());
    this.controls.update();
  }

  /** Goes nearer by a factor. */
  zoom(factor) {
    this.shown = null;
    this.camera.position.sub(this.controls.target).divideScalar(factor).add(this.controls.target);
    this.controls.update();
  }

  /** Takes the canvas as it is now; what is looked at is right of so many pixels. */
  resize(left) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ratio = Math.min(devicePixelRatio || 1, 2);
    if (this.size?.[0] === width && this.size?.[1] === height && this.size?.[2] === ratio && this.left === left) return;
    this.size = [width, height, ratio];
    this.left = left;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.camera.setViewOffset(Math.max(width - left, 1), Math.max(height, 1), -left, 0, width, Math.max(height, 1));
    if (this.shown) this.view(...this.shown);
  }

  theme(dark) {
    this.scene.background = new Color(dark ? "#15181d" : "#f3f4f6");
  }

  render() {
    // Near and far as close as the distance allows: depths of small bodies in a large scene stay apart.
    const { centre, radius, reach } = this.extent;
    const distance = this.camera.position.distanceTo(centre);
    const around = Math.max(8 * radius, reach);
    this.camera.near = Math.max(distance - around, 0.01 * this.camera.position.distanceTo(this.controls.target), 1e-4 * radius);
    this.camera.far = distance + around + 2 * radius;
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
