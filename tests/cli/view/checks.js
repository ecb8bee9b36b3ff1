// Runs in a page that a test made: holds what is shown against the tables. `EXPECTED` is put in front.
const near = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

/** What the details say under a heading. */
function told(heading) {
  const row = [...document.querySelectorAll("#details tr")].find(({ cells }) => cells[0].textContent === heading);
  return row?.cells[1].textContent;
}

/** Scrubs to frames and compares bodies, contacts and texts with the tables. */
function scrub(viewer, found) {
  for (const { frame, step, bodies, contacts, push, parts } of EXPECTED.frames) {
    viewer.player.seek(frame);
    viewer.refresh();
    for (const [name, numbers] of Object.entries(bodies)) {
      const body = viewer.run.bodies.find((b) => b.name === name);
      const sample = viewer.run.sample(body, frame, 0, 13);
      found.position = Math.max(found.position, near(sample.slice(0, 3), numbers.slice(0, 3)));
      found.velocity = Math.max(found.velocity, near(sample.slice(7), numbers.slice(7)));
      // What is drawn is where the table says.
      const [part] = body.parts;
      const { mesh, parts } = viewer.world.sets.find((set) => set.parts.includes(part));
      const k = parts.indexOf(part);
      const drawn = [12, 13, 14].map((i) => mesh.instanceMatrix.array[16 * k + i]);
      if (part.inner.slice(0, 3).every((x) => x === 0)) found.drawn = Math.max(found.drawn, near(drawn, numbers));
    }
    const [from, to] = viewer.markers.range;
    let sum = 0;
    for (let i = from; i < to; i++) sum += viewer.run.contactPush[i];
    if (to - from !== contacts) found.faults.push(`step ${step}: ${to - from} contacts, not ${contacts}`);
    for (let i = from; i < to; i++) {
      const contact = viewer.run.contact(i);
      const name = [...contact.bodies.map((body) => body.name), ...contact.parts].join("|");
      if (!parts.includes(name)) found.faults.push(`step ${step}: no contact of ${name}`);
      viewer.select({ contact: i });
      viewer.details.show(viewer.run, frame, [from, to], viewer);
      const several = contact.bodies.some((body) => body.parts.length > 1);
      const said = several ? `${contact.parts[0]} of A, ${contact.parts[1]} of B` : undefined;
      if (told("parts") !== said) found.faults.push(`step ${step}: ${name} is told as ${told("parts")}`);
    }
    viewer.select({});
    found.push = Math.max(found.push, Math.abs(sum - push) / Math.max(push, 1e-9));
    const clock = document.getElementById("clock").textContent;
    if (!clock.endsWith(`step ${step}`)) found.faults.push(`${clock} is not step ${step}`);
  }
}

/** In a periodic scene no rod of a force chain and no line of a trace goes across the box. */
function faces(viewer, found) {
  const { lengths } = viewer.run;
  if (!lengths.some(Boolean)) return;
  const most = Math.min(...lengths.filter(Boolean)) / 2;
  for (const name of ["chains", "traces"]) viewer.setMarker(name, true);
  for (let frame = 0; frame < viewer.run.nFrames; frame++) {
    viewer.markers.show(frame, null);
    const { array } = viewer.markers.chains.mesh.instanceMatrix;
    for (let k = 0; k < viewer.markers.chains.mesh.count; k++) {
      const length = Math.hypot(...array.slice(16 * k + 4, 16 * k + 7));
      if (!(length < most)) found.faults.push(`a rod of ${length} m at frame ${frame}`);
      found.rods += 1;
    }
  }
  for (const { geometry } of viewer.markers.traces.children) {
    const { array } = geometry.attributes.position;
    for (let at = 0; at < array.length; at += 6) {
      const length = Math.hypot(array[at] - array[at + 3], array[at + 1] - array[at + 4], array[at + 2] - array[at + 5]);
      if (!(length < most)) found.faults.push(`a line of ${length} m in a trace`);
      // From the end of one line to the start of the next.
      found.crossings += at > 0 && Math.abs(array[at] - array[at - 3]) > most;
    }
  }
  for (const name of ["chains", "traces"]) viewer.setMarker(name, false);
}

/** Where an exact ray meets a body, its colour is in the picture, and elsewhere it is not. */
function silhouettes(viewer, found) {
  viewer.setTheme(false);
  viewer.setShadows(false);
  for (const { mesh } of viewer.world.planes) mesh.material.visible = mesh.children[0].material.visible = false;
  viewer.stale = true;
  viewer.refresh();
  const { size, canvas } = viewer.stage;
  const flat = document.createElement("canvas");
  [flat.width, flat.height] = size;
  const pen = flat.getContext("2d");
  pen.drawImage(canvas, 0, 0, size[0], size[1]);
  const pixels = pen.getImageData(0, 0, size[0], size[1]).data;
  const background = pixels.slice(0, 3);
  for (let y = 2; y < size[1]; y += 5) {
    for (let x = 2; x < size[0]; x += 5) {
      const at = 4 * (y * size[0] + x);
      const inked = near([...pixels.slice(at, at + 3)], [...background]) > 8;
      const rays = [[0.5, 0.5], [-1.5, 0.5], [2.5, 0.5], [0.5, -1.5], [0.5, 2.5]];
      const hits = rays.map(([dx, dy]) => viewer.pick({ x: x + dx, y: y + dy }).body !== undefined);
      // A pixel on an outline may be either.
      if (hits.some((hit) => hit !== hits[0])) continue;
      found.samples += 1;
      found.hits += hits[0];
      found.wrong += inked !== hits[0];
    }
  }
}

/** The first view: most of what touches is in it, and fills half of its height. Walls before it are glass. */
function firstView(viewer, found) {
  viewer.player.seek(0);
  viewer.stage.view("home");
  viewer.stale = true;
  viewer.refresh();
  const { run, stage, world } = viewer;
  const [width, height] = stage.size;
  let [inside, all, low, high] = [0, 0, Infinity, -Infinity];
  for (let frame = 0; frame < run.nFrames; frame++) {
    const [from, to] = run.contactRange(frame);
    const touching = new Set();
    for (let i = from; i < to; i++) if (run.contactPush[i] > 0) run.contactBodies.forEach((column) => touching.add(run.bodies[column[i]]));
    for (const body of touching) {
      if (body.slot < 0 || body.kind === "half-space") continue;
      const at = stage.onCanvas(stage.controls.target.clone().set(...run.position(body, frame)));
      const isInside = at && at.x > 0 && at.x < width && at.y > 0 && at.y < height;
      all += 1;
      inside += Boolean(isInside);
      if (isInside) [low, high] = [Math.min(low, at.y), Math.max(high, at.y)];
    }
  }
  found.framed = all ? inside / all : 1;
  found.filled = all ? (high - low) / height : 1;
  // The pixel of a body that a wall hides has the body's colour, not that of the wall.
  const flat = document.createElement("canvas");
  [flat.width, flat.height] = stage.size;
  const pen = flat.getContext("2d", { willReadFrequently: true });
  pen.drawImage(stage.canvas, 0, 0, width, height);
  for (const body of run.bodies.filter((b) => b.mass !== null)) {
    const at = stage.onCanvas(stage.controls.target.clone().set(...run.position(body, 0)));
    if (![...world.glass].length || !at) continue;
    const [red, , blue] = pen.getImageData(at.x, at.y, 1, 1).data;
    found.throughGlass = Math.max(found.throughGlass, Math.abs(red - blue));
  }
}

/** A click on the middle of a body selects it, unless another is in front. */
function picking(viewer, found) {
  const canvas = viewer.stage.canvas;
  for (const body of viewer.run.bodies.filter((b) => b.slot >= 0)) {
    const at = viewer.stage.onCanvas(viewer.stage.controls.target.clone().set(...viewer.run.position(body, viewer.player.frame)));
    const { body: expected, part } = viewer.pick(at);
    for (const type of ["pointerdown", "pointerup"]) {
      const event = new PointerEvent(type, { button: 0, pointerId: 1, clientX: at.x, clientY: at.y, bubbles: true });
      Object.defineProperties(event, { offsetX: { value: at.x }, offsetY: { value: at.y } });
      canvas.dispatchEvent(event);
    }
    viewer.refresh();
    const shown = document.querySelector("#details h2")?.textContent;
    if (shown !== expected) found.faults.push(`clicked ${body.name}, shown ${shown}, under the pointer ${expected}`);
    found.picked += expected === body.name;
    const of = viewer.run.bodies.find(({ name }) => name === expected);
    if (of?.parts.length > 1) {
      const said = told("part") ?? "";
      if (!said.startsWith(`${part}: `)) found.faults.push(`part ${part} of ${expected} is told as ${said}`);
      found.parts += 1;
    }
  }
  viewer.select({});
}

/** Fingers turn, move and zoom; only a tap selects. */
function touches(viewer, found) {
  const { canvas, camera, controls } = viewer.stage;
  // Fingers that are made up cannot be captured.
  canvas.setPointerCapture = canvas.releasePointerCapture = () => {};
  if (getComputedStyle(canvas).touchAction !== "none") found.faults.push("the browser keeps touches of the canvas");
  const corner = canvas.getBoundingClientRect();
  const finger = (type, pointerId, [x, y]) => canvas.dispatchEvent(new PointerEvent(type, {
    pointerType: "touch", pointerId, isPrimary: pointerId === 11, clientX: corner.x + x, clientY: corner.y + y,
    bubbles: true, cancelable: true,
  }));
  let selections = 0;
  const select = viewer.select;
  viewer.select = (what) => {
    selections += 1;
    select.call(viewer, what);
  };
  /** Fingers go down at the starts of their paths, move along them and go up; how the view changed. */
  const gesture = (name, ...paths) => {
    viewer.stage.view("home");
    viewer.select({});
    const seen = () => [camera.position.clone().sub(controls.target), controls.target.clone()];
    const [before, target] = seen();
    selections = 0;
    paths.forEach((path, k) => finger("pointerdown", 11 + k, path[0]));
    for (let step = 1; step <= 10; step++) {
      paths.forEach(([from, to], k) => finger("pointermove", 11 + k, from.map((x, c) => x + ((to[c] - x) * step) / 10)));
    }
    // The last finger goes up first.
    [...paths.keys()].reverse().forEach((k) => finger("pointerup", 11 + k, paths[k][1]));
    controls.update();
    viewer.refresh();
    const [after, moved] = seen();
    const change = {
      turned: before.angleTo(after), nearer: before.length() / after.length(), moved: moved.distanceTo(target) / before.length(),
    };
    const expected = paths[0][0] === paths[0][1] ? 1 : 0;
    if (selections !== expected) found.faults.push(`${name} selects ${selections} times`);
    return change;
  };
  const expect = (name, is, change) => (is ? (found.touched += 1) : found.faults.push(`${name}: ${JSON.stringify(change)}`));
  const moving = viewer.run.bodies.find((body) => body.slot >= 0);
  viewer.stage.view("home");
  const at = viewer.stage.onCanvas(controls.target.clone().set(...viewer.run.position(moving, viewer.player.frame)));
  const tap = [at.x, at.y];
  const under = viewer.pick(at).body;
  const still = gesture("a tap", [tap, tap]);
  expect("a tap", under && viewer.body?.name === under && still.turned < 1e-6, { under, selected: viewer.body?.name });
  const away = (x, y) => [at.x + x, at.y + y];
  const turn = gesture("a finger", [tap, away(80, 0)]);
  expect("a finger", turn.turned > 0.1 && Math.abs(turn.nearer - 1) < 1e-6 && turn.moved < 1e-6, turn);
  // The second finger rests on the body.
  const pinch = gesture("a pinch", [away(20, 20), away(90, 90)], [tap, tap]);
  expect("a pinch", pinch.nearer > 1.2, pinch);
  const pan = gesture("two fingers", [away(-30, 0), away(20, 0)], [away(30, 0), away(80, 0)]);
  expect("two fingers", pan.moved > 0.02 && pan.turned < 1e-6, pan);
  viewer.select = select;
}

/** Every key does something and nothing fails. */
function keys(viewer, found) {
  for (const key of [" ", " ", "ArrowLeft", "End", "Home", "+", "-", "c", "c", "c", "c", "c", "c", "c", "f", "h", "l", "p", "t", "j", "x", "x", "i", "i", "g", "g", "v", "r", "1", "5", "6", "d", "d", "o", "o", "?", "Escape", "f", "h", "l", "p", "t", "j"]) {
    dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    viewer.refresh();
  }
  found.keys = viewer.player.frame === 0 && viewer.world.kind === "body" && viewer.markers.on.chains === false;
}

function check() {
  const found = {
    position: 0, velocity: 0, drawn: 0, push: 0, samples: 0, hits: 0, wrong: 0, picked: 0, parts: 0, touched: 0,
    rods: 0, crossings: 0, framed: 0, filled: 0, throughGlass: 0,
    keys: false, faults: [],
  };
  const root = document.documentElement;
  addEventListener("error", (event) => found.faults.push(event.message));
  const done = () => {
    const report = document.createElement("pre");
    report.id = "checks";
    report.textContent = JSON.stringify(found);
    document.body.append(report);
  };
  const wait = () => {
    if (root.dataset.failed) {
      found.faults.push(root.dataset.failed);
      done();
    } else if (!root.dataset.ready) setTimeout(wait, 20);
    else {
      try {
        for (const part of [firstView, keys, scrub, faces, silhouettes, picking, touches]) part(window.signorini, found);
      } catch (error) {
        found.faults.push(error.stack);
      }
      done();
    }
  };
  wait();
}
check();
