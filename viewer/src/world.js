// Bodies as meshes: one instanced mesh for each geometry, twice: bodies that move, and bodies that do not.
import {
  BoxGeometry, BufferAttribute, BufferGeometry, Color, CylinderGeometry, DoubleSide, FrontSide,
  Group, InstancedBufferAttribute, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshStandardMaterial,
  PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, SphereGeometry, Vector3,
} from "three";
import { colouring } from "./colours.js";
import { edgesOf, meshOf } from "./edges.js";
import { isConvex } from "./solids.js";

const HIGHLIGHT = new Color("#ffffff");
const NOTHING = new Matrix4().makeScale(0, 0, 0);
/** How much is seen of glass, and of edges. */
const GLASS = 0.2;
const EDGES = 0.5;

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

/** Lit from above; octants of round bodies are darker, so that they are seen to turn. */
function bodyMaterial(octants) {
  const material = new MeshStandardMaterial({ side: FrontSide, roughness: 0.8, metalness: 0, clipShadows: true });
  // Faces are a little behind their edges: lines are whole.
  Object.assign(material, { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
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
        diffuseColor.rgb *= 0.9 + 0.1 * side.x * side.y * ${octants === "cylinder" ? "1.0" : "side.z"};`,
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
    this.lines = [];
    this.planes = [];
    this.addMeshes();
    run.geometries.forEach((geometry, g) => {
      for (const isFree of [true, false]) {
        const bodies = run.bodies.filter((body) => (body.mass !== null) === isFree);
        const parts = bodies.filter((body) => !body.mesh).flatMap((body) => body.parts).filter((part) => part.geometry === g);
        if (!parts.length) continue;
        if (geometry.type === "half-space") parts.forEach((part) => this.addPlane(part, geometry, extent));
        else this.addSet(parts, geometry, isFree);
      }
    });
    this.addLines();
    this.kind = "body";
    this.groups = [];
    this.selected = null;
    this.look = { translucent: false, freeTranslucent: false, fixed: true };
    /** Names of bodies that are not shown. */
    this.hidden = new Set();
    /** Parts that are seen through, because they are in front of what is looked at. */
    this.glass = new Set();
  }

  /** Whether a body is drawn when it is there. */
  isShown(body) {
    return (body.mass !== null || this.look.fixed) && !this.hidden.has(body.name);
  }

  addSet(parts, geometry, isFree) {
    const round = geometry.type === "sphere" || geometry.type === "cylinder";
    const solid = round ? this.round(geometry.type, DETAILS[0][1])
      : geometry.type === "box" ? new BoxGeometry(2, 2, 2) : polytopeGeometry(geometry);
    const side = isConvex(geometry) ? FrontSide : DoubleSide;
    const make = () => {
      const mesh = new InstancedMesh(solid, bodyMaterial(isFree && round && geometry.type), parts.length);
      mesh.material.side = side;
      mesh.frustumCulled = false;
      this.group.add(mesh);
      return mesh;
    };
    const set = { parts, mesh: make(), glass: isFree ? null : make(), side, round: round && geometry.type };
    if (set.glass) Object.assign(set.glass.material, { transparent: true, opacity: GLASS, depthWrite: false });
    if (set.glass) set.glass.renderOrder = 1;
    set.size = Math.max(...parts.flatMap((part) => part.scale));
    this.sets.push(set);
  }

  /** Fixed and carried bodies of many parts are drawn as one part each. */
  addMeshes() {
    for (const body of this.run.bodies.filter(({ mass }) => mass === null)) {
      const outside = meshOf(this.run, body);
      if (!outside) continue;
      body.mesh = { body, scale: [1, 1, 1], inner: [0, 0, 0, 1, 0, 0, 0], material: body.material };
      this.addSet([body.mesh], outside, false);
    }
  }

  /** Edges: once for each shape that bodies share. */
  addLines() {
    const shapes = new Map();
    for (const body of this.run.bodies) {
      if (body.parts.some(({ geometry }) => this.run.geometries[geometry].type === "half-space")) continue;
      const isFree = body.mass !== null;
      const key = JSON.stringify([isFree, body.parts.map(({ geometry, scale, inner }) => [geometry, scale, inner])]);
      if (!shapes.has(key)) shapes.set(key, { isFree, bodies: [] });
      shapes.get(key).bodies.push(body);
    }
    for (const { isFree, bodies } of shapes.values()) {
      const edges = edgesOf(this.run, bodies[0]);
      if (!edges.length) continue;
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(new Float32Array(edges.flat(2)), 3));
      this.lines.push({ bodies, isFree, drawn: this.instancedLines(geometry, bodies.length) });
    }
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
      for (const mesh of [set.mesh, set.glass]) if (mesh) mesh.geometry = this.round(set.round, sides);
    }
  }

  /** Lines at so many places. */
  instancedLines(edges, count) {
    const lines = new LineSegments(edges, new LineBasicMaterial({ color: 0x000000, transparent: true, opacity: EDGES }));
    // The renderer draws any object with these fields once for each matrix.
    Object.assign(lines, {
      isInstancedMesh: true, instanceMatrix: new InstancedBufferAttribute(new Float32Array(16 * count), 16),
      instanceColor: null, morphTexture: null, count, frustumCulled: false,
    });
    lines.renderOrder = 2;
    this.group.add(lines);
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

  /** Matrix of a body at a frame; of no size when it is not drawn. */
  bodyMatrix(body, frame) {
    if (!this.isShown(body) || !this.run.isThere(body, frame)) return NOTHING;
    const [w, x, y, z] = this.run.orientation(body, frame);
    const centre = new Vector3(...this.run.position(body, frame).slice(0, 3));
    return new Matrix4().compose(centre, new Quaternion(x, y, z, w).normalize(), new Vector3(1, 1, 1));
  }

  show(frame) {
    const colour = colouring(this.run, this.kind, frame, this.groups);
    for (const { parts, mesh, glass } of this.sets) {
      parts.forEach((part, k) => {
        const matrix = this.isShown(part.body) ? this.matrix(part, frame) : NOTHING;
        const isGlass = this.glass.has(part);
        mesh.setMatrixAt(k, isGlass ? NOTHING : matrix);
        glass?.setMatrixAt(k, isGlass ? matrix : NOTHING);
        const own = colour(part);
        const seen = part.body === this.selected ? new Color(own).lerp(HIGHLIGHT, 0.45) : own;
        for (const drawn of [mesh, glass]) drawn?.setColorAt(k, seen);
      });
      for (const drawn of [mesh, glass]) {
        if (drawn) drawn.instanceMatrix.needsUpdate = drawn.instanceColor.needsUpdate = true;
      }
      const see = glass ? this.look.translucent : this.look.freeTranslucent;
      if (mesh.material.transparent !== see) mesh.material.needsUpdate = true;
      mesh.material.transparent = see;
      mesh.material.depthWrite = !see;
      mesh.material.opacity = see ? 0.28 : 1;
    }
    for (const { bodies, isFree, drawn } of this.lines) {
      bodies.forEach((body, k) => this.bodyMatrix(body, frame).toArray(drawn.instanceMatrix.array, 16 * k));
      drawn.instanceMatrix.needsUpdate = true;
      drawn.material.opacity = this.look[isFree ? "freeTranslucent" : "translucent"] ? 0.4 * EDGES : EDGES;
    }
    for (const plane of this.planes) this.placePlane(plane, frame);
  }

  /** Shows only what is on one side of a plane, all if there is none. */
  cut(plane) {
    const planes = plane ? [plane] : [];
    for (const { mesh, glass, side } of this.sets) {
      for (const drawn of [mesh, glass]) {
        if (!drawn) continue;
        drawn.material.clippingPlanes = planes;
        // Where a body is cut open its inside is seen.
        drawn.material.side = plane ? DoubleSide : side;
        drawn.material.needsUpdate = true;
      }
    }
    for (const { drawn } of this.lines) {
      drawn.material.clippingPlanes = planes;
      drawn.material.needsUpdate = true;
    }
  }

  placePlane({ part, mesh, normal, offset, extent }, frame) {
    mesh.visible = this.isShown(part.body);
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
    for (const { mesh, glass } of this.sets) for (const drawn of [mesh, glass]) release(drawn);
    for (const { drawn } of this.lines) release(drawn);
    for (const { mesh } of this.planes) for (const drawn of [mesh, ...mesh.children]) release(drawn);
  }

  /** Glass casts none, that what is behind it is lit. */
  shadows(on) {
    for (const { mesh } of this.sets) mesh.castShadow = mesh.receiveShadow = on;
  }
}
