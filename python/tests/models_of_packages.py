"""Reads the models that packages of PyPI carry, holds them to MuJoCo and Pinocchio, and prints tables.

    pip install mujoco gymnasium dm_control robosuite robosuite-models pybullet pin example-robot-data
    python python/tests/models_of_packages.py [--all] [PACKAGE or FOLDER ...]

`--all` prints a line of each model, otherwise of those that are refused or differ.
"""

from __future__ import annotations

import collections
import functools
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np

import references
import signorini as sg

PACKAGES = (
    "mujoco",
    "gymnasium",
    "dm_control",
    "robosuite",
    "robosuite_models",
    "pybullet_data",
    "example-robot-data",
)
#: Robots of one package that differ by numbers only: so many of each folder suffice.
MOST = 60
#: Over so many copies with turned meshes medians are taken where moments of inertia or accelerations differ.
COPIES = 51
#: Random positions of the joints of robots in URDF; of three arms `test_robots.py` takes 20.
POSITIONS = 5


def folder_of(name: str) -> Path | None:
    """The folder of a package, or of that path."""
    if Path(name).is_dir():
        return Path(name)
    if name == "example-robot-data":
        return references.example_robots()
    found = importlib.util.find_spec(name)
    return Path(found.submodule_search_locations[0]) if found and found.submodule_search_locations else None


def models_in(folder: Path) -> list[Path]:
    """Models in MJCF and URDF; parts that only others include are not."""
    found: list[Path] = []
    counts: collections.Counter[Path] = collections.Counter()
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".urdf" or (
            path.suffix in (".xml", ".mjcf")
            and "<mujoco" in path.read_text(encoding="utf-8", errors="replace")
        ):
            family = path.parent.parent
            counts[family] += 1
            if counts[family] <= MOST:
                found.append(path)
    return found


def reason(error: Exception) -> str:
    """What of a refusal does not depend on the model."""
    for known, short in REASONS.items():
        if re.search(known, str(error)):
            return short
    faults = getattr(error, "faults", None) or [error]
    return str(faults[0]).splitlines()[0].split(": ", 1)[-1][:100]


REASONS = {
    "several joints": "several joints that move a body in the same way",
    "masses of meshes": "masses of meshes without `<inertial>`",
    "has macros": "macros of xacro",
    "is not read: write its bodies out": "bodies by rules",
    "No such file": "a file is not there",
    "none that moves": "nothing that moves",
    "no principal moment may exceed": "moments of inertia that no body has",
    "mass = 0": "bodies without mass",
}


@functools.cache
def pinocchio_model(path: Path) -> Any:
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(path))


def judge(path: Path) -> tuple[str, str]:
    """What became of a model: (equal, turned, differs, loads, refused or invalid) and why.

    Those are turned that are equal to medians of MuJoCo's numbers over copies with turned meshes.
    """
    is_urdf = path.suffix == ".urdf"
    worst: dict[str, float] = {}
    single = 0.0
    free_root = {}
    try:
        try:
            scene = (sg.Scene.from_urdf if is_urdf else sg.Scene.from_mjcf)(path)
        except sg.InputError as error:
            # A single link is a body, not a robot.
            if not is_urdf or "none that moves" not in str(error):
                raise
            free_root = {"free_root": True}
            scene = sg.Scene.from_urdf(path, **free_root)
    except (sg.InputError, sg.FileError) as error:
        return "refused", reason(error)
    joints: dict[str, float] = {}
    try:
        if is_urdf:
            random = np.random.default_rng(0)
            for _ in range(POSITIONS):
                joints = references.random_positions(pinocchio_model(path), random)
                reference = references.of_pinocchio(path, joints, **free_root)
                moved = sg.Scene.from_urdf(path, joints=joints, **free_root)
                now = references.differences(moved, reference)
                worst = {name: max(value, worst.get(name, 0.0)) for name, value in now.items()}
        else:
            worst = references.differences(scene, references.of_mujoco(path))
            if max(worst["inertia"], worst.get("acceleration", 0.0)) > references.CLOSE:
                single = max(worst["inertia"], worst.get("acceleration", 0.0))
                worst = references.differences(scene, references.of_mujoco(path, copies=COPIES))
    except (ImportError, AssertionError, sg.InputError):
        raise
    except Exception as error:  # noqa: BLE001 - the reference's own refusals have many types
        return "loads", f"the reference refuses it: {str(error).splitlines()[0][:90]}"
    told = ", ".join(f"{name} {value:.1e}" for name, value in worst.items())
    notes = sum("not taken over" in note for note in scene.notes)
    state = "differs"
    if max(worst.values()) <= references.CLOSE:
        state = "turned" if single > references.CLOSE else "equal"
    if single > references.CLOSE:
        told += f", of one copy {single:.1e}"
    return state, f"{len(scene)} bodies, {len(scene.joint_names)} joints, {notes} notes; {told}"


def main() -> None:
    arguments = [a for a in sys.argv[1:] if a != "--all"]
    rows = []
    for package in arguments or PACKAGES:
        folder = folder_of(package)
        if folder is None:
            print(f"{package}: not installed")
            continue
        counts: collections.Counter[str] = collections.Counter()
        reasons: collections.Counter[str] = collections.Counter()
        for path in models_in(folder):
            try:
                state, why = judge(path)
            except AssertionError as error:
                state, why = "differs", f"other bodies: {error}"
            counts[state] += 1
            if state in ("refused", "loads"):
                reasons[why] += 1
            if "--all" in sys.argv or state not in ("equal", "refused"):
                print(f"{state:8} {path.relative_to(folder)}: {why}", flush=True)
        told = "; ".join(f"{n} {why}" for why, n in reasons.most_common())
        names = ("equal", "turned", "differs", "loads", "refused")
        rows.append([package, str(counts.total()), *(str(counts[n]) for n in names), told])
    print("| package | models | equal | turned | differ | no reference | refused | why |")
    print("|---|---|---|---|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
