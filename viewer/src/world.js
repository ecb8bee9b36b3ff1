// Bodies as meshes: one instanced mesh for each geometry, twice: bodies that move, and bodies that do not.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, EdgesGeometry, FrontSide,
  Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshLambertMaterial,
  PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, SphereGeometry, Vector3,
} from "three";
import { colouring } from "./colours.js";

const FIXED = new Color("#9aa1ab");
const HIGHLIGHT = new Color("#ffffff");

// From which radius r on the screen (pixels) a round body has how many sides n: outlines are right to a third
// of a pixel, r (1 - cos(π/n)).
const DETAILS = [[0, 12], [10, 20], [28, 32], [72, 64], [290, 128]];
const MOST_TRIANGLES = 3e6;

/** Cylinder of radius 1 and half length 1 along z. */
function unitCylinder(segments) {
  return new CylinderGeometry(1, 1, 2, segments).rotateX(Math.PI / 2);
}

function polytopeGeometry({ vertices, faces }) {
  const corners = [];
  for (const face of faces) {
    for (let k = 1; k + 1 < face.length; k++) {
      for (const v of [face[0], face[k], face[k + 1]]) corners.push(...vertices[v]);
    }
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(new Float32Array(corners), 3));
  geometry.computeVertexNormals();
  return geometry;
}

/** Edges of a solid, as segments; none of a sphere. */
function edgesOf(type, geometry) {
  if (type === "sphere") return null;
  if (type !== "cylinder") return new EdgesGeometry(geometry, 1);
  const n = 96;
  const points = [];
  for (const z of [-1, 1]) {
    for (let k = 0; k < n; k++) {
      for (const j of [k, k + 1]) points.push(Math.cos((2 * Math.PI * j) / n), Math.sin((2 * Math.PI * j) / n), z);
    }
  }
  const edges = new BufferGeometry();
  edges.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
  return edges;
}

/** Lit from above; octants of round bodies are darker, so that they are seen to turn. */
function bodyMaterial(octants) {
  const material = new MeshLambertMaterial({ side: FrontSide });
  if (!octants) return material;
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vInner;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\nvInner = position;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vInner;")
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        vec3 edge = max(fwidth(vInner), vec3(1e-6));
        vec3 side = clamp(vInner / edge, -1.0, 1.0);
        diffuseColor.rgb *= 0.88 + 0.12 * side.x * side.y * ${octants === "cylinder" ? "1.0" : "side.z"};`,
      );
  };
  return material;
}

/** A half-space: its plane with a grid that fades out, seen from outside only. */
function planeMesh(cell, reach) {
  const material = new ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: FrontSide,
    uniforms: {
      cell: { value: cell }, reach: { value: reach }, ink: { value: new Color() }, fill: { value: new Color() },
      strength: { value: 1 },
    },
    vertexShader: `varying vec2 vAt; void main() { vAt = position.xy;
      gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec2 vAt; uniform float cell, reach, strength; uniform vec3 ink, fill;
      float lines(vec2 at) { vec2 g = abs(fract(at - 0.5) - 0.5) / fwidth(at); return 1.0 - min(min(g.x, g.y), 1.0); }
      void main() {
        float fade = 1.0 - smoothstep(0.35 * reach, reach, length(vAt));
        float line = max(0.35 * lines(vAt / cell), lines(vAt / (10.0 * cell)));
        gl_FragColor = vec4(mix(fill, ink, line), fade * strength * (0.55 + 0.45 * line));
        #include <colorspace_fragment>
      }`,
  });
  const mesh = new Mesh(new PlaneGeometry(2 * reach, 2 * reach), material);
  mesh.renderOrder = -2;
  const shade = new Mesh(mesh.geometry, new ShadowMaterial({ opacity: 0.28, side: FrontSide, depthWrite: false }));
  shade.receiveShadow = true;
  shade.renderOrder = -1;
  mesh.add(shade);
  return mesh;
}

/** Gives back what the graphics chip holds of an object. */
export function release(drawn) {
  if (!drawn) return;
  drawn.geometry.dispose();
  drawn.material.dispose();
  if (drawn instanceof InstancedMesh) drawn.dispose();
}

export class World {
  constructor(run, extent) {
    this.run = run;
    this.group = new Group();
    this.sets = [];
    this.planes = [];
    run.geometries.forEach((geometry, g) => {
      for (const moves of [true, false]) {
        const bodies = run.bodies.filter((body) => body.slot >= 0 === moves);
        const parts = bodies.flatMap((body) => body.parts).filter((part) => part.geometry === g);
        if (!parts.length) continue;
        if (geometry.type === "half-space") parts.forEach((part) => this.addPlane(part, geometry, extent));
        else this.addSet(parts, geometry, moves);
      }
    });
    this.kind = "body";
    this.selected = null;
    this.look = { translucent: false, fixed: true };
  }

  addSet(parts, geometry, moves) {
    const round = geometry.type === "sphere" || geometry.type === "cylinder";
    const solid = round ? this.round(geometry.type, DETAILS[0][1])
      : geometry.type === "box" ? new BoxGeometry(2, 2, 2) : polytopeGeometry(geometry);
    const mesh = new InstancedMesh(solid, bodyMaterial(round && geometry.type), parts.length);
    mesh.castShadow = mesh.receiveShadow = true;
    mesh.frustumCulled = false;
    const edges = edgesOf(geometry.type, solid);
    const lines = edges && this.instancedLines(edges, mesh);
    const size = Math.max(...parts.flatMap((part) => part.scale));
    this.sets.push({ parts, mesh, lines, moves, round: round && geometry.type, size });
    this.group.add(mesh);
    if (lines) this.group.add(lines);
  }

  /** Unit sphere or cylinder of so many sides, made once. */
  round(type, sides) {
    this.rounds ??= new Map();
    const key = `${type} ${sides}`;
    if (!this.rounds.has(key)) {
      this.rounds.set(key, type === "sphere" ? new SphereGeometry(1, sides, sides / 2) : unitCylinder(sides));
    }
    return this.rounds.get(key);
  }

  /** Gives round bodies as many sides as the largest of a set asks for, where a metre has so many pixels. */
  detail(pixels) {
    for (const set of this.sets.filter(({ round }) => round)) {
      const radius = pixels * set.size;
      const few = (sides) => set.parts.length * sides * sides < MOST_TRIANGLES;
      const sides = DETAILS.findLast(([from, sides], k) => k === 0 || (radius >= from && few(sides)))[1];
      set.mesh.geometry = this.round(set.round, sides);
    }
  }

  /** Lines at the instances of a mesh. */
  instancedLines(edges, mesh) {
    const lines = new LineSegments(edges, new LineBasicMaterial({ color: 0x000000, transparent: true, opacity: 0.45 }));
    // The renderer draws any object with these fields once for each matrix.
    Object.assign(lines, {
      isInstancedMesh: true, instanceMatrix: mesh.instanceMatrix, instanceColor: null, morphTexture: null,
      count: mesh.count, frustumCulled: false,
    });
    return lines;
  }

  addPlane(part, geometry, extent) {
    const cell = 10 ** Math.floor(Math.log10(extent.radius / 2)) / 2;
    const mesh = planeMesh(cell, 6 * extent.radius);
    this.planes.push({ part, mesh, normal: new Vector3(...geometry.normal), offset: geometry.offset, extent });
    this.group.add(mesh);
  }

  /** Colours of ground and lines. */
  theme(dark) {
    for (const { mesh } of this.planes) {
      mesh.material.uniforms.ink.value.set(dark ? "#59636f" : "#aab2bd");
      mesh.material.uniforms.fill.value.set(dark ? "#22272e" : "#dfe3e8");
    }
  }

  /** Matrix of the shape of a part at a frame. */
  matrix(part, frame) {
    const { body } = part;
    const [w, x, y, z] = this.run.orientation(body, frame);
    const turn = new Quaternion(x, y, z, w).normalize();
    const [px, py, pz, iw, ix, iy, iz] = part.inner;
    const centre = new Vector3(px, py, pz).applyQuaternion(turn).add(new Vector3(...this.run.position(body, frame)));
    const scale = new Vector3(...part.scale).multiplyScalar(this.run.isThere(body, frame) ? 1 : 0);
    return new Matrix4().compose(centre, turn.multiply(new Quaternion(ix, iy, iz, iw)), scale);
  }

  show(frame) {
    const colour = colouring(this.run, this.kind, frame);
    for (const { parts, mesh, lines, moves } of this.sets) {
      mesh.visible = moves || this.look.fixed;
      if (lines) lines.visible = mesh.visible;
      parts.forEach((part, k) => {
        mesh.setMatrixAt(k, this.matrix(part, frame));
        const own = !moves && this.kind === "body" ? FIXED : colour(this.kind === "material" ? part : part.body);
        mesh.setColorAt(k, part.body === this.selected ? new Color(own).lerp(HIGHLIGHT, 0.45) : own);
      });
      mesh.instanceMatrix.needsUpdate = true;
      mesh.instanceColor.needsUpdate = true;
      const see = this.look.translucent;
      if (lines) lines.material.opacity = see ? 0.15 : 0.45;
      if (mesh.material.transparent !== see) mesh.material.needsUpdate = true;
      mesh.material.transparent = see;
      mesh.material.depthWrite = !see;
      mesh.material.opacity = see ? 0.28 : 1;
    }
    for (const plane of this.planes) this.placePlane(plane, frame);
  }

  placePlane({ part, mesh, normal, offset, extent }, frame) {
    mesh.visible = this.look.fixed;
    const inner = this.matrix(part, frame);
    const turn = new Quaternion().setFromRotationMatrix(inner);
    const out = normal.clone().applyQuaternion(turn);
    const origin = normal.clone().multiplyScalar(offset).applyMatrix4(inner);
    // The grid is drawn about the middle of the scene.
    const centre = extent.centre.clone();
    centre.addScaledVector(out, origin.sub(centre).dot(out));
    mesh.position.copy(centre);
    mesh.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), out);
    // The ground is solid, walls are a hint.
    const ground = out.dot(extent.up) > 0.5;
    mesh.material.uniforms.strength.value = ground ? 1 : 0.25;
    mesh.children[0].visible = ground;
  }

  /** Gives back what the graphics chip holds. */
  dispose() {
    for (const { mesh, lines } of this.sets) for (const drawn of [mesh, lines]) release(drawn);
    for (const { mesh } of this.planes) for (const drawn of [mesh, ...mesh.children]) release(drawn);
  }

  shadows(on) {
    for (const { mesh } of this.sets) mesh.castShadow = mesh.receiveShadow = on;
  }
}

