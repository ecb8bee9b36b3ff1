"""Spheres that fall into a box beside LIGGGHTS, by one command:

    apt install liggghts
    pip install ./python -r benches/peers/requirements.txt
    python benches/peers/spheres.py --out out/spheres --page docs/guide/accuracy.md

Each case is a process of its own, and its processor time in user mode counts. LIGGGHTS takes Hertz contacts
with history of the slip (Debian's package); its time step is an eighth of the Rayleigh time of its stiffness.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tables
from scipy.spatial import cKDTree

#: Mean radius (m), its spread, density (kg/m³), friction, gravity (m/s²), duration (s), filled part.
RADIUS, SPREAD, DENSITY, FRICTION, GRAVITY, DURATION, FILL = 0.005, 0.1, 2500.0, 0.5, 9.81, 0.6, 0.6
#: Poisson's ratio and restitution of LIGGGHTS; this program's spheres do not bounce.
POISSON, RESTITUTION = 0.3, 0.3
#: Overlaps are looked at so often (s).
EVERY = 0.02
#: Young's moduli (Pa) of LIGGGHTS; tolerances and time steps (s) of this program, by number of spheres.
STIFFNESSES = [5e6, 5e7, 5e8]
ASKED = {1000: [(1e-1, 2e-3), (1e-2, 2e-3), (1e-3, 1e-3)], 8000: [(1e-1, 2e-3), (3e-2, 2e-3), (1e-2, 2e-3)]}


def start(count: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Places (count, 3) and radii (m) over the floor of a box whose width (m) the pile fills as a cube."""
    random = np.random.default_rng(count)
    radii = RADIUS * (1.0 + SPREAD * random.uniform(-1.0, 1.0, count))
    width = float(np.cbrt(4.0 / 3.0 * np.pi * (radii**3).sum() / FILL))
    pitch = 2.0 * RADIUS * (1.0 + SPREAD) * 1.08
    across = int((width - 2.0 * SPREAD * RADIUS) // pitch)
    cells = np.arange(count)
    grid = np.stack([cells % across, cells // across % across, cells // across**2], axis=1).astype(float)
    grid[:, :2] = (grid[:, :2] + 0.5) * (width / across) - width / 2.0
    grid[:, 2] = (grid[:, 2] + 0.6) * pitch
    room = 0.4 * (pitch - 2.0 * RADIUS * (1.0 + SPREAD))
    return grid + random.uniform(-room, room, grid.shape), radii, width


def deepest(places: np.ndarray, radii: np.ndarray, width: float) -> float:
    """The deepest overlap of two spheres, or of one and a wall or the floor, over the mean radius."""
    pairs = cKDTree(places).query_pairs(2.0 * radii.max(), output_type="ndarray")
    gaps = [np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1) - radii[pairs].sum(axis=1)]
    gaps += [width / 2.0 - np.abs(places[:, axis]) - radii for axis in (0, 1)]
    gaps += [places[:, 2] - radii]
    return max(0.0, -float(np.concatenate(gaps).min())) / RADIUS


def rayleigh(stiffness: float) -> float:
    """Rayleigh time of the smallest sphere (s)."""
    shear = stiffness / (2.0 * (1.0 + POISSON))
    return math.pi * RADIUS * (1.0 - SPREAD) * math.sqrt(DENSITY / shear) / (0.1631 * POISSON + 0.8766)


def user_of(command: list[str], folder: Path) -> float:
    """Processor time in user mode of a command (s)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        told = f"{done.stderr[-500:]}{done.stdout[-500:]}"
        raise RuntimeError(f"{command[0]}: exit code {done.returncode}: {told}")
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def liggghts_input(stiffness: float, half: float, every: int) -> str:
    """The input of LIGGGHTS for spheres in a box of a half width (m), with a dump of every so many steps."""
    model = "model hertz tangential history"
    step = rayleigh(stiffness) / 8.0
    walls = [("zplane", 0.0), ("xplane", -half), ("xplane", half), ("yplane", -half), ("yplane", half)]
    materials = [
        f"youngsModulus peratomtype {stiffness}",
        f"poissonsRatio peratomtype {POISSON}",
        f"coefficientRestitution peratomtypepair 1 {RESTITUTION}",
        f"coefficientFriction peratomtypepair 1 {FRICTION}",
    ]
    lines = ["units si", "atom_style granular", "boundary f f f", "newton off"]
    lines += ["communicate single vel yes", "read_data start.data"]
    lines += [f"neighbor {0.4 * RADIUS} bin", "neigh_modify delay 0"]
    lines += [f"fix m{k} all property/global {material}" for k, material in enumerate(materials)]
    lines += [f"pair_style gran {model}", "pair_coeff * *", f"timestep {step}"]
    lines += [f"fix g all gravity {GRAVITY} vector 0 0 -1"]
    of_wall = f"all wall/gran {model} primitive type 1"
    lines += [f"fix w{k} {of_wall} {axis} {at}" for k, (axis, at) in enumerate(walls)]
    lines += ["fix move all nve/sphere", f"dump d all custom {every} dump.txt id x y z"]
    lines += ["dump_modify d sort id", "thermo 100000", f"run {round(DURATION / step)}"]
    return "\n".join(lines) + "\n"


def with_liggghts(count: int, stiffness: float, folder: Path) -> dict[str, Any]:
    """A drop by LIGGGHTS."""
    places, radii, width = start(count)
    half, top = width / 2.0, float(places[:, 2].max()) + 4.0 * RADIUS
    spheres = enumerate(zip(places, radii, strict=True), 1)
    atoms = [f"{i} 1 {2 * r:.9g} {DENSITY} {x:.9g} {y:.9g} {z:.9g}" for i, ((x, y, z), r) in spheres]
    sides = f"{-half} {half} xlo xhi\n{-half} {half} ylo yhi\n{-2 * RADIUS} {top} zlo zhi"
    head = f"spheres\n\n{count} atoms\n1 atom types\n\n{sides}\n\nAtoms\n\n"
    (folder / "start.data").write_text(head + "\n".join(atoms) + "\n")
    every = max(1, round(EVERY * 8.0 / rayleigh(stiffness)))
    (folder / "in.txt").write_text(liggghts_input(stiffness, half, every))
    user = user_of(["liggghts", "-in", "in.txt"], folder)
    frames = (folder / "dump.txt").read_text().split("ITEM: ATOMS")[1:]
    seen = [
        np.array([row.split()[1:4] for row in frame.splitlines()[1 : count + 1]], float) for frame in frames
    ]
    return {"user": user, "overlap": max(deepest(one, radii, width) for one in seen), "unsolved": 0}


def with_signorini(count: int, tolerance: float, step: float, folder: Path) -> dict[str, Any]:
    """The same by this program, in a process of its own."""
    line = [sys.executable, str(Path(__file__).resolve()), "--drop", json.dumps([count, tolerance, step])]
    user_of(line + ["--out", str(folder)], folder)
    run: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return run


def scene_of(count: int, tolerance: float, step: float) -> dict[str, Any]:
    """The drop as a scene of this program."""
    places, radii, width = start(count)
    spheres = enumerate(zip(places.tolist(), radii.tolist(), strict=True))
    body = [
        {"name": f"b{i}", "shape": {"type": "sphere", "radius": r}, "density": DENSITY, "position": p}
        for i, (p, r) in spheres
    ]
    return {
        "format": 1,
        "simulation": {"time_step": step, "duration": DURATION, "gravity": [0.0, 0.0, -GRAVITY]},
        "solver": {"tolerance": tolerance},
        "friction": [{"coefficient": FRICTION}],
        "container": [{"name": "box", "size": [width, width, 100.0]}],
        "body": body,
    }


def drop(count: int, tolerance: float, step: float, folder: Path) -> None:
    """Drops spheres with this program and writes what it took into run.json."""
    import signorini as sg

    _, radii, width = start(count)
    scene = sg.Scene.from_dict(scene_of(count, tolerance, step))
    simulation = sg.Simulation(scene, threads=1, judge=False)
    moves = [i for i, name in enumerate(simulation.names) if name.startswith("b") and name[1:].isdigit()]
    user, overlap, unsolved, every = 0.0, 0.0, 0, max(1, round(EVERY / step))
    for k in range(1, round(DURATION / step) + 1):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_utime
        unsolved += not simulation.step().solved
        user += resource.getrusage(resource.RUSAGE_SELF).ru_utime - before
        if k % every == 0:
            overlap = max(overlap, deepest(np.asarray(simulation.positions)[moves], radii, width))
    (folder / "run.json").write_text(json.dumps({"user": user, "overlap": overlap, "unsolved": unsolved}))


def made(measured: list[dict[str, Any]]) -> str:
    """The table of the page."""
    head = ["spheres", "program", "CPU s per simulated s", "over E 5e7", "deepest overlap over r", "unsolved"]
    users = {row["count"]: row["user"] for row in measured if row["program"] == "LIGGGHTS E 5e7"}
    lines = []
    for row in measured:
        ratio = f"{row['user'] / users[row['count']]:.2f}"
        deep = f"{row['overlap']:.1e}".replace("e-0", "e-")
        per_second = tables.number(row["user"] / DURATION)
        lines.append([str(row["count"]), row["program"], per_second, ratio, deep, str(row["unsolved"])])
    return tables.table(head, lines)


def cases_of(count: int) -> list[tuple[str, Any, tuple[float, ...]]]:
    """Name, program and settings of each case."""
    cases: list[tuple[str, Any, tuple[float, ...]]] = []
    for stiffness in STIFFNESSES:
        cases.append((f"LIGGGHTS E {stiffness:.0e}".replace("e+0", "e"), with_liggghts, (stiffness,)))
    for tolerance, step in ASKED[count]:
        name = f"signorini, {tables.power(tolerance)}, {1e3 * step:g} ms"
        cases.append((name, with_signorini, (tolerance, step)))
    return cases


def measure(counts: list[int], out: Path) -> list[dict[str, Any]]:
    """All cases, one after the other; each is written down as it ends."""
    measured: list[dict[str, Any]] = []
    for count in counts:
        for program, by, settings in cases_of(count):
            folder = out / f"{count}-{program}".replace(" ", "-").replace(",", "")
            folder.mkdir(parents=True, exist_ok=True)
            row = {"count": count, "program": program, **by(count, *settings, folder)}
            print(row, flush=True)
            measured.append(row)
            (out / "spheres.json").write_text(json.dumps(measured))
    return measured


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--out", type=Path, default=Path("out/spheres"), help="folder to write")
    options.add_argument("--counts", type=int, nargs="+", default=list(ASKED), choices=list(ASKED))
    options.add_argument("--page", type=Path, help="page whose table is replaced")
    options.add_argument("--drop", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.drop:
        drop(*json.loads(given.drop), given.out)
        return
    if not shutil.which("liggghts"):
        sys.exit("liggghts is not installed (Debian: apt install liggghts)")
    found = {"spheres": made(measure(given.counts, given.out.resolve()))}
    print(found["spheres"])
    if given.page:
        given.page.write_text(tables.put(found, given.page.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
