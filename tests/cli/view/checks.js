// Runs in a page that a test made: holds what is shown against the tables. `EXPECTED` is put in front.
const near = (a, b) => Math.max(...a.map((x, k) => Math.abs(x - b[k])));

/** Scrubs to frames and compares bodies, contacts and texts with the tables. */
function scrub(viewer, found) {
  for (const { frame, step, bodies, contacts, push } of EXPECTED.frames) {
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
    found.push = Math.max(found.push, Math.abs(sum - push) / Math.max(push, 1e-9));
    const clock = document.getElementById("clock").textContent;
    if (!clock.endsWith(`step ${step}`)) found.faults.push(`${clock} is not step ${step}`);
  }
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

/** A click on the middle of a body selects it, unless another is in front. */
function picking(viewer, found) {
  const canvas = viewer.stage.canvas;
  for (const body of viewer.run.bodies.filter((b) => b.slot >= 0)) {
    const at = viewer.stage.onCanvas(viewer.stage.controls.target.clone().set(...viewer.run.position(body, viewer.player.frame)));
    const expected = viewer.pick(at).body;
    for (const type of ["pointerdown", "pointerup"]) {
      const event = new PointerEvent(type, { button: 0, pointerId: 1, clientX: at.x, clientY: at.y, bubbles: true });
      Object.defineProperties(event, { offsetX: { value: at.x }, offsetY: { value: at.y } });
      canvas.dispatchEvent(event);
    }
    viewer.refresh();
    const shown = document.querySelector("#details h2")?.textContent;
    if (shown !== expected) found.faults.push(`clicked ${body.name}, shown ${shown}, under the pointer ${expected}`);
    found.picked += expected === body.name;
  }
  viewer.select({});
}

/** Every key does something and nothing fails. */
function keys(viewer, found) {
  for (const key of [" ", " ", "ArrowLeft", "End", "Home", "+", "-", "c", "c", "c", "c", "c", "f", "h", "p", "t", "j", "x", "x", "i", "i", "r", "1", "5", "6", "d", "d", "o", "o", "?", "Escape", "f", "h", "p", "t", "j"]) {
    dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    viewer.refresh();
  }
  found.keys = viewer.player.frame === 0 && viewer.world.kind === "body" && viewer.markers.on.chains === false;
}

function check() {
  const found = {
    position: 0, velocity: 0, drawn: 0, push: 0, samples: 0, hits: 0, wrong: 0, picked: 0, keys: false, faults: [],
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
        for (const part of [keys, scrub, silhouettes, picking]) part(window.signorini, found);
      } catch (error) {
        found.faults.push(error.stack);
      }
      done();
    }
  };
  wait();
}
check();
